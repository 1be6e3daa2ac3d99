"""ECE, Brier score and the reliability table."""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.calibration import calibration_curve
from sklearn.metrics import brier_score_loss

from hinterguesser.stats.calibration import adaptive_ece, brier, ece, reliability

percent_rows = st.lists(st.tuples(st.integers(0, 100), st.booleans()), min_size=1, max_size=80)


def ece_by_hand(rows: list[tuple[int, bool]], bins: int = 10) -> float:
    cells: dict[int, Fraction] = {}
    for percent, right in rows:
        cell = max(1, math.ceil(Fraction(percent, 100) * bins))
        cells[cell] = cells.get(cell, Fraction(0)) + (int(right) - Fraction(percent, 100))
    return float(sum(abs(gap) for gap in cells.values()) / len(rows))


@given(percent_rows)
def test_ece_agrees_with_exact_fractions_edges_and_ties_included(rows: list[tuple[int, bool]]) -> None:
    confidence, correct = [percent / 100 for percent, _ in rows], [right for _, right in rows]
    assert ece(confidence, correct) == pytest.approx(ece_by_hand(rows), abs=1e-9)
    assert ece(confidence, correct, bins=4) == pytest.approx(ece_by_hand(rows, 4), abs=1e-9)


def test_every_edge_belongs_to_the_bin_on_its_left() -> None:
    tenths = [k / 10 for k in range(11)]
    table = reliability(tenths, [True] * 11)
    assert [row.n for row in table] == [2] + [1] * 9
    assert [(row.lower, row.upper) for row in table[:2]] == [(0.0, 0.1), (0.1, 0.2)]


def test_ece_worked_by_hand() -> None:
    # Bin 1 holds 0 and .1 (one right): |1 - .1| = .9; bin 10 holds .95 twice (one right): |1 - 1.9| = .9.
    assert ece([0.0, 0.1, 0.95, 0.95], [0, 1, 1, 0]) == pytest.approx((0.9 + 0.9) / 4, abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_brier_and_reliability_agree_with_scikit_learn(seed: int) -> None:
    rng = np.random.default_rng(seed)
    confidence, correct = rng.random(300), rng.random(300) < 0.6
    assert brier(confidence, correct) == pytest.approx(brier_score_loss(correct, confidence), abs=1e-9)
    accuracy, mean_confidence = calibration_curve(correct, confidence, n_bins=10)
    table = reliability(confidence, correct)
    assert [row.accuracy for row in table if row.n] == pytest.approx(accuracy, abs=1e-9)
    assert [row.confidence for row in table if row.n] == pytest.approx(mean_confidence, abs=1e-9)


@given(percent_rows)
def test_equal_confidences_share_a_bin_of_equal_mass(rows: list[tuple[int, bool]]) -> None:
    confidence, correct = np.array([p / 100 for p, _ in rows]), [right for _, right in rows]
    table = reliability(confidence, correct, binning="mass")
    assert all(row.upper < after.lower for row, after in pairwise(table))
    assert [row.n for row in table] == [
        int(np.sum((confidence >= row.lower) & (confidence <= row.upper))) for row in table
    ]
    gap = sum(row.n * abs((row.accuracy or 0) - (row.confidence or 0)) for row in table) / len(rows)
    assert adaptive_ece(confidence, correct) == pytest.approx(gap, abs=1e-9)


def test_bins_of_equal_mass_hold_equal_counts_without_ties() -> None:
    confidence = np.random.default_rng(0).random(1000) ** 4
    table = reliability(confidence, confidence > 0.5, binning="mass")
    assert [row.n for row in table] == [100] * 10


@given(percent_rows)
def test_a_perfect_predictor_has_no_error(rows: list[tuple[int, bool]]) -> None:
    correct = [right for _, right in rows]
    assert (ece(correct, correct), adaptive_ece(correct, correct), brier(correct, correct)) == (0, 0, 0)


def test_without_rows_nothing_exists() -> None:
    assert (ece([], []), adaptive_ece([], []), brier([], [])) == (None, None, None)
    assert all((row.n, row.confidence, row.accuracy) == (0, None, None) for row in reliability([], []))
    assert reliability([], [], binning="mass") == ()


def test_an_empty_bin_has_no_accuracy_rather_than_0() -> None:
    table = reliability([0.05], [True])
    assert table[0].accuracy == 1.0
    assert table[5].accuracy is None
