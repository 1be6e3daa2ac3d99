"""--batch: calls that travel together, over real HTTP."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter

import pytest
from loopback import Loopback, Response
from loopback_batches import Batches
from table_talk import TableTalk, entity_list, expected

from hinterguesser.backends.settings import CallSettings
from hinterguesser.errors import RunStopped, UserError
from hinterguesser.flow.generate import GenerateSettings, generate
from hinterguesser.store.journal_care import export_journal

KEY = "sk-marked-51c0ffee-key"
QUICK = {"batch_gather_seconds": 0.1, "batch_poll_seconds": 0.03, "backoff_seconds": 0.01}
COUNT = 12


@pytest.fixture(autouse=True)
def _key(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


@pytest.fixture
def play(tmp_path):
    (tmp_path / "things.txt").write_text(entity_list(COUNT))
    settings = GenerateSettings("20q", tmp_path / "things.txt", "h", "g", max_turns=4, seed=1)

    def run(url, out="run", **changes):
        return generate(settings, tmp_path / out, CallSettings(api_base=url, **{"batch": True, **QUICK, **changes}))

    return run


def bodies(batches):
    return [json.dumps(body, sort_keys=True) for _, body in batches.lines]


def test_calls_are_gathered_until_no_script_can_go_on_and_give_the_same_dialogues(play, tmp_path):
    batches = Batches(TableTalk())
    with Loopback(batches, keep_requests=False) as server:
        plain = play(server.url, "calm", batch=False)
        ordinary = batches.ordinary
        together = play(server.url)
    assert batches.ordinary == ordinary, "with --batch no ordinary call was made"
    assert (tmp_path / "run" / "dialogues.jsonl").read_bytes() == (tmp_path / "calm" / "dialogues.jsonl").read_bytes()
    assert together.used.calls == plain.used.calls == len(batches.lines) == len(set(bodies(batches)))
    sizes = Counter(name for name, _ in batches.lines)
    assert sizes["batch_1"] == COUNT, "the first hints of all dialogues went together"
    assert sizes["batch_2"] >= COUNT - 1
    # A step is a hint or a guess; only dialogues that are told to try again fall out of step.
    assert len(sizes) <= 20
    replies = [entry for entry in export_journal(tmp_path / "run" / "journal.sqlite") if entry["kind"] == "reply"]
    assert len(replies) == len(batches.lines)
    assert not (tmp_path / "run" / "batches.json").exists()


def test_calls_of_a_batch_that_fail_for_good_fail_alone_and_those_that_may_go_better_are_asked_again(play, tmp_path):
    talk = TableTalk()
    stumbled = Counter()

    def script(request):
        said = request.raw.decode()
        if "Thing 4\\n" in said or "Thing 4." in said:
            return Response({"error": {"message": f"cannot do that for {KEY}"}}, status=400)
        if "item 8 on page 1" in said and not stumbled["8"]:
            stumbled["8"] += 1
            return Response({"error": {"message": "inside"}}, status=500)
        return talk(request)

    batches = Batches(script)
    with Loopback(batches, keep_requests=False) as server:
        tally = play(server.url)
        told = [json.loads(line) for line in (tmp_path / "run" / "dialogues.jsonl").read_text().splitlines()]
        assert [name for name, _ in tally.failed] == ["20q-thing-4-1"]
        assert "cannot do that" in tally.failed[0][1]
        for number, dialogue in enumerate(told):
            if number != 4:
                assert (dialogue["outcome"], dialogue["reason"]) == wanted(number)
        assert stumbled["8"] == 1
        before = len(batches.lines)
        batches._script = talk
        again = play(server.url)
    assert not again.failed
    assert len(batches.lines) - before == 2 * (2 + 4 % 3), "only what was missing is asked for"
    for file in (tmp_path / "run").iterdir():
        assert KEY.encode() not in file.read_bytes(), file
    journal = tmp_path / "run" / "journal.sqlite"
    assert KEY not in "".join(json.dumps(entry) for entry in export_journal(journal))
    assert any(entry["kind"] != "reply" for entry in export_journal(journal)), "failed attempts are kept"


def wanted(number):
    kind = expected(number)
    return kind if kind[0] != "solved" or 2 + number % 3 <= 4 else ("exhausted", "not_converged")


@pytest.mark.parametrize("status", ["expired", "cancelled"])
def test_what_an_expired_or_cancelled_batch_did_not_do_is_asked_again_and_nothing_else(play, tmp_path, status):
    batches = Batches(TableTalk())
    batches.ending = lambda number: (status, 5) if number == 1 else ("completed", None)
    with Loopback(batches, keep_requests=False) as server:
        tally = play(server.url)
    assert not tally.failed
    twice = [body for body, times in Counter(bodies(batches)).items() if times > 1]
    assert len(twice) == COUNT - 5
    assert tally.used.calls == len(set(bodies(batches)))


def test_a_server_without_batches_gets_ordinary_calls_and_one_message_says_so(play, capfd):
    talk = TableTalk()
    posts = []

    def script(request):
        if "chat" not in request.path:
            posts.append(request.path)
            return Response({"error": {"message": "no such thing"}}, status=404)
        return talk(request)

    with Loopback(script, keep_requests=False) as server:
        tally = play(server.url)
    assert not tally.failed
    assert len(talk.asked) == tally.used.calls
    said = capfd.readouterr().err
    assert said.count("hinterguesser:") == said.count("offers no batch API") == 1
    assert len(posts) <= 2, "each model finds out once"


def test_a_batch_whose_answer_was_lost_on_its_way_is_found_and_not_begun_twice(play):
    batches = Batches(TableTalk())
    lost = []

    def lose_the_first(request, answer):
        if request.path.endswith("/batches") and request.method == "POST" and not lost:
            lost.append(answer)
            return Response({"error": {"message": "bad gateway"}}, status=502)
        return answer

    batches.after = lose_the_first
    with Loopback(batches, keep_requests=False) as server:
        tally = play(server.url)
    assert lost
    assert not tally.failed
    assert len(bodies(batches)) == len(set(bodies(batches)))


def test_a_refused_batch_is_one_message_and_a_full_queue_makes_smaller_batches(play):
    batches = Batches(TableTalk())
    batches.ending = lambda number: ("failed", 0)
    no_model = {"data": [{"code": "model_not_found", "message": "The model h is not offered in batches"}]}

    def with_reason(request, answer):
        if request.method == "GET" and isinstance(answer, dict) and answer.get("status") == "failed":
            return {**answer, "errors": no_model}
        return answer

    batches.after = with_reason
    with Loopback(batches, keep_requests=False) as server, pytest.raises(UserError, match="not offered in batches"):
        play(server.url, "refused")

    batches = Batches(TableTalk())
    batches.ending = lambda number: ("failed", 0) if number <= 2 else ("completed", None)
    no_model = {"data": [{"code": "token_limit_exceeded", "message": "Enqueued token limit reached"}]}
    batches.after = with_reason
    with Loopback(batches, keep_requests=False) as server:
        tally = play(server.url)
    assert not tally.failed
    sizes = Counter(name for name, _ in batches.lines)
    assert [sizes[f"batch_{number}"] for number in (1, 2, 3)] == [12, 6, 3]


@pytest.mark.parametrize(
    "cap", [{"max_cost_usd": 0.05, "price_in": 5.0, "price_out": 5.0}, {"max_tokens_total": 10_000}]
)
def test_a_cap_is_kept_and_the_next_run_finishes(play, cap):
    talk = TableTalk()

    def script(request):
        return {**talk(request), "usage": {"prompt_tokens": 300, "completion_tokens": 100}}

    batches = Batches(script)
    with Loopback(batches, keep_requests=False) as server:
        with pytest.raises(RunStopped, match="may not cover another batch"):
            play(server.url, **cap)
        done = len(batches.lines)
        assert 0.5 * 10_000 < done * 400 <= 10_000, "a call took 400 tokens, $0.002"
        tally = play(server.url, **{name: value for name, value in cap.items() if name.startswith("price")})
    assert not tally.failed
    assert tally.used.calls == len(batches.lines) - done
    assert len(bodies(batches)) == len(set(bodies(batches)))


def start(folder, url, **settings):
    settings = {"api_base": url, "batch": True, **QUICK, **settings}
    code = f"""
from pathlib import Path
import click
from hinterguesser.backends.settings import CallSettings
from hinterguesser.cli import main
from hinterguesser.flow.generate import GenerateSettings, generate
@click.command()
def command():
    settings = GenerateSettings("20q", Path({str(folder / "things.txt")!r}), "h", "g", max_turns=4, seed=1)
    generate(settings, Path({str(folder / "run")!r}), CallSettings(**{settings!r}))
main.load = lambda name: command
main.main(["generate"])
"""
    return subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ.copy()
    )


def until(condition, seconds=30):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come to that"
        time.sleep(0.01)


@pytest.mark.parametrize("moment", ["while it waits", "before it knows the batch's id"])
def test_killed_with_a_batch_open_the_next_run_collects_it_and_submits_no_call_twice(play, tmp_path, moment):
    batches = Batches(TableTalk())
    stuck = []

    def never_answer_the_third(request, answer):
        if moment != "while it waits" and request.method == "POST" and answer.get("id") == "batch_3" and not stuck:
            stuck.append(1)
            return Response(answer, delay_seconds=60)
        return answer

    def look(request):
        if len(batches.batches) >= 3 and not stuck:
            batches.held.set()

    batches.before, batches.after = look, never_answer_the_third
    with Loopback(batches, keep_requests=False) as server:
        process = start(tmp_path, server.url)
        until(lambda: len(batches.batches) >= 3)
        if moment == "while it waits":
            until(lambda: "batch_3" in (tmp_path / "run" / "batches.json").read_text())
        process.send_signal(signal.SIGKILL)
        process.communicate()
        book = json.loads((tmp_path / "run" / "batches.json").read_text())["batches"]
        assert book[-1]["batch_id"] == ("batch_3" if moment == "while it waits" else None)
        assert book[-1]["calls"]
        batches.before = lambda request: None
        batches.held.clear()
        with pytest.raises(UserError, match="--batch to collect"):
            play(server.url, batch=False)
        tally = play(server.url)
    assert not tally.failed
    assert len(bodies(batches)) == len(set(bodies(batches))), "a call was submitted twice"
    told = [json.loads(line) for line in (tmp_path / "run" / "dialogues.jsonl").read_text().splitlines()]
    assert [(dialogue["outcome"], dialogue["reason"]) for dialogue in told] == list(map(wanted, range(COUNT)))
    assert not (tmp_path / "run" / "batches.json").exists()


def test_interrupted_it_says_that_the_batch_goes_on_and_how_to_go_on(play, tmp_path):
    batches = Batches(TableTalk())
    batches.held.set()
    with Loopback(batches, keep_requests=False) as server:
        process = start(tmp_path, server.url)
        until(lambda: (tmp_path / "run" / "batches.json").exists() and "batch_1" in book(tmp_path))
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=30)
        assert process.returncode == 130
        assert time.monotonic() - began < 25, "a batch is not waited for"
        assert f"{COUNT} calls go on in batches at {server.url} (batch_1)" in said
        assert "Run the same command again" in said
        assert "Traceback" not in said
        assert KEY not in said + book(tmp_path)
        batches.held.clear()
        tally = play(server.url)
    assert not tally.failed
    assert len(bodies(batches)) == len(set(bodies(batches)))


def book(folder):
    return (folder / "run" / "batches.json").read_text()
