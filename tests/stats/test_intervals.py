"""Bootstrap intervals over entities: their coverage, speed and limits."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import binomtest

from hinterguesser.stats.by_entity import (
    auroc_by_entity,
    ece_by_entity,
    info_ece_by_entity,
    mean_by_entity,
)
from hinterguesser.stats.information import info_ece
from hinterguesser.stats.intervals import (
    EntityStatistic,
    bootstrap_interval,
    draw_counts,
    entity_bootstrap,
    wilson,
)
from hinterguesser.stats.monotonicity import kendall_tau
from hinterguesser.stats.selective import auroc


class World:
    """Dialogues of which one entity has one or two; entities differ in how hard they are."""

    def __init__(self, entities: int, rng: np.random.Generator, lift: float | None) -> None:
        """Draw one; confidence is the true chance lifted on the logit scale, or unrelated to it if None."""
        owner = np.repeat(np.arange(entities), rng.integers(1, 3, entities))
        lengths = rng.integers(3, 13, len(owner))
        self.owner = owner
        self.dialogue = np.repeat(np.arange(len(owner)), lengths)
        self.length = lengths[self.dialogue]
        self.turn = np.arange(len(self.dialogue)) - np.repeat(np.cumsum(lengths) - lengths, lengths) + 1
        self.entity = owner[self.dialogue]
        level = self.turn / self.length
        hard, mood = rng.normal(size=entities)[self.entity], 0.8 * rng.normal(size=len(owner))[self.dialogue]
        logit = 3 * level - 1.5 + hard
        self.correct = rng.random(len(level)) < sigmoid(logit)
        noisy = 1.2 + level + mood + 0.5 * rng.normal(size=len(level))
        self.confidence = sigmoid(noisy if lift is None else logit + lift)

    def accuracy(self) -> EntityStatistic:
        return mean_by_entity(self.correct, self.entity)

    def tau(self) -> EntityStatistic:
        tau = kendall_tau(self.dialogue, self.turn, self.confidence)
        return mean_by_entity(tau.tau, self.owner[tau.dialogues])

    def info_ece(self) -> EntityStatistic:
        return info_ece_by_entity(self.confidence, self.correct, self.turn, self.length, self.entity)

    def ece(self) -> EntityStatistic:
        return ece_by_entity(self.confidence, self.correct, self.entity)

    def auroc(self) -> EntityStatistic:
        return auroc_by_entity(self.confidence, self.correct, self.entity)


def sigmoid(x: np.ndarray) -> np.ndarray:
    return np.asarray(1 / (1 + np.exp(-x)))


def coverage(
    statistic: Callable[[World], EntityStatistic], truth: float, entities: int, lift: float | None, runs: int
) -> float:
    rng = np.random.default_rng(20)
    held = 0
    for _ in range(runs):
        interval = bootstrap_interval(statistic(World(entities, rng, lift)), rng)
        assert interval is not None
        held += interval.lo <= truth <= interval.hi
    return held / runs


@pytest.mark.parametrize(
    ("statistic", "entities"),
    [
        (World.accuracy, 20),
        (World.accuracy, 60),
        (World.tau, 30),
        (World.auroc, 60),
        (World.info_ece, 30),
        (World.info_ece, 226),
        (World.ece, 60),
    ],
)
def test_the_interval_covers_the_truth_93_to_97_percent_of_the_time(
    statistic: Callable[[World], EntityStatistic], entities: int
) -> None:
    truth = statistic(World(100_000, np.random.default_rng(10), None)).value()
    assert truth is not None
    assert 0.93 <= coverage(statistic, truth, entities, None, 500) <= 0.97


@pytest.mark.parametrize("statistic", [World.info_ece, World.ece])
@pytest.mark.parametrize("entities", [30, 226])
def test_the_interval_of_a_calibrated_model_reaches_0(
    statistic: Callable[[World], EntityStatistic], entities: int
) -> None:
    assert coverage(statistic, 0.0, entities, 0.0, 300) >= 0.93


def test_the_interval_of_a_nearly_calibrated_model_is_too_wide_rather_than_false() -> None:
    truth = World(100_000, np.random.default_rng(10), 0.15).info_ece().value()
    assert truth is not None
    assert 0.02 < truth < 0.04
    assert coverage(World.info_ece, truth, 60, 0.15, 300) >= 0.93


def test_the_same_seed_gives_the_same_interval() -> None:
    statistic = World(20, np.random.default_rng(0), None).info_ece()
    assert bootstrap_interval(statistic, np.random.default_rng(7)) == bootstrap_interval(
        statistic, np.random.default_rng(7)
    )


def test_the_slow_path_agrees_with_the_fast_one() -> None:
    world = World(40, np.random.default_rng(3), None)
    fast = bootstrap_interval(world.auroc(), np.random.default_rng(1), resamples=3000)
    slow = entity_bootstrap(
        lambda rows: auroc(world.confidence[rows], world.correct[rows]),
        world.entity,
        np.random.default_rng(1),
        resamples=3000,
    )
    assert fast is not None
    assert slow is not None
    assert (slow.lo, slow.hi) == pytest.approx((fast.lo, fast.hi), abs=0.01)
    assert (slow.entities, slow.resamples, slow.undefined) == (40, 3000, 0)


def test_a_resample_draws_as_many_entities_as_there_are_each_equally_likely() -> None:
    counts = draw_counts(50, 4000, np.random.default_rng(0))
    assert counts.shape == (4000, 50)
    assert np.all(counts.sum(axis=1) == 50)
    assert counts.mean(axis=0) == pytest.approx(np.ones(50), abs=0.1)
    assert counts.var() == pytest.approx(1 - 1 / 50, abs=0.03)


def test_every_row_of_a_drawn_entity_comes_along() -> None:
    entity = np.array([5, -2, 5, 9, 9, 9])
    seen = []

    def statistic(rows: np.ndarray) -> float:
        seen.append(np.bincount(rows, minlength=6))
        return 0.0

    entity_bootstrap(statistic, entity, np.random.default_rng(0), resamples=50)
    for counts in seen:
        assert counts[0] == counts[2]
        assert counts[3] == counts[4] == counts[5]
        assert counts[0] + counts[1] + counts[3] == 3


@pytest.mark.parametrize("entities", [0, 1])
def test_fewer_than_two_entities_give_no_interval(entities: int) -> None:
    codes = [3] * (4 * entities)
    rng = np.random.default_rng(0)
    assert bootstrap_interval(mean_by_entity(np.ones(len(codes)), codes), rng) is None
    assert entity_bootstrap(lambda rows: 1.0, codes, rng) is None


def test_resamples_without_the_statistic_are_left_out_and_counted() -> None:
    statistic = auroc_by_entity([0.2, 0.7, 0.9], [0, 1, 1], [0, 1, 2])
    interval = bootstrap_interval(statistic, np.random.default_rng(0))
    assert interval is not None
    assert 0 < interval.undefined < 1000
    assert (interval.lo, interval.hi) == (1.0, 1.0)
    assert bootstrap_interval(auroc_by_entity([0.2, 0.7], [1, 1], [0, 1]), np.random.default_rng(0)) is None
    assert entity_bootstrap(lambda rows: None, [1, 2], np.random.default_rng(0)) is None


def test_a_statistic_that_never_varies_has_an_interval_of_no_width() -> None:
    interval = bootstrap_interval(mean_by_entity([0.25] * 6, [0, 0, 1, 1, 2, 2]), np.random.default_rng(0))
    assert interval is not None
    assert (interval.lo, interval.hi) == (0.25, 0.25)


def test_the_interval_of_info_ece_contains_the_value() -> None:
    for seed in range(20):
        world = World(25, np.random.default_rng(seed), 0.1)
        interval = bootstrap_interval(world.info_ece(), np.random.default_rng(seed))
        value = info_ece(world.confidence, world.correct, world.turn, world.length).value
        assert interval is not None
        assert value is not None
        assert interval.lo <= value <= interval.hi


@pytest.mark.parametrize(("successes", "n"), [(0, 10), (10, 10), (3, 17), (450, 1000), (1, 1)])
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_wilson_agrees_with_scipy(successes: int, n: int, level: float) -> None:
    expected = binomtest(successes, n).proportion_ci(level, method="wilson")
    assert wilson(successes, n, level=level) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_without_trials_there_is_no_share() -> None:
    assert wilson(0, 0) is None
    with pytest.raises(ValueError, match=r"0\.\.3"):
        wilson(4, 3)


def test_levels_and_resamples_out_of_range_are_refused() -> None:
    statistic = mean_by_entity([1.0, 2.0], [0, 1])
    with pytest.raises(ValueError, match="level"):
        bootstrap_interval(statistic, np.random.default_rng(0), level=95)
    with pytest.raises(ValueError, match="resamples"):
        bootstrap_interval(statistic, np.random.default_rng(0), resamples=0)
