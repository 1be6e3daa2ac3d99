"""Columns of a traces file, checked: each row's value has the column's one type, or the row is named in an error."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hinterguesser.errors import UserError

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]

Place: TypeAlias = Callable[[int], str]
"""Takes a row number from 0; says where that row stands, e.g. 'traces.jsonl:17'."""


@dataclass(frozen=True, slots=True, eq=False)
class Coded:
    """A column of texts: codes into `names`, -1 for null."""

    codes: IntArray
    names: tuple[str, ...]

    @property
    def known(self) -> BoolArray:
        """Where the row has a value."""
        return self.codes >= 0

    def with_none(self) -> tuple[IntArray, tuple[str | None, ...]]:
        """Codes without -1: null becomes one more name, None."""
        if self.known.all():
            return self.codes, self.names
        return np.where(self.known, self.codes, len(self.names)), (*self.names, None)


Column: TypeAlias = Sequence[Any] | NDArray[Any] | Coded


def fail(place: Place, row: int, problem: str) -> NoReturn:
    """Refuse the traces because of this row.

    Raises:
        UserError: always.
    """
    raise UserError(f"{place(row)}: {problem}")


def code_texts(values: Sequence[str | None]) -> Coded:
    """Number the distinct texts in order of first appearance."""
    numbers: dict[str | None, int] = {None: -1}
    codes = np.fromiter((numbers.setdefault(value, len(numbers) - 1) for value in values), np.int64, len(values))
    return Coded(codes, tuple(name for name in numbers if name is not None))


def texts(column: Column, name: str, place: Place, *, null: bool = True, integers: bool = False) -> Coded:
    """A column of texts, or with `integers` of texts or else of integers throughout.

    Raises:
        UserError: mixed types, another type, or null where there must be a value.
    """
    if not isinstance(column, Coded):
        values = column.tolist() if isinstance(column, np.ndarray) else column
        column = code_texts(_as_texts(values, name, place, integers))
    if not null and not column.known.all():
        fail(place, int(np.argmin(column.known)), f"'{name}' has no value; every row needs one")
    return column


def _as_texts(values: Sequence[Any], name: str, place: Place, integers: bool) -> Sequence[str | None]:
    kinds = set(map(type, values)) - {type(None)}
    if kinds <= {str}:
        return values
    allowed = {int} if integers else set()
    if kinds <= allowed:
        return [None if value is None else str(value) for value in values]
    first = next(value for value in values if value is not None)
    wanted = type(first) if type(first) in allowed | {str} else str
    row = next(at for at, value in enumerate(values) if value is not None and type(value) is not wanted)
    words = "a text" if wanted is str else "an integer, as in the rows before"
    fail(place, row, f"'{name}' must be {words}, got {_shown(values[row])}; use one type in the whole column")


def numbers(column: Column, name: str, place: Place) -> FloatArray:
    """A column of numbers; nan stands for null.

    Raises:
        UserError: a value that is no number, or not finite.
    """
    if isinstance(column, Coded):
        column = _decoded(column)
    if isinstance(column, np.ma.MaskedArray):
        masked = np.ma.getmaskarray(column)
        array = column.data.astype(np.float64)
    elif isinstance(column, np.ndarray) and column.dtype.kind in "iuf":
        masked = np.zeros(len(column), dtype=bool)
        array = column.astype(np.float64)
    else:
        array, masked = _from_objects(column, name, place)
    bad = ~np.isfinite(array) & ~masked
    if bad.any():
        row = int(np.argmax(bad))
        fail(place, row, f"'{name}' is {array[row]}; write null (an empty cell) where there is no value")
    array[masked] = np.nan
    return array


def _from_objects(column: Sequence[Any] | NDArray[Any], name: str, place: Place) -> tuple[FloatArray, BoolArray]:
    values = column.tolist() if isinstance(column, np.ndarray) else column
    if set(map(type, values)) - {int, float, type(None)}:
        row = next(at for at, value in enumerate(values) if type(value) not in (int, float, type(None)))
        fail(place, row, f"'{name}' must be a number, got {_shown(values[row])}")
    masked = np.fromiter((value is None for value in values), bool, len(values))
    try:
        array = np.array([math.nan if value is None else value for value in values], dtype=np.float64)
    except OverflowError:
        row = next(at for at, value in enumerate(values) if value is not None and abs(value) > 1e300)
        fail(place, row, f"'{name}' is too large: {_shown(values[row])}")
    return array, masked


def whole_numbers(column: Column, name: str, place: Place) -> IntArray:
    """A column of integers, 0 or above, without null.

    Raises:
        UserError: a value that is no integer, negative or missing.
    """
    array = numbers(column, name, place)
    bad = np.isnan(array) | (array < 0) | (array != np.floor(array)) | (array > 1e9)
    if bad.any():
        row = int(np.argmax(bad))
        value = "no value" if np.isnan(array[row]) else f"{array[row]:g}"
        fail(place, row, f"'{name}' must be an integer from 0, got {value}")
    return array.astype(np.int64)


def truths(column: Column, name: str, place: Place) -> BoolArray:
    """A column of true and false, or of 1 and 0 throughout, without null.

    Raises:
        UserError: mixed types, another value, or null.
    """
    if isinstance(column, np.ndarray) and not isinstance(column, np.ma.MaskedArray) and column.dtype.kind == "b":
        return column.astype(np.bool_)
    if isinstance(column, Coded):
        column = _decoded(column)
    values: Sequence[Any] = column.tolist() if isinstance(column, np.ndarray) else column
    kinds = set(map(type, values))
    if kinds <= {bool} or (kinds <= {int} and set(values) <= {0, 1}):
        return np.array(values, dtype=np.bool_)
    wanted = bool if type(values[0]) is not int else int
    row = next(at for at, value in enumerate(values) if type(value) is not wanted or value not in (0, 1))
    words = "true or false" if wanted is bool else "0 or 1, as in the rows before"
    fail(place, row, f"'{name}' must be {words}, got {_shown(values[row])}; use one type in the whole column")


def _decoded(column: Coded) -> list[str | None]:
    return [None if code < 0 else column.names[code] for code in column.codes.tolist()]


def _shown(value: object) -> str:
    if value is None:
        return "null"
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
