"""`compare` as a real process: tables, JSON, files, and statuses."""

import json
import subprocess
import sys
from dataclasses import replace

import pytest
from made_up import predictions, told

from hinterguesser.store.predictions import write_predictions

ODD = "m\x1b[31m"


def run(*arguments):
    command = [sys.executable, "-c", "from hinterguesser.cli.main import main; main()", "compare", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture(scope="module")
def sides(tmp_path_factory):
    folder = tmp_path_factory.mktemp("compare")
    rows = predictions([told(number) for number in range(8)], methods=("p_true", "p_sufficient"))
    moved = [
        replace(each, model=ODD, confidence=None if each.confidence is None else min(1.0, each.confidence + 0.3))
        for each in rows
    ]
    for name, some in (("one", rows), ("two", moved)):
        (folder / name).mkdir()
        write_predictions(folder / name, some)
    return folder / "one", folder / "two"


def test_the_terminal_gets_both_sides_with_intervals_n_and_what_was_left_out(sides):
    done = run(*sides, "--resamples", "100")
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout
    for part in ("InfoECE", "p (Holm)", "unscored", "p < 0.05", "in both", "second less first"):
        assert part in done.stdout
    assert "placebo" in done.stdout.split("\n\n")[1]  # accuracy: every condition
    assert "gold" not in done.stdout


def test_out_has_every_condition_and_target_in_four_shapes(sides, tmp_path):
    done = run(*sides, "--resamples", "100", "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    names = {path.name for path in (tmp_path / "out").iterdir()}
    tables = ("accuracy_differences", "confidence_differences", "common_turns")
    assert names == {f"{table}.{ending}" for table in tables for ending in ("txt", "csv", "tex", "json")}
    rows = json.loads((tmp_path / "out/confidence_differences.json").read_text())["rows"]
    assert {row["by"]["target"] for row in rows} == {"answer", "gold"}
    head = (tmp_path / "out/confidence_differences.csv").read_text().splitlines()[0]
    assert "intervals.difference.lo" in head


def test_json_says_the_same_as_the_files(sides, tmp_path):
    done = run(*sides, "--resamples", "100", "--json", "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    whole = json.loads(done.stdout)
    assert whole["second"]["model"] == ODD
    written = json.loads((tmp_path / "accuracy_differences.json").read_text())["rows"]
    assert written == [row for row in whole["rows"] if row["measure"] == "accuracy"]


def test_the_same_evaluation_twice_is_status_2_with_one_message(sides):
    done = run(sides[0], sides[0])
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "name two evaluations or two models" in done.stderr
