"""Rows of a file that are at fault: collected in passes over columns, reported together, by line."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from hinterguesser.errors import UserError

MOST_LISTED = 20

Places: TypeAlias = Callable[[Sequence[int]], list[str]]
"""Takes row numbers from 0, ascending; says where each row stands, e.g. 'predictions.jsonl:17'."""


class RowsAtFault:
    """One problem a row: the first that a pass finds."""

    def __init__(self, path: Path, rows: int) -> None:
        """Expect `rows` rows of the file `path`."""
        self.path = path
        self.bad: NDArray[np.bool_] = np.zeros(rows, dtype=np.bool_)
        """Shape (rows,): rows that were found to be at fault."""
        self._problems: dict[int, str] = {}

    def add(self, mask: NDArray[np.bool_], say: Callable[[int], str]) -> None:
        """Note the rows where `mask` is true, but for those noted before.

        Args:
            mask: Shape (rows,).
            say: What is wrong with a row, given its number; asked for those that may be listed.
        """
        if not mask.any():
            return
        found = np.flatnonzero(mask & ~self.bad)
        self.bad[found] = True
        self._problems |= {row: say(row) for row in found[:MOST_LISTED].tolist()}

    def refuse(self, places: Places) -> None:
        """Refuse the file if a row is at fault.

        Raises:
            UserError: lists the first rows, each with its place and its problem, and counts the others.
        """
        count = int(np.count_nonzero(self.bad))
        if not count:
            return
        listed = sorted(self._problems)[:MOST_LISTED]
        lines = [f"  {place}: {self._problems[row]}" for row, place in zip(listed, places(listed), strict=True)]
        if count > len(listed):
            lines.append(f"  and {count - len(listed):,} more")
        rows = "row is" if count == 1 else "rows are"
        raise UserError("\n".join([f"{self.path}: {count:,} {rows} at fault; nothing was measured:", *lines]))


def shown(value: object) -> str:
    """`value` for an error message: cut short, printable."""
    if value is None:
        return "null"
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
