"""One look for all figures: colours for the colour-blind, and marks and lines that hold in grey.

A method has the same colour, mark and line in every figure. Known methods have fixed ones; others take what is left, in
order of their names.
"""

import contextlib
import functools
import itertools
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import ParamSpec, TypeVar

from hinterguesser.report.tables import printable

P = ParamSpec("P")
T = TypeVar("T")

BLACK, GREY, LIGHT = "#000000", "#6b6b6b", "#d9d9d9"

PALETTE = {
    "orange": "#e69f00",
    "sky": "#56b4e9",
    "green": "#009e73",
    "blue": "#0072b2",
    "vermilion": "#d55e00",
    "purple": "#cc79a7",
    "yellow": "#b8a900",
}
"""Okabe and Ito's colours, which differ for the colour-blind; yellow is darkened so that a thin line is seen."""


@dataclass(frozen=True, slots=True)
class Look:
    """How a method, condition or controller is drawn; no two of a figure share marker and line style."""

    colour: str
    marker: str
    line: str | tuple[int, tuple[float, ...]]
    width: float = 1.4


DASH_DOT_DOT = (0, (5.0, 1.5, 1.0, 1.5, 1.0, 1.5))
LOOSE = (0, (6.0, 3.0))

KNOWN = {
    "vanilla_verb": Look(PALETTE["blue"], "o", "-"),
    "cot_verb": Look(PALETTE["sky"], "s", "--"),
    "self_consistency": Look(PALETTE["green"], "^", "-."),
    "p_true": Look(PALETTE["orange"], "D", ":"),
    "p_sufficient": Look(PALETTE["vermilion"], "v", "-"),
    "candidate_likelihood": Look(PALETTE["purple"], "P", "--"),
    # What is exactly known stands back: thin, grey and dashed.
    "oracle_correct": Look(GREY, "x", LOOSE, 0.8),
    "oracle_sufficient": Look(GREY, "+", DASH_DOT_DOT, 0.8),
}

OTHERS = tuple(
    Look(colour, marker, line)
    for line, (marker, colour) in itertools.product(
        ("-", "--", "-.", ":"),
        zip(("<", ">", "p", "h", "X", "d", "*"), itertools.cycle(reversed(PALETTE.values())), strict=False),
    )
)
"""For methods that are not known here, in this order; the 29th looks like the first."""

ACCURACY = Look(BLACK, ".", "-", 2.0)
"""The curve of accuracy, against which confidence is held."""


def looks(names: Iterable[str]) -> dict[str, Look]:
    """The look of each name."""
    distinct = list(dict.fromkeys(names))
    others = dict(zip(sorted(set(distinct) - set(KNOWN)), itertools.cycle(OTHERS), strict=False))
    return {name: KNOWN.get(name) or others[name] for name in distinct}


def is_reference(name: str) -> bool:
    """Whether a method is an exact reference, drawn to stand back."""
    return name in ("oracle_correct", "oracle_sufficient")


@contextlib.contextmanager
def styled() -> Iterator[None]:
    """Draw and save inside this: the settings hold for the block, and no setting of the user's reaches it."""
    import matplotlib

    with matplotlib.rc_context(), warnings.catch_warnings():
        # A name in a script that the font lacks is drawn as boxes, which is no reason to print a line a letter.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        warnings.filterwarnings("ignore", message="Matplotlib currently does not support")
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(
            {
                "font.family": "DejaVu Sans",  # comes with matplotlib, so that every machine sets the same text
                "font.size": 8.5,
                "axes.titlesize": 8.5,
                "axes.labelsize": 8.5,
                "xtick.labelsize": 8,
                "ytick.labelsize": 8,
                "legend.fontsize": 8,
                "legend.frameon": False,
                "axes.spines.top": False,
                "axes.spines.right": False,
                "axes.grid": True,
                "grid.color": "#e6e6e6",
                "grid.linewidth": 0.6,
                "axes.axisbelow": True,
                "lines.markersize": 4,
                "text.parse_math": False,  # a dollar sign in a name is a dollar sign
                "text.usetex": False,
                "axes.unicode_minus": True,
                "svg.hashsalt": "hinterguesser",
                "pdf.fonttype": 42,
            }
        )
        yield


def drawn_in_style(draw: Callable[P, T]) -> Callable[P, T]:
    """Run `draw` inside `styled`."""

    @functools.wraps(draw)
    def inside(*args: P.args, **kwargs: P.kwargs) -> T:
        with styled():
            return draw(*args, **kwargs)

    return inside


def signed(value: float, decimals: int = 1) -> str:
    """A fraction in points or percent, with its sign; a true minus."""
    return f"{round(100 * value, decimals) + 0.0:+.{decimals}f}".replace("-", "−")  # + 0.0: no minus before a 0


def shortened(name: str | None, most: int = 26) -> str:
    """A name on one line, in at most `most` characters: the middle of a longer one becomes an ellipsis.

    A name that begins with an underscore gets a hair space in front: matplotlib leaves such labels out of a legend.
    """
    text = " ".join(printable(name).split()) if name else ""
    text = text or "-"
    if len(text) > most:
        ahead = (most - 1) // 2
        text = f"{text[:ahead]}…{text[len(text) - (most - 1 - ahead) :]}"
    return f"\u200a{text}" if text.startswith("_") else text
