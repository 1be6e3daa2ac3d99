import json

import pytest

from hinterguesser.errors import UserError
from hinterguesser.flow.calscore import CalScoreSettings, calscores
from hinterguesser.store.annotations import HumanBuzzes, read_buzzes


def buzz(team, turn, correct=True):
    return {"team": team, "is_model": team.startswith("M"), "correct": correct, "word": 1, "turn": turn}


@pytest.fixture
def grace(tmp_path):
    """One question: H1 is right at turn 2 (after being wrong), H2 never; a model's buzz counts for nothing."""
    row = {"dialogue_id": "d", "buzzes": [buzz("H1", 1, False), buzz("H1", 2), buzz("H2", 3, False), buzz("M1", 1)]}
    (tmp_path / "annotations.jsonl").write_text(json.dumps(row) + "\n")
    rows = [
        {"dialogue_id": "d", "turn": turn, "length": 3, "confidence": confidence, "correct": correct}
        for turn, confidence, correct in ((1, 0.5, False), (2, 0.8, True), (3, None, True))
    ]
    rows.append({"dialogue_id": "other", "turn": 1, "length": 1, "confidence": 1.0, "correct": True})
    (tmp_path / "predictions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path


def test_who_was_right_by_which_turn(grace):
    [people] = read_buzzes(grace).values()
    assert people == HumanBuzzes({2: 1}, 2)
    assert [people.share(turn, None) for turn in (1, 2, 3)] == [0, 0.5, 0.5]
    assert people.share(3, 10) == 0.1


def test_scores_are_of_annotated_questions_and_scored_turns_only(grace):
    settings = CalScoreSettings(grace)
    [scores] = calscores(grace / "predictions.jsonl", settings)
    assert (scores["n"], scores["dialogues"]) == (2, 1)
    assert scores["mce"] == pytest.approx(1 - (0 + 0.8) / 2)
    assert scores["calscore"] == pytest.approx(1 - (0 + 0.5 * 0.8) / 2)


def test_annotations_of_other_questions_are_refused(grace):
    (grace / "annotations.jsonl").write_text(json.dumps({"dialogue_id": "x", "buzzes": []}) + "\n")
    with pytest.raises(UserError, match="not among the predictions"):
        calscores(grace / "predictions.jsonl", CalScoreSettings(grace))


def test_a_line_without_buzzes_is_named(grace):
    (grace / "annotations.jsonl").write_text('{"dialogue_id": "d"}\n')
    with pytest.raises(UserError, match=r"annotations.jsonl:1: no buzzes"):
        read_buzzes(grace)
