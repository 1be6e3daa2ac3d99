"""Stored trajectories by depth: risk against coverage, calibration error, and what one more retrieval does."""

from collections.abc import Sequence

import numpy as np

from hinterguesser.flow.replay import Replayed
from hinterguesser.replay.columns import FloatArray
from hinterguesser.replay.grid import Grid
from hinterguesser.replay.result import ModelResult
from hinterguesser.report.figures.curves import Curve, CurveAxes, Curves, Point
from hinterguesser.report.figures.figure import Figure
from hinterguesser.report.figures.pages import Panel, pages, span
from hinterguesser.report.figures.pictures import Picture, curve_figure, point
from hinterguesser.report.figures.replay_parts import BANDS, Part, depth_label, draws_of, more, parts, states
from hinterguesser.report.figures.risk import AXES, told_of_risk
from hinterguesser.report.figures.style import BLACK, PALETTE, Look
from hinterguesser.report.figures.words import cell_heads, cells, ends_of, listed
from hinterguesser.report.tables import percent
from hinterguesser.stats.by_entity import ece_by_entity
from hinterguesser.stats.intervals import wilson
from hinterguesser.stats.profiles import risk_points
from hinterguesser.stats.resamples import Draws, bootstrap_intervals

DEPTHS = (
    Look(PALETTE["sky"], "o", "-"),
    Look(PALETTE["green"], "s", "--"),
    Look(PALETTE["orange"], "^", "-."),
    Look(PALETTE["vermilion"], "D", ":"),
    Look(BLACK, "v", "-"),
)
"""Of the depths that are drawn: five at most."""

KINDS = {"raw": Look(PALETTE["blue"], "o", "-"), "calibrated": Look(PALETTE["vermilion"], "s", "--")}

HELPED, HARMED = "wrong to right", "right to wrong"
MOVES = {HELPED: Look(PALETTE["green"], "^", "-"), HARMED: Look(PALETTE["vermilion"], "v", "--")}
APART = 0.07
"""Depths by which whiskers of the two stand apart."""


def risk_by_depth(replayed: Replayed) -> list[Figure]:
    """Risk against coverage at some depths, a panel raw and a panel calibrated."""
    draws = draws_of(replayed)
    items = [
        ({"model": part.model, "dataset": f"{part.dataset}, {kind}" if part.dataset else kind}, (part, confidence))
        for part in parts(replayed, by_dataset=True)
        for kind, confidence in (("raw", part.grid.confidence), ("calibrated", part.calibrated))
        if confidence is not None
    ]
    shown = _some_depths([part.grid for _, (part, _) in items])
    made = [
        curve_figure(
            page,
            [_risk(panel, shown, draws) for panel in page.panels],
            name="risk_by_depth",
            title="Risk against coverage by depth",
            caption="Share of wrong answers among those given when confidence is at least a threshold, against the "
            "share of scored states answered, at the first depth, the last and some between (depth 0: before any "
            f"{more(replayed)} was asked for). {BANDS} {states(replayed)}",
            heads=("dataset", "model", "depth", "threshold", "coverage", *cell_heads("risk"), "unscored_share"),
            axes=AXES,
        )
        for page in pages(items)
    ]
    return [figure for figure in made if figure is not None]


def ece_by_depth(replayed: Replayed) -> list[Figure]:
    """Calibration error at each depth, raw and calibrated."""
    draws = draws_of(replayed)
    found = {part.model: part for part in parts(replayed, by_dataset=False)}
    made = [
        curve_figure(
            page,
            [_ece(panel, found[panel.model], draws) for panel in page.panels],
            name="ece_by_depth",
            title="Calibration error by depth",
            caption="Expected calibration error (10 bins of equal width, 0 is best) of the states at each depth: of "
            "raw confidence, and of calibrated confidence where there are calibration traces. It is above 0 by "
            f"chance alone where N is small. {BANDS} {states(replayed)}",
            heads=("model", "depth", "confidence", "ece", "ece_lo", "ece_hi", "states", "unscored_share"),
            axes=CurveAxes(depth_label(replayed), "ECE (%)", x_percent=False, zoom=True),
        )
        for page in pages([({"model": result.model}, result) for result in replayed.result.models])
    ]
    return [figure for figure in made if figure is not None]


def transitions(replayed: Replayed) -> list[Figure]:
    """How often one more retrieval mends an answer, and how often it spoils one."""
    word = more(replayed)
    made = [
        curve_figure(
            page,
            [_moves(panel) for panel in page.panels],
            name="transitions",
            title=f"What one more {word} does to an answer",
            caption=f"Share of questions whose answer one more {word} turns from wrong to right, and from right to "
            "wrong, by the depth before it. Whiskers are Wilson 95 % intervals. States that bring nothing new are "
            f"left out; those without a confidence count, since answers are all that matters here. {states(replayed)}",
            heads=("model", "depth", "transition", "share", "share_lo", "share_hi", "n", "duplicates"),
            axes=CurveAxes(f"{depth_label(replayed)}, before it", "questions (%)", x_percent=False, zoom=True),
        )
        for page in pages([({"model": result.model}, result) for result in replayed.result.models])
    ]
    return [figure for figure in made if figure is not None]


def _risk(panel: Panel[tuple[Part, FloatArray]], shown: dict[int, Look], draws: Draws) -> Picture:
    [(part, confidence)] = panel.items
    grid, curves, rows = part.grid, [], []
    for depth in np.flatnonzero(grid.scored.any(axis=0)).tolist():
        if depth not in shown:
            continue
        look = shown[depth]
        use = ~np.isnan(confidence[:, depth])
        right = grid.correct[use, depth].astype(np.float64)
        points = risk_points(confidence[use, depth], right, grid.cluster[use], draws)
        unscored = 1 - int(use.sum()) / int(grid.present[:, depth].sum())
        if points:
            curves.append(Curve(f"depth {depth}", look, tuple(point(at.coverage, at.risk) for at in points)))
        rows += [
            (panel.dataset, panel.model, depth, at.threshold, at.coverage, *cells(at.risk), unscored) for at in points
        ]
    drawn = Curves(panel.title, f"N = {len(grid)} questions", tuple(curves))
    return Picture(drawn, tuple(rows), told_of_risk(panel, drawn.curves))


def _ece(panel: Panel[ModelResult], part: Part, draws: Draws) -> Picture:
    [result] = panel.items
    points: dict[str, list[Point]] = {kind: [] for kind in KINDS}
    rows = []
    for at in result.depths:
        kinds = {"raw": (at.raw, part.grid.confidence), "calibrated": (at.calibrated, part.calibrated)}
        for kind, (value, confidence) in kinds.items():
            if value is not None and confidence is not None:
                ends = _ece_ends(part.grid, confidence, at.depth, draws)
                points[kind].append(Point(at.depth, value, ends))
                rows.append((panel.model, at.depth, kind, value, *ends_of(ends), at.n, at.unscored_share))
    curves = tuple(Curve(kind, KINDS[kind], tuple(some)) for kind, some in points.items() if some)
    count = f"N = {span([at.n for at in result.depths])} states a depth" if result.depths else ""
    return Picture(
        Curves(panel.title, count, curves), tuple(rows), f"{panel.name}, ECE from depth to depth: {_ends(curves)}."
    )


def _moves(panel: Panel[ModelResult]) -> Picture:
    [result] = panel.items
    points: dict[str, list[Point]] = {name: [] for name in MOVES}
    rows = []
    for move in result.transitions:
        for name, turned, shift in ((HELPED, move.wrong_to_right, -APART), (HARMED, move.right_to_wrong, APART)):
            ends = wilson(turned, move.n)
            if ends is not None:
                points[name].append(Point(move.depth + shift, turned / move.n, ends))
                rows.append((panel.model, move.depth, name, turned / move.n, *ends, move.n, move.duplicates))
    curves = tuple(Curve(name, MOVES[name], tuple(some), bars=True) for name, some in points.items() if some)
    asked = [move.n for move in result.transitions if move.n]
    count = f"N = {span(asked)} questions a depth" if asked else ""
    return Picture(
        Curves(panel.title, count, curves), tuple(rows), f"{panel.name}, share of questions by depth: {_ends(curves)}."
    )


def _some_depths(grids: Sequence[Grid]) -> dict[int, Look]:
    """The first depth of all panels, the last, and as many between as there are looks; each looks alike in all."""
    there = sorted({depth for grid in grids for depth in np.flatnonzero(grid.scored.any(axis=0)).tolist()})
    if len(there) > len(DEPTHS):
        there = [there[at] for at in np.linspace(0, len(there) - 1, len(DEPTHS)).round().astype(np.int64).tolist()]
    return dict(zip(there, DEPTHS, strict=False))


def _ece_ends(grid: Grid, confidence: FloatArray, depth: int, draws: Draws) -> tuple[float, float] | None:
    use = ~np.isnan(confidence[:, depth])
    statistic = ece_by_entity(confidence[use, depth], grid.correct[use, depth], grid.cluster[use])
    interval = bootstrap_intervals({"ece": statistic}, draws)["ece"]
    return None if interval is None else (interval.lo, interval.hi)


def _ends(curves: tuple[Curve, ...]) -> str:
    return listed(
        f"{curve.name} {percent(curve.points[0].y)} at first, {percent(curve.points[-1].y)} at last" for curve in curves
    )
