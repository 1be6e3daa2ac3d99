import pytest

from hinterguesser.domain.course import Course
from hinterguesser.domain.prediction import Prediction
from hinterguesser.errors import UserError
from hinterguesser.flow.courses import courses
from hinterguesser.store.predictions import write_predictions


def row(turn, method="p_true", target="answer", confidence=0.5, condition="multi", dialogue="d1", dataset="20q"):
    return Prediction(
        dataset, dialogue, "wolf", turn, 2, condition, method, target, "m",
        None if turn == 1 else "wolf", None if turn == 1 else True, confidence, None, None, None, None,
    )  # fmt: skip


ROWS = [
    row(1, confidence=None), row(2, confidence=0.75), row(2, "p_true", "gold", 0.25), row(1, condition="single"),
    row(1, dataset="guess"),
]  # fmt: skip


@pytest.mark.parametrize("name", ["", "predictions.jsonl", "predictions.parquet"])
def test_a_course_has_one_entry_a_turn_and_none_where_nothing_was_read(tmp_path, name):
    write_predictions(tmp_path, ROWS)
    found = courses(tmp_path / name)
    assert list(found) == [("20q", "d1"), ("guess", "d1")]
    multi, single = found["20q", "d1"]
    assert multi == Course(
        "m", "multi", [None, "wolf"], [None, True],
        {("p_true", "answer"): [None, 0.75], ("p_true", "gold"): [None, 0.25]},
    )  # fmt: skip
    assert (single.condition, single.confidences) == ("single", {("p_true", "answer"): [0.5, None]})


def test_a_file_of_ones_own_needs_five_columns_only(tmp_path):
    file = tmp_path / "mine.csv"
    file.write_text("dialogue_id,turn,length,confidence,correct\nd,1,2,0.5,true\nd,2,2,,false\n")
    [course] = courses(file)["", "d"]
    assert course.confidences == {("", ""): [0.5, None]}
    assert course.correct == [True, False]


@pytest.mark.parametrize("turn", [0, 3])
def test_a_turn_outside_its_dialogue_is_named_by_its_place(tmp_path, turn):
    file = tmp_path / "mine.jsonl"
    file.write_text(f'{{"dialogue_id": "d", "turn": {turn}, "length": 2, "confidence": 0.5, "correct": true}}\n')
    with pytest.raises(UserError, match=r"mine\.jsonl:1: no readable prediction"):
        courses(file)


def test_a_folder_without_predictions_says_what_to_name(tmp_path):
    with pytest.raises(UserError, match="no predictions there"):
        courses(tmp_path)
