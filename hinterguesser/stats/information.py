"""Calibration over information levels: InfoECE and what hides inside a level.

Turn i of a dialogue with L turns stands at information level s = i / L in (0, 1] (arXiv 2601.02179, section
3.3).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from hinterguesser.stats.arrays import FloatArray, IntArray, integers, same_length, scored_rows
from hinterguesser.stats.binning import (
    Binning,
    bin_counts,
    bin_sums,
    check_binning,
    check_bins,
    mass_bins,
    width_bins,
)
from hinterguesser.stats.calibration import gap_over_rows
from hinterguesser.stats.selective import auroc


@dataclass(frozen=True, slots=True, eq=False)
class InfoECE:
    """Information-level expected calibration error, and the levels it is made of."""

    value: float | None
    """Mean over non-empty levels of |accuracy - mean confidence|, in [0, 1]; None without rows."""
    over_all_bins: float | None
    """The same sum divided by the number of bins asked for, as the formula in section 3.3 reads."""
    bins: int
    """Bins asked for."""
    empty_bins: int
    """Bins that hold no row."""
    level: IntArray
    """Shape (levels,): numbers of the non-empty bins, ascending, in 1..bins."""
    upper: FloatArray
    """Shape (levels,): the closed right edge of each in s; with equal mass, the greatest s it holds."""
    n: IntArray
    """Shape (levels,): rows in each."""
    accuracy: FloatArray
    """Shape (levels,): share of right answers in each, in [0, 1]."""
    confidence: FloatArray
    """Shape (levels,): mean confidence in each, in [0, 1]."""


@dataclass(frozen=True, slots=True, eq=False)
class WithinLevel:
    """How good confidence is inside each information level, where InfoECE lets errors cancel."""

    ece: float | None
    """ECE inside each level, averaged over levels by their rows, in [0, 1]."""
    brier: float | None
    """Brier score of each level, averaged over levels with equal weight as InfoECE does, in [0, 1].

    Weighted by rows it would be the Brier score of all rows together."""
    auroc: float | None
    """AUROC of each level that holds both classes, averaged over those levels by their rows, in [0, 1]."""
    auroc_levels: int
    """Levels that hold both right and wrong answers."""
    level: IntArray
    """Shape (levels,): numbers of the non-empty bins, ascending."""
    n: IntArray
    """Shape (levels,): rows in each."""
    ece_by_level: FloatArray
    """Shape (levels,)."""
    brier_by_level: FloatArray
    """Shape (levels,)."""
    auroc_by_level: tuple[float | None, ...]
    """One per level; None where only one class occurs."""


def information_bin(turn: ArrayLike, length: ArrayLike, bins: int = 10) -> IntArray:
    """Return the bin of information level i / L among `bins` bins of equal width, closed on the right.

    Exact, in integers: (i * bins + L - 1) // L, which is the ceiling of i * bins / L.

    Args:
        turn: Shape (n,), i in 1..L.
        length: Shape (n,), L.
        bins: How many, at least 1.

    Returns:
        Shape (n,), integers in 1..bins.

    Raises:
        ValueError: No integers, lengths that differ, a turn outside 1..L, or fewer than one bin.
    """
    check_bins(bins)
    i, total = integers(turn, "turn"), integers(length, "length")
    same_length(turn=i, length=total)
    bad = (i < 1) | (i > total)
    if bad.any():
        where = int(np.argmax(bad))
        raise ValueError(f"turn[{where}] is {i[where]}, outside 1..{total[where]}, its dialogue's length")
    return (i * bins + total - 1) // total


def level_bins(turn: ArrayLike, length: ArrayLike, *, bins: int = 10, binning: Binning = "width") -> IntArray:
    """Return the information-level bin of each row, by equal width or equal mass over s = i / L.

    With equal mass the cuts come from these very rows, and equal levels are never split.

    Args, returns and errors are those of `information_bin`; also ValueError for an unknown binning.
    """
    check_binning(binning)
    index = information_bin(turn, length, bins)
    if binning == "width":
        return index
    return mass_bins(np.asarray(turn) / np.asarray(length), bins)


def info_ece(
    confidence: ArrayLike,
    correct: ArrayLike,
    turn: ArrayLike,
    length: ArrayLike,
    *,
    bins: int = 10,
    binning: Binning = "width",
) -> InfoECE:
    """Return the information-level ECE (arXiv 2601.02179, section 3.3).

    Args:
        confidence: Shape (n,), in [0, 1].
        correct: Shape (n,), true or false.
        turn: Shape (n,), i in 1..L.
        length: Shape (n,), L, turns in the row's dialogue.
        bins: How many levels.
        binning: 'width' cuts s = i / L evenly; 'mass' at equal counts, ties never split.

    Raises:
        ValueError: Lengths that differ, a value out of range, or an unknown binning.
    """
    chances, right = scored_rows(confidence, correct)
    index = level_bins(turn, length, bins=bins, binning=binning)
    same_length(confidence=chances, turn=index)
    counts = bin_counts(index, bins)
    level = np.flatnonzero(counts) + 1
    n = counts[level - 1]
    accuracy = bin_sums(index, right, bins)[level - 1] / n
    mean_confidence = bin_sums(index, chances, bins)[level - 1] / n
    gap = np.abs(accuracy - mean_confidence)
    upper = level / bins
    if binning == "mass":
        greatest = np.zeros(bins)
        np.maximum.at(greatest, index - 1, np.asarray(turn) / np.asarray(length))
        upper = greatest[level - 1]
    return InfoECE(
        value=float(gap.mean()) if len(level) else None,
        over_all_bins=float(gap.sum() / bins) if len(level) else None,
        bins=bins,
        empty_bins=bins - len(level),
        level=level,
        upper=upper,
        n=n,
        accuracy=accuracy,
        confidence=mean_confidence,
    )


def within_level(
    confidence: ArrayLike,
    correct: ArrayLike,
    turn: ArrayLike,
    length: ArrayLike,
    *,
    bins: int = 10,
    binning: Binning = "width",
    confidence_bins: int = 10,
) -> WithinLevel:
    """Return ECE, Brier score and AUROC inside each information level.

    Args:
        confidence: Shape (n,), in [0, 1].
        correct: Shape (n,), true or false.
        turn: Shape (n,), i in 1..L.
        length: Shape (n,), L.
        bins: How many levels.
        binning: How levels are cut; see `info_ece`.
        confidence_bins: Bins of equal width over confidence inside each level, closed on the right.

    Raises:
        ValueError: Lengths that differ, a value out of range, or an unknown binning.
    """
    chances, right = scored_rows(confidence, correct)
    index = level_bins(turn, length, bins=bins, binning=binning)
    same_length(confidence=chances, turn=index)
    counts = bin_counts(index, bins)
    level = np.flatnonzero(counts) + 1
    n = counts[level - 1]
    cells = within_level_cells(chances, index, confidence_bins)
    gaps = np.abs(bin_sums(cells, right - chances, bins * confidence_bins)).reshape(bins, confidence_bins)
    brier_by_level = bin_sums(index, (chances - right) ** 2, bins)[level - 1] / n
    aurocs = _auroc_by_level(chances, right, index, counts)
    defined = [(value, int(rows)) for value, rows in zip(aurocs, n, strict=True) if value is not None]
    return WithinLevel(
        ece=gap_over_rows(chances, right, cells, bins * confidence_bins),
        brier=float(brier_by_level.mean()) if len(level) else None,
        auroc=sum(v * rows for v, rows in defined) / sum(rows for _, rows in defined) if defined else None,
        auroc_levels=len(defined),
        level=level,
        n=n,
        ece_by_level=gaps.sum(axis=1)[level - 1] / n,
        brier_by_level=brier_by_level,
        auroc_by_level=aurocs,
    )


def within_level_cells(chances: FloatArray, level_index: IntArray, confidence_bins: int) -> IntArray:
    """Return one number per (level, bin of confidence): (level - 1) * confidence_bins + bin, from 1."""
    return (level_index - 1) * confidence_bins + width_bins(chances, confidence_bins)


def impossible_info_ece(
    value: float,
    accuracy: float | Sequence[float] | FloatArray,
    *,
    confidence: Sequence[float] | FloatArray | None = None,
    tolerance: float = 0.0,
) -> str | None:
    """Return a warning when a reported InfoECE cannot be, else None.

    If accuracy and confidence both never fall from level to level, InfoECE cannot exceed max(A, 1 - A), where
    A is the mean of the levels' accuracies: a rising confidence of 0s then 1s is the worst there is, and a
    rising accuracy puts its worst step at either end.

    A published mean accuracy usually weighs turns, not levels, alike; leave a `tolerance` for that and for
    rounding.

    Args:
        value: The InfoECE, a fraction in [0, 1].
        accuracy: The mean accuracy A, a fraction; then both are taken to rise, as they should when hints
            accumulate. Or the accuracy of each non-empty level, shape (levels,).
        confidence: The mean confidence of each level, if known; only with accuracy per level.
        tolerance: By how much the bound may be exceeded without a warning.

    Returns:
        None when the value is possible, or when a known curve falls somewhere and the law is silent.

    Raises:
        ValueError: A value outside [0, 1], no level, or confidence that does not match accuracy.
    """
    curves = [np.atleast_1d(np.asarray(accuracy, dtype=np.float64))]
    if confidence is not None:
        curves.append(np.asarray(confidence, dtype=np.float64))
        if np.ndim(accuracy) == 0 or curves[0].shape != curves[1].shape:
            raise ValueError("confidence per level needs accuracy per level, as many of them")
    everything = np.concatenate([[value], *curves])
    if curves[0].size == 0 or not np.all((everything >= 0) & (everything <= 1)):
        raise ValueError("InfoECE, accuracy and confidence must be fractions in [0, 1], one level at least")
    if any(np.any(np.diff(curve) < 0) for curve in curves):
        return None
    mean_accuracy = float(curves[0].mean())
    bound = max(mean_accuracy, 1 - mean_accuracy)
    if value <= bound + tolerance + 1e-12:
        return None
    return (
        f"InfoECE {value:.4f} cannot be: where accuracy and confidence never fall from level to level and "
        f"the mean accuracy is {mean_accuracy:.4f}, it is at most {bound:.4f}"
    )


def _auroc_by_level(
    chances: FloatArray, right: FloatArray, index: IntArray, counts: IntArray
) -> tuple[float | None, ...]:
    """Return the AUROC of each non-empty level, in order."""
    order = np.argsort(index, kind="stable")
    ends = np.cumsum(counts)
    return tuple(
        auroc(chances[order[end - n : end]], right[order[end - n : end]])
        for n, end in zip(counts.tolist(), ends.tolist(), strict=True)
        if n
    )
