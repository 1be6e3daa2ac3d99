import numpy as np
import pytest

from hinterguesser.errors import UserError
from hinterguesser.replay.dialogue_traces import traces_from_predictions
from hinterguesser.replay.grid import Calibration, held_out
from hinterguesser.replay.traces import build_traces


def place(row):
    return f"t.jsonl:{row + 1}"


def columns(**changed):
    base = {
        "question_id": ["q", "q", "r"],
        "depth": [0, 1, 0],
        "confidence": [0.2, None, 0.9],
        "correct": [False, True, True],
    }
    return {**base, **changed}


def test_rows_may_stand_in_any_order_and_traces_keep_the_order_of_first_appearance():
    traces = build_traces(columns(question_id=["r", "q", "r"], depth=[1, 0, 0], confidence=[0.5, 0.6, 0.7]), place)
    assert traces.question_id == ("r", "q")
    assert traces.trace.tolist() == [0, 0, 1]
    assert traces.confidence.tolist() == [0.7, 0.5, 0.6]


def test_a_missing_confidence_stays_missing():
    traces = build_traces(columns(), place)
    assert np.isnan(traces.confidence).tolist() == [False, True, False]


def test_without_a_split_everything_is_test():
    traces = build_traces(columns(), place)
    assert len(held_out(traces)) == 2
    assert len(Calibration(traces).grid) == 0


def test_the_same_question_of_two_models_or_datasets_is_two_traces():
    traces = build_traces(
        columns(question_id=["q"] * 3, depth=[0] * 3, model=["m", "n", "m"], dataset=["a", "a", "b"]), place
    )
    assert len(traces) == 3


def test_answers_are_the_same_after_normalisation():
    traces = build_traces(columns(answer=["The Louvre", "louvre!", None]), place)
    assert traces.answer.tolist() == [0, 0, -1]
    assert traces.has_answers


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"depth": [0, 2, 0]}, "t.jsonl:2: depth 2 stands here, but this question has no depth 1"),
        ({"depth": [0, 1, 1]}, "t.jsonl:3: depth 1 stands here, but this question has no depth 0"),
        ({"depth": [0, 0, 0]}, r"t.jsonl:2: depth 0 of this question stands there twice \(first in t.jsonl:1\)"),
        ({"depth": [0, 1.5, 0]}, "t.jsonl:2: 'depth' must be an integer from 0, got 1.5"),
        ({"depth": [0, -1, 0]}, "t.jsonl:2: 'depth' must be an integer from 0, got -1"),
        ({"depth": [0, None, 0]}, "t.jsonl:2: 'depth' must be an integer from 0, got no value"),
        ({"depth": [0, True, 0]}, "t.jsonl:2: 'depth' must be a number, got True"),
        ({"split": ["test", "calibration", "test"]}, "t.jsonl:2: another 'split' than in an earlier row"),
        ({"split": ["test", "test", "dev"]}, "t.jsonl:3: 'split' must be 'calibration' or 'test', got 'dev'"),
        ({"split": ["test", "test", None]}, "t.jsonl:3: 'split' has no value here"),
        ({"confidence": [0.2, 0.5, 85]}, r"t.jsonl:3: 'confidence' is 85, outside \[0, 1\]; divide percentages by 100"),
        ({"confidence": [0.2, -0.1, 1]}, r"t.jsonl:2: 'confidence' is -0.1, outside \[0, 1\]$"),
        ({"confidence": [0.2, 300, 1]}, r"outside \[0, 1\]$"),
        ({"confidence": [0.2, "0.5", 1]}, "t.jsonl:2: 'confidence' must be a number, got '0.5'"),
        ({"confidence": [0.2, True, 1]}, "t.jsonl:2: 'confidence' must be a number, got True"),
        ({"confidence": [0.2, float("nan"), 1]}, "t.jsonl:2: 'confidence' is nan; write null"),
        ({"confidence": [0.2, 10**400, 1]}, "t.jsonl:2: 'confidence' is too large"),
        ({"correct": [True, 1, True]}, "t.jsonl:2: 'correct' must be true or false, got 1; use one type"),
        ({"correct": [1, True, 0]}, "t.jsonl:2: 'correct' must be 0 or 1, as in the rows before, got True"),
        ({"correct": [1, 2, 0]}, "t.jsonl:2: 'correct' must be 0 or 1"),
        ({"correct": [True, None, True]}, "t.jsonl:2: 'correct' must be true or false, got null"),
        ({"correct": ["true", "false", "true"]}, "t.jsonl:1: 'correct' must be true or false, got 'true'"),
        ({"question_id": ["1", 1, "2"]}, "t.jsonl:2: 'question_id' must be a text, got 1; use one type"),
        ({"question_id": [1, "1", 2]}, "t.jsonl:2: 'question_id' must be an integer, as in the rows before, got '1'"),
        ({"question_id": ["q", None, "r"]}, "t.jsonl:2: 'question_id' has no value"),
        ({"model": [1, 1, 1]}, "t.jsonl:1: 'model' must be a text, got 1"),
        ({"cost": [0.1, -1, 0]}, "t.jsonl:2: 'cost' is -1; a cost cannot be negative"),
        ({"entity": ["e", "f", "e"]}, "t.jsonl:2: another 'entity' than in an earlier row"),
        ({"question_id": [], "depth": [], "confidence": [], "correct": []}, "t.jsonl:1: there are no traces"),
    ],
)
def test_a_bad_row_is_named_with_the_way_out(changed, message):
    with pytest.raises(UserError, match=message):
        build_traces(columns(**changed), place)


def test_one_question_of_two_models_must_have_one_split():
    with pytest.raises(UserError, match=r"another 'split'.*t.jsonl:1"):
        build_traces(
            columns(question_id=["q"] * 3, depth=[0] * 3, model=["m", "n", "o"], split=["test", "calibration", "test"]),
            place,
        )


def test_a_missing_column_is_named():
    with pytest.raises(UserError, match="no column 'correct'; traces need question_id, depth, confidence, correct"):
        build_traces({name: values for name, values in columns().items() if name != "correct"}, place)


def prediction(dialogue, turn, **changed):
    row = {
        "dataset": "guess", "dialogue_id": dialogue, "entity": dialogue.split("-")[0], "turn": turn, "length": 3,
        "condition": "multi", "method": "p_true", "target": "answer", "model": "m", "answer": "Bogor",
        "correct": True, "confidence": 0.5, "unscored_reason": None,
    }  # fmt: skip
    return {**row, **changed}


def test_a_turn_is_a_depth_and_other_conditions_and_targets_are_left_out():
    rows = [prediction("a-0", turn) for turn in (1, 2, 3)]
    rows += [prediction("a-0", 2, condition="placebo"), prediction("a-0", 1, target="gold")]
    traces = traces_from_predictions(rows, place)
    assert traces.depth.tolist() == [0, 1, 2]
    assert traces.question_id == ("a-0",)


def test_the_four_columns_that_metrics_needs_are_enough():
    rows = [{"dialogue_id": "d", "turn": turn, "length": 2, "confidence": 0.5, "correct": True} for turn in (1, 2)]
    assert len(traces_from_predictions(rows, place)) == 1


def test_a_turn_without_an_answer_counts_as_not_right():
    rows = [prediction("a-0", 1, answer=None, correct=None, confidence=None)]
    assert traces_from_predictions(rows, place).correct.tolist() == [False]


def test_a_scored_turn_without_correctness_is_refused():
    with pytest.raises(UserError, match=r"t.jsonl:1: 'correct' must be true or false, got null"):
        traces_from_predictions([prediction("a-0", 1, correct=None)], place)


def test_one_of_several_methods_must_be_named():
    rows = [prediction("a-0", 1), prediction("a-0", 1, method="vanilla_verb", confidence=0.9)]
    with pytest.raises(UserError, match="several methods: p_true, vanilla_verb; name one"):
        traces_from_predictions(rows, place)
    assert traces_from_predictions(rows, place, method="vanilla_verb").confidence.tolist() == [0.9]
    with pytest.raises(UserError, match=r"no prediction has .*method 'cot_verb'"):
        traces_from_predictions(rows, place, method="cot_verb")


def test_an_error_names_the_row_of_the_file_not_of_the_selection():
    rows = [prediction("a-0", 1, condition="single"), prediction("a-0", 1, confidence=3)]
    with pytest.raises(UserError, match=r"t.jsonl:2: 'confidence'"):
        traces_from_predictions(rows, place)


def test_entities_are_split_in_source_order_and_never_straddle():
    rows = [prediction(f"{entity}-{n}", 1) for n in range(2) for entity in "abcd"]
    traces = traces_from_predictions(rows, place, calibration_share=0.5)
    split = {name: bool(test) for name, test in zip(traces.question_id, traces.is_test, strict=True)}
    assert split == {f"{entity}-{n}": entity in "cd" for n in range(2) for entity in "abcd"}
    assert len(set(traces.cluster.tolist())) == 4
