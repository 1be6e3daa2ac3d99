"""What every statistic accepts: flat arrays of one length, checked once; errors name the value at fault."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]


def finite(values: ArrayLike, name: str) -> FloatArray:
    """Return `values` as a flat float array.

    Args:
        values: Any 1-dimensional sequence of numbers.
        name: What to call it in an error.

    Raises:
        ValueError: Not 1-dimensional, not numbers, or a value is missing or infinite.
    """
    try:
        array: FloatArray = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be numbers: {error}") from error
    _flat(array, name)
    bad = ~np.isfinite(array)
    if bad.any():
        where = int(np.argmax(bad))
        raise ValueError(f"{name}[{where}] is {array[where]}; drop rows without a value first")
    return array


def probabilities(values: ArrayLike, name: str = "confidence") -> FloatArray:
    """Return `values` as a flat float array whose entries lie in [0, 1].

    Raises:
        ValueError: As for `finite`, or a value outside [0, 1].
    """
    array = finite(values, name)
    bad = (array < 0) | (array > 1)
    if bad.any():
        where = int(np.argmax(bad))
        hint = "; divide percentages by 100" if 1 < array[where] <= 100 else ""
        raise ValueError(f"{name}[{where}] is {array[where]}, outside [0, 1]{hint}")
    return array


def outcomes(values: ArrayLike, name: str = "correct") -> FloatArray:
    """Return right (1) and wrong (0) as a flat float array.

    Raises:
        ValueError: As for `finite`, or a value that is neither 0 nor 1.
    """
    array = finite(values, name)
    bad = (array != 0) & (array != 1)
    if bad.any():
        where = int(np.argmax(bad))
        raise ValueError(f"{name}[{where}] is {array[where]}; it must be true or false (1 or 0)")
    return array


def integers(values: ArrayLike, name: str) -> IntArray:
    """Return `values` as a flat 64-bit integer array (turns, lengths, codes of dialogues and entities).

    Raises:
        ValueError: Not 1-dimensional or not of an integer type.
    """
    array = np.asarray(values)
    _flat(array, name)
    if array.size == 0:
        return np.zeros(0, dtype=np.int64)
    if array.dtype.kind not in "iu":
        raise ValueError(f"{name} must be integers, got {array.dtype}; turn labels into codes first")
    return array.astype(np.int64, copy=False)


def same_length(**arrays: NDArray[Any]) -> int:
    """Return the common length of the named arrays.

    Raises:
        ValueError: Their lengths differ.
    """
    sizes = {name: len(array) for name, array in arrays.items()}
    if len(set(sizes.values())) > 1:
        listed = ", ".join(f"{name} {size}" for name, size in sizes.items())
        raise ValueError(f"arrays must have one length, got {listed}")
    return next(iter(sizes.values()))


def scored_rows(confidence: ArrayLike, correct: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return confidence in [0, 1] and correctness in {0, 1}, checked and of one length.

    Raises:
        ValueError: A value out of range, or lengths that differ.
    """
    chances, right = probabilities(confidence), outcomes(correct)
    same_length(confidence=chances, correct=right)
    return chances, right


def _flat(array: NDArray[Any], name: str) -> None:
    if array.ndim != 1:
        raise ValueError(f"{name} must be 1-dimensional, got shape {array.shape}")
