"""Whether a change is more than chance: permutation and rank tests over entities, and Holm's correction."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hinterguesser.stats.arrays import FloatArray, IntArray, finite, integers, same_length

EXACT_UP_TO = 12
"""Entities up to which all 2^entities sign patterns are tried."""

CELLS_AT_ONCE = 1 << 21
"""Signs drawn in one step."""


def group_means(values: ArrayLike, group: ArrayLike) -> tuple[IntArray, FloatArray]:
    """Return the distinct groups, ascending, and the mean of `values` in each.

    Args:
        values: Shape (n,), finite.
        group: Shape (n,), any integer codes.

    Raises:
        ValueError: Lengths that differ, no integers, or a missing value.
    """
    numbers, codes = finite(values, "values"), integers(group, "group")
    same_length(values=numbers, group=codes)
    distinct, index, n = np.unique(codes, return_inverse=True, return_counts=True)
    return distinct, np.bincount(index, weights=numbers, minlength=len(distinct)) / n


def sign_flip_test(
    differences: ArrayLike, entity: ArrayLike, rng: np.random.Generator, *, permutations: int = 10_000
) -> float | None:
    """Return the two-sided p-value of a sign-flip permutation test that differences are centred on 0.

    Differences (one a dialogue) are averaged in each entity; under the null each entity's mean is as likely
    with either sign. Turns must not enter one by one: they are alike, and a test that takes them for
    independent rejects a true null far too often. Up to 12 entities every sign pattern is tried and p is
    exact (at least 2 / 2^entities); beyond, patterns are drawn and p = (1 + as extreme) / (1 + drawn).

    Args:
        differences: Shape (dialogues,), finite: the mean difference of each dialogue.
        entity: Shape (dialogues,), integer codes.
        rng: Where randomness comes from.
        permutations: Sign patterns to draw.

    Returns:
        In (0, 1], or None without differences.

    Raises:
        ValueError: Lengths that differ, a missing value, or no permutations.
    """
    if permutations < 1:
        raise ValueError(f"permutations must be at least 1, got {permutations}")
    return sign_flip_tests([group_means(differences, entity)[1]], rng, permutations=permutations)[0]


def sign_flip_tests(
    families: Sequence[FloatArray], rng: np.random.Generator, *, permutations: int = 10_000
) -> list[float | None]:
    """Return the p-values of many sign-flip tests, as `sign_flip_test` has them, in one go.

    Tests over as many entities share the sign patterns drawn, so hundreds take little longer than one.

    Args:
        families: Per test the mean difference of each entity, shape (entities,).
        rng: Where randomness comes from; the patterns of a test depend on its number of entities only.
        permutations: Sign patterns to draw.

    Returns:
        In (0, 1], or None for a test without entities.

    Raises:
        ValueError: No permutations.
    """
    if permutations < 1:
        raise ValueError(f"permutations must be at least 1, got {permutations}")
    seed = int(rng.integers(2**63))
    p_values: list[float | None] = [None] * len(families)
    for entities in {len(means) for means in families} - {0}:
        places = [place for place, means in enumerate(families) if len(means) == entities]
        means = np.stack([families[place] for place in places], axis=1)
        found = _sign_flips(means, np.random.default_rng([seed, entities]), permutations)
        for place, p in zip(places, found.tolist(), strict=True):
            p_values[place] = p
    return p_values


def _sign_flips(means: FloatArray, rng: np.random.Generator, permutations: int) -> FloatArray:
    """Return the p-value of each column of `means`, shape (entities, tests)."""
    entities, tests = means.shape
    limit = np.abs(means.sum(axis=0)) - 1e-12 * np.abs(means).sum(axis=0)
    if entities <= EXACT_UP_TO:
        patterns = np.arange(2**entities)[:, None] >> np.arange(entities) & 1
        return np.asarray(np.mean(np.abs(_flipped_sums(patterns, means)) >= limit, axis=0))
    extreme, at_once = np.zeros(tests, dtype=np.int64), max(1, CELLS_AT_ONCE // max(entities, tests))
    for first in range(0, permutations, at_once):
        size = min(at_once, permutations - first)
        drawn = rng.integers(0, 256, (size, -(-entities // 8)), dtype=np.uint8)
        bits = np.unpackbits(drawn, axis=1)[:, :entities]
        extreme += np.count_nonzero(np.abs(_flipped_sums(bits, means)) >= limit, axis=0)
    return np.asarray((1 + extreme) / (1 + permutations))


def wilcoxon_test(differences: ArrayLike, entity: ArrayLike) -> float | None:
    """Return the two-sided p-value of Wilcoxon's signed-rank test over entities, the secondary test.

    Differences are averaged in each entity and rounded to 12 decimals, so that noise of the last bit neither
    breaks ties nor makes a zero count; zeros are dropped.

    Args:
        differences: Shape (dialogues,), finite: the mean difference of each dialogue.
        entity: Shape (dialogues,), integer codes.

    Returns:
        In (0, 1], or None when no entity's mean differs from 0.

    Raises:
        ValueError: Lengths that differ or a missing value.
    """
    from scipy.stats import wilcoxon

    _, means = group_means(differences, entity)
    means = np.round(means, 12)
    means = means[means != 0]
    return float(wilcoxon(means).pvalue) if len(means) else None


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Return Holm's step-down adjusted p-values, in the given order; None stays None and counts as no test.

    Args:
        p_values: Each in [0, 1] or None.

    Raises:
        ValueError: A p-value outside [0, 1].
    """
    tests = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    running = 0.0
    for rank, (p, place) in enumerate(tests):
        if not 0 <= p <= 1:
            raise ValueError(f"p-value {place} is {p}, outside [0, 1]")
        running = max(running, min(1.0, (len(tests) - rank) * p))
        adjusted[place] = running
    return adjusted


def _flipped_sums(patterns: NDArray[Any], means: FloatArray) -> FloatArray:
    """Return the sums of `means`, shape (entities, tests), under each pattern of bits: 0 flips the sign."""
    return np.asarray(2 * (patterns.astype(np.float64) @ means) - means.sum(axis=0))
