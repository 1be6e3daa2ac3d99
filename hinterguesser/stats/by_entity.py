"""Statistics as functions of how often each entity counts, for `intervals.bootstrap_interval`.

Most are functions of sums over entities, so 1,000 resamples are one matrix product. Tau is a mean over
dialogues: `mean_by_entity(tau.tau, entity_of_dialogue)`. The Brier score is a mean over rows.
"""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from hinterguesser.stats.arrays import FloatArray, IntArray, finite, integers, same_length, scored_rows
from hinterguesser.stats.binning import Binning, check_binning, mass_bins, width_bins
from hinterguesser.stats.information import level_bins, within_level_cells
from hinterguesser.stats.intervals import EntityStatistic
from hinterguesser.stats.selective import expected_area

Tallies: TypeAlias = Callable[[FloatArray], tuple[FloatArray, FloatArray]]
"""From counts, shape (resamples, entities), to rows and right answers, each of shape (resamples, tie groups)."""

DENSE_CELLS_PER_ROW = 32
"""Entities times tie groups, per row, up to which a matrix product beats walking the rows."""

DENSE_CELLS = 1 << 21
"""Entities times entities, or times tie groups, up to which AUROC is resampled by pairs of entities."""


def mean_by_entity(values: ArrayLike, entity: ArrayLike, *, entities: int | None = None) -> EntityStatistic:
    """Return the mean over rows (turns or dialogues) as a statistic of entities.

    Args:
        values: Shape (n,), finite: correctness, tau of each dialogue, squared errors.
        entity: Shape (n,), integer codes.
        entities: How many there are, if codes are 0..entities-1 and some may have no row; else those that
            occur.

    Raises:
        ValueError: Lengths that differ, a missing value, or a code outside 0..entities-1.
    """
    numbers = finite(values, "values")
    codes, entities = _codes(entity, len(numbers), entities)
    sums = np.stack([_sum(codes, numbers, entities), _sum(codes, np.ones(len(codes)), entities)], axis=1)

    def of_counts(counts: FloatArray) -> FloatArray:
        totals = counts @ sums
        return _quotient(totals[:, 0], totals[:, 1])

    return EntityStatistic(entities, of_counts)


def info_ece_by_entity(
    confidence: ArrayLike,
    correct: ArrayLike,
    turn: ArrayLike,
    length: ArrayLike,
    entity: ArrayLike,
    *,
    bins: int = 10,
    binning: Binning = "width",
    over_all_bins: bool = False,
    entities: int | None = None,
) -> EntityStatistic:
    """Return InfoECE (`information.info_ece`) as a statistic of entities.

    With equal mass the levels are cut once, on all rows, and stay the same in every resample.

    Args:
        confidence: Shape (n,), in [0, 1].
        correct: Shape (n,), true or false.
        turn: Shape (n,), i in 1..L.
        length: Shape (n,), L.
        entity: Shape (n,), integer codes.
        bins: How many levels.
        binning: How levels are cut.
        over_all_bins: Divide by `bins`, not by the non-empty levels.
        entities: See `mean_by_entity`.

    Raises:
        ValueError: Lengths that differ or a value out of range.
    """
    chances, right = scored_rows(confidence, correct)
    index = level_bins(turn, length, bins=bins, binning=binning)
    n, gaps, entities = _cell_sums(right - chances, index, entity, entities)

    def of_counts(counts: FloatArray) -> FloatArray:
        rows = counts @ n
        filled = rows > 0
        levels = np.full(len(rows), float(bins)) if over_all_bins else filled.sum(axis=1).astype(np.float64)
        levels[~filled.any(axis=1)] = np.nan
        return np.asarray((counts @ gaps) / np.where(filled, rows, 1) / levels[:, None])

    return EntityStatistic(entities, of_counts, gaps=True, width=n.shape[1])


def ece_by_entity(
    confidence: ArrayLike,
    correct: ArrayLike,
    entity: ArrayLike,
    *,
    bins: int = 10,
    binning: Binning = "width",
    entities: int | None = None,
) -> EntityStatistic:
    """Return ECE over confidence (`calibration.ece`; 'mass' for `adaptive_ece`) as a statistic of entities.

    Args:
        confidence: Shape (n,), in [0, 1].
        correct: Shape (n,), true or false.
        entity: Shape (n,), integer codes.
        bins: How many.
        binning: Bins of equal width or equal mass, the latter cut once on all rows.
        entities: See `mean_by_entity`.

    Raises:
        ValueError: Lengths that differ or a value out of range.
    """
    check_binning(binning)
    chances, right = scored_rows(confidence, correct)
    index = width_bins(chances, bins) if binning == "width" else mass_bins(chances, bins)
    return _gap_over_rows(right - chances, index, entity, entities)


def within_level_ece_by_entity(
    confidence: ArrayLike,
    correct: ArrayLike,
    turn: ArrayLike,
    length: ArrayLike,
    entity: ArrayLike,
    *,
    bins: int = 10,
    binning: Binning = "width",
    confidence_bins: int = 10,
    entities: int | None = None,
) -> EntityStatistic:
    """Return the ECE inside levels (`information.within_level`) as a statistic of entities.

    Args and errors are those of `info_ece_by_entity`; `confidence_bins` as in `within_level`.
    """
    chances, right = scored_rows(confidence, correct)
    index = level_bins(turn, length, bins=bins, binning=binning)
    same_length(confidence=chances, turn=index)
    return _gap_over_rows(right - chances, within_level_cells(chances, index, confidence_bins), entity, entities)


def auroc_by_entity(
    confidence: ArrayLike, correct: ArrayLike, entity: ArrayLike, *, entities: int | None = None
) -> EntityStatistic:
    """Return AUROC (`selective.auroc`) as a statistic of entities.

    Args:
        confidence: Shape (n,), in [0, 1].
        correct: Shape (n,), true or false.
        entity: Shape (n,), integer codes.
        entities: See `mean_by_entity`.

    Raises:
        ValueError: Lengths that differ or a value out of range.
    """
    chances, right = scored_rows(confidence, correct)
    codes, entities = _codes(entity, len(chances), entities)
    groups = len(np.unique(chances))
    if entities * max(entities, groups) <= DENSE_CELLS:
        return _auroc_of_pairs(chances, right, codes, entities, groups)
    tallies, width, entities = _tie_group_tallies(confidence, correct, entity, entities)

    def of_counts(counts: FloatArray) -> FloatArray:
        n, hits = tallies(counts)
        wrong = n - hits
        all_wrong = wrong.sum(axis=1)
        wrong_below = all_wrong[:, None] - np.cumsum(wrong, axis=1)
        return _quotient((hits * (wrong_below + wrong / 2)).sum(axis=1), hits.sum(axis=1) * all_wrong)

    return EntityStatistic(entities, of_counts, width=width)


def _auroc_of_pairs(
    chances: FloatArray, right: FloatArray, codes: IntArray, entities: int, groups: int
) -> EntityStatistic:
    """Return AUROC as c'Wc / (c'h c'w): W counts, for two entities, right rows of one above wrong rows of the other."""
    group = np.unique(chances, return_inverse=True)[1]
    wrong = _sum(group * entities + codes, 1 - right, groups * entities).reshape(groups, entities)
    below = np.cumsum(wrong, axis=0) - wrong / 2
    rows = np.flatnonzero(right)
    rows = rows[np.argsort(codes[rows], kind="stable")]
    owners, starts = np.unique(codes[rows], return_index=True)
    won = np.zeros((entities, entities))
    if len(rows):
        won[owners] = np.add.reduceat(below[group[rows]], starts, axis=0)
    hits = _sum(codes, right, entities)
    sides = np.stack([hits, _sum(codes, 1 - right, entities)], axis=1)

    def of_counts(counts: FloatArray) -> FloatArray:
        totals = counts @ sides
        return _quotient(np.einsum("ij,ij->i", counts @ won, counts), totals[:, 0] * totals[:, 1])

    return EntityStatistic(entities, of_counts)


def aurc_by_entity(
    confidence: ArrayLike, correct: ArrayLike, entity: ArrayLike, *, entities: int | None = None
) -> EntityStatistic:
    """Return AURC (`selective.aurc`) as a statistic of entities; args and errors as for `auroc_by_entity`."""
    tallies, width, entities = _tie_group_tallies(confidence, correct, entity, entities)

    def of_counts(counts: FloatArray) -> FloatArray:
        n, hits = tallies(counts)
        return expected_area(n, n - hits)

    return EntityStatistic(entities, of_counts, width=width)


def difference(first: EntityStatistic, second: EntityStatistic) -> EntityStatistic:
    """Return first - second, resampled together: for two models, methods or conditions on the same entities.

    Both must have been made with the same codes, 0..entities-1, and with `entities` given.

    Raises:
        ValueError: They count different numbers of entities.
    """
    if first.entities != second.entities:
        raise ValueError(f"cannot pair {first.entities} entities with {second.entities}; give entities= to both")

    def of_counts(counts: FloatArray) -> FloatArray:
        return _collapsed(first, counts) - _collapsed(second, counts)

    return EntityStatistic(first.entities, of_counts, width=max(first.width, second.width))


def _collapsed(statistic: EntityStatistic, counts: FloatArray) -> FloatArray:
    result = statistic.of_counts(counts)
    return np.abs(result).sum(axis=1) if statistic.gaps else result


def _codes(entity: ArrayLike, rows: int, entities: int | None) -> tuple[IntArray, int]:
    """Return codes 0..entities-1 and how many entities there are."""
    codes = integers(entity, "entity")
    if len(codes) != rows:
        raise ValueError(f"arrays must have one length, got entity {len(codes)}, values {rows}")
    if entities is None:
        distinct, codes = np.unique(codes, return_inverse=True)
        return codes, len(distinct)
    if len(codes) and not 0 <= codes.min() <= codes.max() < entities:
        raise ValueError(f"entity codes must lie in 0..{entities - 1}, got {codes.min()}..{codes.max()}")
    return codes, entities


def _sum(codes: IntArray, values: FloatArray, entities: int) -> FloatArray:
    return np.bincount(codes, weights=values, minlength=entities).astype(np.float64, copy=False)


def _cell_sums(
    gap: FloatArray, cell: IntArray, entity: ArrayLike, entities: int | None
) -> tuple[FloatArray, FloatArray, int]:
    """Return rows and summed gaps per entity and non-empty cell, each of shape (entities, cells)."""
    same_length(confidence=gap, turn=cell)
    codes, entities = _codes(entity, len(gap), entities)
    filled, cell = np.unique(cell, return_inverse=True)
    shape = (entities, max(1, len(filled)))
    place, size = codes * shape[1] + cell, shape[0] * shape[1]
    return (
        _sum(place, np.ones(len(gap)), size).reshape(shape),
        _sum(place, gap, size).reshape(shape),
        entities,
    )


def _gap_over_rows(gap: FloatArray, cell: IntArray, entity: ArrayLike, entities: int | None) -> EntityStatistic:
    """Return the mean over rows of the absolute mean gap of the row's cell."""
    n, gaps, entities = _cell_sums(gap, cell, entity, entities)

    def of_counts(counts: FloatArray) -> FloatArray:
        rows = counts @ n.sum(axis=1)
        rows[rows == 0] = np.nan
        return np.asarray((counts @ gaps) / rows[:, None])

    return EntityStatistic(entities, of_counts, gaps=True, width=n.shape[1])


def _tie_group_tallies(
    confidence: ArrayLike, correct: ArrayLike, entity: ArrayLike, entities: int | None
) -> tuple[Tallies, int, int]:
    """Return what counts rows and right answers of each tie group, its width, and how many entities there are."""
    chances, right = scored_rows(confidence, correct)
    codes, entities = _codes(entity, len(chances), entities)
    order = np.argsort(-chances, kind="stable")
    codes, right = codes[order], right[order]
    starts = np.flatnonzero(np.diff(chances[order], prepend=2.0))
    if entities * len(starts) > DENSE_CELLS_PER_ROW * len(codes):

        def by_row(counts: FloatArray) -> tuple[FloatArray, FloatArray]:
            weight = np.take(counts, codes, axis=1)
            if len(starts) == len(codes):
                return weight, weight * right
            return np.add.reduceat(weight, starts, axis=1), np.add.reduceat(weight * right, starts, axis=1)

        return by_row, len(codes), entities
    shape = (entities, max(1, len(starts)))
    group = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(codes)))
    place, size = codes * shape[1] + group, shape[0] * shape[1]
    n, hits = _sum(place, np.ones(len(codes)), size).reshape(shape), _sum(place, right, size).reshape(shape)
    return lambda counts: (counts @ n, counts @ hits), shape[1], entities


def _quotient(above: FloatArray, below: FloatArray) -> FloatArray:
    """Return above / below, nan where below is 0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(below > 0, above / below, np.nan)
