"""profiles: what figures need beyond a summary, by information level, confidence, coverage and step."""

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from threadpoolctl import threadpool_limits

from hinterguesser.domain.predictions import Predictions
from hinterguesser.flow.metrics import MetricsSettings
from hinterguesser.stats.arrays import FloatArray, IntArray
from hinterguesser.stats.grouping import Group, columns_of, groups_of, turn_keys
from hinterguesser.stats.information import information_bin, level_bins
from hinterguesser.stats.measures import count_distinct
from hinterguesser.stats.profiles import (
    Mean,
    RiskPoint,
    Steps,
    SurfaceCell,
    cell_means,
    risk_points,
    steps,
    surface,
)
from hinterguesser.stats.resamples import Draws

SURFACE_BINS = 5
"""Of levels and of confidence, in a reliability surface."""


@dataclass(frozen=True, slots=True)
class Level:
    """Rows of one information level."""

    number: int
    """From 1."""
    upper: float
    """Its closed right edge in i / L; with equal mass, the greatest i / L that it holds."""
    rows: int
    """Scored or not."""
    unscored: Mean
    """Share of rows without a confidence, in [0, 1]."""
    confidence: Mean
    """Over scored rows."""
    accuracy: Mean
    """Over scored rows whose answer is known to be right or wrong."""
    label_mass: Mean
    """Over scored rows of a label probe."""


@dataclass(frozen=True, slots=True)
class Profile:
    """One group of predictions."""

    by: dict[str, str | None]
    rows: int
    """Scored or not."""
    dialogues: int
    """With a row, scored or not."""
    entities: int
    unscored_share: float | None
    confidence: Mean
    """Over scored rows."""
    levels: tuple[Level, ...]
    """Those that hold rows, ascending."""
    surface: tuple[SurfaceCell, ...]
    risk: tuple[RiskPoint, ...]
    """Risk against coverage of scored rows whose answer is known to be right or wrong."""
    steps: Steps

    @property
    def n(self) -> int:
        """Scored rows."""
        return self.confidence.n


@dataclass(frozen=True, slots=True)
class AccuracyLevel:
    """Answers at one information level."""

    number: int
    upper: float
    accuracy: Mean


@dataclass(frozen=True, slots=True)
class AccuracyProfile:
    """How often the model's own answer is right; a turn counts once, whatever methods judged it and with what luck."""

    by: dict[str, str | None]
    """Dataset, model and condition, as far as groups are told apart by them."""
    dialogues: int
    accuracy: Mean
    levels: tuple[AccuracyLevel, ...]


@dataclass(frozen=True, slots=True)
class Profiles:
    """All groups, in the order of the summary's."""

    groups: tuple[Profile, ...]
    accuracy: tuple[AccuracyProfile, ...]
    bins: int
    """Information levels asked for."""


def profiles(predictions: Predictions, settings: MetricsSettings) -> Profiles:
    """The profile of each group; at most one row for a turn of a dialogue in a group.

    Levels are cut as the settings say; with equal mass, on all rows of a group. Intervals of a group depend on that
    group and the seed only.
    """
    by = columns_of(predictions) if settings.by is None else settings.by
    draws = Draws(np.random.default_rng(settings.seed), settings.resamples)
    answers = [name for name in ("dataset", "model", "condition") if name in predictions.labels and name in by]
    # As in `metrics`: one thread a group, not several a product.
    with threadpool_limits(1, "blas"), ThreadPoolExecutor(os.cpu_count()) as pool:
        groups = pool.map(lambda group: _profile(predictions, group, draws, settings), groups_of(predictions, by))
        accuracy = pool.map(
            lambda group: _accuracy(predictions, group, draws, settings), groups_of(predictions, answers)
        )
        return Profiles(tuple(groups), tuple(each for each in accuracy if each.accuracy.n), settings.bins)


def _profile(predictions: Predictions, group: Group, draws: Draws, settings: MetricsSettings) -> Profile:
    rows = group.rows
    scored = rows[predictions.scored[rows]]
    judged = scored[~np.isnan(predictions.correct[scored])]
    turn, length, entity = predictions.turn, predictions.length, predictions.entity
    confidence, correct = predictions.confidence, predictions.correct
    return Profile(
        by=group.by,
        rows=len(rows),
        dialogues=count_distinct(predictions.dialogue[rows]),
        entities=count_distinct(entity[rows]),
        unscored_share=(len(rows) - len(scored)) / len(rows) if len(rows) else None,
        confidence=_mean(confidence[scored], entity[scored], draws),
        levels=_levels(predictions, rows, draws, settings),
        surface=tuple(
            surface(
                confidence[judged],
                correct[judged],
                information_bin(turn[judged], length[judged], SURFACE_BINS),
                entity[judged],
                draws,
                bins=SURFACE_BINS,
            )
        ),
        risk=tuple(risk_points(confidence[judged], correct[judged], entity[judged], draws)),
        steps=steps(predictions.dialogue[scored], turn[scored], confidence[scored], entity[scored], draws),
    )


def _levels(predictions: Predictions, rows: IntArray, draws: Draws, settings: MetricsSettings) -> tuple[Level, ...]:
    bins, index, upper = _cut(predictions, rows, settings)
    scored = predictions.scored[rows]
    masses = predictions.label_mass
    measured = np.zeros(len(rows), np.bool_) if masses is None else scored & ~np.isnan(masses[rows])

    def means(values: FloatArray, chosen: IntArray) -> list[Mean]:
        return cell_means(values, index[chosen], bins, predictions.entity[rows[chosen]], draws)

    every, there = np.arange(len(rows)), np.flatnonzero(scored)
    judged = np.flatnonzero(scored & ~np.isnan(predictions.correct[rows]))
    probed = np.flatnonzero(measured)
    columns = zip(
        means((~scored).astype(np.float64), every),
        means(predictions.confidence[rows[there]], there),
        means(predictions.correct[rows[judged]], judged),
        means(np.zeros(0) if masses is None else masses[rows[probed]], probed),
        strict=True,
    )
    return tuple(
        Level(number, float(upper[number - 1]), unscored.n, unscored, confidence, accuracy, mass)
        for number, (unscored, confidence, accuracy, mass) in enumerate(columns, start=1)
        if unscored.n
    )


def _accuracy(predictions: Predictions, group: Group, draws: Draws, settings: MetricsSettings) -> AccuracyProfile:
    known = group.rows[~np.isnan(predictions.correct[group.rows])]
    rows = known[np.unique(turn_keys(predictions.dialogue[known], predictions.turn[known]), return_index=True)[1]]
    bins, index, upper = _cut(predictions, rows, settings)
    right, entity = predictions.correct[rows], predictions.entity[rows]
    levels = enumerate(cell_means(right, index, bins, entity, draws), start=1)
    return AccuracyProfile(
        by=group.by,
        dialogues=count_distinct(predictions.dialogue[rows]),
        accuracy=_mean(right, entity, draws),
        levels=tuple(AccuracyLevel(number, float(upper[number - 1]), mean) for number, mean in levels if mean.n),
    )


def _cut(predictions: Predictions, rows: IntArray, settings: MetricsSettings) -> tuple[int, IntArray, FloatArray]:
    """How many levels, that of each row, and their right edges."""
    turn, length = predictions.turn[rows], predictions.length[rows]
    index = level_bins(turn, length, bins=settings.bins, binning=settings.binning)
    upper = np.arange(1, settings.bins + 1) / settings.bins
    if settings.binning == "mass":
        upper = np.zeros(settings.bins)
        np.maximum.at(upper, index - 1, turn / length)
    return settings.bins, index, upper


def _mean(values: FloatArray, entity: IntArray, draws: Draws) -> Mean:
    return cell_means(values, np.ones(len(values), np.int64), 1, entity, draws)[0]
