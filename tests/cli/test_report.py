"""`report` as a real process: evaluations, traces, runs, and what is at fault."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import pytest
from made_up import predictions, told

from hinterguesser.store.predictions import write_predictions
from hinterguesser.store.run import RunFolder

DIALOGUES = [told(number, turns=4, rejected=number == 5) for number in range(6)]
METHODS = ("p_true", "vanilla_verb")


def report(*arguments, cwd=None):
    return subprocess.run(
        [sys.executable, "-m", "hinterguesser", "report", *map(str, arguments)],
        capture_output=True, text=True, cwd=cwd, timeout=300, check=False,
    )  # fmt: skip


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A run, and two evaluations of it by two models."""
    folder = tmp_path_factory.mktemp("report")
    run = RunFolder.begin(folder / "run", "generate", {}, {})
    with run.held():
        run.finished(lambda _: False)
        for dialogue in DIALOGUES:
            run.add(dialogue)
        run.settle([dialogue.id for dialogue in DIALOGUES])
    for name in ("one", "two"):
        (folder / name).mkdir()
        write_predictions(folder / name, predictions(DIALOGUES[:5], models=(name,), methods=METHODS))
    traces = folder / "traces.csv"
    lines = [
        f"q{number},{depth},{0.2 * depth + 0.01 * number},{str(depth > number % 3).lower()}"
        for number in range(12)
        for depth in range(4)
    ]
    traces.write_text("\n".join(["question_id,depth,confidence,correct", *lines]) + "\n")
    return folder


@pytest.fixture(scope="module")
def whole(made):
    out = made / "whole"
    done = report(
        made / "one", made / "two", made / "traces.csv", made / "run", "--resamples", "50", "--json", "--out", out
    )
    assert done.returncode == 0, done.stderr
    return out, json.loads(done.stdout)


def test_page_figures_tables_and_replay_are_all_there(whole):
    out, said = whole
    assert (out / "report.html").read_text().startswith("<!DOCTYPE html>")
    on_disk = {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()}
    assert on_disk == {*said["files"], "report.json"}
    for name in ("levels", "gold_tau", "placebo", "accuracy_cost", "transitions"):
        assert {f"figures/{name}.{ending}" for ending in ("png", "svg", "pdf", "csv")} <= on_disk
    assert {"tables/table2.tex", "tables/table3.csv", "replay/replay.json"} <= on_disk
    assert said["dialogues"] == len(DIALOGUES)
    assert any("of pairs of turns" in sentence for sentence in said["findings"])


def test_a_report_is_replaced_and_what_it_no_longer_has_is_gone(made):
    out = made / "again"
    assert report(made / "one", made / "run", "--resamples", "0", "--out", out).returncode == 0
    assert (out / "figures" / "levels.png").exists()
    (out / "mine.txt").write_text("mine")
    done = report(made / "run", "--out", out)
    assert done.returncode == 0, done.stderr
    assert not (out / "figures" / "levels.png").exists()
    assert (out / "mine.txt").read_text() == "mine"


def test_a_report_that_was_killed_is_made_again(made):
    out = made / "killed"
    command = [sys.executable, "-m", "hinterguesser", "report", str(made / "one"), "--out", str(out)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not list(made.glob(".killed.*/figures/*.png")) and process.poll() is None:
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not out.exists()
    done = report(made / "one", "--resamples", "0", "--out", out)
    assert done.returncode == 0, done.stderr
    assert (out / "report.html").exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_report_that_is_being_replaced_stays_whole_until_the_new_one_is(made, number):
    out = made / f"replaced-{number}"
    assert report(made / "run", "--out", out).returncode == 0
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    command = [sys.executable, "-m", "hinterguesser", "report", str(made / "one"), "--out", str(out)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    while not list(made.glob(f".{out.name}.*/figures/*.png")) and process.poll() is None:
        time.sleep(0.05)
    process.send_signal(number)
    said = process.communicate(timeout=60)[1]
    assert {path: path.read_bytes() for path in out.rglob("*") if path.is_file()} == before
    if number == signal.SIGINT:
        assert process.returncode == 130
        assert "no new report was made" in said
        assert not list(made.glob(f".{out.name}.*"))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere"], "nowhere: there is no such file or folder"),
        (["."], "nothing to report in it yet"),
        (["one", "same"], "same: holds predictions of the same model about the same turns as one"),
        (["one", "--dialogues", "nowhere"], "nowhere"),
        (["one", "--no-dialogues", "--dialogues", "run"], "give one of them"),
        (["cut.parquet"], "cut.parquet: not a readable Parquet file"),
        (["other.csv"], "other.csv: no column dialogue_id"),
        (["percent.csv"], "give --percent"),
    ],
)
def test_what_is_at_fault_gets_one_message_and_nothing_is_written(made, arguments, said):
    (made / "cut.parquet").write_bytes((made / "one" / "predictions.parquet").read_bytes()[:3000])
    (made / "other.csv").write_text("a,b\n1,2\n")
    (made / "percent.csv").write_text("dialogue_id,turn,length,confidence,correct\nd,1,1,85,true\n")
    (made / "same").mkdir(exist_ok=True)
    write_predictions(made / "same", predictions(DIALOGUES[:5], models=("one",), methods=METHODS))
    done = report(*arguments, "--out", "none", cwd=made)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert not (made / "none").exists()


def test_a_folder_that_holds_something_else_is_left_alone(made, tmp_path):
    (tmp_path / "thesis.txt").write_text("mine")
    done = report(made / "run", "--out", tmp_path)
    assert done.returncode == 2
    assert "holds something that is no report" in done.stderr
    assert os.listdir(tmp_path) == ["thesis.txt"]


def test_dialogues_that_are_not_here_are_missed_with_a_word(made):
    folder = made / "moved"
    folder.mkdir()
    write_predictions(folder, predictions(DIALOGUES[:5], models=("m",), methods=METHODS))
    record = {"schema": 1, "command": "evaluate", "asked": {"source": "/nowhere/run"}, "noted": {}}
    (folder / "run.json").write_text(json.dumps(record))
    done = report(folder, "--resamples", "0", "--out", made / "missed")
    assert done.returncode == 0, done.stderr
    assert "The dialogues of" in done.stdout
    assert "Name them with --dialogues PATH" in done.stdout


def test_predictions_of_ones_own_make_a_report(tmp_path):
    rows = predictions(DIALOGUES[:3], methods=("p_true",), conditions=("multi",))
    lines = [
        f"{row.dialogue_id},{row.turn},{row.length},{row.confidence or ''},{str(row.correct).lower()}"
        for row in rows
        if row.target == "answer"
    ]
    (tmp_path / "mine.csv").write_text("\n".join(["dialogue_id,turn,length,confidence,correct", *lines]))
    done = report("mine.csv", "--out", "out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out" / "figures" / "levels.svg").exists()


def test_hostile_names_reach_neither_the_terminal_nor_the_page(tmp_path):
    name = "m\x1b[31m<script>alert(1)</script>"
    rows = [replace(row, model=name) for row in predictions(DIALOGUES[:3], methods=METHODS)]
    write_predictions(tmp_path, rows)
    done = report(tmp_path, "--resamples", "0", "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout
    html = (tmp_path / "out" / "report.html").read_text()
    assert "<script>alert(1)" not in html
    assert "\x1b" not in html
