"""Plain-text tables, as the terminal shows them."""

import math
import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from hinterguesser.domain.prediction import Prediction
from hinterguesser.stats.intervals import wilson

MISSING = "-"


def table(header: Sequence[str], rows: Sequence[Sequence[str]], *, text_columns: int = 1) -> str:
    """Columns as wide as they need to be; the first `text_columns` to the left, the others (numbers) to the right."""
    lines = [[printable(cell) for cell in line] for line in (header, *rows)]
    widths = [max(columns(line[column]) for line in lines) for column in range(len(header))]

    def laid_out(line: Sequence[str]) -> str:
        cells = [
            cell + " " * (width - columns(cell)) if column < text_columns else " " * (width - columns(cell)) + cell
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        return "  ".join(cells).rstrip()

    first, *others = map(laid_out, lines)
    return "\n".join([first, "  ".join("-" * width for width in widths), *others])


# Control characters, lone surrogates, line breaks of Unicode, and marks that turn the direction of what follows.
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(text: str) -> str:
    """`text` with a blank for every character that could do something to a terminal instead of being shown."""
    return _UNPRINTABLE.sub(" ", text)


def columns(text: str) -> int:
    """Columns that `text` takes in a terminal."""
    wide = sum(unicodedata.east_asian_width(mark) in "WF" for mark in text)
    return len(text) + wide - sum(unicodedata.combining(mark) > 0 for mark in text)


def percent(share: float | None) -> str:
    """A fraction as percent with one digit; '-' for what does not exist."""
    return MISSING if share is None or math.isnan(share) else f"{100 * share:.1f} %"


def with_interval(group: Mapping[str, Any], name: str) -> str:
    """A number of a group in percent, with its 95 % interval."""
    value = group[name]
    ends = group["intervals"].get(name)
    if value is None or ends is None:
        return percent(value)
    return f"{100 * value:.1f} % [{100 * ends[0]:.1f}, {100 * ends[1]:.1f}]"


ALWAYS_SHOWN = ("dataset", "method", "condition")


def evaluation_table(groups: Sequence[Mapping[str, Any]]) -> str:
    """The headline numbers of each group, with intervals, N and the share left unscored.

    Of the columns that tell groups apart those are shown that differ, and dataset, method and condition.
    """
    keys = [
        name
        for name in (groups[0]["by"] if groups else ())
        if name in ALWAYS_SHOWN or len({group["by"][name] for group in groups}) > 1
    ]
    keys.sort(key=lambda name: ALWAYS_SHOWN.index(name) if name in ALWAYS_SHOWN else len(ALWAYS_SHOWN))
    header = (*keys, "dialogues", "N", "unscored", "accuracy", "InfoECE", "tau")
    rows = [
        (
            *(MISSING if group["by"][name] is None else group["by"][name] for name in keys),
            str(group["dialogues"]),
            str(group["n"]),
            percent(group["unscored_share"]),
            with_interval(group, "accuracy"),
            with_interval(group, "info_ece"),
            with_interval(group, "tau"),
        )
        for group in groups
    ]
    note = (
        "Brackets: 95 % intervals from a bootstrap over entities. N: scored predictions. InfoECE: mean gap between\n"
        "accuracy and confidence over information levels (0 is best). tau: how steadily confidence rises within a\n"
        "dialogue (100 % is best)."
    )
    return f"{table(header, rows, text_columns=len(keys))}\n\n{note}"


def accuracy_by_level(predictions: Sequence[Prediction], levels: int = 4) -> str:
    """Accuracy of the model's own answers by information level, each with its interval and N.

    A turn counts once, whatever number of methods judged its answer.
    """
    answers = {
        (row.dataset, row.condition, row.dialogue_id, row.turn): row for row in predictions if row.correct is not None
    }
    cells: dict[tuple[str, str], list[list[bool]]] = {}
    for (dataset, condition, _, turn), row in answers.items():
        by_level = cells.setdefault((dataset, condition), [[] for _ in range(levels)])
        by_level[(turn * levels + row.length - 1) // row.length - 1].append(bool(row.correct))
    ends = [f"{100 * level // levels}-{100 * (level + 1) // levels} %" for level in range(levels)]
    rows = [(*key, *map(_share, by_level)) for key, by_level in cells.items()]
    note = (
        "Accuracy by information level (the share of a dialogue's turns seen so far); brackets: Wilson 95 % intervals."
    )
    return f"{note}\n\n{table(('dataset', 'condition', *ends), rows, text_columns=2)}"


def _share(right: Sequence[bool]) -> str:
    ends = wilson(sum(right), len(right))
    if ends is None:
        return MISSING
    return f"{100 * sum(right) / len(right):.0f} % [{100 * ends[0]:.0f}, {100 * ends[1]:.0f}] N={len(right)}"
