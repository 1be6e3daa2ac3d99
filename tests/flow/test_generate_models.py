"""Model players over real HTTP: every kind of dialogue, a killed run, an interrupted one."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter

import pytest
from loopback import Loopback, Response, chat
from table_talk import TableTalk, entity_list, expected, in_journal, kind_of

MAX_TURNS = 5


def command(folder, url, out="run", **changes):
    options = {"--seed": "1", "--max-turns": str(MAX_TURNS), "--concurrency": "8", **changes}
    words = [word for option in options.items() for word in option]
    return [
        *(sys.executable, "-m", "hinterguesser", "generate", "20q", "--entities", str(folder / "things.txt")),
        *("--hinter", "h", "--guesser", "g", "--api-base", url, "--out", str(folder / out), *words),
    ]


def run(arguments):
    return subprocess.run(arguments, capture_output=True, text=True, timeout=120, env=environment())


def environment():
    return {**os.environ, "OPENAI_API_KEY": "sk-not-a-key"}


def dialogues(folder, out="run"):
    return [json.loads(line) for line in (folder / out / "dialogues.jsonl").read_text().splitlines()]


@pytest.fixture
def things(tmp_path):
    def write(count):
        (tmp_path / "things.txt").write_text(entity_list(count))
        return tmp_path

    return write


def test_five_hundred_names_end_solved_exhausted_leaking_and_malformed_each_with_its_reason(things):
    folder = things(500)
    with Loopback(TableTalk(), keep_requests=False) as server:
        done = run(command(folder, server.url))
    assert done.returncode == 0, done.stderr
    told = dialogues(folder)
    assert [dialogue["entity"]["name"] for dialogue in told] == [f"Thing {number}" for number in range(500)]
    assert [(dialogue["outcome"], dialogue["reason"]) for dialogue in told] == list(map(expected, range(500)))
    assert Counter(dialogue["kept"] for dialogue in told) == {True: 125, False: 375}
    assert "kept 125 of 500" in done.stdout
    for number, dialogue in enumerate(told):
        kind = kind_of(number)
        assert len(dialogue["turns"]) == {"solved": 2 + number % 3, "leak": 1, "malformed": 2}.get(kind, MAX_TURNS)
        assert all(turn["n_candidates"] is None for turn in dialogue["turns"])
        if kind in ("leak", "malformed"):
            assert dialogue["failure"]["text"], "the raw text of what failed is kept"
    assert "I would rather not say." in told[3]["failure"]["text"]


def test_interrupted_once_a_run_finishes_what_is_in_flight_and_says_how_to_go_on(things):
    folder = things(40)
    talk = TableTalk(delay_seconds=0.05)
    with Loopback(talk, keep_requests=False) as server:
        process = subprocess.Popen(command(folder, server.url), stderr=subprocess.PIPE, text=True, env=environment())
        while len(talk.asked) < 30:
            time.sleep(0.005)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=30)
        assert process.returncode == 130
        assert "Run the same command again to go on" in said
        assert "Traceback" not in said
        answered = len(talk.asked)
        assert len(in_journal(folder / "run" / "journal.sqlite")) == answered, "a reply that came was lost"
        again = run(command(folder, server.url))
        assert again.returncode == 0, again.stderr
    assert len(talk.asked) == len(set(talk.asked)), "a call was paid for twice"
    assert len(dialogues(folder)) == 40


def test_calls_that_fail_for_good_are_listed_and_tried_again_by_the_next_run(things):
    folder = things(8)
    talk = TableTalk()
    broken = True

    def script(request):
        if broken and "item 4 on" in request.raw.decode():
            return Response({"error": {"message": "cannot do that"}}, status=400)
        return talk(request)

    with Loopback(script, keep_requests=False) as server:
        first = run(command(folder, server.url))
        assert first.returncode == 3
        assert "20q-thing-4-1" in first.stderr
        assert dialogues(folder)[4]["reason"] == "backend_error"
        before = len(talk.asked)
        broken = False
        second = run(command(folder, server.url))
    assert second.returncode == 0, second.stderr
    assert [dialogue["reason"] for dialogue in dialogues(folder)] == [expected(number)[1] for number in range(8)]
    assert len(talk.asked) - before == 2 * (2 + 4 % 3) - 1, "only what was missing is asked for"


def test_summaries_that_a_model_cannot_write_are_counted_listed_and_said_in_the_card(things):
    folder = things(1)

    def script(request):
        return chat("I will not.") if "Restate them" in request.raw.decode() else talk(request)

    talk = TableTalk()
    with Loopback(script, keep_requests=False) as server:
        assert run(command(folder, server.url)).returncode == 0
        derive = [sys.executable, "-m", "hinterguesser", "derive", str(folder / "run"), "--placebo", "pool"]
        done = run([*derive, "--model", "m", "--api-base", server.url])
    assert done.returncode == 3
    assert "0 summaries" in done.stdout
    assert "turn 1: no summary" in done.stderr
    build = [sys.executable, "-m", "hinterguesser", "build", str(folder / "run"), "--out", str(folder / "release")]
    assert run(build).returncode == 0
    assert "for 0 of 2 turns" in (folder / "release" / "README.md").read_text()


def test_a_changed_setting_is_refused_and_named(things):
    folder = things(4)
    with Loopback(TableTalk(), keep_requests=False) as server:
        assert run(command(folder, server.url)).returncode == 0
        refused = run(command(folder, server.url, **{"--seed": "2"}))
        assert refused.returncode == 2
        assert "seed: 1 in the folder, 2 now" in refused.stderr
        (folder / "things.txt").write_text(entity_list(5))
        refused = run(command(folder, server.url))
        assert refused.returncode == 2
        assert "entities things.txt" in refused.stderr
