"""Calibration over confidence: does a confidence of 0.8 mean right four times in five?"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from hinterguesser.stats.arrays import FloatArray, IntArray, scored_rows
from hinterguesser.stats.binning import Binning, bin_counts, bin_sums, check_binning, mass_bins, width_bins


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """One row of a reliability table."""

    lower: float
    """Equal width: the open left edge. Equal mass: the smallest confidence in the bin."""
    upper: float
    """Equal width: the closed right edge. Equal mass: the largest confidence in the bin."""
    n: int
    """Rows in the bin."""
    confidence: float | None
    """Mean confidence in [0, 1]; None when the bin is empty."""
    accuracy: float | None
    """Share of right answers in [0, 1]; None when the bin is empty."""


def ece(confidence: ArrayLike, correct: ArrayLike, *, bins: int = 10) -> float | None:
    """Return the expected calibration error over confidence, with bins of equal width.

    The mean over rows of |accuracy - mean confidence| of the row's bin. Bins are closed on the right; 0 falls
    in the first.

    Args:
        confidence: Shape (n,), in [0, 1].
        correct: Shape (n,), true or false.
        bins: How many.

    Returns:
        A fraction in [0, 1], or None without rows.

    Raises:
        ValueError: Lengths that differ, a value out of range, or fewer than one bin.
    """
    chances, right = scored_rows(confidence, correct)
    return gap_over_rows(chances, right, width_bins(chances, bins), bins)


def adaptive_ece(confidence: ArrayLike, correct: ArrayLike, *, bins: int = 10) -> float | None:
    """Return the expected calibration error with bins of equal mass; equal confidences are never split.

    Args, returns and errors are those of `ece`.
    """
    chances, right = scored_rows(confidence, correct)
    return gap_over_rows(chances, right, mass_bins(chances, bins), bins)


def brier(confidence: ArrayLike, correct: ArrayLike) -> float | None:
    """Return the Brier score: the mean of (confidence - correct)^2.

    Args:
        confidence: Shape (n,), in [0, 1].
        correct: Shape (n,), true or false.

    Returns:
        In [0, 1], lower is better; None without rows.

    Raises:
        ValueError: Lengths that differ or a value out of range.
    """
    chances, right = scored_rows(confidence, correct)
    return float(np.mean((chances - right) ** 2)) if len(chances) else None


def reliability(
    confidence: ArrayLike, correct: ArrayLike, *, bins: int = 10, binning: Binning = "width"
) -> tuple[ReliabilityBin, ...]:
    """Return the reliability table: per bin of confidence, how many rows, mean confidence and accuracy.

    Args:
        confidence: Shape (n,), in [0, 1].
        correct: Shape (n,), true or false.
        bins: How many.
        binning: 'width' lists all bins, empty ones too; 'mass' lists the non-empty ones.

    Raises:
        ValueError: Lengths that differ, a value out of range, or an unknown binning.
    """
    check_binning(binning)
    chances, right = scored_rows(confidence, correct)
    index = width_bins(chances, bins) if binning == "width" else mass_bins(chances, bins)
    n = bin_counts(index, bins)
    sums = bin_sums(index, chances, bins), bin_sums(index, right, bins)
    lower, upper = np.arange(bins) / bins, np.arange(1, bins + 1) / bins
    if binning == "mass":
        lower, upper = _observed_edges(chances, index, bins)
    return tuple(
        ReliabilityBin(
            lower=float(lower[b]),
            upper=float(upper[b]),
            n=int(n[b]),
            confidence=float(sums[0][b] / n[b]) if n[b] else None,
            accuracy=float(sums[1][b] / n[b]) if n[b] else None,
        )
        for b in range(bins)
        if n[b] or binning == "width"
    )


def gap_over_rows(chances: FloatArray, right: FloatArray, bin_index: IntArray, bins: int) -> float | None:
    """Return the mean over rows of |accuracy - mean confidence| of the row's bin; None without rows.

    Args:
        chances: Shape (n,), confidence in [0, 1].
        right: Shape (n,), 0 or 1.
        bin_index: Shape (n,), in 1..bins.
        bins: How many.
    """
    if len(chances) == 0:
        return None
    return float(np.abs(bin_sums(bin_index, right - chances, bins)).sum() / len(chances))


def _observed_edges(values: FloatArray, index: IntArray, bins: int) -> tuple[FloatArray, FloatArray]:
    """Return the smallest and largest value of each bin; an empty bin keeps 1 and 0."""
    lower, upper = np.ones(bins), np.zeros(bins)
    np.minimum.at(lower, index - 1, values)
    np.maximum.at(upper, index - 1, values)
    return lower, upper
