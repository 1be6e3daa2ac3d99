"""Selective answering: is confidence higher where the answer is right, and how risky is each coverage?"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from hinterguesser.stats.arrays import FloatArray, scored_rows


@dataclass(frozen=True, slots=True, eq=False)
class RiskCoverage:
    """Risk against coverage, one point per distinct confidence, from the most confident rows on."""

    threshold: FloatArray
    """Shape (points,): answer when confidence is at least this; descending."""
    coverage: FloatArray
    """Shape (points,): share of rows answered, in (0, 1]; ascending, ends at 1."""
    risk: FloatArray
    """Shape (points,): share of wrong answers among the answered, in [0, 1]."""


def auroc(confidence: ArrayLike, correct: ArrayLike) -> float | None:
    """Return the chance that a right answer has more confidence than a wrong one; ties count one half.

    Args:
        confidence: Shape (n,), in [0, 1].
        correct: Shape (n,), true or false.

    Returns:
        In [0, 1], or None unless both right and wrong answers occur.

    Raises:
        ValueError: Lengths that differ or a value out of range.
    """
    chances, right = scored_rows(confidence, correct)
    _, n, wrong = tie_groups(chances, right)
    hits = n - wrong
    pairs = float(hits.sum() * wrong.sum())
    if pairs == 0:
        return None
    wrong_below = wrong.sum() - np.cumsum(wrong)
    return float((hits * (wrong_below + wrong / 2)).sum() / pairs)


def aurc(confidence: ArrayLike, correct: ArrayLike) -> float | None:
    """Return the area under the risk-coverage curve: the mean over k = 1..n of the risk of the top k rows.

    Rows of equal confidence have no order of their own, so the area is its expectation when they are put in
    random order. In closed form, a group of m rows with e wrong ones that enters after K rows with E wrong
    ones adds e + (E - K e / m) (H(K + m) - H(K)), H being the harmonic numbers; the sum over groups is
    divided by n. Without ties this is the usual area.

    Args:
        confidence: Shape (n,), in [0, 1].
        correct: Shape (n,), true or false.

    Returns:
        In [0, 1], lower is better; None without rows.

    Raises:
        ValueError: Lengths that differ or a value out of range.
    """
    chances, right = scored_rows(confidence, correct)
    if len(chances) == 0:
        return None
    _, n, wrong = tie_groups(chances, right)
    return float(expected_area(n[None, :], wrong[None, :])[0])


def expected_area(n: FloatArray, wrong: FloatArray) -> FloatArray:
    """Return the expected area under the risk-coverage curve of each line of tie groups; see `aurc`.

    Args:
        n: Shape (lines, groups): rows of each group, most confident first; whole numbers, 0 for an absent
            group.
        wrong: Shape (lines, groups): wrong answers among them.

    Returns:
        Shape (lines,); nan marks a line without rows.
    """
    entered = np.cumsum(n, axis=1)
    wrong_before = np.cumsum(wrong, axis=1) - wrong
    harmonic = harmonic_numbers(int(entered[:, -1].max(initial=0)))
    steps = np.diff(np.take(harmonic, entered.astype(np.intp)), axis=1, prepend=0.0)
    share = wrong / np.maximum(n, 1)
    total = wrong.sum(axis=1) + np.einsum("ij,ij->i", wrong_before - (entered - n) * share, steps)
    with np.errstate(invalid="ignore"):
        return np.asarray(total / entered[:, -1], dtype=np.float64)


def harmonic_numbers(last: int) -> FloatArray:
    """Return H(0) = 0, H(1) = 1, ..., H(last) = 1 + 1/2 + ... + 1/last, shape (last + 1,)."""
    return np.concatenate([[0.0], np.cumsum(1 / np.arange(1, last + 1))])


def risk_coverage(confidence: ArrayLike, correct: ArrayLike) -> RiskCoverage | None:
    """Return the risk-coverage curve; rows of equal confidence are answered together.

    Args:
        confidence: Shape (n,), in [0, 1].
        correct: Shape (n,), true or false.

    Returns:
        The curve, or None without rows.

    Raises:
        ValueError: Lengths that differ or a value out of range.
    """
    chances, right = scored_rows(confidence, correct)
    if len(chances) == 0:
        return None
    threshold, n, wrong = tie_groups(chances, right)
    entered = np.cumsum(n)
    return RiskCoverage(threshold=threshold, coverage=entered / len(chances), risk=np.cumsum(wrong) / entered)


def accuracy_at_coverage(confidence: ArrayLike, correct: ArrayLike, coverage: float) -> float | None:
    """Return the accuracy of the most confident rows that make up at least the share `coverage`.

    The number of rows is the smallest k with k / n >= coverage. If the k-th row stands in a group of ties,
    the value is the expectation when the group is put in random order.

    Args:
        confidence: Shape (n,), in [0, 1].
        correct: Shape (n,), true or false.
        coverage: In (0, 1].

    Returns:
        In [0, 1], or None without rows.

    Raises:
        ValueError: Lengths that differ, or a value or `coverage` out of range.
    """
    if not 0 < coverage <= 1:
        raise ValueError(f"coverage must lie in (0, 1], got {coverage}")
    chances, right = scored_rows(confidence, correct)
    if len(chances) == 0:
        return None
    k = max(1, math.ceil(coverage * len(chances) * (1 - 1e-12)))
    _, n, wrong = tie_groups(chances, right)
    entered = np.cumsum(n)
    group = int(np.searchsorted(entered, k, side="left"))
    before = entered[group] - n[group]
    expected_wrong = wrong[:group].sum() + (k - before) * wrong[group] / n[group]
    return float(1 - expected_wrong / k)


def tie_groups(chances: FloatArray, right: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return, per distinct confidence from the highest down, the confidence, its rows and its wrong answers.

    Args:
        chances: Shape (n,), in [0, 1].
        right: Shape (n,), 0 or 1.
    """
    distinct, group, n = np.unique(chances, return_inverse=True, return_counts=True)
    wrong = np.bincount(group, weights=1 - right, minlength=len(distinct))
    return distinct[::-1], n[::-1].astype(np.float64), wrong[::-1].astype(np.float64)
