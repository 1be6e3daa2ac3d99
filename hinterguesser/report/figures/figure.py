"""What a figure is: a drawing, the data it was drawn from, and words for those who cannot see it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure that can be drawn, and everything that is said about it."""

    name: str
    """Of its files, without the ending."""
    title: str
    caption: str
    """What is shown, in sentences: units, N, what the intervals are, the share left unscored."""
    alt: str
    """What one sees, in a sentence or two with numbers, for screen readers."""
    heads: tuple[str, ...]
    """Of the data beside it."""
    rows: tuple[tuple[Any, ...], ...]
    """The numbers that are drawn, as fractions; None for what does not exist."""
    draw: Callable[[], "Canvas"]
    """Draws it anew each time."""
