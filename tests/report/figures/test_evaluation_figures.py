"""Figures of an evaluation: the data beside them, what their words say, and how many there are."""

import csv
import io

import pytest
from report.figures.made_up import METHODS, evaluation, figures, prediction

from hinterguesser.domain.predictions import Predictions
from hinterguesser.flow.metrics import MetricsSettings, summarise
from hinterguesser.report.figures.files import data

NO_INTERVALS = MetricsSettings(resamples=0)


def records(figure):
    return list(csv.DictReader(io.StringIO(data(figure))))


@pytest.fixture(scope="module")
def by_hand():
    """Two dialogues of two turns: the first turn is wrong at 0.2 and 0.4, the last is right at 0.9 and unscored."""
    rows = []
    for condition, shift in (("multi", 0.0), ("placebo", 0.1), ("single", -0.1)):
        for dialogue, turn, confidence in (("a", 1, 0.2), ("b", 1, 0.4), ("a", 2, 0.9), ("b", 2, None)):
            for target in ("answer", "gold"):
                rows.append(
                    prediction(
                        dialogue_id=dialogue, entity=dialogue, turn=turn, condition=condition, target=target,
                        confidence=None if confidence is None else confidence + shift, correct=turn == 2,
                        label_mass=turn / 4,
                    )
                )  # fmt: skip
    return figures(rows, NO_INTERVALS)


def test_levels_hold_the_numbers_that_are_drawn(by_hand):
    method = [row for row in records(by_hand["levels"]) if row["method"] == "p_true"]
    shown = [(row["level"], row["rows"], row["scored"], row["unscored_share"], row["accuracy"]) for row in method]
    assert shown == [("5", "2", "2", "0.0", "0.0"), ("10", "2", "1", "0.5", "1.0")]
    assert [float(row["confidence"]) for row in method] == [pytest.approx(0.3), 0.9]
    answers = [row for row in records(by_hand["levels"]) if row["method"] == "all answers"]
    assert [(row["upper"], row["accuracy"], row["accuracy_n"], row["confidence"]) for row in answers] == [
        ("0.5", "0.0", "2", ""), ("1.0", "1.0", "2", ""),
    ]  # fmt: skip


def test_the_share_that_could_not_be_read_is_in_its_figure_and_in_every_caption(by_hand):
    assert [(row["level"], row["unscored"]) for row in records(by_hand["unscored"])] == [("5", "0.0"), ("10", "0.5")]
    assert "25.0 % of 4 are unscored" in by_hand["levels"].caption
    assert all("unscored" in figure.caption and "N = " in figure.caption for figure in by_hand.values())


def test_label_mass_is_that_of_scored_estimates(by_hand):
    found = [(row["level"], row["label_mass"], row["label_mass_n"]) for row in records(by_hand["label_mass"])]
    assert found == [("5", "0.25", "2"), ("10", "0.5", "1")]


def test_risk_and_reliability_by_hand(by_hand):
    found = [(row["threshold"], row["risk"]) for row in records(by_hand["risk_coverage"])]
    assert [(float(threshold), pytest.approx(float(risk))) for threshold, risk in found] == [
        (0.9, 0.0), (0.4, 1 / 2), (0.2, 2 / 3),
    ]  # fmt: skip
    cells = {
        (row["level_fifth"], row["confidence_fifth"]): float(row["gap"]) for row in records(by_hand["reliability"])
    }
    assert cells == {("3", "1"): pytest.approx(-0.2), ("3", "2"): pytest.approx(-0.4), ("5", "5"): pytest.approx(0.1)}


def test_the_dialogue_and_its_summary_by_hand(by_hand):
    accuracy, method = records(by_hand["multi_single"])
    assert (accuracy["quantity"], accuracy["multi_mean"], accuracy["single_mean"]) == ("accuracy", "0.5", "0.5")
    assert float(method["multi_mean"]) - float(method["single_mean"]) == pytest.approx(0.1)
    assert (method["multi_unscored_share"], method["multi_mean_n"]) == ("0.25", "3")
    [ece] = records(by_hand["multi_single_info_ece"])
    assert float(ece["multi_info_ece"]) == pytest.approx((0.3 + 0.1) / 2)
    assert float(ece["single_info_ece"]) == pytest.approx((0.2 + 0.2) / 2)


def test_changes_and_tau_are_those_of_the_summary():
    rows = evaluation(dialogues=6)
    summary, made = summarise(Predictions.of(rows), MetricsSettings(resamples=20)), figures(rows)
    tests = {row["by"]["method"]: row for row in summary.placebo_tests if row["by"]["target"] == "answer"}
    assert len(records(made["placebo"])) == len(tests)
    for row in records(made["placebo"]):
        test = tests[row["method"]]
        for name in ("informative", "placebo"):
            assert float(row[name]) == test[f"{name}_change"]["mean"]
            assert [float(row[f"{name}_{end}"]) for end in ("lo", "hi")] == test[f"{name}_change"]["interval"]
    taus = {row["by"]["method"]: row for row in summary.gold_tau if row["by"]["condition"] == "multi"}
    assert len(records(made["gold_tau"])) == len(taus)
    for row in records(made["gold_tau"]):
        tau = taus[row["method"]]
        assert [float(row[f"tau_gold{end}"]) for end in ("", "_lo", "_hi")] == [
            tau["tau_gold"],
            *tau["intervals"]["tau_gold"],
        ]


def test_what_does_not_exist_has_no_figure():
    alone = [prediction(turn=turn, confidence=turn / 2, correct=None) for turn in (1, 2)]
    assert list(figures(alone)) == ["levels"]  # nothing right or wrong, no summary, no placebo, no labels
    assert figures([]) == {}
    assert list(figures([prediction(confidence=None, correct=None)])) == ["unscored"]
    everything_read = [row for row in evaluation() if row.confidence is not None]
    assert "unscored" not in figures(everything_read)


def test_references_stand_back_and_are_not_counted_as_methods():
    made = figures(evaluation(methods=("p_true", "oracle_correct")))
    assert "by 1 method in" in made["levels"].caption
    assert {row["method"] for row in records(made["levels"])} == {"p_true", "oracle_correct", "all answers"}
    assert {row["method"] for row in records(made["reliability"])} == {"p_true"}


def test_with_more_than_sixteen_panels_each_model_has_its_page():
    names = tuple("abcdef"), tuple("xyz")
    made = figures(evaluation(datasets=names[0], models=names[1], methods=("p_true",), dialogues=2, length=2))
    assert [name for name in made if name.startswith("levels")] == ["levels-1", "levels-2", "levels-3"]
    pages = [{row["model"] for row in records(made[f"levels-{page}"])} for page in (1, 2, 3)]
    assert pages == [{"x"}, {"y"}, {"z"}]
    assert made["levels-2"].title.endswith("(y)")
    assert len(made) == len(set(made))


def test_other_columns_tell_panels_apart():
    rows = Predictions.of(evaluation(datasets=("20q", "guess"), methods=("p_true",)))
    assert {row["dataset"] for row in records(figures_by(rows, ("dataset", "method", "condition", "target")))} == {
        "20q", "guess",
    }  # fmt: skip


def figures_by(predictions, by):
    from hinterguesser.flow.profiles import profiles
    from hinterguesser.report.figures.catalogue import evaluation_figures

    settings = MetricsSettings(by, resamples=0)
    return evaluation_figures(summarise(predictions, settings), profiles(predictions, settings))[0]


def test_alt_texts_tell_numbers():
    made = figures(evaluation(methods=METHODS[:2]))
    assert all("%" in figure.alt or "points" in figure.alt for figure in made.values())
    assert all(figure.alt.endswith(".") and figure.caption.endswith(".") for figure in made.values())
