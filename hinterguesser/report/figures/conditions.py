"""The dialogue against its summary, and a real hint against a placebo."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from hinterguesser.flow.metrics import Summary
from hinterguesser.flow.profiles import AccuracyProfile, Profile, Profiles
from hinterguesser.report.figures.figure import Figure
from hinterguesser.report.figures.forest import Forest, Row, Value, draw_forest
from hinterguesser.report.figures.pages import Page, Panel, panel_key, span
from hinterguesser.report.figures.style import is_reference, shortened
from hinterguesser.report.figures.words import WHISKERS, also, cell_heads, cells, ends_of, listed, method_of
from hinterguesser.report.layout import is_significant, tested
from hinterguesser.report.sheets import change
from hinterguesser.report.tables import percent
from hinterguesser.stats.profiles import Mean

Record = Mapping[str, Any]

FORMATS = ("dialogue (multi)", "summary (single)")
CHANGES = ("real hint (informative)", "placebo")
ACCURACY = "accuracy"


def of_answer(by: Record) -> bool:
    """Whether rows are about the model's own answer."""
    return by.get("target") in (None, "answer")


def multi_single(page: Page[Profile], profiles: Profiles, summary: Summary) -> Figure | None:
    """Accuracy, and each method's mean confidence, after the dialogue and after its summary (figure 4).

    Args:
        page: Profiles of the conditions `multi` and `single`.
        profiles: For the accuracy.
        summary: For paired differences.
    """
    answers: dict[Any, dict[str, AccuracyProfile]] = {}
    for each in profiles.accuracy:
        answers.setdefault(panel_key(each.by), {})[each.by.get("condition") or ""] = each
    paired = {(panel_key(row["by"]), _quantity(row)): row for row in summary.multi_single if of_answer(row["by"])}
    panels, rows = [], []
    for panel in page.panels:
        key = panel.model, panel.dataset
        right = answers.get(key, {})
        means: dict[str, list[Mean | None]] = {
            ACCURACY: [right[name].accuracy if name in right else None for name in ("multi", "single")]
        }
        shares: dict[str, list[float | None]] = {ACCURACY: [None, None]}
        for name, both in _both(panel).items():
            means[name] = [None if profile is None else profile.confidence for profile in both]
            shares[name] = [None if profile is None else profile.unscored_share for profile in both]
        shown = []
        for name, sides in means.items():
            difference = paired.get((key, name), {}).get("difference")
            note = tested(difference) if difference and difference["mean"] is not None else ""
            shown.append(Row(name, (_value(sides[0]), _value(sides[1])), note))
            moved = (difference["mean"], *ends_of(difference["interval"])) if difference else (None,) * 3
            sided = [(*_mean_cells(mean), share) for mean, share in zip(sides, shares[name], strict=True)]
            rows.append((panel.dataset, panel.model, name, *sided[0], *sided[1], *moved))
        panels.append(Forest(panel.title, _counts(panel), tuple(row for row in shown if any(row.values))))
    if not any(panel.rows for panel in panels):
        return None
    return Figure(
        name=f"multi_single{page.suffix}",
        title=f"The dialogue and its summary: accuracy and confidence{page.of}",
        caption="Share of right answers, and mean confidence of each method, after the turns of a dialogue (filled "
        "circles) and after a summary that says the same hints (open squares). On the right the difference in "
        f"points, dialogue less summary, over the turns that have both, as a mean over entities. "
        f"{WHISKERS} {_counted(page)}",
        alt=_told(page.panels[0], panels[0], FORMATS) + also(page),
        heads=(
            *("dataset", "model", "quantity"),
            *(f"{side}_{head}" for side in ("multi", "single") for head in (*cell_heads("mean"), "unscored_share")),
            *("difference", "difference_lo", "difference_hi"),
        ),
        rows=tuple(rows),
        draw=partial(
            draw_forest, panels, page.shape, "accuracy, mean confidence (%)", FORMATS, changes=False, above="difference"
        ),
    )


def info_ece(page: Page[Record]) -> Figure | None:
    """Each method's InfoECE after the dialogue and after its summary; None where the summary was not tried.

    Args:
        page: Groups of the conditions `multi` and `single`.
    """
    panels, rows = [], []
    for panel in page.panels:
        shown: dict[str, list[Record | None]] = {}
        for group in panel.items:
            sides = shown.setdefault(method_of(group["by"]), [None, None])
            sides[group["by"]["condition"] == "single"] = group
        lines = []
        for name, both in shown.items():
            lines.append(Row(name, (_ece(both[0]), _ece(both[1]))))
            rows.append((panel.dataset, panel.model, name, *_ece_cells(both[0]), *_ece_cells(both[1])))
        counts = [group["n"] for group in panel.items]
        count = f"N = {span(counts)} a method"
        panels.append(Forest(panel.title, count, tuple(row for row in lines if any(row.values))))
    if not any(row.values[1] for panel in panels for row in panel.rows):
        return None
    groups = [group for panel in page.panels for group in panel.items]
    return Figure(
        name=f"multi_single_info_ece{page.suffix}",
        title=f"The dialogue and its summary: InfoECE{page.of}",
        caption="Mean gap between accuracy and confidence over information levels (0 is best) after the turns of a "
        f"dialogue (filled circles) and after a summary of them (open squares). {WHISKERS} {_groups_counted(groups)}",
        alt=_told(page.panels[0], panels[0], FORMATS) + also(page),
        heads=(
            *("dataset", "model", "method"),
            *(f"{s}_{head}" for s in ("multi", "single") for head in (*cell_heads("info_ece"), "unscored_share")),
        ),
        rows=tuple(rows),
        draw=partial(draw_forest, panels, page.shape, "InfoECE (%)", FORMATS, changes=False),
    )


def placebo(page: Page[Record], groups: Sequence[Record]) -> Figure | None:
    """How a real hint and a placebo change confidence.

    Args:
        page: Placebo tests of a summary, of the target `answer`.
        groups: Of the summary: for the unscored share.
    """
    panels, rows = [], []
    for panel in page.panels:
        lines = []
        for test in panel.items:
            moved = [test["informative_change"], test["placebo_change"]]
            star = "*" if is_significant(test["difference"]) else ""
            lines.append(Row(method_of(test["by"]), (_change(moved[0]), _change(moved[1])), star))
            changes = (test["informative_change"], test["placebo_change"], test["difference"])
            means = (cell for change in changes for cell in (change["mean"], *ends_of(change["interval"])))
            who = panel.dataset, panel.model, method_of(test["by"]), test["n"], test["dialogues"]
            rows.append((*who, *means, test["difference"]["p_holm"]))
        n, dialogues = ([test[name] for test in panel.items] for name in ("n", "dialogues"))
        panels.append(Forest(panel.title, f"N = {span(n)} turns, {max(dialogues)} dialogues", tuple(lines)))
    if not any(any(row.values) for panel in panels for row in panel.rows):
        return None
    both = [
        group
        for group in groups
        if of_answer(group["by"])
        and group["by"].get("condition") in ("multi", "placebo")
        and not is_reference(method_of(group["by"]))
    ]
    return Figure(
        name=f"placebo{page.suffix}",
        title=f"What a real hint and a placebo do to confidence{page.of}",
        caption="Mean change of confidence from one turn to the next with the real hint of that turn (filled circles) "
        "and with a placebo in its place (open squares), each dialogue counted alike, in points. A star marks a "
        "difference between the two that is more than chance (sign-flip test over entities, Holm-corrected, 5 %). "
        f"{WHISKERS} {_groups_counted(both)}",
        alt=_told(page.panels[0], panels[0], CHANGES, _points) + also(page),
        heads=(
            *("dataset", "model", "method", "turns", "dialogues"),
            *(f"{name}{end}" for name in ("informative", "placebo", "difference") for end in ("", "_lo", "_hi")),
            "difference_p_holm",
        ),
        rows=tuple(rows),
        draw=partial(draw_forest, panels, page.shape, "change of confidence (points)", CHANGES, changes=True),
    )


def _both(panel: Panel[Profile]) -> dict[str, list[Profile | None]]:
    """By method, its profile after the dialogue and after the summary."""
    found: dict[str, list[Profile | None]] = {}
    for profile in panel.items:
        sides = found.setdefault(method_of(profile.by), [None, None])
        sides[profile.by["condition"] == "single"] = profile
    return found


def _quantity(row: Record) -> str:
    return ACCURACY if row["quantity"] == "accuracy" else method_of(row["by"])


def _value(mean: Mean | None) -> Value | None:
    return None if mean is None else _from(mean.value, mean.interval)


def _change(change: Record) -> Value | None:
    return _from(change["mean"], change["interval"])


def _ece(group: Record | None) -> Value | None:
    return None if group is None else _from(group["info_ece"], group["intervals"].get("info_ece"))


def _from(value: float | None, interval: Sequence[float] | None) -> Value | None:
    return None if value is None else Value(value, None if interval is None else (interval[0], interval[1]))


def _mean_cells(mean: Mean | None) -> tuple[float | int | None, ...]:
    return (None, None, None, 0) if mean is None else cells(mean)


def _ece_cells(group: Record | None) -> tuple[float | int | None, ...]:
    if group is None:
        return (None, None, None, 0, None)
    return (group["info_ece"], *ends_of(group["intervals"].get("info_ece")), group["n"], group["unscored_share"])


def _counts(panel: Panel[Profile]) -> str:
    return f"N = {span([p.n for p in panel.items])} a method, {max(p.dialogues for p in panel.items)} dialogues"


def _counted(page: Page[Profile]) -> str:
    every = [profile for panel in page.panels for profile in panel.items]
    rows, scored = sum(profile.rows for profile in every), sum(profile.n for profile in every)
    return f"N = {scored} scored predictions; {percent((rows - scored) / rows)} of {rows} are unscored and left out."


def _groups_counted(groups: Sequence[Record]) -> str:
    n = sum(group["n"] for group in groups)
    shares = [group["unscored_share"] for group in groups if group["unscored_share"] is not None]
    worst = max(groups, key=lambda group: group["unscored_share"] or 0.0, default=None)
    if worst is None or not any(shares):
        return f"N = {n} predictions, none of them unscored."
    return (
        f"N = {n} scored predictions; unscored and left out are {percent(min(shares))} to {percent(max(shares))} of a "
        f"method's, the most of {shortened(method_of(worst['by']))}."
    )


def _points(value: float) -> str:
    return f"{change(value)} points"


def _told(panel: Panel[Any], drawn: Forest, sides: tuple[str, str], shown_as: Callable[[float], str] = percent) -> str:
    """The values of a panel's rows."""
    shown = listed(
        f"{shortened(row.name)} "
        + " and ".join("nothing" if value is None else shown_as(value.value) for value in row.values)
        for row in drawn.rows
    )
    return f"{panel.name}, {sides[0]} and {sides[1]}: {shown}."
