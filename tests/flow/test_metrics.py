"""A whole evaluation's numbers: certificates keep the theory's promises, and a brute-force count agrees."""

import itertools

import numpy as np
import pytest

from hinterguesser.domain.prediction import Prediction
from hinterguesser.domain.predictions import LABELS, Predictions
from hinterguesser.flow.generate import GenerateSettings, generate
from hinterguesser.flow.metrics import MetricsSettings, metrics, summarise
from hinterguesser.store.predictions import write_predictions
from hinterguesser.store.run import RunFolder

QUICK = MetricsSettings(resamples=50)


def prediction(**fields):
    whole = {
        "dataset": "20q", "dialogue_id": "d1", "entity": "wolf", "turn": 1, "length": 2, "condition": "multi",
        "method": "p_true", "target": "answer", "model": "m", "answer": "wolf", "correct": True, "confidence": 0.5,
        "unscored_reason": None, "p_raw": None, "p_normalised": None, "label_mass": None,
    }  # fmt: skip
    return Prediction(**{**whole, **fields})


@pytest.fixture(scope="module", params=["20q", "guess"])
def certified(request, tmp_path_factory):
    """Dialogues of the oracle about the shipped list, with both references and a method that always says 0.3."""
    run = tmp_path_factory.mktemp("runs") / request.param
    generate(GenerateSettings(request.param, limit=60), run)
    rows, dialogues = [], [dialogue for dialogue in RunFolder.open(run).dialogues() if dialogue.kept]
    for dialogue in dialogues:
        for turn in dialogue.turns:
            left = turn.n_candidates
            for method, confidence in (
                ("oracle_correct", 1 / left), ("oracle_sufficient", float(left == 1)), ("constant", 0.3),
            ):  # fmt: skip
                rows.append(
                    prediction(
                        dataset=dialogue.game, dialogue_id=dialogue.id, entity=dialogue.entity.name, turn=turn.turn,
                        length=dialogue.length, method=method, correct=turn.guess_correct, confidence=confidence,
                    )
                )  # fmt: skip
    return dialogues, rows


def group(summary, method):
    [found] = [each for each in summary.groups if each["by"]["method"] == method]
    return found


def test_true_sufficiency_has_the_tau_and_auroc_that_theory_says(certified):
    # Uniqueness ends a dialogue, so it is 0 ... 0 1: L - 1 of L (L - 1) / 2 pairs rise, none falls.
    dialogues, rows = certified
    assert all([turn.n_candidates == 1 for turn in d.turns] == [False] * (d.length - 1) + [True] for d in dialogues)
    summary = summarise(Predictions.of(rows), QUICK)
    found = group(summary, "oracle_sufficient")
    several = [dialogue.length for dialogue in dialogues if dialogue.length > 1]
    assert found["tau"] == pytest.approx(np.mean([2 / length for length in several]), abs=1e-12)
    assert found["tau"] == pytest.approx(found["tau_attainable"], abs=1e-12)
    assert found["tau_dialogues"] == len(several)
    # As a judge of uniqueness itself it makes no error.
    unique = {(row.dialogue_id, row.turn): row.confidence for row in rows if row.method == "oracle_sufficient"}
    as_method = [row for row in rows if row.method != "oracle_sufficient"]
    copy = [
        prediction(dataset=row.dataset, dialogue_id=row.dialogue_id, entity=row.entity, turn=row.turn,
                   length=row.length, method="copy", correct=row.correct, confidence=unique[row.dialogue_id, row.turn])
        for row in as_method if row.method == "constant"
    ]  # fmt: skip
    references = summarise(Predictions.of([*rows, *copy]), QUICK).references
    by_method = {row["by"]["method"]: row["uniqueness"] for row in references}
    assert by_method["copy"]["auroc"] == 1.0
    assert [by_method["copy"][name] for name in ("info_ece", "ece", "brier", "regret")] == [0.0] * 4
    assert by_method["constant"]["auroc"] == 0.5
    share = by_method["constant"]["unique_share"]
    assert share == pytest.approx(len(dialogues) / sum(dialogue.length for dialogue in dialogues))
    assert by_method["constant"]["regret"] == pytest.approx(share * 0.49 + (1 - share) * 0.09, abs=1e-12)


def test_the_chance_to_be_right_never_falls_and_rises_at_every_turn_that_narrows(certified):
    dialogues, rows = certified
    found = group(summarise(Predictions.of(rows), QUICK), "oracle_correct")
    assert found["tau"] >= 0
    assert found["tau"] == pytest.approx(found["tau_attainable"], abs=1e-12)  # ties are all that keeps it from 1
    narrowing = {
        dialogue.id
        for dialogue in dialogues
        if all(b.n_candidates < a.n_candidates for a, b in itertools.pairwise(dialogue.turns))
    }
    assert narrowing
    strict = group(
        summarise(Predictions.of([row for row in rows if row.dialogue_id in narrowing]), QUICK), "oracle_correct"
    )
    assert strict["tau"] == 1.0


def test_one_who_guesses_at_random_among_what_fits_has_no_regret_on_average(certified):
    dialogues, _ = certified
    rng = np.random.default_rng(0)
    rows = []
    for again, dialogue in itertools.product(range(40), dialogues):
        for turn in dialogue.turns:
            chance = 1 / turn.n_candidates
            right = bool(rng.random() < chance)
            for method, confidence in (("oracle_correct", chance), ("sure", 1.0)):
                rows.append(
                    prediction(dialogue_id=f"{dialogue.id}/{again}", entity=dialogue.entity.name, turn=turn.turn,
                               length=dialogue.length, method=method, correct=right, confidence=confidence)
                )  # fmt: skip
    summary = summarise(Predictions.of(rows), MetricsSettings(resamples=0))
    assert group(summary, "oracle_correct")["info_ece"] < 0.02
    [sure] = [row["correctness"] for row in summary.references if row["by"]["method"] == "sure"]
    assert sure["regret"] > 0.3
    assert sure["regret"] == pytest.approx(sure["distance"], abs=0.02)  # as for any truly calibrated reference


def test_a_folder_that_evaluate_filled_and_its_predictions_give_the_same_summary(certified, tmp_path):
    _, rows = certified
    write_predictions(tmp_path, rows)
    from_folder = metrics(tmp_path, QUICK).to_dict()
    assert from_folder == summarise(Predictions.of(rows), QUICK).to_dict()
    (tmp_path / "predictions.parquet").unlink()
    assert metrics(tmp_path, QUICK).to_dict() == from_folder


def many(seed=0):
    """Two models, methods, targets; three conditions; 12 dialogues of 6 entities; some unscored."""
    rng = np.random.default_rng(seed)
    rows = []
    for model, condition, dialogue in itertools.product(("m", "n"), ("multi", "placebo", "single"), range(12)):
        for turn in range(1, 5):
            right = bool(rng.random() < turn / 4)
            for method, target in itertools.product(("p_true", "vanilla_verb"), ("answer", "gold")):
                unscored = rng.random() < 0.1
                rows.append(
                    prediction(
                        dialogue_id=f"d{dialogue}", entity=f"e{dialogue // 2}", turn=turn, length=4, model=model,
                        condition=condition, method=method, target=target, correct=right,
                        confidence=None if unscored else round(float(rng.random()), 1),
                        unscored_reason="no percentage in reply" if unscored else None,
                    )
                )  # fmt: skip
    return rows


def test_groups_and_accuracy_agree_with_a_count_by_hand():
    rows = many()
    summary = summarise(Predictions.of(rows), QUICK)
    assert len(summary.groups) == 2 * 3 * 2 * 2
    for each in summary.groups:
        own = [row for row in rows if all(getattr(row, name) == each["by"][name] for name in LABELS)]
        scored = [row for row in own if row.confidence is not None]
        assert each["n"] == len(scored)
        assert each["unscored_share"] == pytest.approx(1 - len(scored) / 48)
        assert each["unscored_reasons"] == {"no percentage in reply": 48 - len(scored)}
        assert each["accuracy"] == pytest.approx(sum(row.correct for row in scored) / len(scored))
        gaps = []
        for turn in range(1, 5):
            here = [row for row in scored if row.turn == turn]
            gaps.append(abs(np.mean([row.correct for row in here]) - np.mean([row.confidence for row in here])))
        assert each["info_ece"] == pytest.approx(np.mean(gaps), abs=1e-9)
        assert each["intervals"]["info_ece"][0] <= each["info_ece"]
    for each in summary.accuracy:
        answers = {
            (row.dialogue_id, row.turn): row.correct
            for row in rows
            if (row.model, row.condition) == (each["by"]["model"], each["by"]["condition"])
        }
        assert each["n"] == 48
        assert each["accuracy"] == pytest.approx(np.mean(list(answers.values())))


def test_every_comparison_is_there_and_holm_counts_them_all():
    summary = summarise(Predictions.of(many()), QUICK)
    assert len(summary.placebo_tests) == 2 * 2 * 2
    assert len(summary.multi_single) == 2 * 2 * 2 + 2
    assert summary.settings["tests"] == 3 * 8 + 10
    assert len(summary.gold_tau) == 2 * 3 * 2
    changes = [
        row[name] for row in summary.placebo_tests for name in ("informative_change", "placebo_change", "difference")
    ]
    changes += [row["difference"] for row in summary.multi_single]
    least = min(changes, key=lambda change: change["p_sign_flip"])
    assert least["p_holm"] == pytest.approx(min(1, 34 * least["p_sign_flip"]))
    assert all(change["p_holm"] >= change["p_sign_flip"] for change in changes)


def test_rows_in_any_order_give_the_same_summary():
    rows = many()
    shuffled = [rows[place] for place in np.random.default_rng(1).permutation(len(rows))]

    def by_name(summary):
        return {tuple(sorted(each["by"].items())): each for each in summary.groups}

    one, other = (by_name(summarise(Predictions.of(each), QUICK)) for each in (rows, shuffled))
    assert one.keys() == other.keys()
    for key, each in one.items():
        for name in ("n", "accuracy", "info_ece", "tau", "ece", "brier", "auroc", "aurc"):
            assert each[name] == pytest.approx(other[key][name], abs=1e-12)


def test_a_group_says_the_same_whatever_other_groups_there_are():
    rows = many()
    alone = [row for row in rows if row.model == "n"]
    whole, part = (summarise(Predictions.of(each), QUICK) for each in (rows, alone))
    assert [each for each in whole.groups if each["by"]["model"] == "n"] == list(part.groups)


def test_with_columns_of_ones_own_only_groups_are_measured():
    rows = [row for row in many() if row.target == "answer" and row.condition == "multi"]
    summary = summarise(Predictions.of(rows), MetricsSettings(by=("method", "model"), resamples=0))
    assert summary.groups[0]["by"] == {"method": "p_true", "model": "m"}
    assert (summary.accuracy, summary.placebo_tests, summary.references) == ((), (), ())


def test_no_rows_give_no_groups():
    assert summarise(Predictions.of([])).groups == ()
