"""Paired differences: hand-worked values, laws, and what is refused."""

import json
from dataclasses import replace

import numpy as np
import pytest
from made_up import predictions, told

from hinterguesser.domain.prediction import Prediction
from hinterguesser.errors import UserError
from hinterguesser.flow.compare import CompareSettings, compare
from hinterguesser.store.predictions import write_predictions

DIALOGUES = [told(number) for number in range(12)]
FEW = ("p_true", "vanilla_verb")


@pytest.fixture
def written(tmp_path):
    def write(name, rows):
        folder = tmp_path / name
        folder.mkdir()
        write_predictions(folder, rows)
        return folder

    return write


def row(entity, turn, confidence, correct, **others):
    given = {
        "dataset": "d", "dialogue_id": f"{entity}-0", "entity": entity, "turn": turn, "length": 2, "condition": "multi",
        "method": "p_true", "target": "answer", "model": "m", "answer": "x", "correct": correct,
        "confidence": confidence, "unscored_reason": None, "p_raw": None, "p_normalised": None, "label_mass": None,
    }  # fmt: skip
    return Prediction(**(given | others))


def measured(compared, **by):
    return {row["measure"]: row for row in compared.rows if by.items() <= row["by"].items()}


# Two entities, two turns each; the second side has worse answers and more confidence.
FIRST = [row("a", 1, 0.2, False), row("a", 2, 0.8, True), row("b", 1, 0.4, True), row("b", 2, 0.6, True)]
SECOND = [row("a", 1, 0.6, False), row("a", 2, 0.6, False), row("b", 1, 0.9, True), row("b", 2, 0.7, True)]


def test_every_measure_of_four_turns_is_as_worked_by_hand(written):
    found = measured(compare(written("one", FIRST), written("two", SECOND)))
    expected = {
        "accuracy": (3 / 4, 2 / 4),
        "confidence": (0.5, 0.7),
        # turn 1 of 2: accuracy .5 both, confidence .3 and .75; turn 2: 1 and .5, .7 and .65
        "info_ece": ((0.2 + 0.3) / 2, (0.25 + 0.15) / 2),
        "tau": (1.0, -0.5),
        # one row a bin but .6 and .6: gaps .2, .2, .6, .4; and (.6 + .6 | .1 | .3)
        "ece": ((0.2 + 0.2 + 0.6 + 0.4) / 4, (1.2 + 0.1 + 0.3) / 4),
        "brier": ((0.04 + 0.04 + 0.36 + 0.16) / 4, (0.36 + 0.36 + 0.01 + 0.09) / 4),
        "auroc": (1.0, 1.0),
    }
    assert found.keys() == expected.keys()
    for name, (first, second) in expected.items():
        assert found[name]["first"] == pytest.approx(first)
        assert found[name]["second"] == pytest.approx(second)
        assert found[name]["difference"] == pytest.approx(second - first)
        assert found[name]["n"] == 4
        assert (found[name]["dialogues"], found[name]["entities"]) == (2, 2)


def test_sign_flips_are_exact_for_few_entities_and_holm_is_over_all_tests(written):
    compared = compare(written("one", FIRST), written("two", SECOND))
    found = measured(compared)
    # Changes of confidence by entity: .1 and .3, both up: 2 of the 4 sign patterns are as extreme.
    assert found["confidence"]["p_sign_flip"] == 0.5
    assert found["accuracy"]["p_sign_flip"] == 1.0  # -.5 and 0
    assert compared.settings["tests"] == 3
    assert {name for name, one in found.items() if one["p_holm"] is not None} == {"accuracy", "confidence", "brier"}
    assert all(one["p_holm"] >= one["p_sign_flip"] for one in found.values() if one["p_holm"] is not None)


def test_turning_the_sides_around_changes_signs_only(written):
    one = written("one", predictions(DIALOGUES, ("a",), FEW))
    other = written("two", predictions(DIALOGUES, ("b",), FEW))
    settings = CompareSettings(resamples=200)
    for there, back in zip(compare(one, other, settings).rows, compare(other, one, settings).rows, strict=True):
        assert there["difference"] == pytest.approx(-back["difference"])
        low, high = there["intervals"]["difference"]
        assert [-high, -low] == pytest.approx(back["intervals"]["difference"])
        assert there["p_sign_flip"] == back["p_sign_flip"]
        assert there["intervals"]["first"] == back["intervals"]["second"]


def test_the_same_predictions_under_another_name_differ_by_exactly_nothing(written):
    rows = predictions(DIALOGUES, ("a",), FEW)
    renamed = [replace(each, model="b") for each in rows]
    both = written("both", [*rows, *renamed])
    compared = compare(both, both, CompareSettings("a", "b", resamples=100))
    assert compared.rows
    for each in compared.rows:
        assert each["difference"] == 0
        assert each["intervals"]["difference"] == [0, 0]
        assert each["p_sign_flip"] in (None, 1.0)


def test_the_order_of_rows_and_rows_of_other_dialogues_change_nothing(written):
    one, other = predictions(DIALOGUES, ("a",), FEW), predictions(DIALOGUES, ("b",), FEW)
    plain = compare(written("a", one), written("b", other))
    shuffled = [other[place] for place in np.random.default_rng(1).permutation(len(other))]
    more = [*predictions([told(99)], ("b",), FEW), *shuffled]
    mixed = compare(written("c", one), written("d", more))
    key = lambda each: (sorted(each["by"].items()), each["measure"])  # noqa: E731
    for before, after in zip(sorted(plain.rows, key=key), sorted(mixed.rows, key=key), strict=True):
        assert before["difference"] == pytest.approx(after["difference"])
        assert before["n"] == after["n"]
    assert sum(each["only_second_has"] for each in mixed.coverage if each["quantity"] == "confidence") == 8 * 12


def test_turns_that_one_side_lacks_or_left_unscored_are_left_out_and_counted(written):
    first = [*FIRST, row("c", 1, 0.5, True), row("d", 1, None, True)]
    second = [*SECOND[:3], row("b", 2, None, True), row("d", 1, None, None), row("e", 1, 0.5, True)]
    compared = compare(written("one", first), written("two", second))
    [told_of] = [each for each in compared.coverage if each["quantity"] == "confidence"]
    assert told_of["n"] == 3
    assert told_of["common"] == 5
    assert (told_of["only_first_has"], told_of["only_second_has"]) == (1, 1)
    assert (told_of["only_first_scored"], told_of["only_second_scored"], told_of["neither_scored"]) == (1, 0, 1)
    assert told_of["first_unscored_share"] == pytest.approx(1 / 5)
    assert told_of["second_unscored_share"] == pytest.approx(2 / 5)
    assert measured(compared)["confidence"]["first"] == pytest.approx((0.2 + 0.8 + 0.4) / 3)
    assert measured(compared)["accuracy"]["n"] == 4


def test_conditions_methods_and_targets_are_never_mixed(written):
    rows = predictions(DIALOGUES[:3], ("a",), FEW)
    changed = [
        replace(each, model="b", confidence=None if each.confidence is None else each.confidence / 2)
        if (each.condition, each.method, each.target) == ("multi", "p_true", "gold")
        else replace(each, model="b")
        for each in rows
    ]
    compared = compare(written("one", rows), written("two", changed), CompareSettings(resamples=0))
    moved = {tuple(each["by"].values()) for each in compared.rows if each["difference"]}
    assert moved == {("guess", "multi", "p_true", "gold")}


def test_files_with_the_five_columns_are_enough_and_take_entities_from_the_other_side(tmp_path, written):
    plain = tmp_path / "theirs.csv"
    lines = [f"{each.dialogue_id},{each.turn},2,{each.confidence},{str(each.correct).lower()}" for each in SECOND]
    plain.write_text("dialogue_id,turn,length,confidence,correct\n" + "\n".join(lines) + "\n")
    named = [replace(each, entity="a") for each in FIRST]
    compared = compare(written("one", named), plain)
    found = measured(compared)
    assert found["confidence"]["difference"] == pytest.approx(0.2)
    assert found["confidence"]["entities"] == 1
    assert compared.second.model is None
    assert measured(compare(plain, written("two", named)))["confidence"]["entities"] == 1


def test_as_json_it_can_be_read_back(written):
    whole = compare(written("one", FIRST), written("two", SECOND)).to_dict()
    assert json.loads(json.dumps(whole, allow_nan=False)) == whole


def test_a_seed_decides_every_interval_and_p_value(written):
    one = written("one", predictions(DIALOGUES, ("a",), FEW))
    other = written("two", predictions(DIALOGUES, ("b",), FEW))
    settings = CompareSettings(seed=3, resamples=100)
    assert compare(one, other, settings).rows == compare(one, other, settings).rows


def test_what_cannot_be_compared_is_refused_with_a_way_out(tmp_path, written):
    one = written("one", FIRST)
    several = written("several", [*SECOND, *(replace(each, model="n") for each in SECOND)])
    with pytest.raises(UserError, match=r"several models \('m', 'n'\); choose one with --second-model"):
        compare(one, several)
    with pytest.raises(UserError, match=r"no rows of the model 'o' \(--first-model\); there are: 'm'"):
        compare(one, several, CompareSettings("o", "n"))
    with pytest.raises(UserError, match="the same predictions and the same model"):
        compare(one, one / "predictions.jsonl")
    with pytest.raises(UserError, match="the same predictions and the same model"):
        compare(several, several, CompareSettings("n", "n"))
    with pytest.raises(UserError, match="no turn in common"):
        compare(one, written("else", [replace(each, dialogue_id="z" + each.dialogue_id) for each in SECOND]))
    with pytest.raises(UserError, match="'a-0' differs in length"):
        compare(one, written("longer", [replace(each, length=3) for each in SECOND]))
    with pytest.raises(UserError, match="differs in entity"):
        compare(one, written("others", [replace(each, entity="z") for each in SECOND]))
    plain = tmp_path / "plain.csv"
    plain.write_text("dialogue_id,turn,length,confidence,correct\na-0,1,2,0.5,true\n")
    two_methods = [*FIRST, *(replace(each, method="cot_verb") for each in FIRST)]
    with pytest.raises(UserError, match=r"several values of 'method' .* add the column 'method' there"):
        compare(plain, written("methods", two_methods))
