"""Empty figures with their axes, titles and legend, laid out so that nothing overlaps or is cut off."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hinterguesser.report.figures.style import GREY, Look, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

CHARACTER_INCHES = 0.068
"""Of a legend's text, about."""

LEAST_INCHES = 4.4
"""Width of a figure."""


def plate(
    shape: tuple[int, int],
    panel_inches: tuple[float, float],
    labels: tuple[str, str],
    *,
    legend: Sequence[str] = (),
    share: tuple[bool, bool] = (True, True),
) -> "tuple[Canvas, list[Axes]]":
    """A figure of panels, row by row.

    Args:
        shape: Rows and columns.
        panel_inches: Width and height of a panel.
        labels: Of all x axes and all y axes.
        legend: What the legend will hold, so that there is room for it.
        share: Whether all x axes, and all y axes, are alike.
    """
    from matplotlib.figure import Figure as Canvas

    rows, columns = shape
    width = max(LEAST_INCHES, columns * panel_inches[0] + 0.5)
    lines = -(-len(legend) // _columns(legend, width)) if legend else 0
    canvas = Canvas(figsize=(width, rows * panel_inches[1] + 0.45 + 0.19 * lines), layout="constrained")
    axes = canvas.subplots(rows, columns, sharex=share[0], sharey=share[1], squeeze=False)
    if labels[0]:
        canvas.supxlabel(labels[0], fontsize=8.5)
    if labels[1]:
        canvas.supylabel(labels[1], fontsize=8.5)
    return canvas, list(axes.flat)


def leave_empty(axes: "Sequence[Axes]", used: int, columns: int) -> None:
    """Hide the axes that have no panel; the lowest panel of each column keeps the numbers of its x axis."""
    for ax in axes[used:]:
        ax.set_axis_off()
    for ax in axes[max(0, used - columns) : used]:
        ax.tick_params(labelbottom=True)


def put_legend(canvas: "Canvas", entries: Sequence[tuple[Any, str]]) -> None:
    """A legend above everything; entries are handles with their names.

    Below, it would lie on the label of the x axes.
    """
    names = [name for _, name in entries]
    canvas.legend(
        [handle for handle, _ in entries],
        [shortened(name) for name in names],
        loc="outside upper center",
        ncols=_columns(names, canvas.get_figwidth()),
        handlelength=3.2,
    )


def line_style(look: Look) -> dict[str, Any]:
    """A look, as matplotlib's lines take it."""
    return {"color": look.colour, "marker": look.marker, "linestyle": look.line, "linewidth": look.width}


def percent_axis(axis: Any, low: float = 0.0, high: float = 100.0) -> None:
    """Quarters as ticks, and some room beyond the ends so that a curve at 0 or 100 is seen."""
    room = 0.04 * (high - low)
    limits = axis.axes.set_ylim if axis.axis_name == "y" else axis.axes.set_xlim
    limits(low - room, high + room)
    axis.set_ticks([low + (high - low) * quarter / 4 for quarter in range(5)])


def titled(ax: "Axes", title: str, count: str) -> None:
    """A title above a panel, and its N in grey below that."""
    ax.set_title(f"{title}\n" if title else "\n", loc="left", linespacing=1.2)
    ax.annotate(count, (0, 1), (0, 5), xycoords="axes fraction", textcoords="offset points", color=GREY, fontsize=7.5)


def _columns(names: Sequence[str], width_inches: float) -> int:
    """How many entries of a legend fit beside each other."""
    longest = max((len(shortened(name)) for name in names), default=1)
    return max(1, min(len(names), int(width_inches / (longest * CHARACTER_INCHES + 0.65))))
