"""replay on files of any origin: what it prints, and what it refuses."""

import csv
import json
import random
import subprocess
import sys

import pytest

from hinterguesser.domain.prediction import Prediction
from hinterguesser.store.predictions import write_predictions
from hinterguesser.store.traces import write_traces

KEYS = ["calibrator", "commit", "low", "budget", "rows", "ece_by_depth", "transitions"]
ROW = [
    "model", "dataset", "controller", "n", "overall_accuracy", "committed_accuracy", "coverage", "mean_retrievals",
    "abstain_share", "escalate_share",
]  # fmt: skip
CONTROLLERS = [
    "raw_gated", "calibrated_gated", "fixed_0", "fixed_1", "fixed_2", "fixed_3", "adaptive", "oracle_stop",
    "value_of_information",
]  # fmt: skip


def replay(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "hinterguesser", "replay", *map(str, arguments)],
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip


def trace_rows(questions, *, model="m", dataset="d", first=0, split=True, seed=0):
    """Confidence that means what it says, and answers that get better with depth."""
    rng = random.Random(seed)
    for number in range(first, first + questions):
        for depth in range(4):
            confidence = round(min(1.0, 0.2 * depth + rng.random() * 0.4), 2)
            correct = rng.random() < confidence
            row = {"question_id": f"q{number}", "depth": depth, "confidence": confidence, "correct": correct}
            row |= {"dataset": dataset, "model": model, "answer": "right" if correct else f"wrong {rng.random()}"}
            yield row | ({"split": "calibration" if number < first + questions // 2 else "test"} if split else {})


@pytest.fixture
def traces(tmp_path):
    path = tmp_path / "traces.jsonl"
    write_traces(trace_rows(400), path)
    return path


def test_the_json_is_that_of_the_design_and_alone_on_stdout(traces):
    done = replay(traces, "--json")
    assert done.returncode == 0, done.stderr
    plain = json.loads(done.stdout)
    assert list(plain) == KEYS
    assert all(list(row) == ROW for row in plain["rows"])
    assert [row["controller"] for row in plain["rows"]] == CONTROLLERS
    assert [list(row) for row in plain["ece_by_depth"]] == [["model", "depth", "raw", "calibrated"]] * 4
    assert [(row["model"], row["depth"]) for row in plain["transitions"]] == [("m", 0), ("m", 1), ("m", 2)]
    assert {row["n"] for row in plain["rows"]} == {200}


def test_options_reach_the_result(traces):
    options = ["--commit", "0.8", "--low", "0.1", "--budget", "1", "--calibrator", "platt_per_depth"]
    plain = json.loads(replay(traces, "--json", *options).stdout)
    assert [plain[key] for key in ("calibrator", "commit", "low", "budget")] == ["platt_per_depth", 0.8, 0.1, 1]
    assert max(row["mean_retrievals"] for row in plain["rows"]) <= 1


def test_the_three_formats_give_the_same(tmp_path):
    said = []
    for ending in ("jsonl", "csv", "parquet"):
        path = tmp_path / f"t.{ending}"
        write_traces(trace_rows(50), path)
        said.append(replay(path, "--json").stdout)
    assert said[0] == said[1] == said[2] != ""


def test_four_columns_are_enough_and_what_cannot_be_told_is_said(tmp_path):
    path = tmp_path / "t.csv"
    lines = [f"{q},{d},{0.2 * d:.1f},{str(d > 1).lower()}" for q in range(5) for d in range(4)]
    path.write_text("question_id,depth,confidence,correct\n" + "\n".join(lines) + "\n")
    done = replay(path)
    assert done.returncode == 0, done.stderr
    assert "At which depth should it commit?" in done.stdout
    assert "No scored calibration traces" in done.stdout
    as_json = replay(path, "--json")
    assert "No scored calibration traces" in as_json.stderr
    assert [row["controller"] for row in json.loads(as_json.stdout)["rows"]] == [
        "raw_gated", "fixed_0", "fixed_1", "fixed_2", "fixed_3", "oracle_stop",
    ]  # fmt: skip


def test_a_calibration_share_splits_the_questions_of_each_dataset_anew(tmp_path):
    path = tmp_path / "t.jsonl"
    rows = [*trace_rows(20, split=False), *trace_rows(20, dataset="e", split=False, seed=1)]
    write_traces(rows, path)
    plain = json.loads(replay(path, "--json", "--calibration-share", "0.25").stdout)
    assert [(row["dataset"], row["n"]) for row in plain["rows"] if row["controller"] == "calibrated_gated"] == [
        ("d", 15), ("e", 15),
    ]  # fmt: skip


def test_several_files_are_replayed_as_one_and_calibrated_together(tmp_path):
    first, second = tmp_path / "a.jsonl", tmp_path / "b.csv"
    write_traces(trace_rows(40), first)
    write_traces(trace_rows(40, dataset="e", seed=1), second)
    together = tmp_path / "both.jsonl"
    write_traces([*trace_rows(40), *trace_rows(40, dataset="e", seed=1)], together)
    assert replay(first, second, "--json").stdout == replay(together, "--json").stdout


def test_the_same_question_of_one_model_in_two_files_is_refused(tmp_path):
    for name in ("a", "b"):
        write_traces(trace_rows(4), tmp_path / f"{name}.jsonl")
    done = replay(tmp_path / "a.jsonl", tmp_path / "b.jsonl")
    assert done.returncode == 2
    assert "b.jsonl: question 'q0' of the same model stands in" in done.stderr
    assert replay(tmp_path / "a.jsonl", tmp_path / "a.jsonl").returncode == 2


def test_a_question_on_both_sides_in_two_files_is_refused(tmp_path):
    write_traces(trace_rows(4), tmp_path / "a.jsonl")
    write_traces(trace_rows(4, model="n", split=False), tmp_path / "b.jsonl")
    done = replay(tmp_path / "a.jsonl", tmp_path / "b.jsonl")
    assert done.returncode == 2
    assert "is for test here and for calibration in" in done.stderr
    again = replay(tmp_path / "a.jsonl", tmp_path / "b.jsonl", "--calibration-share", "0.5", "--json")
    assert again.returncode == 0, again.stderr
    assert {row["n"] for row in json.loads(again.stdout)["rows"]} == {2}


def test_promises_are_kept_on_calibration_traces_and_their_test_is_told(traces):
    done = replay(traces, "--pick", "coverage>=0.8", "--pick", "accuracy>=60%")
    assert done.returncode == 0, done.stderr
    assert "Thresholds that keep a promise" in done.stdout
    plain = json.loads(replay(traces, "--pick", "coverage>=0.8", "--json").stdout)
    assert list(plain) == [*KEYS, "picks"]
    [pick] = plain["picks"]
    assert pick["promise"] == "coverage>=0.8"
    assert pick["test"]["coverage"] >= 0.8
    assert pick["kept"] is True
    assert pick["calibration_n"] == 200


@pytest.mark.parametrize("wrong", ["coverage>0.8", "precision>=0.8", "accuracy>=1.5", "accuracy>=0", ""])
def test_a_promise_that_makes_no_sense_is_refused(traces, wrong):
    done = replay(traces, "--pick", wrong)
    assert done.returncode == 2
    assert "--pick" in done.stderr


def test_everything_can_be_written_to_a_folder(traces, tmp_path):
    out = tmp_path / "results"
    done = replay(traces, "--out", out, "--pick", "accuracy>=0.5")
    assert done.returncode == 0, done.stderr
    assert json.loads((out / "replay.json").read_text()) == json.loads(
        replay(traces, "--json", "--pick", "accuracy>=0.5").stdout
    )
    assert "At which depth should it commit?" in (out / "tables.txt").read_text()
    with (out / "sweep.csv").open() as file:
        rows = list(csv.DictReader(file))
    controllers = {row["controller"] for row in rows}
    assert len(controllers) == 6
    assert len(rows) == 6 * 4 * 101
    at = next(
        row for row in rows
        if (row["controller"], row["budget"], float(row["threshold"])) == ("raw_gated", "3", 0.7)
    )  # fmt: skip
    gated = json.loads((out / "replay.json").read_text())["rows"][0]
    assert float(at["overall_accuracy"]) == gated["overall_accuracy"]
    assert at["mean_cost"] == ""
    names = {path.name for path in out.iterdir()}
    assert {"accounts.csv", "transitions.csv", "risk_coverage.csv", "when_to_commit.csv", "picks.csv"} <= names
    assert "Written to" in done.stdout
    replay(traces, "--out", out)
    assert not (out / "picks.csv").exists()


def test_a_price_without_costs_is_not_made_into_a_number(traces):
    done = replay(traces, "--retrieval-price", "1")
    assert "do not say what asking cost" in done.stdout


# Evaluations: a turn is a depth.


def predictions(methods=("vanilla_verb",), condition="multi", dialogues=6, length=5):
    for number in range(dialogues):
        for method in methods:
            for turn in range(1, length + 1):
                right = turn > length // 2
                yield Prediction(
                    dataset="20q", dialogue_id=f"20q-{number}", entity=f"Entity {number}", turn=turn, length=length,
                    condition=condition, method=method, target="answer", model="m", answer="x", correct=right,
                    confidence=0.95 if turn == length else 0.4 if method == "vanilla_verb" else 0.5,
                    unscored_reason=None, p_raw=None, p_normalised=None, label_mass=None,
                )  # fmt: skip


@pytest.fixture
def evaluation(tmp_path):
    def write(rows):
        folder = tmp_path / "eval"
        folder.mkdir()
        write_predictions(folder, list(rows))
        return folder

    return write


def test_an_evaluation_is_asked_at_which_turn_to_commit(evaluation):
    done = replay(evaluation(predictions()))
    assert done.returncode == 0, done.stderr
    head, *lines = done.stdout.split("\n\n")[1].splitlines()
    assert head == "At which turn should it commit? (m, 20q)"
    table = {line.split("  ")[0].strip(): line for line in lines}
    assert table["when confidence is 90 % or more"].split("more")[1].split() == [
        "5.0", "100.0", "%", "100.0", "%", "100.0", "%",
    ]  # fmt: skip
    assert table["always at turn 1"].split()[4:] == ["1.0", "100.0", "%", "0.0", "%", "0.0", "%"]
    assert table["as soon as it is right (ceiling)"].split("(ceiling)")[1].split()[0] == "3.0"


@pytest.mark.parametrize("file", ["predictions.parquet", "predictions.jsonl"])
def test_a_predictions_file_does_as_well(evaluation, file):
    folder = evaluation(predictions())
    assert replay(folder / file, "--json").stdout == replay(folder, "--json").stdout != ""


def test_predictions_of_others_need_four_columns(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("dialogue_id,turn,confidence,correct\na,1,0.2,false\na,2,0.9,true\nb,1,,false\nb,2,0.8,true\n")
    done = replay(path)
    assert done.returncode == 0, done.stderr
    assert "At which turn should it commit?" in done.stdout
    path.write_text("dialogue_id,turn,confidence,correct\na,1,85,false\n")
    done = replay(path)
    assert done.returncode == 2
    assert "mine.csv:2: 'confidence' is 85, outside [0, 1]; divide percentages by 100" in done.stderr


def test_with_several_methods_one_must_be_named(evaluation):
    folder = evaluation(predictions(("vanilla_verb", "p_true")))
    done = replay(folder)
    assert done.returncode == 2
    assert "p_true, vanilla_verb; name one (--method)" in done.stderr
    assert replay(folder, "--method", "p_true", "--json").returncode == 0


def test_a_choice_that_is_not_there_is_told_what_is(evaluation, traces):
    folder = evaluation(predictions())
    done = replay(folder, "--condition", "single")
    assert done.returncode == 2
    assert "there are: condition multi" in done.stderr
    done = replay(traces, "--method", "p_true")
    assert done.returncode == 2
    assert "these are traces" in done.stderr


# Bad input: one message with the line, status 2, quickly.

GOOD = [{"question_id": "q", "depth": depth, "confidence": 0.5, "correct": True} for depth in range(3)]


def refused(path, *arguments):
    done = replay(path, *arguments)
    assert done.returncode == 2, done.stdout
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert len(done.stderr.strip().splitlines()) == 1
    return done.stderr


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({2: {"depth": 3}}, "t.jsonl:3: depth 3 stands here, but this question has no depth 2"),
        ({0: {"depth": 5}}, "t.jsonl:2: depth 1 stands here, but this question has no depth 0"),
        ({2: {"depth": 1}}, "t.jsonl:3: depth 1 of this question stands there twice"),
        ({0: {"split": "test"}, 1: {"split": "calibration"}, 2: {"split": "test"}}, "t.jsonl:2: another 'split'"),
        ({1: {"confidence": 85}}, "t.jsonl:2: 'confidence' is 85, outside [0, 1]; divide percentages by 100"),
        ({1: {"confidence": -0.1}}, "t.jsonl:2: 'confidence' is -0.1, outside [0, 1]"),
        ({1: {"confidence": "high"}}, "t.jsonl:2: 'confidence' must be a number, got 'high'"),
        ({1: {"correct": "yes"}}, "t.jsonl:2: 'correct' must be true or false, got 'yes'"),
        ({1: {"correct": 1}}, "t.jsonl:2: 'correct' must be true or false, got 1"),
        ({1: {"question_id": 7}}, "t.jsonl:2: 'question_id' must be a text, got 7"),
        ({1: {"depth": "two"}}, "t.jsonl:2: 'depth'"),
        ({1: {"split": "train"}}, "t.jsonl:2: 'split'"),
    ],
)
def test_bad_traces_are_refused_with_the_line(tmp_path, changed, said):
    path = tmp_path / "t.jsonl"
    rows = [{**row, **changed.get(at, {})} for at, row in enumerate(GOOD)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    message = refused(path)
    assert said in message


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("none.jsonl", None, "there is no such file or folder; name a traces file"),
        ("empty.jsonl", "", "there are no traces"),
        ("t.xlsx", "PK", "traces are read from .jsonl, .csv or .parquet"),
        ("t.parquet", "not parquet", "not a readable Parquet file"),
        ("t.csv", "question_id,depth\n", "no column confidence, correct"),
        ("t.jsonl", '{"question_id": "q"}\n', "t.jsonl:1: no 'depth'"),
        ("t.jsonl", "{\n", "t.jsonl:1: not JSON"),
        ("p.csv", "dialogue_id,turn,confidence,correct\n", "no prediction has"),
        ("p.csv", "dialogue_id,turn,confidence,correct\na,0,0.5,true\n", "p.csv:2: 'turn' must be an integer from 1"),
        ("p.csv", "dialogue_id,turn,confidence,correct\na,1,0.5,maybe\n", "p.csv:2: 'correct' must be true or false"),
        ("p.jsonl", '{"dialogue_id": "a", "turn": 1}\n[]\n', "p.jsonl:2: expected a JSON object"),
    ],
)
def test_bad_files_are_refused(tmp_path, name, content, said):
    if content is not None:
        (tmp_path / name).write_text(content)
    message = refused(tmp_path / name)
    assert said in message


def test_a_folder_without_traces_is_refused(tmp_path):
    assert "neither traces nor predictions" in refused(tmp_path)
    (tmp_path / "run.json").write_text("{}")
    assert "run the command that fills it to its end" in refused(tmp_path)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--commit", "70"], "--commit"),
        (["--low", "-0.1"], "--low"),
        (["--budget", "-1"], "--budget"),
        (["--calibrator", "magic"], "there is no calibrator 'magic'; known: isotonic"),
        (["--calibration-share", "2"], "--calibration-share"),
        (["--calibration-share", "1"], "no trace has split 'test'"),
    ],
)
def test_bad_options_are_refused(traces, arguments, said):
    done = replay(traces, *arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["jsonl", "csv"])
def test_one_bad_row_in_a_million_is_found_quickly(tmp_path, ending):
    path = tmp_path / f"t.{ending}"
    bad = 765_432
    with path.open("w") as file:
        if ending == "csv":
            file.write("question_id,depth,confidence,correct\n")
        for row in range(1_000_000):
            value = 85 if row == bad - 1 else 0.5
            if ending == "csv":
                file.write(f"q{row // 4},{row % 4},{value},true\n")
            else:
                file.write(f'{{"question_id":"q{row // 4}","depth":{row % 4},"confidence":{value},"correct":true}}\n')
    message = refused(path)
    assert f"t.{ending}:{bad + (ending == 'csv')}: 'confidence' is 85" in message
