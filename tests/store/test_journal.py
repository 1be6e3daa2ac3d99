"""The journal: nothing lost, nothing doubled, nothing mixed up; killed for real."""

import asyncio
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import textwrap
import time
from dataclasses import fields, replace

import pytest

from hinterguesser.domain.script import Call, Message, Reply, Sampling, TokenChoice, Usage
from hinterguesser.errors import UserError
from hinterguesser.store.journal import Journal, call_key
from hinterguesser.store.journal_care import export_journal, journal_stats, prune_journal

WHERE = "http://127.0.0.1:8000/v1"
CALL = Call("m", (Message("system", "You guess."), Message("user", "Which city?")), Sampling(seed=1))
FULL = Reply(
    "Bogor",
    "stop",
    "rainy",
    (TokenChoice("B", -0.1), TokenChoice(" B", -2.5)),
    Usage(10, 2, 4),
    0.001,
    ("lone surrogates replaced",),
)


def sample(number):
    return replace(CALL, sample=number)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "journal.sqlite"


def test_a_reply_is_found_at_once_and_after_reopening(path):
    key = Journal.key(WHERE, CALL)
    with Journal(path) as journal:
        assert journal.get(key) is None
        journal.put(key, CALL, FULL, endpoint=WHERE)
        assert journal.get(key) == FULL
        asyncio.run(journal.committed())
        assert journal.get(key) == FULL
    with Journal(path) as journal:
        assert journal.get(key) == FULL


def test_closing_writes_what_is_left(path):
    with Journal(path, commit_seconds=60) as journal:
        for number in range(100):
            journal.put(Journal.key(WHERE, sample(number)), sample(number), FULL)
    with Journal(path) as journal:
        assert all(journal.get(Journal.key(WHERE, sample(number))) == FULL for number in range(100))


def test_committed_means_another_process_can_read_it(path):
    with Journal(path) as journal, sqlite3.connect(path) as other:
        for number in range(20):
            journal.put(Journal.key(WHERE, sample(number)), sample(number), FULL)
            asyncio.run(journal.committed())
            assert other.execute("SELECT count(*) FROM replies").fetchone() == (number + 1,)


def test_many_may_wait_for_the_same_commit(path):
    async def run(journal):
        journal.put(Journal.key(WHERE, CALL), CALL, FULL)
        await asyncio.wait_for(asyncio.gather(*(journal.committed() for _ in range(200))), 20)

    with Journal(path) as journal:
        asyncio.run(run(journal))
        asyncio.run(asyncio.wait_for(journal.committed(), 20))  # nothing new: returns at once


def changed_calls():
    yield replace(CALL, model="n")
    yield replace(CALL, sample=1)
    yield replace(CALL, reuse_prompt=False)
    yield replace(CALL, prompt="You guess.Which city?")
    yield replace(CALL, prompt=CALL.prompt[1:])
    yield replace(CALL, prompt=CALL.prompt[::-1])
    yield replace(CALL, prompt=(Message("user", "You guess."), CALL.prompt[1]))
    yield replace(CALL, prompt=(Message("system", "You guess. "), CALL.prompt[1]))
    yield replace(CALL, prompt=(Message("system", "You guess.Which city?"), Message("user", "")))
    for name, value in (
        ("temperature", 0.1),
        ("top_p", 0.9),
        ("max_tokens", 255),
        ("stop", ("\n",)),
        ("top_logprobs", 1),
        ("seed", None),
        ("json_object", True),
    ):
        yield replace(CALL, sampling=replace(CALL.sampling, **{name: value}))


def test_everything_that_may_change_a_reply_changes_the_key():
    keys = [call_key(WHERE, CALL), call_key(WHERE + "x", CALL), *(call_key(WHERE, call) for call in changed_calls())]
    assert len(set(keys)) == len(keys)


def test_the_key_knows_every_field_there_is():
    # A field that is added to Call or Sampling must get into the key, and into `changed_calls` above.
    assert {field.name for field in fields(Call)} == {"model", "prompt", "sampling", "sample", "reuse_prompt"}
    assert {field.name for field in fields(Sampling)} == {
        "temperature",
        "top_p",
        "max_tokens",
        "stop",
        "top_logprobs",
        "seed",
        "json_object",
    }


def test_the_key_is_the_same_in_every_process_and_version():
    assert call_key(WHERE, CALL).hex() == "6cc60e8256f2e4984395b52686d63aeef2b6d48425e15cb67caf387aebb080d4"
    assert call_key(WHERE, replace(CALL, sampling=Sampling(temperature=0, top_p=1, seed=1))) == call_key(WHERE, CALL)


def test_a_prompt_with_a_lone_surrogate_has_a_key_and_a_place(path):
    call = replace(CALL, prompt="x\ud800")
    with Journal(path) as journal:
        journal.put(Journal.key(WHERE, call), call, FULL)
    with Journal(path) as journal:
        assert journal.get(Journal.key(WHERE, call)) == FULL
    [entry] = export_journal(path)
    assert entry["call"]["prompt"] == "x?"


def test_the_first_reply_to_a_call_stays(path):
    key = Journal.key(WHERE, CALL)
    with Journal(path) as one, Journal(path) as other:
        one.put(key, CALL, FULL)
        asyncio.run(one.committed())
        other.put(key, CALL, Reply("another"))
        asyncio.run(other.committed())
        assert one.get(key) == other.get(key) == FULL


def test_failed_attempts_are_kept_and_counted(path):
    with Journal(path) as journal:
        journal.failed_attempt(WHERE, CALL, 500, "HTTP 500: oops", "oops" * 5000, None)
        journal.failed_attempt(WHERE, CALL, 200, "not complete JSON", '{"cho', "length")
        journal.put(Journal.key(WHERE, CALL), CALL, FULL, endpoint=WHERE)
    reply, first, second = export_journal(path)
    assert (reply["kind"], reply["attempts"], reply["endpoint"], reply["reply"]["text"]) == ("reply", 3, WHERE, "Bogor")
    assert reply["call"]["prompt"][1] == {"role": "user", "content": "Which city?"}
    assert reply["call"]["seed"] == 1
    assert (first["kind"], first["status"], len(first["text"])) == ("failed_attempt", 500, 4000)
    assert (second["text"], second["finish_reason"], second["key"]) == ('{"cho', "length", reply["key"])


def test_stats_count_what_is_there(path):
    with Journal(path) as journal:
        for number in range(3):
            journal.put(Journal.key(WHERE, sample(number)), sample(number), FULL, endpoint=WHERE, attempts=2)
        journal.put(Journal.key(WHERE, replace(CALL, model="n")), replace(CALL, model="n"), Reply("x"), endpoint=WHERE)
        journal.failed_attempt(WHERE, CALL, None, "reset", "", None)
    stats = journal_stats(path)
    m, n = stats.models
    assert (m.model, m.replies, m.requests, m.input_tokens, m.output_tokens, m.cached_tokens) == ("m", 3, 6, 30, 6, 12)
    assert (m.cost_usd, m.unpriced, n.unpriced) == (pytest.approx(0.003), 0, 1)
    assert stats.failed_attempts == (("reset", 1),)
    assert stats.size_bytes > 0
    assert stats.first_at <= stats.last_at


def test_pruning_keeps_what_it_is_told_to_keep(path):
    keys = [Journal.key(WHERE, sample(number)) for number in range(10)]
    with Journal(path) as journal:
        for number, key in enumerate(keys):
            journal.put(key, sample(number), FULL)
        journal.failed_attempt(WHERE, CALL, None, "reset", "", None)
    assert prune_journal(path, keep=set(keys[:4])) == (6, 1)
    assert prune_journal(path) == (0, 0)
    with Journal(path) as journal:
        assert [journal.get(key) is not None for key in keys] == [True] * 4 + [False] * 6


def test_long_texts_come_back_whole_and_take_little_room(path):
    call = replace(CALL, prompt="Is it found in a kitchen? Yes. " * 5000)
    reply = Reply("long " * 50_000)
    with Journal(path) as journal:
        journal.put(Journal.key(WHERE, call), call, reply)
    with Journal(path) as journal:
        assert journal.get(Journal.key(WHERE, call)) == reply
    assert path.stat().st_size < 100_000


@pytest.mark.parametrize(
    "content", [b"not a database, but long enough to be taken for one" * 50, b"SQLite format 3\0" + b"\xff" * 4096]
)
def test_a_file_that_is_no_journal_is_refused_and_left_alone(path, content):
    path.write_bytes(content)
    with pytest.raises(UserError, match=r"journal\.sqlite"):
        Journal(path)
    assert path.read_bytes() == content


def test_another_programs_database_is_refused(path):
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE theirs (x)")
    with pytest.raises(UserError, match="another program"):
        Journal(path)


def test_a_newer_journal_is_refused(path):
    Journal(path).close()
    with sqlite3.connect(path) as newer:
        newer.execute("PRAGMA user_version = 99")
    with pytest.raises(UserError, match="newer hinterguesser"):
        Journal(path)
    with pytest.raises(UserError, match="newer hinterguesser"):
        journal_stats(path)


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(UserError, match="nowhere"):
        Journal(tmp_path / "nowhere" / "journal.sqlite")
    for look in (journal_stats, prune_journal, lambda path: list(export_journal(path))):
        with pytest.raises(UserError, match="no such journal"):
            look(tmp_path / "journal.sqlite")


WRITER = textwrap.dedent(
    """
    import asyncio, sys
    from dataclasses import replace
    from hinterguesser.domain.script import Call, Message, Reply
    from hinterguesser.store.journal import Journal
    first, count = int(sys.argv[2]), int(sys.argv[3])

    async def main():
        with Journal(sys.argv[1]) as journal:
            for number in range(first, first + count):
                call = Call("m", (Message("user", "x" * 300),), sample=number)
                journal.put(Journal.key("w", call), call, Reply(f"reply {number}"))
                if number % 7 == 0:
                    await journal.committed()
                    print(number, flush=True)

    asyncio.run(main())
    """
)


def writer(path, first, count):
    command = [sys.executable, "-c", WRITER, str(path), str(first), str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def stored(path):
    with sqlite3.connect(path) as opened:
        assert opened.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return [json.loads(reply)["text"] for (reply,) in opened.execute("SELECT reply FROM replies ORDER BY id")]


def test_killed_at_any_moment_nothing_that_was_reported_is_lost(path):
    rng = random.Random(3)
    for _ in range(12):
        process = writer(path, 0, 10**6)
        reported = -1
        for _ in range(rng.randint(1, 6)):
            reported = int(process.stdout.readline())
        time.sleep(rng.random() * 0.05)
        process.send_signal(signal.SIGKILL)
        rest = process.communicate()[0].split()
        reported = max([reported, *map(int, rest[:-1])])
        texts = stored(path)
        assert len(texts) == len(set(texts))
        assert {f"reply {number}" for number in range(reported + 1)} <= set(texts)


def test_several_processes_may_write_one_file(path):
    processes = [writer(path, first, 200) for first in (0, 100, 200)]
    for process in processes:
        process.communicate(timeout=60)
        assert process.returncode == 0
    assert sorted(stored(path)) == sorted(f"reply {number}" for number in range(400))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs resource limits")
def test_a_full_disk_is_named_and_what_was_committed_stays(path):
    code = textwrap.dedent(
        """
        import asyncio, resource, signal, sys
        from hinterguesser.domain.script import Call, Reply
        from hinterguesser.errors import UserError
        from hinterguesser.store.journal import Journal
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))

        async def main():
            journal = Journal(sys.argv[1])
            try:
                for number in range(10_000):
                    call = Call("m", f"{number}", sample=number)
                    journal.put(Journal.key("w", call), call, Reply(hex(hash((number,)) ** 20)[:1000]))
                    await journal.committed()
                    print(number, flush=True)
            except UserError as error:
                print(error, file=sys.stderr)
                raise SystemExit(2)

        asyncio.run(main())
        """
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 2
    assert "is the disk full" in done.stderr
    last = int(done.stdout.split()[-1])
    assert len(stored(path)) >= last + 1
    with Journal(path) as journal:  # and with room again, it goes on
        journal.put(Journal.key(WHERE, CALL), CALL, FULL)
    assert len(stored(path)) >= last + 2


def test_a_commit_is_an_fsync(path):
    # A killed process cannot show the difference; a power cut can.
    with Journal(path) as journal:
        assert journal._writing.execute("PRAGMA synchronous").fetchone() == (2,)
        assert journal._writing.execute("PRAGMA journal_mode").fetchone() == ("wal",)
