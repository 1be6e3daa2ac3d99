"""From panels of curves to a figure with its data and its words."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from hinterguesser.report.figures.curves import CurveAxes, Curves, Point, draw_curves
from hinterguesser.report.figures.figure import Figure
from hinterguesser.report.figures.pages import Page
from hinterguesser.report.figures.words import also
from hinterguesser.stats.profiles import Mean


@dataclass(frozen=True, slots=True)
class Picture:
    """One panel."""

    drawn: Curves
    rows: tuple[tuple[Any, ...], ...]
    """Its data."""
    told: str
    """What one sees, in a sentence."""


def curve_figure(
    page: Page[Any],
    pictures: Sequence[Picture],
    *,
    name: str,
    title: str,
    caption: str,
    heads: tuple[str, ...],
    axes: CurveAxes,
) -> Figure | None:
    """A figure of one picture a panel; None where no panel has a curve."""
    seen = [picture for picture in pictures if picture.drawn.curves]
    if not seen:
        return None
    return Figure(
        name=f"{name}{page.suffix}",
        title=f"{title}{page.of}",
        caption=caption,
        alt=f"{seen[0].told}{also(page)}",
        heads=heads,
        rows=tuple(row for picture in pictures for row in picture.rows),
        draw=partial(draw_curves, [picture.drawn for picture in pictures], page.shape, axes),
    )


def point(x: float, mean: Mean) -> Point:
    """A mean as a point of a curve.

    Raises:
        ValueError: the mean does not exist.
    """
    if mean.value is None:
        raise ValueError("a point needs rows")
    return Point(x, mean.value, None if mean.interval is None else (mean.interval[0], mean.interval[1]))
