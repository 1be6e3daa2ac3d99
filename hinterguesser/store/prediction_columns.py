"""Columns of a predictions file, as Arrow or Python holds them, made into checked `Predictions`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hinterguesser.domain.predictions import LABELS, FloatArray, IntArray, Labels, Predictions
from hinterguesser.errors import UserError
from hinterguesser.stats.grouping import group_codes, repeated_turns
from hinterguesser.store.rows_at_fault import Places, RowsAtFault, shown

REQUIRED = ("dialogue_id", "turn", "length", "confidence", "correct")
TEXTS = (*LABELS, "dialogue_id", "entity", "unscored_reason")
KNOWN = (*REQUIRED, *LABELS, "entity", "unscored_reason")
NUMBERS = ("turn", "length", "confidence", "correct")
LABEL_MASS = "label_mass"
TRUTH = "true or false (or 1 or 0)"
GREATEST_LENGTH = 1_000_000_000

RawColumn: TypeAlias = Any
"""A `pyarrow.ChunkedArray`, or a list of Python values."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How a file is to be read."""

    by: tuple[str, ...] | None = None
    """Columns that tell groups apart; None: those of `LABELS` that are there."""
    percent: bool = False
    """Whether confidence is written in percent."""
    label_mass: bool = False
    """Whether the column of that name is read, where it is there."""

    def __post_init__(self) -> None:
        """Refuse to group by what is measured."""
        for name in self.by or ():
            if name in NUMBERS:
                raise UserError(f"--by {name}: groups are told apart by texts such as {', '.join(LABELS)}")

    @property
    def wanted(self) -> tuple[str, ...]:
        """The columns to read, where they are there."""
        return tuple(dict.fromkeys((*KNOWN, *(self.by or ()), *([LABEL_MASS] if self.label_mass else ()))))


def build_predictions(
    columns: Mapping[str, RawColumn], faults: RowsAtFault, places: Places, reading: Reading
) -> Predictions:
    """Check the columns, all of one length, and make predictions of them.

    Args:
        columns: By name, those of `Reading.wanted` that the file has.
        faults: Where to note rows at fault; it may hold some that could not be read at all.
        places: Where rows stand.
        reading: How to read them.

    Raises:
        UserError: there are no rows, a column is missing, or rows are at fault: all are counted, the first listed.
    """
    path = faults.path
    check_names(path, columns, reading)
    if len(faults.bad) == 0:
        raise UserError(f"{path}: there are no predictions in it; one row an estimate is expected")
    texts = {
        name: _texts(column, name, faults) for name, column in columns.items() if name not in (*NUMBERS, LABEL_MASS)
    }
    faults.add(texts["dialogue_id"].codes < 0, lambda row: "no 'dialogue_id'; every row needs one")
    turn = _whole(columns["turn"], "turn", faults)
    length = _whole(columns["length"], "length", faults)
    confidence = _confidence(columns["confidence"], faults, reading.percent)
    correct = _correct(columns["correct"], faults)
    faults.add(
        turn > length, lambda row: f"'turn' {turn[row]:.0f} is greater than 'length' {length[row]:.0f} of its dialogue"
    )
    label_mass = _share(columns[LABEL_MASS], LABEL_MASS, faults) if LABEL_MASS in columns else None
    faults.refuse(places)
    asked = reading.by or ()
    labels = {name: column for name, column in texts.items() if name in asked or (name in LABELS and column.names)}
    entity = texts.get("entity")
    predictions = Predictions(
        dialogue_id=texts["dialogue_id"],
        turn=turn.astype(np.int64),
        length=length.astype(np.int64),
        confidence=confidence,
        correct=correct,
        labels=labels,
        entity_name=entity if entity is not None and entity.names else None,
        unscored_reason=texts.get("unscored_reason"),
        label_mass=label_mass,
    )
    by = reading.by if reading.by is not None else tuple(name for name in LABELS if name in labels)
    _check_dialogues(predictions, by, faults, places)
    return predictions


def check_names(path: Path, names: Mapping[str, Any] | Sequence[str], reading: Reading) -> None:
    """Refuse a file that lacks a column.

    Raises:
        UserError: names what is missing.
    """
    missing = [name for name in (*REQUIRED, *(reading.by or ())) if name not in names]
    if missing:
        there = ", ".join(names) or "none that is known"
        raise UserError(
            f"{path}: no column {', '.join(missing)}; every row needs {', '.join(REQUIRED)} (columns found: {there})"
        )


def _check_dialogues(predictions: Predictions, by: tuple[str, ...], faults: RowsAtFault, places: Places) -> None:
    """Refuse two rows for one turn of a dialogue in a group, and dialogues with two lengths or two entities."""
    dialogue = predictions.dialogue
    group = group_codes(predictions, by)
    again, earlier = repeated_turns(group, dialogue, predictions.turn)
    if again.any():

        def say_twice(row: int) -> str:
            first = int(earlier[row])
            other = [
                name
                for name, labels in predictions.labels.items()
                if name not in by and labels.codes[first] != labels.codes[row]
            ]
            way_out = f"they differ in {other[0]}, so add it to --by" if other else "take one out"
            name = predictions.dialogue_id.name(int(predictions.dialogue_id.codes[row]))
            turn = int(predictions.turn[row])
            return (
                f"turn {turn} of dialogue {shown(name)} stands there twice (first at {places([first])[0]}); {way_out}"
            )

        faults.add(again, say_twice)
    in_group = dialogue if group.max() == group.min() else group * int(dialogue.max() + 1) + dialogue
    for of, values, what in ((in_group, predictions.length, "length"), (dialogue, predictions.entity, "entity")):
        odd, first_of = _odd_ones(of, values)
        if odd.any():

            def say_odd(row: int, what: str = what, first_of: IntArray = first_of) -> str:
                return f"another '{what}' than in an earlier row of its dialogue ({places([int(first_of[row])])[0]})"

            faults.add(odd, say_odd)
    faults.refuse(places)


def _odd_ones(dialogue: IntArray, values: IntArray) -> tuple[NDArray[np.bool_], IntArray]:
    """Where a row says something else than the first of its dialogue, and which row that is (only if one does)."""
    alike = np.diff(dialogue) == 0
    if (np.diff(dialogue) >= 0).all() and not (alike & (np.diff(values) != 0)).any():
        return np.zeros(len(values), dtype=np.bool_), dialogue
    _, first, inverse = np.unique(dialogue, return_index=True, return_inverse=True)
    first_of = first[inverse]
    return values != values[first_of], first_of


def _is_arrow(column: RawColumn) -> bool:
    return not isinstance(column, list)


def _texts(column: RawColumn, name: str, faults: RowsAtFault) -> Labels:
    """A column of texts; whole numbers and truths are taken as they are written."""
    if _is_arrow(column):
        import pyarrow as pa

        if not pa.types.is_dictionary(column.type):
            column = column.cast(pa.string()).dictionary_encode()
        parts = column.unify_dictionaries()
        if parts.num_chunks == 0:
            return Labels(np.zeros(0, dtype=np.int64), ())
        names = parts.chunk(0).dictionary.cast(pa.string()).to_pylist()
        codes = np.concatenate([part.indices.fill_null(-1).to_numpy(zero_copy_only=False) for part in parts.chunks])
        if not (codes >= 0).any():
            names = []
        return Labels(codes.astype(np.int64), names)
    odd = np.fromiter((isinstance(value, dict | list) for value in column), np.bool_, len(column))
    faults.add(odd, lambda row: f"'{name}' must be a text, got {shown(column[row])}")
    return Labels.of(value if value is None or isinstance(value, str) else str(value) for value in column)


def _numbers(
    column: RawColumn, name: str, faults: RowsAtFault, wanted: str = "a number"
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """A column of numbers, nan for null, and where it is null."""
    if _is_arrow(column):
        import pyarrow as pa

        kind = column.type
        if pa.types.is_floating(kind) or pa.types.is_integer(kind) or pa.types.is_decimal(kind):
            null = column.is_null().to_numpy() if column.null_count else np.zeros(len(column), dtype=np.bool_)
            return column.cast(pa.float64(), safe=False).to_numpy().astype(np.float64, copy=False), null
        if pa.types.is_null(kind):
            return np.full(len(column), np.nan), np.ones(len(column), dtype=np.bool_)
        column = column.to_pylist()
    odd = np.fromiter((type(value) not in (int, float, type(None)) for value in column), np.bool_, len(column))
    values = column

    def say(row: int) -> str:
        hint = (
            "; write the number alone, and give --percent"
            if isinstance(values[row], str) and "%" in values[row]
            else ""
        )
        return f"'{name}' must be {wanted}, got {shown(values[row])}{hint}"

    faults.add(odd, say)
    null = np.fromiter((value is None for value in column), np.bool_, len(column))
    return np.fromiter(map(_as_float, column), np.float64, len(column)), null


def _as_float(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return np.nan
    try:
        return float(value)
    except OverflowError:
        return np.inf


def _whole(column: RawColumn, name: str, faults: RowsAtFault) -> FloatArray:
    """Turns or lengths: whole numbers from 1, none missing."""
    values, null = _numbers(column, name, faults)
    faults.add(null, lambda row: f"no '{name}'; every row needs one")
    wrong = ~((values >= 1) & (values <= GREATEST_LENGTH) & (values == np.floor(values)))
    faults.add(wrong, lambda row: f"'{name}' must be a whole number from 1, got {values[row]:g}")
    return values


def _confidence(column: RawColumn, faults: RowsAtFault, percent: bool) -> FloatArray:
    values, null = _numbers(column, "confidence", faults)
    most = 100.0 if percent else 1.0
    _refuse_endless(values, null, "confidence", faults, "write null (an empty cell) where there is none")

    def say(row: int) -> str:
        hint = "; if confidences are percentages, give --percent" if 1 < values[row] <= 100 and not percent else ""
        return f"'confidence' is {values[row]:g}, outside [0, {most:g}]{hint}"

    faults.add((values < 0) | (values > most), say)
    if percent and np.nanmax(values, initial=0) <= 1 and ((values > 0) & (values < 1)).any():
        raise UserError(f"{faults.path}: no confidence is above 1, so they are fractions; leave --percent out")
    return values / 100 if percent else values


def _share(column: RawColumn, name: str, faults: RowsAtFault) -> FloatArray:
    """Numbers in [0, 1], nan for null."""
    values, null = _numbers(column, name, faults)
    faults.add(~((values >= 0) & (values <= 1)) & ~null, lambda row: f"'{name}' is {values[row]:g}, outside [0, 1]")
    return values


def _refuse_endless(values: FloatArray, null: NDArray[np.bool_], name: str, faults: RowsAtFault, way_out: str) -> None:
    faults.add(~np.isfinite(values) & ~null, lambda row: f"'{name}' is {values[row]:g}; {way_out}")


def _correct(column: RawColumn, faults: RowsAtFault) -> FloatArray:
    """Right answers as 1, wrong ones as 0, nan where it is not known."""
    if _is_arrow(column):
        import pyarrow as pa

        if pa.types.is_boolean(column.type):
            return np.asarray(column.cast(pa.int8()).cast(pa.float64()).to_numpy(), dtype=np.float64)
    else:
        column = [int(value) if isinstance(value, bool) else value for value in column]
    values, null = _numbers(column, "correct", faults, TRUTH)
    faults.add(
        ~((values == 0) | (values == 1)) & ~null,
        lambda row: f"'correct' must be {TRUTH}, got {values[row]:g}",
    )
    return values
