"""`hinterguesser metrics`: anyone's predictions in, the designed JSON out; bad rows by line."""

import contextlib
import csv
import io
import json
import subprocess
import sys
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hinterguesser.cli.main import main

FIVE = ("dialogue_id", "turn", "length", "confidence", "correct")
DESIGNED = {
    "by", "n", "dialogues", "unscored_share", "accuracy", "info_ece", "info_ece_over_all_bins", "empty_bins", "tau",
    "tau_dialogues", "tie_share", "ece", "brier", "auroc", "aurc", "intervals",
}  # fmt: skip


@dataclass
class Done:
    returncode: int
    stdout: str
    stderr: str


def metrics(*arguments):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), pytest.raises(SystemExit) as left:
        main(["metrics", *map(str, arguments)])
    return Done(left.value.code, out.getvalue(), err.getvalue())


def told(*arguments):
    done = metrics(*arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def row(turn, confidence, correct, dialogue="d1", length=4, **other):
    return {
        "dialogue_id": dialogue,
        "turn": turn,
        "length": length,
        "confidence": confidence,
        "correct": correct,
    } | other


ROWS = [row(1, 0.2, False), row(2, 0.4, False), row(3, 0.7, True), row(4, 0.9, True)]


def written(tmp_path, rows, ending, name="p"):
    path = tmp_path / f"{name}.{ending}"
    if ending == "parquet":
        pq.write_table(pa.Table.from_pylist(rows), path)
    elif ending == "csv":
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    else:
        path.write_text("".join(json.dumps(each) + "\n" for each in rows))
    return path


@pytest.mark.parametrize("ending", ["jsonl", "csv", "parquet"])
def test_five_columns_of_any_format_give_the_numbers_worked_by_hand(tmp_path, ending):
    result = told(written(tmp_path, ROWS, ending))
    [group] = result["groups"]
    assert set(group) >= DESIGNED
    assert group["by"] == {}
    assert (group["n"], group["dialogues"], group["unscored_share"], group["accuracy"]) == (4, 1, 0.0, 0.5)
    assert group["info_ece"] == pytest.approx(0.25, abs=1e-12)
    assert group["info_ece_over_all_bins"] == pytest.approx(0.1, abs=1e-12)
    assert (group["empty_bins"], group["tau"], group["tau_dialogues"], group["tie_share"]) == (6, 1.0, 1, 0.0)
    assert group["brier"] == pytest.approx(0.075, abs=1e-12)
    assert group["intervals"]["tau"] is None  # one dialogue: nothing to resample


@pytest.mark.parametrize("ending", ["jsonl", "csv", "parquet"])
def test_the_three_formats_say_the_same_with_labels_and_unscored_rows(tmp_path, ending):
    rng = np.random.default_rng(0)
    rows = []
    for dialogue, method in [(d, m) for d in range(30) for m in ("a", "b")]:
        for turn in range(1, 4):
            confidence = None if rng.random() < 0.2 else float(rng.random())
            reason = "refused" if confidence is None else None
            labels = {"method": method, "entity": f"e{dialogue % 7}", "unscored_reason": reason, "note": "x,\ny"}
            rows.append(row(turn, confidence, bool(rng.random() < 0.5), f"d{dialogue}", 3, **labels))
    found = told(written(tmp_path, rows, ending), "--resamples", 50)
    assert found == told(written(tmp_path, rows, "jsonl", "again"), "--resamples", 50)
    assert [group["by"] for group in found["groups"]] == [{"method": "a"}, {"method": "b"}]
    first = found["groups"][0]
    assert first["entities"] == 7
    assert first["unscored_reasons"] == {"refused": 90 - first["n"]}
    assert set(first["intervals"]) == {"accuracy", "info_ece", "tau", "ece", "brier", "auroc", "aurc"}
    assert all(lo <= hi for lo, hi in first["intervals"].values())


def test_an_unscored_row_changes_no_value_but_the_share(tmp_path):
    more = [*ROWS, row(1, None, True, "d2", unscored_reason="refused")]
    [one] = told(written(tmp_path, ROWS, "jsonl"))["groups"]
    [other] = told(written(tmp_path, more, "jsonl"))["groups"]
    assert {name for name in one if one[name] != other[name]} == {"unscored_share", "unscored_reasons"}
    assert other["unscored_share"] == 0.2


def test_percentages_are_read_when_said_and_hinted_at_when_not(tmp_path):
    rows = [{**each, "confidence": 100 * each["confidence"]} for each in ROWS]
    path = written(tmp_path, rows, "csv")
    assert told(path, "--percent")["groups"][0]["info_ece"] == pytest.approx(0.25, abs=1e-12)
    done = metrics(path)
    assert (done.returncode, done.stdout) == (2, "")
    assert (
        f"{path}:2: 'confidence' is 20, outside [0, 1]; if confidences are percentages, give --percent" in done.stderr
    )
    done = metrics(written(tmp_path, ROWS, "csv"), "--percent")
    assert done.returncode == 2
    assert "leave --percent out" in done.stderr


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ({"confidence": 85}, "'confidence' is 85, outside [0, 1]"),
        ({"confidence": -0.1}, "'confidence' is -0.1, outside [0, 1]"),
        ({"confidence": "0.9"}, "'confidence' must be a number, got '0.9'"),
        ({"confidence": "85%"}, "'confidence' must be a number, got '85%'; write the number alone, and give --percent"),
        ({"confidence": True}, "'confidence' must be a number, got True"),
        ({"turn": 5}, "'turn' 5 is greater than 'length' 4 of its dialogue"),
        ({"turn": 0}, "'turn' must be a whole number from 1, got 0"),
        ({"turn": 1.5}, "'turn' must be a whole number from 1, got 1.5"),
        ({"turn": None}, "no 'turn'"),
        ({"turn": "two"}, "'turn' must be a number, got 'two'"),
        ({"length": None}, "no 'length'"),
        ({"dialogue_id": None}, "no 'dialogue_id'"),
        ({"dialogue_id": ["d1"]}, "'dialogue_id' must be a text, got ['d1']"),
        ({"turn": 10**20}, "'turn' must be a whole number from 1, got 1e+20"),
        ({"correct": "yes"}, "'correct' must be true or false (or 1 or 0), got 'yes'"),
        ({"correct": 2}, "'correct' must be true or false (or 1 or 0), got 2"),
        ({"turn": 3}, "turn 3 of dialogue 'd1' stands there twice (first at"),
        ({"length": 5}, "another 'length' than in an earlier row of its dialogue"),
        ({"entity": "wolf"}, "another 'entity' than in an earlier row of its dialogue"),
    ],
)
def test_a_bad_row_is_named_by_its_line(tmp_path, line, said):
    rows = [*[{**each, "entity": "bear"} for each in ROWS[:3]], {**ROWS[3], "entity": "bear", **line}]
    path = written(tmp_path, rows, "jsonl")
    path.write_text("\n" + path.read_text())  # a blank line counts as a line
    done = metrics(path)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{path}: 1 row is at fault" in done.stderr
    assert f"{path}:5: {said}" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("NaN", "not JSON"),
        ("{", "not JSON"),
        ("[1]", "expected a JSON object, got [1]"),
        ('{"dialogue_id": "d", "turn": 1, "length": 1, "confidence": NaN, "correct": true}', "3: "),
        ('{"dialogue_id": "d", "turn": 1, "length": 1, "confidence": 1e999, "correct": true}', "3: "),
    ],
)
def test_a_line_that_is_no_row_is_named(tmp_path, text, said):
    path = written(tmp_path, ROWS, "jsonl")
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:2], text, *lines[2:]]))
    done = metrics(path)
    assert done.returncode == 2
    assert f"{path}:3: " in done.stderr
    assert said in done.stderr


@pytest.mark.parametrize(("value", "shown"), [(float("nan"), "nan"), (float("inf"), "inf")])
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_nan_and_infinity_are_no_confidence(tmp_path, value, shown, ending):
    path = written(tmp_path, [*ROWS, row(1, value, True, "d2")], ending)
    done = metrics(path)
    assert done.returncode == 2
    where = f"{path}: row 5" if ending == "parquet" else f"{path}:6"
    assert f"{where}: 'confidence' is {shown}; write null (an empty cell) where there is none" in done.stderr


def test_twenty_bad_rows_are_listed_and_the_others_counted(tmp_path):
    rows = [row(1, 2.0 if number % 2 else 0.5, True, f"d{number}", 1) for number in range(100)]
    done = metrics(written(tmp_path, rows, "csv"))
    assert done.returncode == 2
    assert "50 rows are at fault" in done.stderr
    listed = [line for line in done.stderr.splitlines() if "'confidence' is 2" in line]
    assert len(listed) == 20
    assert "p.csv:3:" in listed[0]
    assert "p.csv:41:" in listed[-1]
    assert done.stderr.rstrip().endswith("and 30 more")


def test_lines_are_right_after_quoted_line_breaks_and_ragged_rows_are_found(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text(
        'dialogue_id,turn,length,confidence,correct,answer\nd,1,3,0.5,1,"a\nb"\n\nd,2,3,7,0,x\nd,3,3,0.5,1\n'
    )
    done = metrics(path)
    assert done.returncode == 2
    assert f"{path}:5: 'confidence' is 7" in done.stderr
    assert f"{path}:6: 5 cells, but the first line names 6 columns" in done.stderr


@pytest.mark.parametrize("ending", ["jsonl", "csv", "parquet"])
def test_a_missing_column_is_named(tmp_path, ending):
    rows = [{name: each[name] for name in FIVE[:4]} | {"model": "m"} for each in ROWS]
    done = metrics(written(tmp_path, rows, ending))
    assert done.returncode == 2
    assert "no column correct; every row needs dialogue_id, turn, length, confidence, correct" in done.stderr


def test_two_rows_a_turn_hint_at_the_column_that_tells_them_apart(tmp_path):
    rows = [{**each, "method": method} for method in ("a", "b") for each in ROWS]
    path = written(tmp_path, rows, "csv")
    assert len(told(path)["groups"]) == 2
    done = metrics(path, "--by", "")
    assert done.returncode == 2
    assert (
        f"{path}:6: turn 1 of dialogue 'd1' stands there twice (first at {path}:2); they differ in method"
        in done.stderr
    )


def test_by_takes_any_column_of_texts(tmp_path):
    rows = [{**each, "prompt": prompt, "method": "x"} for prompt in ("long", "short") for each in ROWS]
    for ending in ("jsonl", "csv", "parquet"):
        groups = told(written(tmp_path, rows, ending), "--by", "prompt,method")["groups"]
        assert [group["by"] for group in groups] == [{"prompt": name, "method": "x"} for name in ("long", "short")]
    done = metrics(tmp_path / "p.csv", "--by", "colour")
    assert (done.returncode, "no column colour" in done.stderr) == (2, True)
    done = metrics(tmp_path / "p.csv", "--by", "turn")
    assert (done.returncode, "--by turn" in done.stderr) == (2, True)


def test_whole_numbers_serve_as_dialogue_ids_and_0_and_1_as_truths(tmp_path):
    rows = [{**each, "dialogue_id": 7, "correct": int(each["correct"])} for each in ROWS]
    for ending in ("jsonl", "csv", "parquet"):
        assert told(written(tmp_path, rows, ending))["groups"][0]["info_ece"] == pytest.approx(0.25)
    mixed = [*rows, row(1, 0.5, True, "d8")]
    assert told(written(tmp_path, mixed, "jsonl"))["groups"][0]["dialogues"] == 2


def test_bins_and_binning_are_as_asked(tmp_path):
    path = written(tmp_path, ROWS, "csv")
    assert told(path, "--bins", 4)["groups"][0]["empty_bins"] == 0
    assert told(path, "--bins", 4, "--binning", "mass")["groups"][0]["info_ece"] == pytest.approx(0.25)


def test_no_resamples_no_intervals_and_the_same_seed_the_same_bytes(tmp_path):
    rows = [{**each, "dialogue_id": f"d{number}"} for number in range(9) for each in ROWS]
    path = written(tmp_path, rows, "parquet")
    assert told(path, "--resamples", 0)["groups"][0]["intervals"] == {}
    assert metrics(path, "--json", "--seed", 4).stdout == metrics(path, "--json", "--seed", 4).stdout


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("p.jsonl", "", "there are no predictions in it"),
        ("p.csv", "dialogue_id,turn,length,confidence,correct\n", "there are no predictions in it"),
        ("p.csv", "", "no column dialogue_id"),
        ("p.csv", "turn,turn,dialogue_id,length,confidence,correct\n1,1,d,1,1,1\n", "'turn' stands there twice"),
        ("p.txt", "x", "read from .jsonl, .csv or .parquet"),
        ("p.parquet", "x", "not a readable Parquet file"),
        ("p.jsonl", b'{"dialogue_id": "\xff"}\n', ""),
    ],
)
def test_a_file_that_cannot_be_measured_gets_one_message(tmp_path, name, content, said):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    done = metrics(path)
    assert (done.returncode, done.stdout) == (2, "")
    assert str(path) in done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_typed_parquet_columns_are_read_and_nested_ones_refused(tmp_path):
    columns = {
        "dialogue_id": pa.array(["a", "b", "a", "a"]).dictionary_encode(),
        "turn": pa.array([1, 1, 2, 3], pa.int8()),
        "length": pa.array([3, 1, 3, 3], pa.uint16()),
        "confidence": pa.array([0.5, None, 0.25, 0.75], pa.float32()),
        "correct": pa.array([True, None, False, True]),
        "method": pa.array([7, 7, 7, 7]),
    }
    pq.write_table(pa.table(columns), tmp_path / "p.parquet")
    [group] = told(tmp_path / "p.parquet")["groups"]
    assert (group["by"], group["n"], group["tau"]) == ({"method": "7"}, 3, pytest.approx(1 / 3))
    pq.write_table(pa.table(columns | {"method": pa.array([["x"]] * 4)}), tmp_path / "p.parquet")
    assert "the column 'method' holds list" in metrics(tmp_path / "p.parquet").stderr


def test_no_such_file_and_a_folder_without_predictions(tmp_path):
    assert "no such file" in metrics(tmp_path / "none.csv").stderr
    assert "no predictions.jsonl in this folder" in metrics(tmp_path).stderr


def test_the_terminal_gets_a_table_and_out_gets_all_of_them(tmp_path):
    rows = [{**each, "dialogue_id": f"d{number}", "model": "m\x1b[31m"} for number in range(5) for each in ROWS]
    done = metrics(written(tmp_path, rows, "jsonl"), "--out", tmp_path / "tables", "--resamples", 20)
    assert done.returncode == 0, done.stderr
    assert "InfoECE" in done.stdout
    assert "\x1b" not in done.stdout
    names = {path.name for path in (tmp_path / "tables").iterdir()}
    assert names == {
        "metrics.json",
        *(f"{table}.{e}" for table in ("groups", "table2") for e in ("txt", "csv", "tex", "json")),
    }
    assert json.loads((tmp_path / "tables" / "metrics.json").read_text())["groups"][0]["n"] == 20


def test_as_a_command_it_prints_json_and_nothing_else(tmp_path):
    path = str(written(tmp_path, ROWS, "csv"))
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "hinterguesser", "metrics", path, "--json"],
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["groups"][0]["n"] == 4
