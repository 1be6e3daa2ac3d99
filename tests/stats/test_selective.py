"""AUROC, AURC and what risk is left at each coverage."""

from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from hinterguesser.stats.selective import accuracy_at_coverage, aurc, auroc, risk_coverage

few_rows = st.lists(st.tuples(st.integers(0, 2), st.booleans()), min_size=1, max_size=6)


def risks(order: list[bool]) -> list[float]:
    """The share of wrong answers among the first k, for k = 1..n."""
    return [order[:k].count(False) / k for k in range(1, len(order) + 1)]


def all_orders(rows: list[tuple[int, bool]]) -> list[list[bool]]:
    """Correctness in every order of rows that never puts less confidence before more."""
    orders = [list(order) for order in permutations(rows)]
    return [[right for _, right in o] for o in orders if all(a[0] >= b[0] for a, b in pairwise(o))]


@pytest.mark.parametrize("levels", [2, 5, 20, 10**6])
def test_auroc_agrees_with_scikit_learn_with_any_amount_of_ties(levels: int) -> None:
    rng = np.random.default_rng(levels)
    confidence, correct = rng.integers(0, levels, 500) / levels, rng.random(500) < 0.4
    assert auroc(confidence, correct) == pytest.approx(roc_auc_score(correct, confidence), abs=1e-9)


def test_auroc_worked_by_hand_counts_ties_one_half() -> None:
    # Right: .9, .5; wrong: .5, .1. Pairs: .9 beats both, .5 ties one and beats one: 3.5 of 4.
    assert auroc([0.9, 0.5, 0.5, 0.1], [1, 1, 0, 0]) == 3.5 / 4


@pytest.mark.parametrize("correct", [[1, 1], [0, 0], []])
def test_with_one_class_there_is_no_auroc(correct: list[int]) -> None:
    assert auroc([0.5] * len(correct), correct) is None


@given(few_rows)
@settings(max_examples=60, deadline=None)
def test_aurc_is_the_average_over_all_orders_of_ties(rows: list[tuple[int, bool]]) -> None:
    expected = np.mean([np.mean(risks(order)) for order in all_orders(rows)])
    found = aurc([level / 2 for level, _ in rows], [right for _, right in rows])
    assert found == pytest.approx(expected, abs=1e-9)


def test_without_ties_aurc_is_the_mean_of_running_risks() -> None:
    rng = np.random.default_rng(3)
    confidence, correct = rng.permutation(1000) / 1000, rng.random(1000) < 0.7
    order = np.argsort(-confidence)
    assert aurc(confidence, correct) == pytest.approx(np.mean(risks(correct[order].tolist())), abs=1e-9)


def test_aurc_of_three_level_scores_does_not_depend_on_the_order_of_rows() -> None:
    rng = np.random.default_rng(4)
    confidence, correct = rng.integers(0, 3, 400) / 2, rng.random(400) < 0.5
    found = {round(aurc(confidence[p], correct[p]) or 0, 12) for p in (rng.permutation(400) for _ in range(20))}
    assert len(found) == 1


def test_when_all_confidences_tie_aurc_is_the_overall_risk() -> None:
    assert aurc([0.8] * 5, [1, 1, 0, 0, 0]) == pytest.approx(0.6, abs=1e-12)


@given(few_rows, st.integers(1, 20))
@settings(max_examples=60, deadline=None)
def test_accuracy_at_coverage_is_the_average_over_all_orders_of_ties(
    rows: list[tuple[int, bool]], twentieths: int
) -> None:
    k = -(-twentieths * len(rows) // 20)
    expected = np.mean([1 - risks(order)[k - 1] for order in all_orders(rows)])
    confidence, correct = [level / 2 for level, _ in rows], [right for _, right in rows]
    assert accuracy_at_coverage(confidence, correct, twentieths / 20) == pytest.approx(expected, abs=1e-9)


def test_at_full_coverage_accuracy_is_the_overall_accuracy() -> None:
    rng = np.random.default_rng(5)
    confidence, correct = rng.random(77), rng.random(77) < 0.5
    assert accuracy_at_coverage(confidence, correct, 1.0) == pytest.approx(correct.mean(), abs=1e-12)


@pytest.mark.parametrize("coverage", [0.0, -0.1, 1.1])
def test_a_coverage_outside_its_range_is_refused(coverage: float) -> None:
    with pytest.raises(ValueError, match="coverage must lie in"):
        accuracy_at_coverage([0.5], [1], coverage)


def test_the_risk_coverage_curve_has_one_point_per_confidence() -> None:
    curve = risk_coverage([0.9, 0.9, 0.5, 0.1], [1, 0, 1, 0])
    assert curve is not None
    assert curve.threshold.tolist() == [0.9, 0.5, 0.1]
    assert curve.coverage.tolist() == [0.5, 0.75, 1.0]
    assert curve.risk == pytest.approx([1 / 2, 1 / 3, 1 / 2])


def test_without_rows_there_is_no_risk() -> None:
    assert (aurc([], []), risk_coverage([], []), accuracy_at_coverage([], [], 0.5)) == (None, None, None)


def test_a_perfect_ranking_has_auroc_1_and_the_least_aurc() -> None:
    correct = np.array([True] * 6 + [False] * 4)
    confidence = np.linspace(1, 0, 10)
    assert auroc(confidence, correct) == 1.0
    assert aurc(confidence, correct) == pytest.approx(sum((k - 6) / k for k in range(7, 11)) / 10, abs=1e-12)
