"""The same bootstrap resamples for many statistics: drawn once, so that a thousand groups take seconds."""

from collections.abc import Iterator, Mapping

import numpy as np

from hinterguesser.stats.arrays import FloatArray
from hinterguesser.stats.intervals import (
    CELLS_AT_ONCE,
    RESAMPLES_AT_ONCE,
    EntityStatistic,
    Interval,
    draw_counts,
    interval_of_resamples,
)

CELLS_IN_CACHE = 1 << 16
"""Numbers held for the resamples of one statistic worked on in one step."""

CELLS_KEPT = 1 << 22
"""Counts that are kept for the next statistic; more are drawn anew each time."""


class Draws:
    """How often each entity counts in each resample; equal for all statistics with as many entities.

    So intervals of one group do not depend on which other groups there are, and two statistics of the same entities
    are resampled together.
    """

    def __init__(self, rng: np.random.Generator, resamples: int = 1000) -> None:
        """Take a seed from `rng`; `resamples` 0 means no intervals."""
        self.resamples = resamples
        self._seed = int(rng.integers(2**63))
        self._kept: dict[int, FloatArray] = {}

    def blocks(self, entities: int) -> Iterator[FloatArray]:
        """Counts, shape (resamples of this block, entities), block by block."""
        if self.resamples * entities <= CELLS_KEPT:
            counts = self._kept.get(entities)
            if counts is None:
                counts = draw_counts(entities, self.resamples, self._fresh(entities))
                self._kept = {entities: counts}
            yield counts
            return
        rng, at_once = self._fresh(entities), max(RESAMPLES_AT_ONCE, CELLS_AT_ONCE // entities)
        for first in range(0, self.resamples, at_once):
            yield draw_counts(entities, min(at_once, self.resamples - first), rng)

    def _fresh(self, entities: int) -> np.random.Generator:
        return np.random.default_rng([self._seed, entities])


def bootstrap_intervals(
    statistics: Mapping[str, EntityStatistic], draws: Draws, *, level: float = 0.95
) -> dict[str, Interval | None]:
    """Return the interval of each statistic, as `intervals.bootstrap_interval` makes them, from shared resamples.

    Args:
        statistics: By name.
        draws: The resamples.
        level: Nominal coverage, in (0, 1).
    """
    known = {
        name: statistic
        for name, statistic in statistics.items()
        if draws.resamples and statistic.entities >= 2 and statistic.value() is not None
    }
    found: dict[str, Interval | None] = dict.fromkeys(statistics)
    for entities in dict.fromkeys(statistic.entities for statistic in known.values()):
        alike = {name: statistic for name, statistic in known.items() if statistic.entities == entities}
        parts: dict[str, list[FloatArray]] = {name: [] for name in alike}
        for block in draws.blocks(entities):
            for name, statistic in alike.items():
                at_once = max(RESAMPLES_AT_ONCE, CELLS_IN_CACHE // max(entities, statistic.width))
                parts[name] += [statistic.of_counts(block[at : at + at_once]) for at in range(0, len(block), at_once)]
        for name, statistic in alike.items():
            found[name] = interval_of_resamples(statistic, np.concatenate(parts[name]), level=level)
    return found
