import numpy as np
import pytest

from hinterguesser.errors import UserError
from hinterguesser.replay.accounting import account
from hinterguesser.replay.controllers import Gate, gated
from hinterguesser.replay.grid import Calibration, Grid, held_out
from hinterguesser.replay.pick import CUTS, Promise, lower_bound, parse_promise, pick_threshold


def sample(rng, n, unscored=0.05):
    """Two depths; confidence is off in a known way."""
    confidence = rng.integers(0, 101, (n, 2)) / 100
    correct = rng.random((n, 2)) < truth(confidence)
    confidence[rng.random((n, 2)) < unscored] = np.nan
    zeros = np.zeros(n, dtype=np.int64)
    return Grid(
        confidence, correct, np.zeros((n, 2)), np.zeros((n, 2), np.int64), np.zeros((n, 2), bool),
        np.full(n, 2), zeros, zeros, np.arange(n), False,
    )  # fmt: skip


def truth(confidence):
    return np.clip(0.55 + 0.42 * confidence, 0, 1)


def as_calibration(grid):
    held = object.__new__(Calibration)
    held._grid = grid
    return held


@pytest.mark.parametrize("promise", [Promise("accuracy", 0.85), Promise("coverage", 0.7)])
def test_the_promise_holds_in_at_least_95_of_100_samples(promise):
    rng = np.random.default_rng(7)
    population = sample(rng, 300_000)
    keeps = {}
    broken = picked = 0
    for _ in range(1000):
        made = pick_threshold(promise, as_calibration(sample(rng, 400)), population.select(np.arange(1)), Gate())
        cuts = {made.threshold, made.strictest} - {None}
        picked += bool(cuts)
        for cut in cuts - keeps.keys():
            done = account(population, gated(population.confidence, population, Gate(cut)))
            keeps[cut] = promise.kept_by(done)
        broken += not all(keeps[cut] for cut in cuts)
    assert broken <= 50
    assert picked > 500


def test_where_every_cut_just_breaks_the_promise_hardly_any_sample_picks_one():
    rng = np.random.default_rng(11)
    picked = 0
    for _ in range(1000):
        grid = sample(rng, 300)
        grid.correct[:] = rng.random(grid.correct.shape) < 0.799
        made = pick_threshold(Promise("accuracy", 0.8), as_calibration(grid), grid, Gate())
        picked += made.threshold is not None
    assert picked <= 50


def test_the_lower_bound_is_the_exact_binomial_one():
    from scipy.stats import binom

    successes, trials = np.array([0, 1, 50, 99, 100]), np.array([100] * 5)
    bound = lower_bound(successes, trials, 0.05)
    assert bound[0] == 0.0
    assert bound[4] == pytest.approx(0.05 ** (1 / 100))
    for k, low in zip(successes[1:], bound[1:], strict=True):
        assert binom.sf(k - 1, 100, low) == pytest.approx(0.05)
    assert lower_bound(np.array([0]), np.array([0]), 0.05).tolist() == [0.0]


def test_the_cheapest_is_the_one_with_fewest_retrievals_on_calibration():
    rng = np.random.default_rng(0)
    grid = sample(rng, 3000)
    made = pick_threshold(Promise("accuracy", 0.85), as_calibration(grid), sample(rng, 3000), Gate())
    assert made.threshold is not None
    assert made.threshold < made.strictest
    assert made.calibration.committed_accuracy > 0.85
    assert made.kept is True


def test_a_coverage_promise_gives_the_cheapest_and_the_strictest_cut():
    rng = np.random.default_rng(0)
    made = pick_threshold(Promise("coverage", 0.8), as_calibration(sample(rng, 2000)), sample(rng, 2000), Gate())
    assert made.threshold == 0.0
    assert 0.3 < made.strictest < 0.6
    assert made.strictest_test.coverage == pytest.approx(0.81, abs=0.03)  # one sample of 2,000


def test_nothing_is_promised_without_or_with_too_few_calibration_traces(make_traces):
    rows = [{"question_id": f"q{q}", "depth": 0, "confidence": 0.9, "correct": True, "split": "test"} for q in range(5)]
    few = [{**row, "question_id": "c" + row["question_id"], "split": "calibration"} for row in rows]
    for some in (rows, rows + few):
        traces = make_traces(some)
        made = pick_threshold(Promise("accuracy", 0.9), Calibration(traces), held_out(traces), Gate())
        assert (made.threshold, made.test, made.kept) == (None, None, None)


@pytest.mark.parametrize(
    ("text", "promise"),
    [
        ("coverage>=0.8", Promise("coverage", 0.8)),
        (" accuracy >= .9 ", Promise("accuracy", 0.9)),
        ("accuracy>=90%", Promise("accuracy", 0.9)),
        ("coverage>=1", Promise("coverage", 1.0)),
    ],
)
def test_a_promise_is_read(text, promise):
    assert parse_promise(text) == promise


@pytest.mark.parametrize("text", ["coverage>0.8", "risk>=0.1", "accuracy>=90", "accuracy>=0", "accuracy>=-0.5", ""])
def test_another_promise_is_refused(text):
    with pytest.raises(UserError, match="--pick"):
        parse_promise(text)


def test_the_cuts_are_fixed_in_advance():
    assert CUTS.tolist() == [number / 100 for number in range(101)]
