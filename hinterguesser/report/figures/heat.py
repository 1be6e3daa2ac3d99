"""Grids of coloured cells with numbers in them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hinterguesser.report.figures.plates import leave_empty, plate, titled
from hinterguesser.report.figures.style import BLACK, drawn_in_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

COLOURS = "PuOr"
"""From orange (low) over white to purple (high): differs for the colour-blind; the sign is in the cell for grey."""

LIMIT = 100
"""Of the scale of colours, in percent or points."""

DARK = 0.62
"""Distance from the middle, from which on text is white."""


@dataclass(frozen=True, slots=True)
class Cell:
    """Of a grid."""

    value: float | None
    """In [-1, 1], which sets the colour; None leaves the cell without."""
    lines: tuple[str, ...]
    """The first is set larger."""


@dataclass(frozen=True, slots=True)
class Heat:
    """What stands in one panel: cells by row and column, None where there is none."""

    title: str
    count: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[Cell | None, ...], ...]


@drawn_in_style
def draw_heat(
    panels: Sequence[Heat],
    shape: tuple[int, int],
    cell_inches: tuple[float, float],
    labels: tuple[str, str],
    bar: str,
) -> "Canvas":
    """Draw every panel with one scale of colours.

    Args:
        panels: Row by row.
        shape: Rows and columns of panels.
        cell_inches: Width and height of a cell.
        labels: Of the x and y axes.
        bar: Label of the scale.
    """
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    most = max(len(panel.columns) for panel in panels), max(len(panel.rows) for panel in panels)
    longest = max(len(line) for panel in panels for name in panel.rows for line in name.split("\n"))
    beside = 0.068 * longest + 0.35 if shape[1] == 1 else 0.35
    inches = most[0] * cell_inches[0] + beside, most[1] * cell_inches[1] + 0.85
    canvas, places = plate(shape, inches, labels, share=(shape[1] > 1, shape[1] > 1))
    canvas.set_figwidth(canvas.get_figwidth() + 0.7)
    colours = ScalarMappable(Normalize(-LIMIT, LIMIT), COLOURS)
    for ax, panel in zip(places, panels, strict=False):
        _draw(ax, panel)
    leave_empty(places, len(panels), shape[1])
    canvas.colorbar(colours, ax=places, label=bar, aspect=28, pad=0.02, ticks=[-100, -50, 0, 50, 100])
    return canvas


def _draw(ax: "Axes", panel: Heat) -> None:
    import numpy as np

    values = np.array(
        [[np.nan if cell is None or cell.value is None else 100 * cell.value for cell in row] for row in panel.cells]
    )
    ax.grid(visible=False)
    ax.set_facecolor("#f4f4f4")
    ax.pcolormesh(
        np.ma.masked_invalid(values), vmin=-LIMIT, vmax=LIMIT, cmap=COLOURS, edgecolors="#ffffff", linewidth=1.0
    )
    for (at, to), value in np.ndenumerate(values):
        cell = panel.cells[at][to]
        if cell is None:
            continue
        colour = "#ffffff" if abs(value) > 100 * DARK else BLACK
        shift = 0.18 if len(cell.lines) > 1 else 0.0
        ax.text(to + 0.5, at + 0.5 + shift, cell.lines[0], ha="center", va="center", color=colour, fontsize=8)
        rest = "\n".join(cell.lines[1:])
        ax.text(to + 0.5, at + 0.5 - 0.22, rest, ha="center", va="center", color=colour, fontsize=6, linespacing=1.1)
    ax.set_xticks([at + 0.5 for at in range(len(panel.columns))], panel.columns)
    ax.set_yticks([at + 0.5 for at in range(len(panel.rows))], panel.rows)
    ax.tick_params(length=0)
    for side in ("left", "bottom"):
        ax.spines[side].set_visible(False)
    titled(ax, panel.title, panel.count)
