import json

import pytest

from hinterguesser.errors import UserError
from hinterguesser.replay.controllers import Gate
from hinterguesser.replay.pick import Promise
from hinterguesser.replay.result import ReplaySettings, replay
from hinterguesser.replay.tables import tables

CONTROLLERS = [
    "raw_gated", "calibrated_gated", "fixed_0", "fixed_1", "fixed_2", "fixed_3", "adaptive", "oracle_stop",
    "value_of_information",
]  # fmt: skip


@pytest.fixture
def result(make_rows, make_traces):
    return replay(make_traces(make_rows(105)), ReplaySettings(resamples=50, promises=(Promise("coverage", 0.2),)))


def test_the_json_has_the_keys_of_the_design(result):
    plain = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert list(plain) == ["calibrator", "commit", "low", "budget", "rows", "ece_by_depth", "transitions"]
    assert (plain["calibrator"], plain["commit"], plain["low"], plain["budget"]) == ("isotonic", 0.7, 0.3, 3)
    assert list(plain["rows"][0]) == [
        "model", "dataset", "controller", "n", "overall_accuracy", "committed_accuracy", "coverage",
        "mean_retrievals", "abstain_share", "escalate_share",
    ]  # fmt: skip
    assert [row["controller"] for row in plain["rows"][: len(CONTROLLERS)]] == CONTROLLERS
    assert list(plain["ece_by_depth"][0]) == ["model", "depth", "raw", "calibrated"]
    assert list(plain["transitions"][0])[:3] == ["model", "depth", "n"]


def test_the_details_are_json_too(result):
    plain = json.loads(json.dumps(result.details(), allow_nan=False))
    assert {"notes", "accounts", "calibrated_less_raw", "matched", "depths", "picks"} <= plain.keys()


def test_the_same_seed_gives_the_same_result(make_rows, make_traces):
    results = [replay(make_traces(make_rows(105)), ReplaySettings(resamples=50)).details() for _ in range(2)]
    assert results[0] == results[1]


def test_without_calibration_traces_the_controllers_that_need_them_are_left_out_and_it_is_said(make_traces):
    rows = [{"question_id": f"q{q}", "depth": 0, "confidence": 0.8, "correct": True} for q in range(3)]
    result = replay(make_traces(rows))
    names = [row["controller"] for row in result.to_dict()["rows"]]
    assert names == ["raw_gated", "fixed_0", "fixed_1", "fixed_2", "fixed_3", "oracle_stop"]
    assert result.to_dict()["ece_by_depth"][0]["calibrated"] is None
    assert any("calibration" in note for note in result.notes)
    assert any("adaptive" in note for note in result.notes)


def test_shares_add_up_to_one(result):
    for row in result.to_dict()["rows"]:
        assert row["coverage"] + row["abstain_share"] + row["escalate_share"] == pytest.approx(1)


def test_only_test_traces_are_counted(make_rows, make_traces):
    rows = make_rows(105)
    asked = {(row["model"], row["dataset"], row["question_id"]) for row in rows if row["split"] == "test"}
    counted = [row["n"] for row in replay(make_traces(rows)).to_dict()["rows"] if row["controller"] == "raw_gated"]
    assert sum(counted) == len(asked)


def test_traces_without_test_rows_are_refused(make_traces):
    rows = [{"question_id": "q", "depth": 0, "confidence": 0.5, "correct": True, "split": "calibration"}]
    with pytest.raises(UserError, match="no trace has split 'test'"):
        replay(make_traces(rows))


def test_tables_can_be_read(result):
    text = "\n\n".join(table.text() for table in tables(result))
    assert "What acting on confidence wins and costs (m, a)" in text
    assert "calibrated_gated" in text
    assert "%" in text
    assert "None" not in text
    assert "nan" not in text


@pytest.mark.parametrize("wrong", [{"commit": 1.2}, {"low": -0.1}, {"budget": -1}])
def test_a_gate_out_of_range_is_refused(wrong):
    with pytest.raises(ValueError, match=r"must lie in|cannot be negative"):
        Gate(**wrong)
