"""`show` as a real process: in a terminal of 60 columns, without one, with NO_COLOR, and read by `head`."""

import os
import pty
import re
import subprocess
import sys

import pytest
from made_up import predictions, told

from hinterguesser.report.tables import columns
from hinterguesser.store.predictions import write_predictions
from hinterguesser.store.run import RunFolder

DIALOGUES = [told(number, rejected=number % 3 == 0) for number in range(40)]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("show")
    made = RunFolder.begin(folder / "run", "generate", {}, {})
    with made.held():
        made.finished(lambda _: False)
        for dialogue in DIALOGUES:
            made.add(dialogue)
        made.settle([dialogue.id for dialogue in DIALOGUES])
    write_predictions(folder, predictions([DIALOGUES[1]]))
    return folder / "run"


def command(*arguments):
    return [sys.executable, "-c", "from hinterguesser.cli.main import main; main()", "show", *map(str, arguments)]


def shown(*arguments, **environment):
    return subprocess.run(
        command(*arguments), capture_output=True, text=True, timeout=60, check=False, env={**os.environ, **environment}
    )


def in_terminal(*arguments, columns=60, **environment):
    """What a terminal so wide gets to see, and the exit status."""
    ours, theirs = pty.openpty()
    settings = {**os.environ, "COLUMNS": str(columns), "TERM": "xterm", **environment}
    settings.pop("NO_COLOR", None) if "NO_COLOR" not in environment else None
    process = subprocess.Popen(command(*arguments), stdin=theirs, stdout=theirs, stderr=theirs, env=settings)
    os.close(theirs)
    seen = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # Linux says so when the other end is closed
            break
        if not part:
            break
        seen += part
    os.close(ours)
    return seen.decode().replace("\r\n", "\n"), process.wait(timeout=60)


def test_without_an_id_all_are_counted_and_listed(run):
    done = shown(run)
    assert done.returncode == 0
    first, _, *rows = done.stdout.splitlines()
    assert first == "26 kept, 14 rejected (14 leak)"
    assert len(rows) == len(DIALOGUES)
    assert "\x1b" not in done.stdout


def test_rejected_ones_can_be_asked_for_by_reason(run):
    assert len(shown(run, "--rejected", "--reason", "leak").stdout.splitlines()) == 16
    assert shown(run, "--rejected", "--limit", "3").stdout.splitlines()[0] == "0 kept, 3 rejected (3 leak)"
    other = shown(run, "--reason", "budget")
    assert other.returncode == 2
    assert "no dialogue was rejected for 'budget'; there are: 'leak'" in other.stderr


@pytest.mark.parametrize("asked", ["guess-00001-0", "guess-00001", DIALOGUES[1].entity.name])
def test_a_dialogue_is_found_by_id_by_its_beginning_and_by_entity(run, asked):
    done = shown(run, asked)
    assert done.returncode == 0
    assert DIALOGUES[1].turns[0].hint.answer.split()[-1] in done.stdout


def test_what_may_be_several_or_none_is_said(run):
    several = shown(run, "guess-0000")
    assert several.returncode == 2
    assert "may be any of 10 dialogues: 'guess-00000-0'" in several.stderr
    none = shown(run, "guess-99999-0")
    assert none.returncode == 2
    assert "there is no dialogue 'guess-99999-0'; did you mean" in none.stderr


def test_a_terminal_of_60_columns_gets_colours_and_no_longer_line(run):
    seen, status = in_terminal(run, "guess-00001-0", "--no-pager", "--predictions", run.parent)
    assert status == 0
    assert "\x1b[1m" in seen
    plain = re.sub("\x1b\\[\\d+m", "", seen)
    assert max(columns(line) for line in plain.splitlines()) <= 60
    assert "█" in plain


def test_a_terminal_without_pager_program_still_shows_all(run):
    seen, status = in_terminal(run, PAGER="cat")
    assert status == 0
    assert "guess-00039-0" in seen


def test_no_color_is_kept_to(run):
    seen, status = in_terminal(run, "guess-00001-0", "--no-pager", NO_COLOR="1")
    assert status == 0
    assert "\x1b" not in seen


def test_head_ends_it_quietly(run):
    pipe = f"{' '.join(map(repr, command(run, 'guess-00001-0')))} | head -1"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", pipe], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0
    assert done.stderr == ""
    assert len(done.stdout.splitlines()) == 1


def test_an_encoding_without_blocks_gets_marks(run):
    done = shown(run, "guess-00001-0", "--predictions", run.parent, PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert done.returncode == 0
    assert done.stdout.isascii()
    assert "[#" in done.stdout


def test_json_is_the_dialogue_as_it_is_stored(run):
    import json

    [found] = json.loads(shown(run, "guess-00001-0", "--json").stdout)["dialogues"]
    assert found == json.loads(json.dumps(DIALOGUES[1].to_dict()))


def test_predictions_about_other_dialogues_are_said_to_be_so(run):
    done = shown(run, "guess-00002-0", "--predictions", run.parent)
    assert done.returncode == 2
    assert "holds nothing about 'guess-00002-0'" in done.stderr
    assert "name its ID too" in shown(run, "--predictions", run.parent).stderr


def test_a_dataset_that_is_not_there_is_said(run):
    done = shown(run, "--config", "20q")
    assert done.returncode == 2
    assert "no dialogue in it (config 20q, split any)" in done.stderr


def test_a_condition_that_is_not_there_names_those_that_are(run):
    done = shown(run, "guess-00001-0", "--predictions", run.parent, "--condition", "solo")
    assert done.returncode == 2
    assert "conditions there: 'multi', 'placebo', 'single'" in done.stderr
