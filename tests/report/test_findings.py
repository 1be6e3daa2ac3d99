from dataclasses import replace

import numpy as np
from made_up import predictions, told

from hinterguesser.domain.predictions import Labels, Predictions
from hinterguesser.flow.metrics import MetricsSettings, summarise
from hinterguesser.flow.profiles import profiles
from hinterguesser.report.findings import findings

SETTINGS = MetricsSettings(resamples=100)


def found(*games, **options):
    dialogues = [told(number, game=game) for game in games for number in range(4)]
    rows = Predictions.of(predictions(dialogues, **options))
    return findings(summarise(rows, SETTINGS), profiles(rows, SETTINGS))


def test_each_number_comes_with_its_interval_and_its_n():
    for sentence in found("guess", methods=("p_true", "cot_verb")):
        if "could not be read" not in sentence:
            assert "[" in sentence, sentence
            assert "N = " in sentence, sentence
        assert sentence.endswith(".")


def test_what_rises_with_evidence_is_counted_in_pairs_of_turns():
    [sentence] = [
        each for each in found("guess", methods=("cot_verb", "p_true")) if each.startswith("p_true: from one")
    ]
    assert "N = 28 pairs" in sentence  # 4 dialogues of 8 turns
    assert "it falls in" in sentence


def test_several_datasets_or_models_are_told_from_lowest_to_highest_by_what_differs():
    sentences = found("guess", "20q", methods=("p_true", "cot_verb"))
    [tau] = [each for each in sentences if each.startswith("p_true: tau")]
    assert "(guess; " in tau or "(20q; " in tau
    assert "(guess, m" not in tau
    [tau] = [each for each in found("guess", models=("m", "n")) if each.startswith("p_true: tau")]
    assert "(m; " in tau


def test_many_comparisons_are_summed_up():
    sentences = found("guess", "20q")
    assert len([each for each in sentences if "a real hint moves" in each]) < 10
    assert any("of 10 comparisons of real hints with placebos" in each for each in sentences)


def test_what_could_not_be_read_is_told_with_its_reason():
    assert any(
        each == "vanilla_verb: 4 estimates could not be read, most often for: no percentage in reply."
        for each in found("guess")
    )


def test_predictions_of_any_origin_need_no_names():
    rows = Predictions(
        dialogue_id=Labels.of(["d"] * 3 + ["e"] * 3),
        turn=np.array([1, 2, 3] * 2),
        length=np.full(6, 3),
        confidence=np.array([0.1, 0.5, 0.9, 0.2, 0.2, 0.1]),
        correct=np.array([0.0, 1, 1, 0, 0, 0]),
    )
    sentences = findings(summarise(rows, SETTINGS), profiles(rows, SETTINGS))
    [rising] = [each for each in sentences if "from one turn" in each]
    assert rising.startswith("confidence: from one turn to the next it rises in 50.0 %")
    assert "it falls in 25.0 %, stays in 25.0 %" in rising


def test_what_is_the_same_in_several_groups_is_said_of_each_and_what_is_missing_is_named():
    rows = predictions([told(number) for number in range(4)], methods=("p_true", "cot_verb"))
    same = [replace(row, model="n") for row in rows]
    silent = [replace(row, model="silent", confidence=None, unscored_reason="no number") for row in rows]
    joined = Predictions.of([*rows, *same, *silent])
    sentences = findings(summarise(joined, SETTINGS), profiles(joined, SETTINGS))
    for word in ("tau", "from one turn"):
        [sentence] = [each for each in sentences if each.startswith(f"cot_verb: {word}")]
        assert "(each of m; n; " in sentence
        assert "; not known: silent)" in sentence


def test_tau_counts_the_turns_it_rests_on():
    rows = [replace(row, correct=None) for row in predictions([told(1), told(2)], methods=("p_true", "cot_verb"))]
    joined = Predictions.of(rows)
    [tau] = [
        each for each in findings(summarise(joined, SETTINGS), profiles(joined, SETTINGS)) if "cot_verb: tau" in each
    ]
    assert "N = 16, 0.0 % unscored" in tau
