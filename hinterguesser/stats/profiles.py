"""Shapes of confidence that a single number hides: by information level, by confidence, by coverage, from turn to turn.

Means come with intervals from resamples of those entities that have a row in the cell, so a cell of one entity has
none, and one of a few has a wide one.
"""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from hinterguesser.stats.arrays import FloatArray, IntArray
from hinterguesser.stats.binning import bin_counts, bin_sums, width_bins
from hinterguesser.stats.intervals import EntityStatistic, Interval
from hinterguesser.stats.resamples import Draws, bootstrap_intervals
from hinterguesser.stats.selective import risk_coverage

RISK_POINTS = 20
"""Of a risk-coverage curve: at every twentieth of coverage."""

BoolArray: TypeAlias = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over rows."""

    value: float | None
    """None without rows."""
    interval: list[float] | None
    """95 %, from a bootstrap over entities; None without resamples or with fewer than two entities."""
    n: int
    """Rows."""


@dataclass(frozen=True, slots=True)
class Steps:
    """How confidence moves from one turn to the next, over pairs of adjacent turns that are both scored."""

    rising: float | None
    """Share of pairs in which it rises, in [0, 1]; None without pairs."""
    falling: float | None
    level: float | None
    """Share in which it stays exactly where it was."""
    interval: list[float] | None
    """Of `rising`."""
    pairs: int


@dataclass(frozen=True, slots=True)
class RiskPoint:
    """What one who answers from a confidence on answers, and how often that is wrong."""

    threshold: float
    coverage: float
    """Share of rows answered, in (0, 1]."""
    risk: Mean
    """Share of wrong answers among the answered; its interval is that at this threshold."""


def cell_means(values: FloatArray, cell: IntArray, cells: int, entity: IntArray, draws: Draws) -> list[Mean]:
    """The mean of `values` in each cell.

    Args:
        values: Shape (n,), finite.
        cell: Shape (n,), in 1..cells.
        cells: How many.
        entity: Shape (n,), any integer codes.
        draws: Resamples of entities.

    Returns:
        One a cell, empty ones too.
    """
    n, sums = _tallies(values, cell, cells, entity)
    return _means(n, sums, draws)


def risk_points(confidence: FloatArray, correct: FloatArray, entity: IntArray, draws: Draws) -> list[RiskPoint]:
    """The risk-coverage curve at every twentieth of coverage, or at the next coverage that a threshold can have.

    Args:
        confidence: Shape (n,), in [0, 1].
        correct: Shape (n,), 0 or 1.
        entity: Shape (n,), any integer codes.
        draws: Resamples of entities.

    Returns:
        Ascending in coverage, the last at 1; none without rows.
    """
    curve = risk_coverage(confidence, correct)
    if curve is None:
        return []
    wanted = np.arange(1, RISK_POINTS + 1) / RISK_POINTS
    # Coverage is a quotient of whole numbers: a hair below 1/20 is 1/20.
    kept = np.unique(np.searchsorted(curve.coverage, wanted * (1 - 1e-12)))
    thresholds = curve.threshold[kept]
    # The row belongs to the first threshold that lets it through; sums over thresholds then add up.
    cell = np.searchsorted(-thresholds, -confidence) + 1
    n, wrong = _tallies(1 - correct, cell, len(thresholds), entity)
    means = _means(np.cumsum(n, axis=1), np.cumsum(wrong, axis=1), draws)
    points = zip(thresholds.tolist(), curve.coverage[kept].tolist(), means, strict=True)
    return [RiskPoint(*point) for point in points]


def steps(dialogue: IntArray, turn: IntArray, confidence: FloatArray, entity: IntArray, draws: Draws) -> Steps:
    """How confidence moves between turns i and i + 1 of a dialogue, where both are there.

    Args:
        dialogue: Shape (n,), any integer codes.
        turn: Shape (n,), no turn of a dialogue twice.
        confidence: Shape (n,), none missing.
        entity: Shape (n,), any integer codes, one a dialogue.
        draws: Resamples of entities.
    """
    order = np.lexsort((turn, dialogue))
    adjacent = (np.diff(dialogue[order]) == 0) & (np.diff(turn[order]) == 1)
    before, after = order[:-1][adjacent], order[1:][adjacent]
    if len(before) == 0:
        return Steps(None, None, None, None, 0)
    change = confidence[after] - confidence[before]
    [rising] = cell_means((change > 0).astype(np.float64), np.ones(len(change), np.int64), 1, entity[before], draws)
    falling, level = float((change < 0).mean()), float((change == 0).mean())
    return Steps(rising.value, falling, level, rising.interval, len(change))


@dataclass(frozen=True, slots=True)
class SurfaceCell:
    """Rows of one information level and one range of confidence."""

    level: int
    """From 1; covers ((level - 1) / bins, level / bins] of i / L."""
    bin: int
    """From 1; covers ((bin - 1) / bins, bin / bins] of confidence, the first also 0."""
    n: int
    confidence: float
    """Mean, in [0, 1]."""
    accuracy: float
    gap: Mean
    """Accuracy less confidence: below 0 where the model is too sure."""


def surface(
    confidence: FloatArray, correct: FloatArray, level: IntArray, entity: IntArray, draws: Draws, *, bins: int
) -> list[SurfaceCell]:
    """How reliable confidence is at each level and at each confidence: the cells that hold rows.

    Args:
        confidence: Shape (n,), in [0, 1].
        correct: Shape (n,), 0 or 1.
        level: Shape (n,), in 1..bins.
        entity: Shape (n,), any integer codes.
        draws: Resamples of entities.
        bins: Of levels, and of confidence.
    """
    cell = (level - 1) * bins + width_bins(confidence, bins)
    n = bin_counts(cell, bins * bins)
    sure, right = bin_sums(cell, confidence, bins * bins), bin_sums(cell, correct, bins * bins)
    gaps = cell_means(correct - confidence, cell, bins * bins, entity, draws)
    return [
        SurfaceCell(
            level=at // bins + 1,
            bin=at % bins + 1,
            n=int(n[at]),
            confidence=float(sure[at] / n[at]),
            accuracy=float(right[at] / n[at]),
            gap=gaps[at],
        )
        for at in np.flatnonzero(n).tolist()
    ]


def _tallies(values: FloatArray, cell: IntArray, cells: int, entity: IntArray) -> tuple[FloatArray, FloatArray]:
    """Rows, and their summed values, of each entity in each cell: shape (entities, cells)."""
    distinct, codes = np.unique(entity, return_inverse=True)
    shape, place = (len(distinct), cells), codes * cells + cell - 1
    size = shape[0] * shape[1]
    n, sums = np.bincount(place, minlength=size), np.bincount(place, weights=values, minlength=size)
    return n.astype(np.float64).reshape(shape), sums.astype(np.float64).reshape(shape)


def _means(n: FloatArray, sums: FloatArray, draws: Draws) -> list[Mean]:
    """The mean of each column, from tallies of shape (entities, columns)."""
    totals, values = n.sum(axis=0), sums.sum(axis=0)
    statistics = {
        str(at): _mean_by_entity(n[there, at], sums[there, at])
        for at in np.flatnonzero(totals).tolist()
        for there in [n[:, at] > 0]
    }
    intervals = bootstrap_intervals(statistics, draws)
    return [
        Mean(float(value / rows) if rows else None, _ends(intervals.get(str(at))), int(rows))
        for at, (value, rows) in enumerate(zip(values, totals, strict=True))
    ]


def _mean_by_entity(n: FloatArray, sums: FloatArray) -> EntityStatistic:
    """As `by_entity.mean_by_entity`, from sums over each entity that has rows."""
    both = np.stack([sums, n], axis=1)

    def of_counts(counts: FloatArray) -> FloatArray:
        totals = counts @ both
        return np.asarray(totals[:, 0] / totals[:, 1])  # Every entity has rows, so no resample is without.

    return EntityStatistic(len(n), of_counts)


def _ends(interval: Interval | None) -> list[float] | None:
    return None if interval is None else [interval.lo, interval.hi]
