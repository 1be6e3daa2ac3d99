"""What the paper says must happen, on traces whose truth is known."""

import numpy as np
import pytest

from hinterguesser.replay.accounting import account
from hinterguesser.replay.calibrators import fit_calibrator
from hinterguesser.replay.controllers import Gate, gated, oracle_stop
from hinterguesser.replay.depths import quality_by_depth
from hinterguesser.replay.grid import Calibration, held_out
from hinterguesser.replay.matched import match_raw
from hinterguesser.replay.result import ReplaySettings, decide_all, replay
from hinterguesser.replay.transitions import transitions
from hinterguesser.replay.value import fit_value
from hinterguesser.stats.selective import auroc


def overconfident_rows(n=600, seed=0, saturated=True):
    """A model that says .1 to 1 where it is right half as often; at depth 3 it says .9 or more and is right 80 %."""
    rng = np.random.default_rng(seed)
    rows = []
    for q in range(n):
        said = rng.integers(10, 101) / 100
        for depth in range(4):
            last = depth == 3 and saturated
            confidence = float(rng.integers(90, 101) / 100) if last else float(min(1.0, said + 0.05 * depth))
            chance = 0.8 if last else 0.5 * confidence
            split = "calibration" if q < n // 2 else "test"
            rows.append(
                {
                    "question_id": f"q{q}",
                    "depth": depth,
                    "confidence": confidence,
                    "correct": bool(rng.random() < chance),
                    "split": split,
                    "answer": str(rng.integers(0, 3)),
                }
            )
    return rows


@pytest.fixture
def overconfident(make_traces):
    return make_traces(overconfident_rows())


def test_one_monotone_map_leaves_the_ranking_alone_but_for_ties(overconfident):
    grid = held_out(overconfident)
    mapped = fit_calibrator("isotonic", Calibration(overconfident)).apply(grid)
    order = np.argsort(grid.confidence[:, 0], kind="stable")
    assert (np.diff(mapped[order, 0]) >= 0).all()
    smooth = fit_calibrator("platt", Calibration(overconfident)).apply(grid)
    assert auroc(smooth[:, 0], grid.correct[:, 0]) == auroc(grid.confidence[:, 0], grid.correct[:, 0])


@pytest.mark.parametrize("commit", [0.2, 0.35, 0.45])
@pytest.mark.parametrize("kind", ["isotonic", "platt", "temperature"])
def test_calibrated_at_a_number_equals_raw_at_some_cut(overconfident, kind, commit):
    grid = held_out(overconfident)
    calibrator = fit_calibrator(kind, Calibration(overconfident))
    cut = calibrator.raw_threshold(0, commit)
    assert cut is not None
    mapped = gated(calibrator.apply(grid), grid, Gate(commit, 0.0))
    raw = gated(grid.confidence, grid, Gate(cut - 2e-9 if cut > 0 else 0.0, 0.0))
    assert np.array_equal(mapped.action, raw.action)
    assert np.array_equal(mapped.stop, raw.stop)


def test_a_map_of_depth_0_helps_early_and_fails_where_confidence_saturates(overconfident):
    grid = held_out(overconfident)
    frozen = quality_by_depth(grid, fit_calibrator("isotonic", Calibration(overconfident)).apply(grid))
    assert [at.transfer_alarm for at in frozen] == [False, False, False, True]
    own = quality_by_depth(grid, fit_calibrator("isotonic_per_depth", Calibration(overconfident)).apply(grid))
    assert not any(at.transfer_alarm for at in own)
    assert any("depth 3" in note for note in replay(overconfident, ReplaySettings(resamples=10)).notes)


def test_calibration_of_an_overconfident_model_commits_less_and_more_accurately(make_traces):
    traces = make_traces(overconfident_rows(2000, saturated=False))
    accounts = replay(traces, ReplaySettings(Gate(commit=0.4), resamples=10)).groups[0].accounts
    raw, calibrated = accounts["raw_gated"], accounts["calibrated_gated"]
    assert calibrated.coverage < raw.coverage
    assert calibrated.committed_accuracy > raw.committed_accuracy
    assert calibrated.mean_retrievals > raw.mean_retrievals


def test_the_gain_at_the_same_number_is_gone_at_matched_coverage(make_traces):
    traces = make_traces(overconfident_rows(2000, saturated=False))
    grid = held_out(traces)
    mapped = fit_calibrator("platt", Calibration(traces)).apply(grid)
    same, coverage, cost = match_raw(grid, mapped, Gate(commit=0.4))
    assert same.calibrated.committed_accuracy - same.raw.committed_accuracy > 0.05
    assert coverage.raw.commits == coverage.calibrated.commits
    assert coverage.raw.right == coverage.calibrated.right
    assert cost.raw.retrievals == cost.calibrated.retrievals


@pytest.mark.parametrize("seed", range(30))
def test_matching_takes_the_nearest_of_all_cuts(make_rows, make_traces, seed):
    traces = make_traces(make_rows(seed))
    grid = held_out(traces)
    mapped = np.sqrt(grid.confidence)
    _, coverage, cost = match_raw(grid, mapped, Gate())
    cuts = [*np.unique(grid.confidence[~np.isnan(grid.confidence)]).tolist(), float("inf")]
    tried = [account(grid, gated(grid.confidence, grid, Gate(cut))) for cut in cuts]
    goal = coverage.calibrated
    assert abs(coverage.raw.commits - goal.commits) == min(abs(done.commits - goal.commits) for done in tried)
    assert abs(cost.raw.retrievals - goal.retrievals) == min(abs(done.retrievals - goal.retrievals) for done in tried)


@pytest.mark.parametrize("seed", range(100))
def test_no_controller_is_right_more_often_than_the_oracle(make_rows, make_traces, seed):
    grid = held_out(make_traces(make_rows(seed)))
    ceiling = account(grid, oracle_stop(grid, 3))
    decided = decide_all(grid, grid.confidence, None, Gate())
    assert all(account(grid, decisions).right <= ceiling.right for decisions in decided.values())


def helpful_rows(n, seed, needed):
    """Confidence says how many retrievals a question needs; those that need more than three are hopeless."""
    rng = np.random.default_rng(seed)
    rows = []
    for q in range(n):
        need = int(rng.choice(needed))
        for depth in range(4):
            row = {"question_id": f"q{q}", "depth": depth, "correct": depth >= need, "confidence": 0.1 * need + 0.05}
            rows.append({**row, "split": "calibration" if q < n // 2 else "test"})
    return rows


def test_value_of_information_retrieves_where_it_helps_and_only_there(make_traces):
    traces = make_traces(helpful_rows(400, 0, [0, 1, 9]))
    traces_grid = held_out(traces)
    stops = fit_value(Calibration(traces), range(3, 4), 0.05).stops(traces_grid, 3)
    need = np.rint((traces_grid.confidence[:, 0] - 0.05) * 10).astype(int)
    assert set(stops[need == 0]) == {0}
    assert set(stops[need == 1]) == {1}
    assert set(stops[need == 9]) == {0}


def test_value_of_information_looks_past_a_retrieval_that_helps_only_with_the_next(make_traces):
    traces = make_traces(helpful_rows(400, 1, [2]))
    stops = fit_value(Calibration(traces), range(4), 0.05)
    grid = held_out(traces)
    assert set(stops.stops(grid, 3)) == {2}
    assert set(stops.stops(grid, 1)) == {0}


def test_value_of_information_stops_at_once_when_a_retrieval_costs_more_than_it_can_win(make_traces):
    traces = make_traces(helpful_rows(200, 2, [0, 1]))
    assert set(fit_value(Calibration(traces), range(4), 1.5).stops(held_out(traces), 3)) == {0}


def test_confidence_that_knows_what_is_wrong_need_not_know_what_will_be_mended(make_traces):
    rng = np.random.default_rng(4)
    rows = []
    for q in range(4000):
        right = bool(rng.random() < 0.5)
        confidence = float(np.clip(rng.normal(0.8 if right else 0.3, 0.05), 0, 1))
        mended = right or bool(rng.random() < 0.5)
        rows += [
            {"question_id": f"q{q}", "depth": 0, "confidence": confidence, "correct": right},
            {"question_id": f"q{q}", "depth": 1, "confidence": confidence, "correct": mended},
        ]
    [move] = transitions(held_out(make_traces(rows)))
    assert move.auroc > 0.75
    assert move.auroc_if_wrong == pytest.approx(0.5, abs=0.05)
