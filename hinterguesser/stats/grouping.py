"""Predictions by group: which rows belong together, and which stand there twice."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hinterguesser.domain.predictions import LABELS, Predictions
from hinterguesser.stats.arrays import IntArray
from hinterguesser.stats.measures import Rows

MOST_CODES = 1 << 40
"""Codes are renumbered before they could grow beyond this, so that a few may be combined in 64 bits."""


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Rows that agree in some columns."""

    by: dict[str, str | None]
    """What they agree in; None where they have no text."""
    rows: IntArray
    """Their numbers, ascending."""


def columns_of(predictions: Predictions) -> tuple[str, ...]:
    """The columns of `LABELS` that the predictions have."""
    return tuple(name for name in LABELS if name in predictions.labels)


def groups_of(predictions: Predictions, by: Sequence[str], rows: IntArray | None = None) -> list[Group]:
    """Groups in order of first appearance.

    Args:
        predictions: The rows.
        by: Columns of `predictions.labels`.
        rows: Only these, ascending; None: all.
    """
    codes = group_codes(predictions, by)
    chosen = np.arange(len(codes)) if rows is None else rows
    codes = codes[chosen] if rows is not None else codes
    if len(codes) == 0:
        return []
    order = np.argsort(codes, kind="stable") if (np.diff(codes) < 0).any() else np.arange(len(codes))
    parts = np.split(chosen[order], np.flatnonzero(np.diff(codes[order])) + 1)
    return [
        Group({name: predictions.labels[name].name(int(predictions.labels[name].codes[part[0]])) for name in by}, part)
        for part in sorted(parts, key=lambda part: int(part[0]))
    ]


def group_codes(predictions: Predictions, by: Sequence[str]) -> IntArray:
    """One code a row, equal for rows that agree in the columns `by`."""
    codes, size = np.zeros(len(predictions), dtype=np.int64), 1
    for name in by:
        labels = predictions.labels[name]
        if len(labels.names) <= 1 and (len(codes) == 0 or labels.codes.min() == labels.codes.max()):
            continue
        width = len(labels.names) + 1
        if size * width > MOST_CODES:
            codes = np.unique(codes, return_inverse=True)[1]
            size = len(codes)
        codes, size = codes * width + labels.codes + 1, size * width
    return codes


def rows_of(predictions: Predictions, rows: IntArray) -> Rows:
    """The scored ones of these rows, for `measure`."""
    scored = rows[predictions.scored[rows]]
    # A slice copies nothing: a million rows in one group stay where they are.
    chosen = slice(None) if len(scored) == len(predictions) else scored
    return Rows(
        dialogue=predictions.dialogue[chosen],
        entity=predictions.entity[chosen],
        turn=predictions.turn[chosen],
        length=predictions.length[chosen],
        confidence=predictions.confidence[chosen],
        correct=predictions.correct[chosen],
        unscored=len(rows) - len(scored),
    )


def unscored_reasons(predictions: Predictions, rows: IntArray) -> dict[str, int]:
    """How many of these rows are unscored for which reason, the most frequent first."""
    unscored = rows[~predictions.scored[rows]]
    if len(unscored) == 0:
        return {}
    reasons = predictions.unscored_reason
    codes = np.full(len(unscored), -1) if reasons is None else reasons.codes[unscored]
    distinct, counts = np.unique(codes, return_counts=True)
    named = {
        (reasons.name(int(code)) if reasons is not None else None) or "no reason given": int(count)
        for code, count in zip(distinct, counts, strict=True)
    }
    return dict(sorted(named.items(), key=lambda item: (-item[1], item[0])))


def repeated_turns(group: IntArray, dialogue: IntArray, turn: IntArray) -> tuple[NDArray[np.bool_], IntArray]:
    """Where a row repeats the turn of a dialogue of its group, and which row it repeats.

    Returns:
        A mask, shape (n,), and row numbers, shape (n,), that mean something where the mask is true.
    """
    keys = turn_keys(dialogue, turn)
    if len(keys) and group.max() > group.min():
        keys = (
            np.unique(keys, return_inverse=True)[1] if int(group.max() + 1) * int(keys.max() + 1) >= 1 << 62 else keys
        )
        group = np.unique(group, return_inverse=True)[1]
        keys = group * int(keys.max() + 1) + keys
    again, earlier = np.zeros(len(keys), dtype=np.bool_), np.zeros(len(keys), dtype=np.int64)
    if not (np.diff(keys) <= 0).any() or not (np.diff(np.sort(keys)) == 0).any():
        return again, earlier
    order = np.argsort(keys, kind="stable")
    same = np.flatnonzero(np.diff(keys[order]) == 0)
    again[order[same + 1]] = True
    earlier[order[same + 1]] = order[same]
    return again, earlier


def turn_keys(dialogue: IntArray, turn: IntArray) -> IntArray:
    """One number for a turn of a dialogue, the same wherever that turn stands; they ascend by dialogue, then turn.

    Args:
        dialogue: Shape (n,), codes from 0.
        turn: Shape (n,), from 0 to 2^30.
    """
    return dialogue * (1 << 31) + turn
