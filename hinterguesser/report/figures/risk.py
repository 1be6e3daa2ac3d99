"""Risk against coverage: how often one who answers only when sure is wrong."""

from collections.abc import Mapping
from typing import Any

from hinterguesser.flow.profiles import Profile
from hinterguesser.report.figures.curves import Curve, CurveAxes, Curves
from hinterguesser.report.figures.figure import Figure
from hinterguesser.report.figures.pages import Page, Panel
from hinterguesser.report.figures.pictures import Picture, curve_figure, point
from hinterguesser.report.figures.style import Look, shortened
from hinterguesser.report.figures.words import BANDS, cell_heads, cells, counted, listed, method_of, panel_counts
from hinterguesser.report.tables import percent

AXES = CurveAxes("coverage: answers given (%)", "risk: wrong answers (%)")


def risk_coverage(page: Page[Profile], looks: Mapping[str, Look]) -> Figure | None:
    """Each method's risk-coverage curve over all turns; None without answers that are right or wrong."""
    return curve_figure(
        page,
        [_picture(panel, looks) for panel in page.panels],
        name="risk_coverage",
        title="Risk against coverage",
        caption="Share of wrong answers among those given when confidence is at least a threshold, against the share "
        "of scored answers given. Lower is better; a level curve means that confidence does not tell right from "
        f"wrong. A method whose confidence takes few values has few points. {BANDS} {counted(page)}",
        heads=("dataset", "model", "method", "threshold", "coverage", *cell_heads("risk"), "unscored_share"),
        axes=AXES,
    )


def _picture(panel: Panel[Profile], looks: Mapping[str, Look]) -> Picture:
    shown = [(method_of(profile.by), profile) for profile in panel.items if profile.risk]
    curves = tuple(Curve(name, looks[name], tuple(point(p.coverage, p.risk) for p in of.risk)) for name, of in shown)
    return Picture(
        Curves(panel.title, panel_counts(panel), curves),
        tuple(
            (panel.dataset, panel.model, name, at.threshold, at.coverage, *cells(at.risk), profile.unscored_share)
            for name, profile in shown
            for at in profile.risk
        ),
        told_of_risk(panel, curves),
    )


def told_of_risk(panel: Panel[Any], curves: tuple[Curve, ...]) -> str:
    """The ends of each curve."""
    shown = (
        f"{shortened(curve.name)} {percent(curve.points[0].y)} of the surest {percent(curve.points[0].x)}, "
        f"{percent(curve.points[-1].y)} of all"
        for curve in curves
    )
    return f"{panel.name}, share of wrong answers: {listed(shown)}."
