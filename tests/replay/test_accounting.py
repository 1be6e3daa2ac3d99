"""Every figure of the accounting against a loop that does one question at a time, and hand-worked cases."""

from collections import defaultdict

import numpy as np
import pytest

from hinterguesser.replay.accounting import account, compare
from hinterguesser.replay.controllers import Action, Decisions, Gate, adaptive, fixed, gated, oracle_stop
from hinterguesser.replay.depths import quality_by_depth
from hinterguesser.replay.grid import held_out
from hinterguesser.replay.result import ReplaySettings, replay
from hinterguesser.replay.sweep import sweep_controllers, sweep_gated
from hinterguesser.replay.transitions import transitions


def stories(rows, model, dataset=None):
    """The test traces of one model, as lists of rows by depth, in order of first appearance."""
    found = defaultdict(list)
    for row in rows:
        if row["split"] == "test" and row["model"] == model and dataset in (None, row["dataset"]):
            found[row["dataset"], row["question_id"]].append(row)
    return [sorted(story, key=lambda row: row["depth"]) for story in found.values()]


def gated_loop(story, commit, low, budget):
    for row in story:
        confidence = row["confidence"]
        if confidence is not None and confidence >= commit:
            return "commit", row["depth"]
        if row["depth"] == budget or row is story[-1]:
            return ("escalate" if confidence is not None and confidence >= low else "abstain"), row["depth"]
    raise AssertionError("a story has an end")


def fixed_loop(story, depth):
    return "commit", min(depth, len(story) - 1)


def adaptive_loop(story, budget):
    def bare(answer):
        return None if answer is None else answer.replace("the ", "").lower()

    last = min(budget, len(story) - 1)
    for depth in range(1, last + 1):
        if story[depth]["answer"] is not None and bare(story[depth]["answer"]) == bare(story[depth - 1]["answer"]):
            return "commit", depth
    return "commit", last


def oracle_loop(story, budget):
    for row in story[: budget + 1]:
        if row["correct"]:
            return "commit", row["depth"]
    return "abstain", 0


def account_loop(told, decided, asks_all=True):
    n = commits = right = abstains = retrievals = unscored = 0
    cost = 0.0
    for story, (action, stop) in zip(told, decided, strict=True):
        n += 1
        commits += action == "commit"
        right += action == "commit" and story[stop]["correct"]
        abstains += action == "abstain"
        retrievals += stop
        unscored += story[stop]["confidence"] is None
        for row in story[: stop + 1] if asks_all else [story[stop]]:
            cost = None if cost is None or row["cost"] is None else cost + row["cost"]
    return {
        "n": n,
        "commits": commits,
        "right": right,
        "abstains": abstains,
        "escalates": n - commits - abstains,
        "retrievals": retrievals,
        "asking_cost": cost,
        "unscored_stops": unscored,
        "overall_accuracy": right / n if n else None,
        "committed_accuracy": right / commits if commits else None,
        "coverage": commits / n if n else None,
        "mean_retrievals": retrievals / n if n else None,
    }


def ece_loop(pairs):
    if not pairs:
        return None
    total = 0.0
    for b in range(10):
        inside = [(c, y) for c, y in pairs if (b / 10 < c <= (b + 1) / 10) or (b == 0 and c == 0)]
        if inside:
            total += abs(sum(c for c, _ in inside) - sum(y for _, y in inside))
    return total / len(pairs)


def auroc_loop(pairs):
    ups, downs = [c for c, y in pairs if y], [c for c, y in pairs if not y]
    if not ups or not downs:
        return None
    return sum((u > d) + (u == d) / 2 for u in ups for d in downs) / (len(ups) * len(downs))


def same(done, loop):
    for name, value in loop.items():
        assert getattr(done, name) == (pytest.approx(value) if value is not None else None), name


@pytest.mark.parametrize("seed", range(200))
def test_every_account_equals_a_loop(make_rows, make_traces, seed):
    rows = make_rows(seed)
    traces = make_traces(rows)
    rng = np.random.default_rng(seed)
    gate = Gate(float(rng.choice([0, 0.25, 0.5, 0.7, 1])), float(rng.choice([0, 0.3, 1])), int(rng.integers(0, 4)))
    budget = gate.budget
    test = held_out(traces)
    for code in np.unique(test.model).tolist():
        told = stories(rows, traces.models[code])
        grid = test.select(test.model == code)
        same(
            account(grid, gated(grid.confidence, grid, gate)),
            account_loop(told, [gated_loop(story, gate.commit, gate.low, budget) for story in told]),
        )
        for depth in range(4):
            same(
                account(grid, fixed(grid, depth)),
                account_loop(told, [fixed_loop(story, depth) for story in told], asks_all=False),
            )
        same(
            account(grid, oracle_stop(grid, budget)),
            account_loop(told, [oracle_loop(story, budget) for story in told]),
        )
        repeated = adaptive(grid, budget)
        if repeated is not None:
            same(account(grid, repeated), account_loop(told, [adaptive_loop(story, budget) for story in told]))


@pytest.mark.parametrize("seed", range(200))
def test_the_sweep_equals_a_replay_at_each_threshold_and_budget(make_rows, make_traces, seed):
    rows = make_rows(seed)
    traces = make_traces(rows)
    test = held_out(traces)
    thresholds, budgets, low = np.arange(0, 11) / 10, (0, 1, 2, 3), 0.35
    for code in np.unique(test.model).tolist():
        told = stories(rows, traces.models[code])
        grid = test.select(test.model == code)
        swept = sweep_gated(grid.confidence, grid, thresholds, budgets, low)
        for b, budget in enumerate(budgets):
            for k, threshold in enumerate(thresholds.tolist()):
                loop = account_loop(told, [gated_loop(story, threshold, low, budget) for story in told])
                for name in ("commits", "right", "abstains", "escalates", "retrievals"):
                    assert getattr(swept, name)[b, k] == loop[name], (name, budget, threshold)
                for name in ("overall_accuracy", "committed_accuracy", "coverage", "mean_retrievals", "asking_cost"):
                    value = np.nan if loop[name] is None else loop[name]
                    assert getattr(swept, name)[b, k] == pytest.approx(value, nan_ok=True), (name, budget, threshold)


@pytest.mark.parametrize("seed", range(200))
def test_depths_and_transitions_equal_a_loop(make_rows, make_traces, seed):
    rows = make_rows(seed)
    traces = make_traces(rows)
    test = held_out(traces)
    for code in np.unique(test.model).tolist():
        told = stories(rows, traces.models[code])
        grid = test.select(test.model == code)
        for at in quality_by_depth(grid, grid.confidence):
            states = [story[at.depth] for story in told if len(story) > at.depth]
            pairs = [(row["confidence"], row["correct"]) for row in states if row["confidence"] is not None]
            assert at.n == len(states)
            assert at.unscored_share == pytest.approx(1 - len(pairs) / len(states))
            assert at.accuracy == pytest.approx(sum(row["correct"] for row in states) / len(states))
            assert at.raw == (None if not pairs else pytest.approx(ece_loop(pairs)))
            assert at.auroc == (None if auroc_loop(pairs) is None else pytest.approx(auroc_loop(pairs)))
        for move in transitions(grid):
            both = [story[move.depth : move.depth + 2] for story in told if len(story) > move.depth + 1]
            used = [(a, b) for a, b in both if not b["duplicate"]]
            assert move.duplicates == len(both) - len(used)
            assert move.wrong_to_right == sum(b["correct"] and not a["correct"] for a, b in used)
            assert move.right_to_wrong == sum(a["correct"] and not b["correct"] for a, b in used)
            assert move.unchanged == sum(a["correct"] == b["correct"] for a, b in used)
            assert move.n == move.wrong_to_right + move.right_to_wrong + move.unchanged
            pairs = [
                (1 - a["confidence"], b["correct"] and not a["correct"]) for a, b in used if a["confidence"] is not None
            ]
            assert move.auroc == (None if auroc_loop(pairs) is None else pytest.approx(auroc_loop(pairs)))


@pytest.mark.parametrize("seed", range(60))
def test_the_whole_result_is_made_of_these_accounts(make_rows, make_traces, seed):
    rows = make_rows(seed)
    result = replay(make_traces(rows), ReplaySettings(resamples=20)).to_dict()
    for row in result["rows"]:
        told = stories(rows, row["model"], row["dataset"])
        if row["controller"] == "raw_gated":
            loop = account_loop(told, [gated_loop(story, 0.7, 0.3, 3) for story in told])
        elif row["controller"].startswith("fixed_"):
            loop = account_loop(told, [fixed_loop(story, int(row["controller"][-1])) for story in told])
        else:
            continue
        for name in ("n", "overall_accuracy", "committed_accuracy", "coverage", "mean_retrievals"):
            assert row[name] == (None if loop[name] is None else pytest.approx(loop[name]))


def test_zero_commits_have_no_committed_accuracy(make_traces):
    rows = [{"question_id": "q", "depth": 0, "confidence": 0.1, "correct": True}]
    grid = held_out(make_traces(rows))
    done = account(grid, gated(grid.confidence, grid, Gate()))
    assert (done.commits, done.committed_accuracy, done.overall_accuracy) == (0, None, 0.0)
    assert done.intervals()["committed_accuracy"] is None


def test_a_hand_worked_trace_at_each_budget(make_traces):
    rows = [
        {"question_id": "q", "depth": d, "confidence": c, "correct": y, "cost": 1.0}
        for d, (c, y) in enumerate([(0.2, False), (0.5, False), (None, True), (0.8, True)])
    ]
    grid = held_out(make_traces(rows))
    seen = []
    for budget in range(4):
        decided = gated(grid.confidence, grid, Gate(budget=budget))
        seen.append((Action(decided.action[0]).name, int(decided.stop[0]), account(grid, decided).mean_cost(0.5)))
    assert seen == [("ABSTAIN", 0, 1.0), ("ESCALATE", 1, 2.5), ("ABSTAIN", 2, 4.0), ("COMMIT", 3, 5.5)]


def test_an_unscored_state_never_commits_even_at_threshold_zero(make_traces):
    rows = [{"question_id": "q", "depth": 0, "confidence": None, "correct": True}]
    grid = held_out(make_traces(rows))
    assert gated(grid.confidence, grid, Gate(commit=0.0)).action.tolist() == [Action.ABSTAIN]
    assert sweep_gated(grid.confidence, grid, np.array([0.0]), (0,), 0.0).commits.tolist() == [[0]]


def test_an_unknown_cost_makes_only_the_totals_that_hold_it_unknown(make_traces):
    rows = [
        {"question_id": "q", "depth": d, "confidence": c, "correct": True, "cost": cost}
        for d, (c, cost) in enumerate([(0.5, 1.0), (0.9, None)])
    ]
    grid = held_out(make_traces(rows))
    swept = sweep_gated(grid.confidence, grid, np.array([0.4, 0.7]), (1,), 0.3)
    assert swept.asking_cost[0, 0] == 1.0
    assert np.isnan(swept.asking_cost[0, 1])


def test_comparing_a_controller_with_itself_finds_no_difference(make_rows, make_traces):
    grid = held_out(make_traces(make_rows(3)))
    decided = gated(grid.confidence, grid, Gate())
    for change in compare(grid, decided, decided, np.random.default_rng(0)):
        assert change.difference in (0.0, None)
        assert change.interval in ((0.0, 0.0), None)


def test_the_paired_bootstrap_has_the_spread_of_a_plain_one(make_traces):
    rng = np.random.default_rng(5)
    rows = [
        {"question_id": f"q{q}", "depth": d, "confidence": float(rng.random()), "correct": bool(rng.random() < 0.6)}
        for q in range(120)
        for d in range(2)
    ]
    grid = held_out(make_traces(rows))
    first, second = fixed(grid, 1), gated(grid.confidence, grid, Gate(0.5))
    [overall, *_] = compare(grid, first, second, np.random.default_rng(1), resamples=4000)
    at = np.arange(len(grid))
    gained = grid.correct[at, first.stop].astype(float) - (
        (second.action == Action.COMMIT) & grid.correct[at, second.stop]
    )
    drawn = gained[np.random.default_rng(2).integers(0, len(gained), (4000, len(gained)))].mean(axis=1)
    assert overall.difference == pytest.approx(gained.mean())
    assert overall.interval == pytest.approx(tuple(np.quantile(drawn, [0.025, 0.975])), abs=0.012)


def test_questions_of_one_entity_are_drawn_together(make_traces):
    rows = [
        {
            "question_id": f"q{q}",
            "depth": d,
            "confidence": 0.5,
            "correct": (q % 10 < 5) == (d == 1),
            "entity": f"e{q % 10}",
        }
        for q in range(100)
        for d in range(2)
    ]
    alone = [{**row, "entity": None} for row in rows]
    width = []
    for version in (rows, alone):
        grid = held_out(make_traces(version))
        [overall, *_] = compare(grid, fixed(grid, 1), fixed(grid, 0), np.random.default_rng(0))
        width.append(overall.interval[1] - overall.interval[0])
    assert width[0] > 2 * width[1]


def test_all_six_families_are_swept(make_rows, make_traces):
    from hinterguesser.replay.calibrators import fit_calibrator
    from hinterguesser.replay.grid import Calibration
    from hinterguesser.replay.value import fit_value

    traces = make_traces(make_rows(105))
    grid, calibration = held_out(traces), Calibration(traces)
    calibrated = fit_calibrator("isotonic", calibration).apply(grid)
    budgets, thresholds = (0, 1, 2, 3), np.arange(101) / 100
    value = fit_value(calibration, range(4), 0.05)
    swept = sweep_controllers(grid, calibrated, value, thresholds, budgets, 0.3)
    assert list(swept) == [
        "raw_gated", "calibrated_gated", "fixed", "adaptive", "oracle_stop", "value_of_information",
    ]  # fmt: skip
    for b, budget in enumerate(budgets):
        for k in (0, 30, 70, 100):
            gate = Gate(float(thresholds[k]), 0.3, budget)
            expected: dict[str, Decisions] = {
                "calibrated_gated": gated(calibrated, grid, gate),
                "oracle_stop": oracle_stop(grid, budget),
                "value_of_information": value.decide(grid, gate),
            }
            for name, decided in expected.items():
                done = account(grid, decided)
                assert swept[name].right[b, k] == done.right
                assert swept[name].abstains[b, k] == done.abstains
                assert swept[name].retrievals[b, k] == done.retrievals


def test_a_sweep_as_rows_has_none_for_what_does_not_exist(make_traces):
    grid = held_out(make_traces([{"question_id": "q", "depth": 0, "confidence": 0.5, "correct": True, "cost": 2.0}]))
    rows = list(sweep_gated(grid.confidence, grid, np.array([0.4, 0.6]), (0,), 0.3).rows())
    assert [(row["threshold"], row["committed_accuracy"], row["mean_cost"]) for row in rows] == [
        (0.4, 1.0, 2.0),
        (0.6, None, 2.0),
    ]
