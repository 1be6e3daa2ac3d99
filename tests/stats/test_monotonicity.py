"""Kendall's tau-a of confidence over turns."""

import tracemalloc
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from hinterguesser.stats.monotonicity import Tau, kendall_tau

dialogues_of_ties = st.lists(st.lists(st.integers(0, 4), min_size=1, max_size=9), min_size=1, max_size=12)


def flat(dialogues: list[list[Any]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    codes = np.repeat(np.arange(len(dialogues)), [len(d) for d in dialogues])
    turns = np.concatenate([np.arange(1, len(d) + 1) for d in dialogues])
    return codes, turns, np.concatenate(dialogues) / 4


def tau_by_pairs(scores: list[float]) -> tuple[float, float] | None:
    """Tau and tied pairs over pairs, from the definition."""
    pairs = [(a, b) for j, b in enumerate(scores) for a in scores[:j]]
    if not pairs:
        return None
    balance = sum((b > a) - (b < a) for a, b in pairs)
    return balance / len(pairs), sum(a == b for a, b in pairs) / len(pairs)


def same(one: Tau, other: Tau) -> bool:
    return (one.mean, one.entered, one.left_out, one.tie_share, one.attainable) == pytest.approx(
        (other.mean, other.entered, other.left_out, other.tie_share, other.attainable), abs=1e-12
    )


def test_tau_worked_by_hand_counts_ties_for_neither() -> None:
    # 15 pairs: 3 ties among the 90s, 1 among the 95s, 11 rising.
    result = kendall_tau([7] * 6, range(1, 7), [0.90, 0.90, 0.90, 0.95, 0.95, 1.0])
    assert result.mean == pytest.approx(11 / 15, abs=1e-12)
    assert round(result.mean or 0, 3) == 0.733
    assert result.tie_share == pytest.approx(4 / 15, abs=1e-12)
    assert result.attainable == pytest.approx(11 / 15, abs=1e-12)


def test_a_constant_confidence_has_tau_0_and_nothing_to_attain() -> None:
    result = kendall_tau([1] * 4, [1, 2, 3, 4], [0.8] * 4)
    assert (result.mean, result.tie_share, result.attainable) == (0.0, 1.0, 0.0)


def test_a_dialogue_of_one_turn_is_left_out_and_counted() -> None:
    result = kendall_tau([5, 9, 9], [1, 1, 2], [0.1, 0.2, 0.3])
    assert (result.mean, result.entered, result.left_out) == (1.0, 1, 1)
    assert result.dialogues.tolist() == [9]
    assert result.tau.tolist() == [1.0]


@pytest.mark.parametrize("rows", [0, 1])
def test_without_a_pair_of_turns_there_is_no_tau(rows: int) -> None:
    result = kendall_tau([3] * rows, [1] * rows, [0.5] * rows)
    assert (result.mean, result.tie_share, result.attainable) == (None, None, None)
    assert (result.entered, result.left_out) == (0, rows)


@given(dialogues_of_ties)
def test_tau_agrees_with_a_loop_over_all_pairs_with_ties(dialogues: list[list[int]]) -> None:
    result = kendall_tau(*flat(dialogues))
    found = [tau_by_pairs([score / 4 for score in d]) for d in dialogues]
    defined = [(code, *pair) for code, pair in enumerate(found) if pair is not None]
    assert result.dialogues.tolist() == [code for code, _, _ in defined]
    assert result.tau == pytest.approx([tau for _, tau, _ in defined], abs=1e-9)
    assert result.left_out == len(found) - len(defined)
    if defined:
        pairs = [len(dialogues[code]) * (len(dialogues[code]) - 1) / 2 for code, _, _ in defined]
        ties = np.array([share for _, _, share in defined])
        assert result.mean == pytest.approx(np.mean([tau for _, tau, _ in defined]), abs=1e-9)
        assert result.tie_share == pytest.approx(np.average(ties, weights=pairs), abs=1e-9)
        assert result.attainable == pytest.approx(np.mean(1 - ties), abs=1e-9)


@pytest.mark.parametrize("length", [2, 3, 17, 200, 700])
def test_without_ties_tau_is_scipys(length: int) -> None:
    rng = np.random.default_rng(length)
    scores = rng.random((5, length))
    result = kendall_tau(np.repeat(np.arange(5), length), np.tile(np.arange(length), 5), scores.ravel())
    expected = [kendalltau(np.arange(length), line).statistic for line in scores]
    assert result.tau == pytest.approx(expected, abs=1e-9)


@given(dialogues_of_ties, st.randoms(use_true_random=False))
def test_same_rows_in_any_order_give_the_same_tau(dialogues: list[list[int]], random: Any) -> None:
    rows = list(zip(*flat(dialogues), strict=True))
    random.shuffle(rows)
    codes, turns, scores = (np.array(column) for column in zip(*rows, strict=True))
    one, other = kendall_tau(codes, turns, scores), kendall_tau(*flat(dialogues))
    assert same(one, other)
    assert one.tau.tolist() == other.tau.tolist()


@given(dialogues_of_ties, st.integers(-(10**12), 10**12), st.randoms(use_true_random=False))
def test_renaming_dialogues_changes_no_number(dialogues: list[list[int]], shift: int, random: Any) -> None:
    codes, turns, scores = flat(dialogues)
    names = [place * 37 + shift for place in range(len(dialogues))]
    random.shuffle(names)
    assert same(kendall_tau(np.array(names)[codes], turns, scores), kendall_tau(codes, turns, scores))


@given(dialogues_of_ties)
def test_reversing_turns_changes_the_sign_only(dialogues: list[list[int]]) -> None:
    codes, turns, scores = flat(dialogues)
    one, other = kendall_tau(codes, -turns, scores), kendall_tau(codes, turns, scores)
    assert one.tau.tolist() == (-other.tau).tolist()
    assert one.tie_share == other.tie_share


@given(dialogues_of_ties)
def test_only_the_order_of_confidences_matters(dialogues: list[list[int]]) -> None:
    codes, turns, scores = flat(dialogues)
    assert same(kendall_tau(codes, turns, scores**3 / 2), kendall_tau(codes, turns, scores))


def test_gaps_between_scored_turns_do_not_count_as_pairs() -> None:
    result = kendall_tau([1, 1, 1], [2, 5, 11], [0.2, 0.4, 0.3])
    assert result.mean == pytest.approx(1 / 3)


def test_the_attainable_maximum_is_attained_by_a_rising_dialogue_with_ties() -> None:
    result = kendall_tau([1] * 3 + [2] * 3, [1, 2, 3] * 2, [0.1, 0.1, 0.5, 0.2, 0.3, 0.4])
    assert result.mean == result.attainable == pytest.approx((2 / 3 + 1) / 2)


def test_two_rows_for_one_turn_are_refused_with_the_turn() -> None:
    with pytest.raises(ValueError, match="dialogue 4 has two rows for turn 2"):
        kendall_tau([4, 4, 4], [1, 2, 2], [0.1, 0.2, 0.3])


def test_a_missing_confidence_is_refused() -> None:
    with pytest.raises(ValueError, match=r"confidence\[1\] is nan"):
        kendall_tau([1, 1], [1, 2], [0.5, float("nan")])


def test_memory_stays_near_the_rows_however_many_pairs_there_are() -> None:
    codes, turns = np.repeat(np.arange(200), 500), np.tile(np.arange(500), 200)
    scores = np.random.default_rng(0).random(len(codes))
    tracemalloc.start()
    kendall_tau(codes, turns, scores)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20 * scores.nbytes  # 25 million pairs would take 250 times the rows
