"""Information levels, InfoECE and what hides inside a level."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import brier_score_loss, roc_auc_score

from hinterguesser.stats.information import (
    impossible_info_ece,
    info_ece,
    information_bin,
    level_bins,
    within_level,
)

Rows = dict[str, Any]


def random_rows(seed: int, dialogues: int = 80) -> Rows:
    rng = np.random.default_rng(seed)
    length = rng.integers(1, 16, dialogues)
    turn = np.concatenate([np.arange(1, n + 1) for n in length])
    length = np.repeat(length, length)
    confidence = rng.integers(0, 21, len(turn)) / 20
    return {
        "confidence": confidence,
        "correct": rng.random(len(turn)) < 0.2 + 0.6 * turn / length,
        "turn": turn,
        "length": length,
    }


def rows_of_one_level(rows: Rows, level: int) -> Rows:
    keep = information_bin(rows["turn"], rows["length"]) == level
    return {name: values[keep] for name, values in rows.items()}


def test_every_turn_of_every_dialogue_up_to_40_turns_falls_in_the_bin_of_its_exact_fraction() -> None:
    cells = [(i, length) for length in range(1, 41) for i in range(1, length + 1)]
    assert len(cells) == 820
    turn, length = np.array(cells).T
    expected = [math.ceil(Fraction(i, total) * 10) for i, total in cells]
    assert information_bin(turn, length).tolist() == expected
    assert sum(int(i / total / 0.1) + 1 != b for (i, total), b in zip(cells, expected, strict=True)) > 0


@given(st.integers(1, 500), st.integers(1, 60), st.data())
def test_any_number_of_bins_is_exact(length: int, bins: int, data: st.DataObject) -> None:
    turn = data.draw(st.integers(1, length))
    assert information_bin([turn], [length], bins).tolist() == [math.ceil(Fraction(turn, length) * bins)]


@pytest.mark.parametrize("turn", [0, 5, -1])
def test_a_turn_outside_its_dialogue_is_refused(turn: int) -> None:
    with pytest.raises(ValueError, match=r"turn\[0\] is .*, outside 1..4"):
        information_bin([turn], [4])


def test_info_ece_worked_by_hand_counts_only_filled_bins() -> None:
    # Two dialogues of 2 turns: bins 5 and 10. Accuracy 1/2, 1; confidence .7, .9: gaps .2 and .1.
    result = info_ece([0.6, 0.8, 0.8, 1.0], [0, 1, 1, 1], [1, 2, 1, 2], [2, 2, 2, 2])
    assert result.value == pytest.approx(0.15, abs=1e-12)
    assert result.over_all_bins == pytest.approx(0.03, abs=1e-12)
    assert result.empty_bins == 8
    assert result.level.tolist() == [5, 10]
    assert result.n.tolist() == [2, 2]
    assert result.accuracy.tolist() == [0.5, 1.0]
    assert result.confidence == pytest.approx([0.7, 0.9])
    assert result.upper.tolist() == [0.5, 1.0]


@pytest.mark.parametrize("seed", range(5))
def test_info_ece_agrees_with_a_loop_over_rows(seed: int) -> None:
    rows = random_rows(seed)
    levels: dict[int, list[tuple[float, bool]]] = {}
    for c, z, i, total in zip(*rows.values(), strict=True):
        levels.setdefault(math.ceil(Fraction(int(i), int(total)) * 10), []).append((c, z))
    gaps = [abs(sum(z for _, z in level) - sum(c for c, _ in level)) / len(level) for level in levels.values()]
    result = info_ece(**rows)
    assert result.value == pytest.approx(sum(gaps) / len(gaps), abs=1e-9)
    assert result.over_all_bins == pytest.approx(sum(gaps) / 10, abs=1e-9)
    assert result.empty_bins == 10 - len(gaps)


def test_dialogues_of_four_turns_fill_four_of_ten_bins() -> None:
    result = info_ece([0.5] * 4, [1] * 4, [1, 2, 3, 4], [4] * 4)
    assert (result.empty_bins, result.value, result.over_all_bins) == (6, 0.5, 0.2)


@pytest.mark.parametrize("binning", ["width", "mass"])
def test_a_perfect_predictor_has_no_error_at_any_level(binning: Any) -> None:
    rows = random_rows(1) | {"confidence": random_rows(1)["correct"].astype(float)}
    result = info_ece(**rows, binning=binning)
    assert (result.value, result.over_all_bins) == (0.0, 0.0)
    inside = within_level(**rows, binning=binning)
    assert (inside.ece, inside.brier, inside.auroc) == (0.0, 0.0, 1.0)


@pytest.mark.parametrize("binning", ["width", "mass"])
def test_info_ece_does_not_depend_on_the_order_of_rows(binning: Any) -> None:
    rows = random_rows(2)
    order = np.random.default_rng(0).permutation(len(rows["turn"]))
    shuffled = {name: values[order] for name, values in rows.items()}
    assert info_ece(**shuffled, binning=binning).value == pytest.approx(
        info_ece(**rows, binning=binning).value, abs=1e-12
    )
    one, other = within_level(**shuffled, binning=binning), within_level(**rows, binning=binning)
    assert (one.ece, one.brier, one.auroc) == pytest.approx((other.ece, other.brier, other.auroc), abs=1e-12)


def test_without_rows_there_is_no_info_ece() -> None:
    result = info_ece([], [], [], [])
    assert (result.value, result.over_all_bins, result.empty_bins) == (None, None, 10)
    inside = within_level([], [], [], [])
    assert (inside.ece, inside.brier, inside.auroc, inside.auroc_levels) == (None, None, None, 0)


@given(st.lists(st.tuples(st.integers(1, 12), st.integers(1, 12)), min_size=1, max_size=60), st.integers(1, 12))
def test_mass_bins_never_split_equal_levels_and_never_fall(pairs: list[tuple[int, int]], bins: int) -> None:
    turn, length = np.array([(min(pair), max(pair)) for pair in pairs]).T
    index = level_bins(turn, length, bins=bins, binning="mass")
    by_level: dict[Fraction, set[int]] = {}
    for i, total, b in zip(turn.tolist(), length.tolist(), index.tolist(), strict=True):
        by_level.setdefault(Fraction(i, total), set()).add(b)
    assert all(len(found) == 1 for found in by_level.values())
    in_order = [min(by_level[level]) for level in sorted(by_level)]
    assert in_order == sorted(in_order)
    assert 1 <= in_order[0] <= in_order[-1] <= bins


def test_mass_bins_hold_equal_counts_when_nothing_ties() -> None:
    turn = np.arange(1, 101)
    index = level_bins(turn, np.full(100, 100), bins=4, binning="mass")
    assert np.bincount(index).tolist() == [0, 25, 25, 25, 25]
    result = info_ece(np.full(100, 0.5), turn > 50, turn, np.full(100, 100), bins=4, binning="mass")
    assert result.upper == pytest.approx([0.25, 0.5, 0.75, 1.0])
    assert result.n.tolist() == [25] * 4


@pytest.mark.parametrize("seed", range(3))
def test_inside_levels_brier_and_auroc_agree_with_scikit_learn(seed: int) -> None:
    rows = random_rows(seed)
    result = within_level(**rows)
    briers, aurocs, counts = [], [], []
    for level, found in zip(result.level.tolist(), result.auroc_by_level, strict=True):
        part = rows_of_one_level(rows, level)
        briers.append(brier_score_loss(part["correct"], part["confidence"]))
        if len(set(part["correct"].tolist())) == 2:
            aurocs.append(roc_auc_score(part["correct"], part["confidence"]))
            counts.append(len(part["turn"]))
            assert found == pytest.approx(aurocs[-1], abs=1e-9)
        else:
            assert found is None
    assert result.brier_by_level == pytest.approx(briers, abs=1e-9)
    assert result.brier == pytest.approx(np.mean(briers), abs=1e-9)
    assert result.auroc == pytest.approx(np.average(aurocs, weights=counts), abs=1e-9)
    assert result.auroc_levels == len(aurocs)


@pytest.mark.parametrize("seed", range(3))
def test_inside_levels_ece_agrees_with_a_loop_over_levels(seed: int) -> None:
    rows = random_rows(seed)
    result = within_level(**rows)
    eces = []
    for level in result.level.tolist():
        part = rows_of_one_level(rows, level)
        cells: dict[int, list[float]] = {}
        for c, z in zip(part["confidence"].tolist(), part["correct"].tolist(), strict=True):
            cells.setdefault(max(1, math.ceil(Fraction(round(c * 20), 20) * 10)), []).append(z - c)
        eces.append(sum(abs(sum(gap)) for gap in cells.values()) / len(part["turn"]))
    assert result.ece_by_level == pytest.approx(eces, abs=1e-9)
    assert result.ece == pytest.approx(np.average(eces, weights=result.n), abs=1e-9)


def test_a_constant_base_rate_scores_no_info_ece_yet_shows_inside_the_level() -> None:
    # At one level: .5 said always, right half of the time, but sure and unsure rows are swapped.
    rows: Rows = {"confidence": [0.1, 0.9] * 5, "correct": [1, 0] * 5, "turn": [1] * 10, "length": [1] * 10}
    assert info_ece(**rows).value == pytest.approx(0, abs=1e-12)
    inside = within_level(**rows)
    assert inside.ece == pytest.approx(0.9)
    assert inside.auroc == 0.0


@given(
    st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=12),
)
def test_rising_accuracy_and_confidence_never_exceed_the_bound(levels: list[tuple[float, float]]) -> None:
    accuracy, confidence = (np.sort(curve) for curve in np.array(levels).T)
    value = float(np.abs(accuracy - confidence).mean())
    assert impossible_info_ece(value, accuracy, confidence=confidence) is None
    assert impossible_info_ece(value, float(accuracy.mean())) is None


def test_the_bound_is_reached_by_a_confidence_of_one_throughout() -> None:
    accuracy = np.array([0.1, 0.2, 0.3])
    assert impossible_info_ece(0.8, accuracy, confidence=np.ones(3)) is None
    warning = impossible_info_ece(0.81, accuracy, confidence=np.ones(3))
    assert warning is not None
    assert "0.8100" in warning
    assert "at most 0.8000" in warning


def test_a_reported_number_alone_is_enough_for_the_warning() -> None:
    assert impossible_info_ece(0.79, 0.3) is not None
    assert impossible_info_ece(0.79, 0.3, tolerance=0.1) is None
    assert impossible_info_ece(0.6999, 0.3) is None


def test_the_law_is_silent_where_a_curve_falls() -> None:
    # Accuracy 1, 0 against confidence 0, 1: InfoECE 1 at a mean accuracy of one half.
    assert impossible_info_ece(1.0, [1.0, 0.0], confidence=[0.0, 1.0]) is None
    assert impossible_info_ece(1.0, [0.0, 1.0], confidence=[1.0, 0.0]) is None


@pytest.mark.parametrize(
    ("value", "accuracy", "confidence"),
    [(79.97, 0.3, None), (0.5, 30.0, None), (0.5, [], None), (0.5, 0.3, [0.2]), (0.5, [0.1, 0.2], [0.3])],
)
def test_percentages_and_unmatched_levels_are_refused(value: float, accuracy: Any, confidence: Any) -> None:
    with pytest.raises(ValueError, match=r"fractions in|per level"):
        impossible_info_ece(value, accuracy, confidence=confidence)


def test_an_unknown_binning_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="'width' or 'mass', got 'even'"):
        level_bins([1], [1], binning="even")  # type: ignore[arg-type]
