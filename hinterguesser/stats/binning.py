"""Bins: of equal width, closed on the right, or of equal mass with ties kept together."""

from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from hinterguesser.stats.arrays import FloatArray, IntArray, finite, probabilities

Binning: TypeAlias = Literal["width", "mass"]


def check_bins(bins: int) -> None:
    """Refuse a number of bins below 1.

    Raises:
        ValueError: `bins` is below 1.
    """
    if bins < 1:
        raise ValueError(f"bins must be at least 1, got {bins}")


def check_binning(binning: str) -> None:
    """Refuse a kind of bins that is neither of the two.

    Raises:
        ValueError: `binning` is not 'width' or 'mass'.
    """
    if binning not in ("width", "mass"):
        raise ValueError(f"binning must be 'width' or 'mass', got {binning!r}")


def width_bins(values: ArrayLike, bins: int) -> IntArray:
    """Return the bin of each value of [0, 1] among `bins` bins of equal width.

    Bin b covers ((b - 1) / bins, b / bins]; 0 itself falls in the first. Edges are compared as floats, so 0.3
    falls in bin 3 of 10.

    Args:
        values: Shape (n,), in [0, 1].
        bins: How many, at least 1.

    Returns:
        Shape (n,), integers in 1..bins.

    Raises:
        ValueError: A value outside [0, 1], or fewer than one bin.
    """
    check_bins(bins)
    edges = np.arange(1, bins) / bins
    return np.searchsorted(edges, probabilities(values, "values"), side="left") + 1


def mass_bins(values: ArrayLike, bins: int) -> IntArray:
    """Return the bin of each value among `bins` bins that hold about equally many values.

    Equal values are never split: all of them go where the middle of their block of ranks falls. With many
    ties some bins stay empty.

    Args:
        values: Shape (n,), finite.
        bins: How many, at least 1.

    Returns:
        Shape (n,), integers in 1..bins, non-decreasing in the value.

    Raises:
        ValueError: A value is missing, or fewer than one bin.
    """
    check_bins(bins)
    array = finite(values, "values")
    if array.size == 0:
        return np.zeros(0, dtype=np.int64)
    _, block, counts = np.unique(array, return_inverse=True, return_counts=True)
    twice_middle = 2 * np.cumsum(counts) - counts
    bin_of_block: IntArray = twice_middle * bins // (2 * len(array)) + 1
    return bin_of_block[block]


def bin_sums(bin_index: IntArray, values: FloatArray, bins: int) -> FloatArray:
    """Return the sum of `values` in each bin, shape (bins,); bins are numbered from 1."""
    return np.bincount(bin_index - 1, weights=values, minlength=bins).astype(np.float64, copy=False)


def bin_counts(bin_index: IntArray, bins: int) -> IntArray:
    """Return how many rows each bin holds, shape (bins,); bins are numbered from 1."""
    return np.bincount(bin_index - 1, minlength=bins).astype(np.int64, copy=False)
