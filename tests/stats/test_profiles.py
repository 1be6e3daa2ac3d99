"""Shapes of confidence: hand-worked steps, cells and curves, and intervals that are those of the other statistics."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterguesser.stats.by_entity import mean_by_entity
from hinterguesser.stats.profiles import Mean, cell_means, risk_points, steps, surface
from hinterguesser.stats.resamples import Draws, bootstrap_intervals


def draws(resamples=100, seed=0):
    return Draws(np.random.default_rng(seed), resamples)


def interval_of(values, entity, shared):
    found = bootstrap_intervals({"mean": mean_by_entity(values, entity)}, shared)["mean"]
    return None if found is None else [found.lo, found.hi]


def made_up(rows=300, entities=12):
    rng = np.random.default_rng(1)
    return rng.integers(0, 11, rows) / 10, rng.integers(0, 2, rows).astype(float), rng.integers(0, entities, rows)


def step(dialogue, turn, confidence, resamples=0):
    dialogue = np.array(dialogue)
    return steps(dialogue, np.array(turn), np.array(confidence), dialogue, draws(resamples))


def test_steps_are_counted_between_neighbouring_turns_of_a_dialogue_only():
    # Dialogue 7: up, level, down. Dialogue 9: turn 2 is missing, so 1 and 3 are no neighbours; 3 to 4 rises.
    found = step([7, 7, 7, 7, 9, 9, 9], [1, 2, 3, 4, 1, 3, 4], [0.1, 0.2, 0.2, 0.1, 0.9, 0.1, 0.3])
    assert (found.pairs, found.rising, found.falling, found.level) == (4, 2 / 4, 1 / 4, 1 / 4)
    assert found.interval is None


def test_steps_do_not_depend_on_the_order_of_rows():
    rows = ([1, 1, 1, 2, 2], [1, 2, 3, 1, 2], [0.5, 0.7, 0.6, 0.2, 0.9])
    order = [4, 1, 3, 0, 2]
    assert step(*rows) == step(*([column[at] for at in order] for column in rows))


@pytest.mark.parametrize(
    "rows", [([], [], []), ([1], [1], [0.5]), ([1, 2], [1, 2], [0.5, 0.6]), ([1, 1], [1, 3], [0, 1])]
)
def test_without_neighbours_there_is_no_share(rows):
    found = steps(
        *(np.array(c, t) for c, t in zip(rows, (int, int, float), strict=True)), np.array(rows[0], int), draws()
    )
    assert (found.rising, found.falling, found.level, found.interval, found.pairs) == (None, None, None, None, 0)


def test_the_interval_of_rising_is_that_of_the_mean_over_pairs():
    rng = np.random.default_rng(2)
    dialogue, turn, confidence = np.repeat(np.arange(10), 5), np.tile(np.arange(1, 6), 10), rng.random(50)
    rising = (np.diff(confidence.reshape(10, 5), axis=1) > 0).astype(float).ravel()
    found = steps(dialogue, turn, confidence, dialogue, draws())
    assert found.interval == interval_of(rising, np.repeat(np.arange(10), 4), draws())


def test_intervals_of_cells_are_those_of_the_mean_over_their_rows_for_the_same_draws():
    values, _, entity = made_up()
    cell = np.random.default_rng(3).integers(1, 5, len(values))
    for number, mean in enumerate(cell_means(values, cell, 5, entity, draws()), start=1):
        here = cell == number
        assert mean.n == here.sum()
        if here.any():
            assert mean.value == pytest.approx(values[here].mean(), abs=1e-15)
            assert mean.interval == pytest.approx(interval_of(values[here], entity[here], draws()), abs=1e-12)
        else:
            assert mean == Mean(None, None, 0)


def test_a_cell_of_one_entity_has_no_interval():
    values, cell, entity = np.array([0.1, 0.3, 0.5]), np.array([1, 1, 2]), np.array([4, 4, 5])
    assert cell_means(values, cell, 2, entity, draws()) == [Mean(pytest.approx(0.2), None, 2), Mean(0.5, None, 1)]


def test_a_risk_curve_worked_out_by_hand():
    points = risk_points(np.array([0.9, 0.9, 0.5, 0.1]), np.array([1.0, 0, 0, 1]), np.arange(4), draws(0))
    assert [(at.threshold, at.coverage, at.risk.value, at.risk.n) for at in points] == [
        (0.9, 0.5, 1 / 2, 2), (0.5, 0.75, 2 / 3, 3), (0.1, 1.0, 1 / 2, 4),
    ]  # fmt: skip


def test_a_risk_is_the_mean_over_rows_at_least_as_sure_with_its_interval():
    confidence, correct, entity = made_up()
    points = risk_points(confidence, correct, entity, draws())
    assert points[-1].coverage == 1.0
    for at in points:
        answered = confidence >= at.threshold
        assert at.coverage == answered.mean()
        assert at.risk.value == pytest.approx(1 - correct[answered].mean(), abs=1e-12)
        assert at.risk.interval == pytest.approx(
            interval_of(1 - correct[answered], entity[answered], draws()), abs=1e-12
        )


@given(st.lists(st.tuples(st.integers(0, 1000), st.booleans()), min_size=1, max_size=200))
def test_a_risk_curve_has_at_most_twenty_points_that_ascend_to_everything(rows):
    confidence, correct = np.array([c for c, _ in rows]) / 1000, np.array([float(r) for _, r in rows])
    points = risk_points(confidence, correct, np.arange(len(rows)), draws(0))
    coverage = [at.coverage for at in points]
    assert coverage == sorted(set(coverage))
    assert coverage[-1] == 1.0
    assert len(points) <= 20


def test_no_rows_have_no_risk_and_no_surface():
    nothing = np.zeros(0)
    assert risk_points(nothing, nothing, nothing.astype(int), draws()) == []
    assert surface(nothing, nothing, nothing.astype(int), nothing.astype(int), draws(), bins=5) == []


def test_a_surface_worked_out_by_hand():
    cells = surface(
        np.array([0.2, 0.0, 0.21, 1.0]),
        np.array([1.0, 0, 1, 0]),
        np.array([1, 1, 1, 5]),
        np.arange(4),
        draws(0),
        bins=5,
    )
    shown = [(cell.level, cell.bin, cell.n, cell.confidence, cell.accuracy, cell.gap.value) for cell in cells]
    assert shown == [
        (1, 1, 2, 0.1, 0.5, pytest.approx(0.4)), (1, 2, 1, 0.21, 1.0, pytest.approx(0.79)), (5, 5, 1, 1.0, 0.0, -1.0),
    ]  # fmt: skip


def test_gaps_of_a_surface_add_up_to_the_gap_of_all_rows():
    confidence, correct, entity = made_up()
    level = np.random.default_rng(4).integers(1, 6, len(confidence))
    cells = surface(confidence, correct, level, entity, draws(0), bins=5)
    assert sum(cell.n for cell in cells) == len(confidence)
    assert sum(cell.n * cell.gap.value for cell in cells) == pytest.approx((correct - confidence).sum(), abs=1e-9)
