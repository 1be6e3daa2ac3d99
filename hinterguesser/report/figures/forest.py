"""Panels of rows, each with a few values and their intervals beside each other."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hinterguesser.report.figures.plates import leave_empty, percent_axis, plate, put_legend, titled
from hinterguesser.report.figures.style import BLACK, GREY, PALETTE, drawn_in_style, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

PANEL_INCHES = 3.0
LONE_PANEL_INCHES = 5.6
ROW_INCHES = 0.27
SIDES = ((BLACK, "o", BLACK), (PALETTE["vermilion"], "s", "#ffffff"))
"""Of the first and the second value of a row: colour, marker and filling."""


@dataclass(frozen=True, slots=True)
class Value:
    """Of a row, as a fraction."""

    value: float
    ends: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a panel."""

    name: str
    values: tuple[Value | None, Value | None]
    note: str = ""
    """Stands right of it."""


@dataclass(frozen=True, slots=True)
class Forest:
    """What stands in one panel."""

    title: str
    count: str
    rows: tuple[Row, ...]


@drawn_in_style
def draw_forest(
    panels: Sequence[Forest],
    shape: tuple[int, int],
    x: str,
    sides: tuple[str, str],
    *,
    changes: bool,
    above: str = "",
) -> "Canvas":
    """Draw every panel; all have the same rows, a panel that lacks one leaves it empty.

    Args:
        panels: Row by row.
        shape: Rows and columns of panels.
        x: Label of the x axes.
        sides: What the first and the second value of each row are.
        changes: Whether values are differences around 0, not shares from 0 to 100 %.
        above: What the notes are, said under them.
    """
    names = list(dict.fromkeys(row.name for panel in panels for row in panel.rows))
    inches = LONE_PANEL_INCHES if len(panels) == 1 else PANEL_INCHES
    height = 0.75 + ROW_INCHES * (len(names) + 0.6)
    shape = _narrower(shape, len(panels))
    canvas, places = plate(shape, (inches, height), (x, ""), legend=sides)
    for ax, panel in zip(places, panels, strict=False):
        if changes:
            ax.axvline(0, color=GREY, linewidth=0.8, linestyle="--", zorder=1)
        _draw(ax, panel, names, above)
    first = places[0]
    first.set_yticks(range(len(names)), [shortened(name) for name in names])
    first.set_ylim(len(names) - 0.4, -0.6)
    if changes:
        most = _farthest(panels)
        first.set_xlim(-most, most)
    else:
        percent_axis(first.xaxis)
    leave_empty(places, len(panels), shape[1])
    put_legend(canvas, [(_handle(side), name) for side, name in enumerate(sides)])
    return canvas


def _draw(ax: "Axes", panel: Forest, names: Sequence[str], above: str) -> None:
    for row in panel.rows:
        at = names.index(row.name)
        for side, value in enumerate(row.values):
            if value is None:
                continue
            colour, marker, filling = SIDES[side]
            y, x = at + (0.16 if side else -0.16), 100 * value.value
            if value.ends is not None:
                ax.plot([100 * end for end in value.ends], [y, y], color=colour, linewidth=1.1, zorder=2)
            ax.plot([x], [y], color=colour, marker=marker, markerfacecolor=filling, linestyle="none", zorder=3)
        if row.note:
            _beside(ax, row.note, at)
    if above and any(row.note for row in panel.rows):
        _beside(ax, above, len(names) - 0.45)  # under the notes: above them stands N
    ax.grid(visible=False, axis="y")
    titled(ax, panel.title, panel.count)


def _beside(ax: "Axes", text: str, at: float) -> None:
    """Text right of the axes, for which the layout leaves room."""
    ax.annotate(
        text,
        (1, at),
        (4, 0),
        xycoords=("axes fraction", "data"),
        textcoords="offset points",
        va="center",
        fontsize=7,
        color=GREY,
        annotation_clip=False,
    )


def _narrower(shape: tuple[int, int], panels: int) -> tuple[int, int]:
    """Panels with notes are wide: three beside each other at most, unless columns are datasets."""
    return shape if shape[1] <= 3 else (-(-panels // 2), 2)


def _farthest(panels: Sequence[Forest]) -> float:
    values = [value for panel in panels for row in panel.rows for value in row.values if value is not None]
    ends: list[float] = [abs(end) for value in values for end in (value.value, *(value.ends or ()))]
    return max(1.0, 110.0 * max(ends, default=0.0))


def _handle(side: int) -> object:
    from matplotlib.lines import Line2D

    colour, marker, filling = SIDES[side]
    return Line2D([], [], color=colour, marker=marker, markerfacecolor=filling, linewidth=1.1)
