"""Runs that are killed or interrupted at random moments, again and again, over real HTTP."""

import json
import os
import random
import signal
import time
from collections import Counter

import orjson
import pytest
from forked import PROCESSES, run_here
from loopback import Loopback
from table_talk import TableTalk, entity_list, in_journal

KILLS, INTERRUPTS = 50, 20
COUNT = 300


def command(folder, url, out="run"):
    return [
        *("generate", "20q", "--entities", str(folder / "things.txt"), "--hinter", "h", "--guesser", "g"),
        *("--api-base", url, "--out", str(folder / out), "--max-turns", "5", "--seed", "1", "--concurrency", "8"),
    ]


def start(arguments, said="/dev/null"):
    process = PROCESSES.Process(target=run_here, args=(arguments, str(said)))
    process.start()
    return process


def finished(process, seconds=60):
    process.join(seconds)
    assert process.exitcode is not None, "the run does not end"
    return process.exitcode


class Scene:
    """An undisturbed run, and then one that is disturbed as often as is wanted."""

    def __init__(self, folder, seed):
        self.folder = folder
        self.talk = TableTalk(delay_seconds=0.01)
        self.rng = random.Random(seed)
        self.journal = folder / "run" / "journal.sqlite"
        (folder / "things.txt").write_text(entity_list(COUNT))

    def calm(self, server):
        assert finished(start(command(self.folder, server.url, "calm"))) == 0
        self.needed = Counter(self.talk.asked)
        assert set(self.needed.values()) == {1}, "an undisturbed run makes each call once"
        self.talk.asked.clear()
        server.sent.clear()

    def some_requests_later(self, process, most):
        """Return at a random moment of the run, once it has made a request; says how long the machine stood still."""
        target = len(self.talk.asked) + 1 + self.rng.randrange(most)
        stood_still, deadline = 0.0, time.monotonic() + 30
        while len(self.talk.asked) < target and process.is_alive() and time.monotonic() < deadline:
            stood_still = max(stood_still, slept(0.001))
        return max(stood_still, slept(self.rng.random() * 0.05))

    def finish(self, server):
        assert finished(start(command(self.folder, server.url))) == 0
        assert set(self.talk.asked) == set(self.needed), "the union of the work is that of an undisturbed run"
        dialogues = (self.folder / "run" / "dialogues.jsonl").read_bytes()
        assert dialogues == (self.folder / "calm" / "dialogues.jsonl").read_bytes()
        names = [json.loads(line)["id"] for line in dialogues.splitlines()]
        assert len(set(names)) == len(names) == COUNT


@pytest.mark.slow
def test_killed_at_fifty_random_moments_a_run_loses_no_reply_that_was_sent_100_ms_before(tmp_path):
    scene = Scene(tmp_path, seed=7)
    kept: set[str] = set()
    with Loopback(scene.talk, keep_requests=False, keep_sent=True) as server:
        scene.calm(server)
        for _ in range(KILLS):
            before = len(scene.talk.asked)
            server.sent.clear()
            process = start(command(tmp_path, server.url))
            stood_still = scene.some_requests_later(process, 45)
            killed = time.monotonic()
            process.kill()
            assert finished(process) == -signal.SIGKILL, "the run came to its end too early to be killed"
            time.sleep(0.03)  # requests that were under way reach the script
            assert not kept & set(scene.talk.asked[before:]), "a call whose reply was in the journal was made again"
            kept = in_journal(scene.journal)
            sent = {as_asked(raw) for at, raw in server.sent if at < killed - 0.1 - stood_still}
            assert not sent - kept, "a reply that was sent 100 ms before the kill was lost"
        scene.finish(server)


@pytest.mark.slow
def test_interrupted_at_twenty_random_moments_a_run_loses_no_reply_and_makes_no_call_twice(tmp_path):
    scene = Scene(tmp_path, seed=8)
    with Loopback(scene.talk, keep_requests=False, keep_sent=True) as server:
        scene.calm(server)
        for _ in range(INTERRUPTS):
            process = start(command(tmp_path, server.url), tmp_path / "said.txt")
            scene.some_requests_later(process, 60)
            os.kill(process.pid, signal.SIGINT)
            assert finished(process) == 130
            said = (tmp_path / "said.txt").read_text()
            assert "Run the same command again to go on" in said
            assert "Traceback" not in said
            assert in_journal(scene.journal) == {as_asked(raw) for _, raw in server.sent}, "a reply was lost"
        assert len(scene.talk.asked) == len(set(scene.talk.asked)), "a call was paid for twice"
        scene.finish(server)
    assert len(scene.talk.asked) == len(scene.needed)


def slept(seconds):
    """Sleep; how much longer it took than it should. A machine that stands still writes nothing to disk either."""
    start = time.monotonic()
    time.sleep(seconds)
    return time.monotonic() - start - seconds


def as_asked(raw):
    return json.dumps(orjson.loads(raw), sort_keys=True)
