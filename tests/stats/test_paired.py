"""Informative hints against placebos, dialogues against summaries."""

from typing import Any

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from hinterguesser.stats.paired import mean_of_entities, paired_difference, placebo_test


def alike_turns(rng: np.random.Generator, codes: np.ndarray) -> np.ndarray:
    """Noise of variance 1, half of which the turns of a dialogue share."""
    shared = rng.normal(size=codes.max() + 1)[codes]
    return np.asarray((shared + rng.normal(size=len(codes))) / np.sqrt(2))


def null_data(rng: np.random.Generator) -> dict[str, Any]:
    """40 entities, one or two dialogues each, 3 to 12 turns; nothing changes but for noise."""
    owner = np.repeat(np.arange(40), rng.integers(1, 3, 40))
    codes = np.repeat(np.arange(len(owner)), rng.integers(3, 13, len(owner)))
    return {
        "previous": np.full(len(codes), 0.5),
        "informative": np.clip(0.5 + 0.08 * alike_turns(rng, codes), 0, 1),
        "placebo": np.clip(0.5 + 0.08 * alike_turns(rng, codes), 0, 1),
        "dialogue": codes,
        "entity": owner[codes],
    }


def test_under_the_null_five_percent_of_placebo_tests_reject_though_turns_are_alike() -> None:
    rng = np.random.default_rng(11)
    runs, rejected, by_turn = 1000, np.zeros(5), 0
    for _ in range(runs):
        data = null_data(rng)
        result = placebo_test(**data, rng=rng, permutations=499, resamples=1)
        changes = result.informative, result.placebo, result.difference
        ps = [c.p_sign_flip for c in changes] + [c.p_wilcoxon for c in changes[:2]]
        rejected += [p is not None and p < 0.05 for p in ps]
        by_turn += ttest_1samp(data["informative"] - data["previous"], 0).pvalue < 0.05
    assert np.all((rejected / runs >= 0.03) & (rejected / runs <= 0.07)), rejected / runs
    assert by_turn / runs > 0.2  # what a test over turns would do


def test_the_placebo_test_worked_by_hand() -> None:
    # Entity 1: dialogue 1 (turns 2, 3) and 2 (turn 2); entity 2: dialogue 3 (turn 2).
    result = placebo_test(
        previous=[0.2, 0.4, 0.5, 0.1],
        informative=[0.4, 0.8, 0.6, 0.4],
        placebo=[0.2, 0.2, 0.6, 0.2],
        dialogue=[1, 1, 2, 3],
        entity=[1, 1, 1, 2],
        rng=np.random.default_rng(0),
    )
    # Informative: dialogues .3, .1, .3; entities .2, .3. Placebo: -.1, .1, .1; entities 0, .1.
    assert result.informative.mean == pytest.approx(0.25, abs=1e-12)
    assert result.placebo.mean == pytest.approx(0.05, abs=1e-12)
    assert result.difference.mean == pytest.approx(0.20, abs=1e-12)
    assert (result.rows, result.informative.dialogues, result.informative.entities) == (4, 3, 2)
    assert result.informative.p_sign_flip == 0.5  # both rise: 2 of 4 patterns as extreme
    assert result.previous_mean == pytest.approx((0.4 + 0.1) / 2, abs=1e-12)
    assert result.informative_mean == pytest.approx((0.6 + 0.4) / 2, abs=1e-12)
    assert result.placebo_mean == pytest.approx((0.4 + 0.2) / 2, abs=1e-12)


def test_a_real_effect_of_hints_and_none_of_placebos_is_told_apart() -> None:
    rng = np.random.default_rng(5)
    data = null_data(rng)
    data["informative"] = np.clip(data["informative"] + 0.1, 0, 1)
    result = placebo_test(**data, rng=rng)
    assert result.informative.p_sign_flip is not None
    assert result.informative.p_sign_flip < 0.001
    assert result.difference.p_sign_flip is not None
    assert result.difference.p_sign_flip < 0.001
    assert result.placebo.p_sign_flip is not None
    assert result.placebo.p_sign_flip > 0.01
    interval = result.informative.interval
    assert interval is not None
    assert 0 < interval.lo < (result.informative.mean or 0) < interval.hi


def test_means_differ_by_exactly_the_reported_change() -> None:
    rng = np.random.default_rng(6)
    data = null_data(rng)
    result = placebo_test(**data, rng=rng, permutations=99, resamples=10)
    means = result.previous_mean, result.informative_mean, result.placebo_mean
    before, after, instead = (m for m in means if m is not None)
    assert result.informative.mean == pytest.approx(after - before, abs=1e-12)
    assert result.difference.mean == pytest.approx(after - instead, abs=1e-12)


def test_multi_against_single_is_first_less_second_and_changes_sign_when_swapped() -> None:
    rng = np.random.default_rng(7)
    data = null_data(rng)
    codes = data["dialogue"], data["entity"]
    one = paired_difference(data["informative"], data["placebo"], *codes, np.random.default_rng(0))
    other = paired_difference(data["placebo"], data["informative"], *codes, np.random.default_rng(0))
    assert one.change.mean == pytest.approx(-(other.change.mean or 0), abs=1e-12)
    assert one.change.p_sign_flip == other.change.p_sign_flip
    assert (one.first_mean, one.second_mean) == (other.second_mean, other.first_mean)
    assert one.rows == len(codes[0])


def test_correctness_can_be_compared_as_well() -> None:
    result = paired_difference([1, 1, 1], [0, 1, 0], [1, 2, 3], [1, 2, 3], np.random.default_rng(0))
    assert result.change.mean == pytest.approx(2 / 3)


def test_without_rows_no_change_exists() -> None:
    result = placebo_test([], [], [], [], [], np.random.default_rng(0))
    change = result.informative
    assert (change.mean, change.interval, change.p_sign_flip, change.p_wilcoxon) == (None,) * 4
    assert (result.rows, change.dialogues, change.entities, result.previous_mean) == (0, 0, 0, None)


def test_one_entity_gives_a_mean_but_no_interval() -> None:
    result = paired_difference([0.5, 0.7], [0.4, 0.4], [1, 2], [9, 9], np.random.default_rng(0))
    assert result.change.mean == pytest.approx(0.2)
    assert result.change.interval is None
    assert result.change.p_sign_flip == 1.0


def test_a_dialogue_about_two_entities_is_refused() -> None:
    with pytest.raises(ValueError, match="dialogue 3 has rows of two entities"):
        mean_of_entities([0.1, 0.2, 0.3], [1, 3, 3], [1, 2, 1])
