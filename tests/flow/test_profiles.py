"""Profiles of groups: by hand, in agreement with the summary, and untouched by what could not be scored."""

import dataclasses
import random

import numpy as np
import pytest
from report.figures.made_up import METHODS, evaluation, prediction

from hinterguesser.domain.predictions import Predictions
from hinterguesser.flow.metrics import MetricsSettings, summarise
from hinterguesser.flow.profiles import profiles
from hinterguesser.stats.by_entity import mean_by_entity
from hinterguesser.stats.information import information_bin
from hinterguesser.stats.profiles import Mean
from hinterguesser.stats.resamples import Draws, bootstrap_intervals

NO_INTERVALS = MetricsSettings(resamples=0)


def of(rows, settings=NO_INTERVALS):
    return profiles(Predictions.of(rows), settings)


def test_levels_worked_out_by_hand():
    rows = [
        prediction(dialogue_id="a", turn=1, length=3, confidence=0.2, correct=False, label_mass=0.5),
        prediction(dialogue_id="a", turn=2, length=3, confidence=None, correct=True),
        prediction(dialogue_id="a", turn=3, length=3, confidence=0.9, correct=True, label_mass=0.9),
        prediction(dialogue_id="b", entity="cow", turn=3, length=3, confidence=0.5, correct=None),
    ]
    [found] = of(rows).groups
    # 1/3 falls in (0.3, 0.4], 2/3 in (0.6, 0.7], 3/3 in (0.9, 1].
    assert [(level.number, level.upper, level.rows) for level in found.levels] == [
        (4, 0.4, 1),
        (7, 0.7, 1),
        (10, 1.0, 2),
    ]
    assert [level.unscored.value for level in found.levels] == [0, 1, 0]
    assert [level.confidence for level in found.levels] == [Mean(0.2, None, 1), Mean(None, None, 0), Mean(0.7, None, 2)]
    assert [level.accuracy for level in found.levels] == [Mean(0.0, None, 1), Mean(None, None, 0), Mean(1.0, None, 1)]
    assert [level.label_mass.value for level in found.levels] == [0.5, None, 0.9]
    assert (found.rows, found.n, found.dialogues, found.entities) == (4, 3, 2, 2)
    assert found.unscored_share == 0.25
    assert found.steps.pairs == 0  # turn 2 could not be scored, so nothing is beside it
    assert [(at.coverage, at.risk.value) for at in found.risk] == [(0.5, 0.0), (1.0, 0.5)]


def test_an_unscored_row_changes_nothing_but_shares():
    rows = [prediction(dialogue_id=f"d{n}", entity=f"e{n}", turn=t, confidence=n / 9, correct=n % 2 == 0, length=2)
            for n in range(6) for t in (1, 2)]  # fmt: skip
    blind = [prediction(dialogue_id=f"d{n}", entity=f"e{n}", turn=3, length=3, confidence=None, correct=right,
                        label_mass=0.1) for n, right in enumerate([True, False, True])]  # fmt: skip
    settings = MetricsSettings(resamples=50)
    [without], [with_them] = of(rows, settings).groups, of([*rows, *blind], settings).groups
    assert with_them.unscored_share == 3 / 15
    for name in ("confidence", "surface", "risk", "steps"):
        assert getattr(with_them, name) == getattr(without, name)
    for one, other in zip(without.levels, with_them.levels, strict=True):
        assert (one.confidence, one.accuracy, one.label_mass) == (other.confidence, other.accuracy, other.label_mass)


def test_the_gap_between_the_curves_is_what_info_ece_measures():
    predictions = Predictions.of(evaluation(dialogues=5, length=7))
    summary, found = summarise(predictions, NO_INTERVALS), profiles(predictions, NO_INTERVALS)
    for group, profile in zip(summary.groups, found.groups, strict=True):
        assert profile.by == group["by"]
        assert profile.n == group["n"]
        assert profile.unscored_share == pytest.approx(group["unscored_share"])
        gaps = [abs(at.accuracy.value - at.confidence.value) for at in profile.levels if at.confidence.n]
        assert np.mean(gaps) == pytest.approx(group["info_ece"], abs=1e-12)


def test_bands_are_the_intervals_of_stats_for_the_same_draws():
    settings = MetricsSettings(resamples=50, seed=3)
    predictions = Predictions.of(evaluation(methods=("p_true",), dialogues=8))
    draws = Draws(np.random.default_rng(3), 50)
    found = profiles(predictions, settings).groups[0]
    labels = predictions.labels
    chosen = predictions.scored & (labels["condition"].codes == 0) & (labels["target"].codes == 0)
    level = information_bin(predictions.turn, predictions.length)
    for at in found.levels:
        here = chosen & (level == at.number)
        for values, mean in ((predictions.confidence, at.confidence), (predictions.correct, at.accuracy)):
            ends = bootstrap_intervals({"m": mean_by_entity(values[here], predictions.entity[here])}, draws)["m"]
            assert mean.interval == pytest.approx([ends.lo, ends.hi], abs=1e-12)


def test_the_order_of_rows_does_not_matter():
    rows = evaluation(methods=METHODS[:2], length=5)
    shuffled = random.Random(0).sample(rows, len(rows))
    found, again = of(rows), of(shuffled)
    by = {tuple(profile.by.values()): profile for profile in again.groups}
    for profile in found.groups:
        other = by[tuple(profile.by.values())]
        assert (profile.n, profile.steps) == (other.n, other.steps)
        assert [at.confidence.value for at in profile.levels] == pytest.approx(
            [at.confidence.value for at in other.levels]
        )


def test_an_answer_counts_once_however_many_methods_judge_it_and_whether_they_can():
    rows = [
        prediction(method=method, turn=turn, confidence=confidence, correct=turn == 2)
        for method, confidence in (("p_true", 0.4), ("cot_verb", None))
        for turn in (1, 2)
    ]
    [right] = of(rows).accuracy
    assert right.by == {"dataset": "20q", "model": "m", "condition": "multi"}
    assert (right.accuracy.value, right.accuracy.n) == (0.5, 2)
    assert [(at.upper, at.accuracy.value) for at in right.levels] == [(0.5, 0.0), (1.0, 1.0)]


def test_with_columns_of_ones_own_groups_are_by_those():
    rows = evaluation(datasets=("20q", "guess"), methods=("p_true",))
    found = of(
        [row for row in rows if row.condition == "multi" and row.target == "answer"],
        MetricsSettings(("dataset",), resamples=0),
    )
    assert [profile.by for profile in found.groups] == [{"dataset": "20q"}, {"dataset": "guess"}]
    assert [each.by for each in found.accuracy] == [{"dataset": "20q"}, {"dataset": "guess"}]


def test_nothing_and_nothing_but_unscored_rows_have_profiles_of_nothing():
    assert of([]).groups == ()
    [found] = of([prediction(confidence=None, correct=None)]).groups
    assert (found.unscored_share, found.confidence, found.surface, found.risk) == (1.0, Mean(None, None, 0), (), ())
    assert of([prediction(confidence=None, correct=None)]).accuracy == ()


def test_levels_of_equal_mass_end_at_the_greatest_level_they_hold():
    rows = [prediction(dialogue_id=f"d{n}", turn=t, length=4, confidence=0.5) for n in range(3) for t in range(1, 5)]
    [found] = of(rows, MetricsSettings(bins=2, binning="mass", resamples=0)).groups
    assert [(level.upper, level.rows) for level in found.levels] == [(0.5, 6), (1.0, 6)]


def test_predictions_without_label_mass_have_none():
    rows = Predictions.of([prediction(turn=1), prediction(turn=2)])
    [found] = profiles(dataclasses.replace(rows, label_mass=None), NO_INTERVALS).groups
    assert [level.label_mass for level in found.levels] == [Mean(None, None, 0)] * 2
