"""Two models (or prompts) on the same turns of the same dialogues: each measure of both, and its paired difference."""

from dataclasses import dataclass

import numpy as np

from hinterguesser.stats.arrays import FloatArray, IntArray
from hinterguesser.stats.by_entity import auroc_by_entity, difference, ece_by_entity, info_ece_by_entity, mean_by_entity
from hinterguesser.stats.intervals import EntityStatistic, Interval
from hinterguesser.stats.measures import Rows, entity_of
from hinterguesser.stats.monotonicity import kendall_tau
from hinterguesser.stats.paired import entity_means
from hinterguesser.stats.resamples import Draws, bootstrap_intervals

MEASURES = ("confidence", "info_ece", "tau", "ece", "brier", "auroc")
"""What is contrasted for the confidences of a group, in the order of the tables."""


@dataclass(frozen=True, slots=True)
class Contrast:
    """One measure on both sides."""

    measure: str
    first: float | None
    second: float | None
    difference: float | None
    """Second less first; None where either does not exist."""
    first_interval: Interval | None
    second_interval: Interval | None
    interval: Interval | None
    """Of the difference: entities are drawn once for both sides."""


def contrast_confidence(first: Rows, second: Rows, draws: Draws, *, bins: int = 10) -> list[Contrast]:
    """Contrast everything that is measured about confidence.

    Args:
        first: Shape (n,): turns at which both sides have a confidence and an answer that is right or wrong.
        second: The same turns in the same order.
        draws: Resamples of entities; 0 of them leaves the intervals out.
        bins: Information levels.
    """
    sides = [_statistics(rows, first.entity, bins) for rows in (first, second)]
    return _contrasted(sides[0], sides[1], draws)


def contrast_mean(measure: str, first: FloatArray, second: FloatArray, entity: IntArray, draws: Draws) -> Contrast:
    """Contrast the mean over rows of anything, such as correctness.

    Args:
        measure: Its name.
        first: Shape (n,), finite.
        second: Shape (n,), the same rows on the other side.
        entity: Shape (n,), integer codes.
        draws: Resamples of entities.
    """
    codes, entities = _codes(entity)
    one, other = (mean_by_entity(values, codes, entities=entities) for values in (first, second))
    [contrast] = _contrasted({measure: one}, {measure: other}, draws)
    return contrast


def tested_changes(first: Rows, second: Rows) -> dict[str, FloatArray]:
    """What sign-flip tests of a group are about: each entity's mean change of confidence and of squared error."""
    place = first.dialogue, first.entity
    errors = (second.confidence - second.correct) ** 2 - (first.confidence - first.correct) ** 2
    changes = {"confidence": second.confidence - first.confidence, "brier": errors}
    return {name: entity_means(change, *place) for name, change in changes.items()}


def _statistics(rows: Rows, entity: IntArray, bins: int) -> dict[str, EntityStatistic]:
    codes, entities = _codes(entity)
    confidence, correct, at = rows.confidence, rows.correct, (rows.turn, rows.length)
    tau = kendall_tau(rows.dialogue, rows.turn, confidence)
    owners = np.searchsorted(np.unique(entity), entity_of(tau.dialogues, rows))
    return {
        "confidence": mean_by_entity(confidence, codes, entities=entities),
        "info_ece": info_ece_by_entity(confidence, correct, *at, codes, bins=bins, entities=entities),
        "tau": mean_by_entity(tau.tau, owners, entities=entities),
        "ece": ece_by_entity(confidence, correct, codes, entities=entities),
        "brier": mean_by_entity((confidence - correct) ** 2, codes, entities=entities),
        "auroc": auroc_by_entity(confidence, correct, codes, entities=entities),
    }


def _contrasted(first: dict[str, EntityStatistic], second: dict[str, EntityStatistic], draws: Draws) -> list[Contrast]:
    """Every measure of both sides, resampled together."""
    wanted = {
        (name, what): statistic
        for name in first
        for what, statistic in (
            ("first", first[name]),
            ("second", second[name]),
            ("difference", difference(second[name], first[name])),
        )
    }
    values = {key: statistic.value() for key, statistic in wanted.items()}
    found = bootstrap_intervals({" ".join(key): statistic for key, statistic in wanted.items()}, draws)
    return [
        Contrast(
            measure=name,
            first=values[name, "first"],
            second=values[name, "second"],
            difference=values[name, "difference"],
            first_interval=found[f"{name} first"],
            second_interval=found[f"{name} second"],
            interval=found[f"{name} difference"],
        )
        for name in first
    ]


def _codes(entity: IntArray) -> tuple[IntArray, int]:
    """Entities numbered from 0, and how many there are."""
    distinct, codes = np.unique(entity, return_inverse=True)
    return codes.astype(np.int64), len(distinct)
