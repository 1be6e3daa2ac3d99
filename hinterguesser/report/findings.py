"""What an evaluation found, in plain sentences.

Each number comes with its interval, its N and the share that could not be read.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from hinterguesser.domain.predictions import REFERENCES
from hinterguesser.flow.metrics import Summary
from hinterguesser.flow.profiles import Profiles
from hinterguesser.report.layout import is_main, is_significant, tested
from hinterguesser.report.sheets import with_ends
from hinterguesser.report.tables import percent

Row = Mapping[str, Any]


def findings(summary: Summary, profiles: Profiles) -> list[str]:
    """The headline results: what was asked, how often it was right, how confidence moved, and what to be wary of."""
    main = [group for group in summary.groups if is_main(group["by"])]
    by_method: dict[str, list[Row]] = {}
    for group in main:
        by_method.setdefault(group["by"].get("method") or "confidence", []).append(group)
    own = {name: groups for name, groups in by_method.items() if name not in REFERENCES}
    of_methods = [
        *_each(own, "info_ece", "its mean gap to accuracy over the levels (InfoECE, 0 is best) is {of}."),
        *_rising(profiles),
        *_each(own, "tau", "tau, how steadily it rises within a dialogue (100 % is best), is {of}."),
        *_each(own, "auroc", "a right answer has more confidence than a wrong one in {of} of pairs (AUROC)."),
        *_unread(own),
    ]
    return [
        *_accuracy(summary),
        *(f"{name}: {sentence}" for name in own for of, sentence in of_methods if of == name),
        *_placebos(summary),
        *_formats(summary),
        *dict.fromkeys(group["warning"] for group in main if group["warning"]),
    ]


def _accuracy(summary: Summary) -> Iterable[str]:
    rows = [row for row in summary.accuracy if is_main(row["by"]) and row["accuracy"] is not None]
    if rows:
        shown = _from_to(
            rows,
            lambda row: row["accuracy"],
            lambda row: f"{with_ends(row['accuracy'], row['interval'])}",
            lambda row: (
                f"N = {row['n']} turns of {row['dialogues']} dialogues, {percent(row['no_answer_share'])} "
                "without an answer"
            ),
        )
        yield f"The answer after a turn of the dialogue is right in {shown} of turns."


def _each(groups: Mapping[str, Sequence[Row]], name: str, sentence: str) -> Iterable[tuple[str, str]]:
    for method, rows in groups.items():
        if any(row[name] is not None for row in rows):
            shown = _from_to(
                rows,
                lambda row: row[name],
                lambda row: with_ends(row[name], row["intervals"].get(name)),
                lambda row: f"N = {_turns(row, name)}, {percent(row['unscored_share'])} unscored",
            )
            yield method, sentence.format(of=shown)


def _turns(group: Row, name: str) -> int:
    """How many turns a number rests on: tau needs no right answers."""
    return int(group["n"]) + (int(group["correct_unknown"]) if name == "tau" else 0)


def _rising(profiles: Profiles) -> Iterable[tuple[str, str]]:
    rows: dict[str, list[Row]] = {}
    for profile in profiles.groups:
        steps = profile.steps
        method = profile.by.get("method") or "confidence"
        if is_main(profile.by) and method not in REFERENCES:
            rows.setdefault(method, []).append({"by": profile.by, "profile": profile, "steps": steps})
    for method, found in rows.items():
        if all(row["steps"].rising is None for row in found):
            continue
        shown = _from_to(
            found,
            lambda row: row["steps"].rising,
            lambda row: f"{with_ends(row['steps'].rising, row['steps'].interval)}",
            lambda row: (
                f"N = {row['steps'].pairs} pairs; it falls in {percent(row['steps'].falling)}, stays in "
                f"{percent(row['steps'].level)}; {percent(row['profile'].unscored_share)} unscored"
            ),
        )
        yield method, f"from one turn to the next it rises in {shown} of pairs of turns."


MOST_LISTED = 8
"""Comparisons that are told one by one; of more, those that are beyond chance are."""


def _placebos(summary: Summary) -> Iterable[str]:
    rows = [
        row
        for row in summary.placebo_tests
        if row["by"].get("target") in (None, "answer") and row["difference"]["mean"] is not None
    ]
    told = rows if len(rows) <= MOST_LISTED else [row for row in rows if is_significant(row["difference"])]
    keys = ("method", *_differing(rows))
    for row in told:
        real, placebo = row["informative_change"], row["placebo_change"]
        verdict = "more than chance" if is_significant(row["difference"]) else "which may be chance"
        yield (
            f"{_named(row['by'], keys)}: a real hint moves confidence by {tested(real)} points, a placebo by "
            f"{tested(placebo)}: {tested(row['difference'])} apart, {verdict} (sign-flip test over {row['entities']} "
            f"entities, Holm-corrected; N = {row['n']} turns scored in all three)."
        )
    if len(told) < len(rows):
        yield (
            f"In {len(rows) - len(told)} of {len(rows)} comparisons of real hints with placebos the difference may be "
            "chance (table 3)."
        )


def _formats(summary: Summary) -> Iterable[str]:
    rows = [
        row for row in summary.multi_single if row["quantity"] == "accuracy" and row["difference"]["mean"] is not None
    ]
    for row in rows:
        yield (
            f"{_named(row['by'], _differing(rows)) or 'Accuracy'}: {percent(row['multi'])} right as a dialogue, "
            f"{percent(row['single'])} as a summary of the same hints: {tested(row['difference'])} points "
            f"(means over entities; N = {row['n']} turns of {row['entities']} entities)."
        )


def _unread(groups: Mapping[str, Sequence[Row]]) -> Iterable[tuple[str, str]]:
    for method, rows in groups.items():
        reasons: dict[str, int] = {}
        for row in rows:
            for reason, count in row["unscored_reasons"].items():
                reasons[reason] = reasons.get(reason, 0) + count
        if reasons:
            worst = max(reasons, key=lambda reason: reasons[reason])
            yield method, f"{sum(reasons.values())} estimates could not be read, most often for: {worst}."


def _from_to(
    rows: Sequence[Row],
    value: Callable[[Row], float | None],
    shown: Callable[[Row], str],
    counted: Callable[[Row], str],
) -> str:
    """The one number; or the lowest and the highest of several, each with where it was found.

    At least one row has the number; where it does not exist is said.
    """
    keys = _differing(rows)
    known = [row for row in rows if value(row) is not None]
    low, high = min(known, key=_value(value)), max(known, key=_value(value))
    silent = "; ".join(_named(row["by"], keys) for row in rows if value(row) is None)
    missing = f"; not known: {silent})" if silent else ")"
    if len(rows) == 1:
        return f"{shown(low)} ({counted(low)})"
    if value(low) == value(high):
        alike = "; ".join(_named(row["by"], keys) for row in known)
        return f"{shown(low)} ({'each of ' if len(known) > 1 else ''}{alike}; {counted(low)}{missing}"
    ends = [f"{shown(row)} ({_named(row['by'], keys)}; {counted(row)}" for row in (low, high)]
    return ") to ".join(ends) + missing


def _value(value: Callable[[Row], float | None]) -> Callable[[Row], float]:
    return lambda row: value(row) or 0.0


def _differing(rows: Sequence[Row]) -> tuple[str, ...]:
    """Which of dataset and model tell these rows apart."""
    return tuple(key for key in ("dataset", "model") if len({row["by"].get(key) for row in rows}) > 1)


def _named(by: Mapping[str, Any], keys: Sequence[str]) -> str:
    return ", ".join(str(by[key]) for key in keys if by.get(key) is not None)
