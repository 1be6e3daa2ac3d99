"""--journal FILE: runs that reuse each other's replies, one after the other and at the same time."""

import json
import os
import subprocess
import sys
from collections import Counter

from loopback import Loopback
from table_talk import TableTalk, entity_list, in_journal

COUNT = 60


def start(folder, url, out):
    return subprocess.Popen(
        [
            *(sys.executable, "-m", "hinterguesser", "generate", "20q", "--entities", str(folder / "things.txt")),
            *("--hinter", "h", "--guesser", "g", "--api-base", url, "--out", str(folder / out), "--json"),
            *("--max-turns", "4", "--journal", str(folder / "shared.sqlite")),
        ],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "OPENAI_API_KEY": "sk-not-a-key"},
    )  # fmt: skip


def ended(process):
    _, said = process.communicate(timeout=120)
    assert process.returncode == 0, said


def used(folder, out):
    return json.loads((folder / out / "run.json").read_text()).get("used", [])


def test_a_second_run_with_the_same_journal_asks_nothing(tmp_path):
    (tmp_path / "things.txt").write_text(entity_list(COUNT))
    talk = TableTalk()
    with Loopback(talk, keep_requests=False) as server:
        ended(start(tmp_path, server.url, "one"))
        asked = len(talk.asked)
        ended(start(tmp_path, server.url, "two"))
    assert len(talk.asked) == asked > COUNT
    assert used(tmp_path, "one")[0]["calls"] == asked
    assert used(tmp_path, "two") == [], "nothing was used"
    assert not (tmp_path / "one" / "journal.sqlite").exists()
    assert (tmp_path / "one" / "dialogues.jsonl").read_bytes() == (tmp_path / "two" / "dialogues.jsonl").read_bytes()


def test_three_processes_may_use_one_journal_at_the_same_time(tmp_path):
    (tmp_path / "things.txt").write_text(entity_list(COUNT))
    talk = TableTalk(delay_seconds=0.02)
    names = ["one", "two", "three"]
    with Loopback(talk, keep_requests=False) as server:
        for process in [start(tmp_path, server.url, out) for out in names]:
            ended(process)
    whole = [(tmp_path / out / "dialogues.jsonl").read_bytes() for out in names]
    assert whole[0] == whole[1] == whole[2]
    assert len(whole[0].splitlines()) == COUNT
    assert in_journal(tmp_path / "shared.sqlite") == set(talk.asked), "every reply is in the journal, which is whole"
    paid = sum(each["calls"] for out in names for each in used(tmp_path, out))
    assert paid == len(talk.asked)
    assert max(Counter(talk.asked).values()) <= len(names)
