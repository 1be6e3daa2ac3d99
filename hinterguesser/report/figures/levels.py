"""Confidence against accuracy over information levels, and what could not be read there."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from hinterguesser.flow.profiles import AccuracyProfile, Level, Profile
from hinterguesser.report.figures.curves import Curve, CurveAxes, Curves, draw_curves
from hinterguesser.report.figures.figure import Figure
from hinterguesser.report.figures.pages import Page, Panel, panel_key, span
from hinterguesser.report.figures.pictures import point
from hinterguesser.report.figures.style import ACCURACY, Look, shortened
from hinterguesser.report.figures.words import (
    BANDS,
    also,
    cell_heads,
    cells,
    counted,
    listed,
    method_of,
    panel_counts,
)
from hinterguesser.report.tables import percent
from hinterguesser.stats.profiles import Mean

LEVEL_LABEL = "information level i/L (%), right edge"
ACCURACY_NAME = "accuracy of answers"

Looks = Mapping[str, Look]


def levels(page: Page[Profile], looks: Looks, accuracy: Sequence[AccuracyProfile]) -> Figure | None:
    """Each method's mean confidence by information level, against the accuracy of the model's answers."""
    right = {panel_key(each.by): each for each in accuracy}
    panels, rows, told = [], [], []
    for panel in page.panels:
        answers = right.get((panel.model, panel.dataset))
        curves = _curves(panel, looks, lambda level: level.confidence)
        if answers is not None:
            points = [point(level.upper, level.accuracy) for level in answers.levels]
            curves = (*curves, Curve(ACCURACY_NAME, ACCURACY, tuple(points)))
            rows += [
                (panel.dataset, panel.model, "all answers", at.number, at.upper, *_none(7), *cells(at.accuracy))
                for at in answers.levels
            ]
        panels.append(Curves(panel.title, panel_counts(panel), curves))
        rows += [_row(panel, profile, level) for profile in panel.items for level in profile.levels]
        told.append(_ends_of_curves(panel, curves))
    if not any(panel.curves for panel in panels):
        return None
    return Figure(
        name=f"levels{page.suffix}",
        title=f"Confidence and accuracy by information level{page.of}",
        caption="Mean confidence of each method at each information level (turn i of the L turns of a dialogue), and "
        "the share of the model's answers that are right (black; each answer once, whether or not a method could "
        f"judge it). A gap between the two is what InfoECE measures. {BANDS} Exact references are thin and grey. "
        f"{counted(page)}",
        alt=f"{told[0]}{also(page)}",
        heads=(
            *("dataset", "model", "method", "level", "upper", "rows", "scored", "unscored_share"),
            *cell_heads("confidence"),
            *cell_heads("accuracy"),
        ),
        rows=tuple(rows),
        draw=partial(draw_curves, panels, page.shape, CurveAxes(LEVEL_LABEL, "confidence and accuracy (%)")),
    )


def unscored(page: Page[Profile], looks: Looks) -> Figure | None:
    """The share of estimates that could not be read, by information level; None where all could."""
    if not any(profile.unscored_share for panel in page.panels for profile in panel.items):
        return None
    return _of_levels(
        page,
        looks,
        lambda level: level.unscored,
        name="unscored",
        title="Estimates that could not be read, by information level",
        caption="Share of each method's estimates without a confidence that could be read. They are left out of every "
        "other number.",
        y="unscored estimates (%)",
        zoom=True,
        count=lambda panel: f"N = {span([profile.rows for profile in panel.items])} estimates a method",
    )


def label_mass(page: Page[Profile], looks: Looks) -> Figure | None:
    """What both labels of a label probe had together, by information level; None without such methods."""
    panels = [
        replace(panel, items=tuple(item for item in panel.items if any(at.label_mass.n for at in item.levels)))
        for panel in page.panels
    ]
    probed = replace(page, panels=tuple(panel for panel in panels if panel.items))
    if not probed.panels:
        return None
    return _of_levels(
        probed,
        looks,
        lambda level: level.label_mass,
        name="label_mass",
        title="Probability held by the two labels, by information level",
        caption="Mean probability that the first token of the answer is one of the two labels. Where it is low, the "
        "confidence is a share of little. Scored estimates only.",
        y="label mass (%)",
    )


def _of_levels(
    page: Page[Profile],
    looks: Looks,
    mean: Callable[[Level], Mean],
    *,
    name: str,
    title: str,
    caption: str,
    y: str,
    zoom: bool = False,
    count: Callable[[Panel[Profile]], str] = panel_counts,
) -> Figure | None:
    shown = [(panel, _curves(panel, looks, mean)) for panel in page.panels]
    if not any(curves for _, curves in shown):
        return None
    rows = [
        (panel.dataset, panel.model, method_of(profile.by), level.number, level.upper, *cells(mean(level)))
        for panel in page.panels
        for profile in panel.items
        for level in profile.levels
        if mean(level).value is not None
    ]
    panels = [Curves(panel.title, count(panel), curves) for panel, curves in shown]
    return Figure(
        name=f"{name}{page.suffix}",
        title=f"{title}{page.of}",
        caption=f"{caption} {BANDS} {counted(page)}",
        alt=f"{_ends_of_curves(*next(each for each in shown if each[1]))}{also(page)}",
        heads=("dataset", "model", "method", "level", "upper", *cell_heads(name)),
        rows=tuple(rows),
        draw=partial(draw_curves, panels, page.shape, CurveAxes(LEVEL_LABEL, y, zoom=zoom)),
    )


def _curves(panel: Panel[Profile], looks: Looks, mean: Callable[[Level], Mean]) -> tuple[Curve, ...]:
    curves = []
    for profile in panel.items:
        name = method_of(profile.by)
        points = [point(at.upper, mean(at)) for at in profile.levels if mean(at).value is not None]
        if points:
            curves.append(Curve(name, looks[name], tuple(points)))
    return tuple(curves)


def _row(panel: Panel[Profile], profile: Profile, level: Level) -> tuple[Any, ...]:
    return (
        *(panel.dataset, panel.model, method_of(profile.by), level.number, level.upper),
        *(level.rows, level.confidence.n, level.unscored.value),
        *cells(level.confidence),
        *cells(level.accuracy),
    )


def _none(count: int) -> tuple[None, ...]:
    return (None,) * count


def _ends_of_curves(panel: Panel[Profile], curves: Sequence[Curve]) -> str:
    """From the lowest level to the highest, for each curve of a panel."""
    if not curves:
        return f"{panel.name}: nothing could be scored."
    shown = listed(
        f"{shortened(curve.name)} {percent(curve.points[0].y)} to {percent(curve.points[-1].y)}" for curve in curves
    )
    return f"{panel.name}, from the lowest information level to the highest: {shown}."
