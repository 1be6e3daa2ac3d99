"""Panels of curves with interval bands."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hinterguesser.report.figures.plates import leave_empty, line_style, percent_axis, plate, put_legend, titled
from hinterguesser.report.figures.style import GREY, Look, drawn_in_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

PANEL_INCHES = 2.3, 2.15
LONE_PANEL_INCHES = 4.2, 2.9
FEW = 5
"""Curves up to which bands are tinted more strongly."""


@dataclass(frozen=True, slots=True)
class Point:
    """Of a curve, as fractions."""

    x: float
    y: float
    ends: tuple[float, float] | None = None
    """Of y's interval."""


@dataclass(frozen=True, slots=True)
class Curve:
    """Points in order of x."""

    name: str
    look: Look
    points: tuple[Point, ...]
    bars: bool = False
    """Whether intervals are whiskers, not a band."""


@dataclass(frozen=True, slots=True)
class Curves:
    """What stands in one panel."""

    title: str
    count: str
    curves: tuple[Curve, ...]


@dataclass(frozen=True, slots=True)
class CurveAxes:
    """How the axes of all panels are labelled."""

    x: str
    y: str
    x_percent: bool = True
    """Whether x is a fraction, shown in percent; else whole numbers."""
    zoom: bool = False
    """Whether the y axis ends where the highest interval does, not at 100 %."""


@drawn_in_style
def draw_curves(panels: Sequence[Curves], shape: tuple[int, int], axes: CurveAxes) -> "Canvas":
    """Draw every panel, with one legend."""
    looks = {curve.name: curve.look for panel in panels for curve in panel.curves}
    inches = LONE_PANEL_INCHES if len(panels) == 1 else PANEL_INCHES
    canvas, places = plate(shape, inches, (axes.x, axes.y), legend=list(looks))
    for ax, panel in zip(places, panels, strict=False):
        for depth, curve in enumerate(panel.curves):
            _draw(ax, curve, 100 if axes.x_percent else 1, 20 + depth, 0.14 if len(looks) <= FEW else 0.08)
        titled(ax, panel.title, panel.count)
    percent_axis(places[0].yaxis, 0, _highest(panels) if axes.zoom else 100)
    _scale_x(places[0], panels, axes)
    leave_empty(places, len(panels), shape[1])
    put_legend(canvas, [(_handle(look), name) for name, look in looks.items()])
    return canvas


def _draw(ax: "Axes", curve: Curve, scale: float, depth: int, tint: float) -> None:
    x = [scale * point.x for point in curve.points]
    style = line_style(curve.look)
    ax.plot(x, [100 * point.y for point in curve.points], zorder=depth, **style)
    banded = [point for point in curve.points if point.ends is not None]
    if not banded or curve.look.colour == GREY:
        return
    ends = [point.ends or (point.y, point.y) for point in curve.points]
    low, high = [100 * end[0] for end in ends], [100 * end[1] for end in ends]
    if curve.bars or len(banded) == 1:  # A band of one point has no area.
        ax.vlines(x, low, high, color=curve.look.colour, linewidth=0.9, zorder=depth - 20)
    else:
        ax.fill_between(x, low, high, color=curve.look.colour, alpha=tint, linewidth=0, zorder=depth - 20)


def _scale_x(ax: "Axes", panels: Sequence[Curves], axes: CurveAxes) -> None:
    if axes.x_percent:
        percent_axis(ax.xaxis)
        return
    found = [point.x for panel in panels for curve in panel.curves for point in curve.points]
    low, high = math.floor(min(found) + 0.1), math.ceil(max(found) - 0.1)
    ax.set_xticks(range(low, high + 1, max(1, -(-(high - low) // 8))))
    room = max(0.15, 0.04 * (high - low))
    ax.set_xlim(low - room, high + room)


def _highest(panels: Sequence[Curves]) -> float:
    """The next multiple of 20 % above all that is drawn."""
    tops = [
        max(point.y, point.ends[1] if point.ends and curve.look.colour != GREY else 0.0)
        for panel in panels
        for curve in panel.curves
        for point in curve.points
    ]
    return min(100, 20 * max(1, -(-100 * max(tops) // 20)))


def _handle(look: Look) -> Any:
    from matplotlib.lines import Line2D

    return Line2D([], [], **line_style(look))
