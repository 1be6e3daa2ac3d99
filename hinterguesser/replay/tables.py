"""The replay as plain tables: a title, column heads and cells of text, for the terminal or a file.

Shares are percentages with their sign; what does not exist is a dash.
"""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from hinterguesser.replay.accounting import Account
from hinterguesser.replay.result import GroupResult, ModelResult, Replay

NOTHING = "–"

LEGEND = (
    "raw_gated commits when confidence reaches the threshold, else retrieves while it may, and in the end abstains or "
    "escalates; calibrated_gated does so by calibrated confidence; fixed_k commits after k retrievals; adaptive when "
    "an answer repeats; oracle_stop at the first right answer, which nothing beats; value_of_information retrieves "
    "while that is worth its price."
)


@dataclass(frozen=True, slots=True)
class Table:
    """Cells of text."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    """What the reader must know, in a sentence or two."""

    def text(self) -> str:
        """Aligned in columns: the first flush left, the others flush right."""
        lines = [self.heads, *self.rows]
        widths = [max(len(line[at]) for line in lines) for at in range(len(self.heads))]
        body = ["  ".join(_aligned(line, widths)).rstrip() for line in lines]
        body.insert(1, "  ".join("-" * width for width in widths))
        return "\n".join([self.title, *body, *wrapped(self.note)])


def tables(result: Replay) -> list[Table]:
    """All tables of a replay that have a row."""
    price = result.settings.retrieval_price
    made = [_controllers(group, price, result.settings.gate.budget) for group in result.groups]
    made += [_matched(group) for group in result.groups]
    made += [_changes(group) for group in result.groups]
    made += [_depths(model) for model in result.models]
    made += [_transitions(model) for model in result.models]
    made += [_picks(model) for model in result.models]
    return [table for table in made if table.rows]


def _controllers(group: GroupResult, price: float, budget: int) -> Table:
    heads = (
        "controller",
        "right",
        "95 % interval",
        "right if committed",
        "committed",
        "abstained",
        "escalated",
        "retrievals",
        "cost",
        "unscored",
    )
    rows = []
    for name, done in group.accounts.items():
        rows.append(
            (
                name,
                percent(done.overall_accuracy),
                _range(done.intervals()["overall_accuracy"]),
                percent(done.committed_accuracy),
                percent(done.coverage),
                percent(done.abstain_share),
                percent(done.escalate_share),
                number(done.mean_retrievals, 2),
                number(done.mean_cost(price), 6),
                percent(done.unscored_share),
            )
        )
    questions = next(iter(group.accounts.values())).n
    return Table(
        f"What acting on confidence wins and costs{_of(group)}: {questions} questions, at most {budget} retrievals",
        heads,
        tuple(rows),
        "'right' counts a question without a commit as not right; retrievals and cost are means a question. " + LEGEND,
    )


def _matched(group: GroupResult) -> Table:
    rows = tuple(
        (
            {"number": "at the same number", "coverage": "at matched coverage", "cost": "at matched cost"}[pair.by],
            "never commits" if pair.raw_threshold is None else f"{pair.raw_threshold:.2f}",
            *_both(pair.raw, pair.calibrated),
        )
        for pair in group.matched
    )
    heads = ("raw against calibrated", "raw cut", "right", "right if committed", "committed", "retrievals")
    note = (
        "Each cell: raw / calibrated. One frozen map only moves the cut, so a gain at the same number that is gone at "
        "matched coverage was a stricter choice, not a better one."
    )
    return Table(f"Calibration at equal terms{_of(group)}", heads, rows, note)


def _both(raw: Account, calibrated: Account) -> tuple[str, ...]:
    return (
        f"{percent(raw.overall_accuracy)} / {percent(calibrated.overall_accuracy)}",
        f"{percent(raw.committed_accuracy)} / {percent(calibrated.committed_accuracy)}",
        f"{percent(raw.coverage)} / {percent(calibrated.coverage)}",
        f"{number(raw.mean_retrievals, 2)} / {number(calibrated.mean_retrievals, 2)}",
    )


def _changes(group: GroupResult) -> Table:
    rows = []
    for change in group.changes:
        counts = change.name == "mean_retrievals"
        ends = change.interval
        shown = [_signed(value, counts) for value in (change.difference, *(ends or (None, None)))]
        rows.append((change.name.replace("_", " "), shown[0], f"{shown[1]} to {shown[2]}" if ends else NOTHING))
    heads = ("calibrated less raw", "difference", "95 % interval")
    return Table(f"Calibrated-gated less raw-gated on the same questions{_of(group)}", heads, tuple(rows))


def _depths(model: ModelResult) -> Table:
    rows = tuple(
        (
            str(at.depth),
            str(at.n),
            percent(at.unscored_share),
            percent(at.accuracy),
            percent(at.raw),
            percent(at.calibrated),
            "worse than raw" if at.transfer_alarm else "",
            number(at.aurc, 3),
            number(at.auroc, 3),
        )
        for at in model.depths
    )
    heads = ("depth", "states", "unscored", "right", "ECE raw", "ECE calibrated", "alarm", "AURC", "AUROC")
    return Table(f"Confidence at each depth{named(model.model)}", heads, rows)


def _transitions(model: ModelResult) -> Table:
    rows = tuple(
        (
            f"{move.depth} to {move.depth + 1}",
            str(move.n),
            _share_of(move.wrong_to_right, move.n),
            _share_of(move.right_to_wrong, move.n),
            _share_of(move.unchanged, move.n),
            str(move.duplicates),
            number(move.auroc, 3),
            number(move.auroc_if_wrong, 3),
        )
        for move in model.transitions
    )
    heads = ("depth", "n", "wrong to right", "right to wrong", "unchanged", "left out", "AUROC", "AUROC if wrong")
    note = "AUROC: does low confidence point to the retrievals that help? 0.500 is chance."
    return Table(f"What one more retrieval does{named(model.model)}", heads, rows, note)


def _picks(model: ModelResult) -> Table:
    rows = []
    for pick in model.picks:
        choices = [("cheapest", pick.threshold, pick.test), ("strictest", pick.strictest, pick.strictest_test)]
        for kind, cut, test in choices[: 1 if pick.threshold == pick.strictest else 2]:
            kept = None if test is None else pick.promise.kept_by(test)
            rows.append(
                (
                    str(pick.promise),
                    kind,
                    "none can be promised" if cut is None else f"{cut:.2f}",
                    percent(test.coverage if test else None),
                    percent(test.committed_accuracy if test else None),
                    number(test.mean_retrievals if test else None, 2),
                    NOTHING if kept is None else "yes" if kept else "no",
                )
            )
    heads = ("promise", "choice", "commit at raw", "committed", "right if committed", "retrievals", "kept on test")
    note = "Thresholds hold on calibration traces with 95 % confidence; the numbers are what they did on test."
    return Table(f"Thresholds that keep a promise{named(model.model)}", heads, tuple(rows), note)


def wrapped(text: str) -> list[str]:
    """`text` in lines of at most 110 characters."""
    return textwrap.wrap(text, 110, break_long_words=False, break_on_hyphens=False)


def percent(value: float | None) -> str:
    """A share as a percentage with one decimal."""
    return NOTHING if value is None else f"{100 * value:.1f} %"


def number(value: float | None, decimals: int) -> str:
    """A number with fixed decimals."""
    return NOTHING if value is None else f"{value:.{decimals}f}"


def _share_of(part: int, whole: int) -> str:
    return percent(part / whole if whole else None)


def _signed(value: float | None, is_count: bool) -> str:
    if value is None:
        return NOTHING
    return f"{value:+.2f}" if is_count else f"{100 * value:+.1f} points"


def _range(ends: tuple[float, float] | None) -> str:
    return NOTHING if ends is None else f"{100 * ends[0]:.1f} to {100 * ends[1]:.1f} %"


def _of(group: GroupResult) -> str:
    return named(*(label for label in (group.model, group.dataset) if label is not None))


def named(*labels: str | None) -> str:
    """Labels that are known, in parentheses after a blank; nothing without any."""
    known = [label for label in labels if label is not None]
    return f" ({', '.join(known)})" if known else ""


def _aligned(line: Sequence[str], widths: Sequence[int]) -> list[str]:
    pairs = zip(line, widths, strict=True)
    return [cell.rjust(width) if at else cell.ljust(width) for at, (cell, width) in enumerate(pairs)]
