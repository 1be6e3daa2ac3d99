"""How sure a number is: bootstrap intervals over entities, and Wilson's interval for a share.

Dialogues about one entity are not independent, and turns of one dialogue less so; entities are. So whole
entities are drawn with replacement, and every row of an entity comes along as often as it is drawn.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from hinterguesser.stats.arrays import FloatArray, IntArray, integers

CELLS_AT_ONCE = 1 << 18
"""Numbers held for the resamples worked on in one step: small enough to stay in a processor's cache."""

RESAMPLES_AT_ONCE = 4
"""The fewest resamples worked on in one step, however many entities and rows there are."""

CLEAR_DEVIATIONS = 2.0
"""Bootstrap standard deviations from which on the sign of a calibration gap counts as known."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval from a bootstrap over entities."""

    lo: float
    """Lower end, in the unit of the statistic."""
    hi: float
    """Upper end."""
    level: float
    """Nominal coverage, in (0, 1)."""
    resamples: int
    """Resamples drawn."""
    undefined: int
    """Resamples in which the statistic does not exist; left out."""
    entities: int
    """Entities drawn from, and in each resample."""


@dataclass(frozen=True, slots=True)
class EntityStatistic:
    """A statistic as a function of how often each entity counts; `by_entity` makes them."""

    entities: int
    """How many there are."""
    of_counts: Callable[[FloatArray], FloatArray]
    """From counts, shape (resamples, entities), to what one resample is: shape (resamples,), nan where the
    statistic does not exist; or, if `gaps`, shape (resamples, gaps), whose absolute values sum to the
    statistic."""
    gaps: bool = False
    """Whether the statistic is a sum of absolute gaps, as calibration errors are."""
    width: int = 1
    """Numbers that one resample needs while it is worked on, beside its counts."""

    def value(self) -> float | None:
        """Return the statistic itself, each entity counted once; None if it does not exist."""
        result = self.of_counts(np.ones((1, self.entities)))
        total = float(np.abs(result).sum()) if self.gaps else float(result[0])
        return None if math.isnan(total) else total


def entity_bootstrap(
    statistic: Callable[[IntArray], float | None],
    entity_codes: ArrayLike,
    rng: np.random.Generator,
    *,
    resamples: int = 1000,
    level: float = 0.95,
) -> Interval | None:
    """Return the bootstrap interval of any statistic of rows, over entities.

    Runs `statistic` once per resample; `bootstrap_interval` is far faster where `by_entity` has the
    statistic. An entity drawn twice brings each of its rows twice, under the same codes: for statistics of
    whole dialogues, such as tau, average `Tau.tau` over rows that are dialogues. For calibration errors take
    `bootstrap_interval`, which knows that they are biased away from 0.

    Args:
        statistic: From row numbers, shape (rows drawn,), with repeats, to a number, or None where it does not
            exist.
        entity_codes: Shape (n,), any integer codes: the entity of each row.
        rng: Where randomness comes from.
        resamples: How many to draw.
        level: Nominal coverage, in (0, 1).

    Returns:
        A percentile interval, widened for few entities; None with fewer than two entities or if the statistic
        never exists.

    Raises:
        ValueError: Codes that are no integers, no resamples, or a level outside (0, 1).
    """
    _check(resamples, level)
    codes = integers(entity_codes, "entity_codes")
    order = np.argsort(codes, kind="stable")
    rows_of = np.split(order, np.flatnonzero(np.diff(codes[order])) + 1) if len(codes) else []
    if len(rows_of) < 2:
        return None
    values: list[float] = []
    for _ in range(resamples):
        drawn = rng.integers(0, len(rows_of), len(rows_of))
        value = statistic(np.concatenate([rows_of[e] for e in drawn.tolist()]))
        if value is not None:
            values.append(value)
    tail = _tail(level, len(rows_of))
    return _interval(_ends(np.asarray(values), tail), level, resamples, len(values), len(rows_of))


def bootstrap_interval(
    statistic: EntityStatistic, rng: np.random.Generator, *, resamples: int = 1000, level: float = 0.95
) -> Interval | None:
    """Return the bootstrap interval over entities of a statistic from `by_entity`; fast.

    The percentile interval, its tails made smaller for few entities: normal(-t * sqrt(E / (E - 1))) in place
    of (1 - level) / 2, with Student's t at E - 1 degrees of freedom (Hesterberg, 2015). Without that a mean
    over 12 entities is covered 90 %, not 95 %, of the time.

    Sums of absolute gaps (InfoECE, ECE) are biased upwards, resamples more so, and the percentile interval of
    a well-calibrated model can lie wholly above the truth. There the lower end is also at most value - q, cut
    at 0, with q the upper tail of the sum of the gaps' errors: signed where a gap is clearly off 0 (two
    standard deviations), absolute elsewhere (the directional derivative; Fang and Santos, 2019). The interval
    is then too wide rather than false.

    Args:
        statistic: What to resample.
        rng: Where randomness comes from.
        resamples: How many to draw.
        level: Nominal coverage, in (0, 1).

    Returns:
        The interval, or None with fewer than two entities or if the statistic does not exist.

    Raises:
        ValueError: No resamples, or a level outside (0, 1).
    """
    _check(resamples, level)
    value = statistic.value() if statistic.entities >= 2 else None
    if value is None:
        return None
    return interval_of_resamples(statistic, _resample(statistic, rng, resamples), level=level)


def interval_of_resamples(statistic: EntityStatistic, drawn: FloatArray, *, level: float = 0.95) -> Interval | None:
    """Return the interval that resamples of a statistic give; see `bootstrap_interval`.

    Args:
        statistic: What was resampled.
        drawn: What it is in each resample: shape (resamples,), or if it has gaps (resamples, gaps).
        level: Nominal coverage, in (0, 1).
    """
    resamples = len(drawn)
    tail = _tail(level, statistic.entities)
    exists = ~np.isnan(drawn).any(axis=1) if statistic.gaps else ~np.isnan(drawn)
    drawn = drawn[exists]
    ends = _ends(np.abs(drawn).sum(axis=1) if statistic.gaps else drawn, tail)
    if statistic.gaps and ends is not None:
        observed = statistic.of_counts(np.ones((1, statistic.entities)))[0]
        ends = min(ends[0], _lower_end_of_gaps(observed, drawn, tail)), ends[1]
    return _interval(ends, level, resamples, len(drawn), statistic.entities)


def draw_counts(entities: int, resamples: int, rng: np.random.Generator) -> FloatArray:
    """Return how often each entity is drawn, shape (resamples, entities); each row sums to `entities`."""
    drawn = rng.integers(0, entities, (resamples, entities)) + np.arange(resamples)[:, None] * entities
    counts = np.bincount(drawn.ravel(), minlength=resamples * entities)
    return counts.reshape(resamples, entities).astype(np.float64)


def wilson(successes: int, n: int, *, level: float = 0.95) -> tuple[float, float] | None:
    """Return Wilson's score interval for a share of independent trials.

    Args:
        successes: In 0..n.
        n: Trials.
        level: Nominal coverage, in (0, 1).

    Returns:
        Lower and upper end in [0, 1], or None without trials.

    Raises:
        ValueError: Successes outside 0..n, or a level outside (0, 1).
    """
    _check(1, level)
    if not 0 <= successes <= n:
        raise ValueError(f"successes must lie in 0..{n}, got {successes}")
    if n == 0:
        return None
    z = NormalDist().inv_cdf((1 + level) / 2)
    share = successes / n
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    lower = 0.0 if successes == 0 else max(0.0, middle - half)
    upper = 1.0 if successes == n else min(1.0, middle + half)
    return lower, upper


def _resample(statistic: EntityStatistic, rng: np.random.Generator, resamples: int) -> FloatArray:
    """Return the statistic (or its gaps) in each resample, worked out a bounded number at a time."""
    at_once = max(RESAMPLES_AT_ONCE, CELLS_AT_ONCE // max(statistic.entities, statistic.width))
    parts = [
        statistic.of_counts(draw_counts(statistic.entities, min(at_once, resamples - first), rng))
        for first in range(0, resamples, at_once)
    ]
    return np.concatenate(parts)


def _lower_end_of_gaps(observed: FloatArray, drawn: FloatArray, tail: float) -> float:
    """Return the lower end, at least 0, for the sum of absolute gaps.

    Args:
        observed: Shape (gaps,), on all entities.
        drawn: Shape (resamples, gaps).
        tail: Share to cut.
    """
    errors = drawn - observed
    clear = np.abs(observed) > CLEAR_DEVIATIONS * errors.std(axis=0)
    excess = np.where(clear, np.sign(observed) * errors, np.abs(errors)).sum(axis=1)
    return max(0.0, float(np.abs(observed).sum() - np.quantile(excess, 1 - tail)))


def _tail(level: float, entities: int) -> float:
    """Return the share to cut at each end so that few entities do not make the interval too short."""
    from scipy.special import stdtrit

    t = float(stdtrit(entities - 1, (1 + level) / 2))
    return NormalDist().cdf(-t * math.sqrt(entities / (entities - 1)))


def _ends(values: FloatArray, tail: float) -> tuple[float, float] | None:
    if len(values) == 0:
        return None
    lo, hi = np.quantile(values, [tail, 1 - tail])
    return float(lo), float(hi)


def _interval(
    ends: tuple[float, float] | None, level: float, resamples: int, defined: int, entities: int
) -> Interval | None:
    if ends is None:
        return None
    return Interval(ends[0], ends[1], level, resamples, resamples - defined, entities)


def _check(resamples: int, level: float) -> None:
    if resamples < 1:
        raise ValueError(f"resamples must be at least 1, got {resamples}")
    if not 0 < level < 1:
        raise ValueError(f"level must lie in (0, 1), got {level}")
