"""A whole run against a server that misbehaves three times out of ten, and one that costs money."""

import json
import os
import random
import subprocess
import sys
from pathlib import Path

from loopback import Fault, Loopback, Response, chat
from table_talk import TableTalk, entity_list, expected

from hinterguesser.backends.settings import CallSettings
from hinterguesser.flow.generate import GenerateSettings, generate

KEY = "sk-marked-7f3a9c-key"
FAULTS = (
    lambda: Response({"error": {"message": "slow down"}}, status=429, headers={"Retry-After": "0"}),
    lambda: Response({"error": {"message": "slow down"}}, status=429),
    lambda: Response({"error": {"message": "inside"}}, status=500),
    lambda: Response("upstream is gone", status=503, content_type="text/plain"),
    lambda: Fault("reset"),
    lambda: Fault("hang"),
    lambda: Fault("cut_off"),
    lambda: Response(b'{"choices": [{"message": ', status=200),
    lambda: Response({"id": "x", "choices": []}),
    lambda: Response("<html>hello</html>", content_type="text/html"),
)


class Unreliable:
    """Answers like `TableTalk`, but three requests of ten get a fault; every kind has its turn."""

    def __init__(self, seed=0):
        self.talk = TableTalk()
        self.rng = random.Random(seed)
        self.faults = 0

    def __call__(self, request):
        if self.rng.random() < 0.3:
            self.faults += 1
            return FAULTS[self.faults % len(FAULTS)]()
        return self.talk(request)


def test_with_three_faults_in_ten_requests_every_dialogue_ends_right_and_none_twice(tmp_path):
    (tmp_path / "things.txt").write_text(entity_list(500))
    settings = GenerateSettings("20q", tmp_path / "things.txt", "h", "g", max_turns=3, seed=1)
    script = Unreliable()
    with Loopback(script, keep_requests=False) as server:
        calls = CallSettings(
            api_base=server.url, concurrency=64, max_attempts=30, timeout_seconds=1.0, backoff_seconds=0.005,
            max_backoff_seconds=0.05,
        )  # fmt: skip
        tally = generate(settings, tmp_path / "run", calls)
    told = [json.loads(line) for line in (tmp_path / "run" / "dialogues.jsonl").read_text().splitlines()]
    assert [dialogue["entity"]["name"] for dialogue in told] == [f"Thing {number}" for number in range(500)]
    for number, dialogue in enumerate(told):
        wanted = expected(number) if number % 3 < 2 or number % 4 else ("exhausted", "not_converged")
        assert (dialogue["outcome"], dialogue["reason"]) == wanted
    assert script.faults > 1000
    assert len(set(script.talk.asked)) == tally.used.calls, "the calls that were needed"
    # A reply may be lost on its way (a cut connection), never asked for again once it is here.
    assert tally.used.requests == tally.used.calls + tally.used.failed_requests
    assert tally.used.requests < 2 * tally.used.calls


def test_a_cost_cap_stops_the_run_cleanly_and_the_next_run_finishes(tmp_path):
    (tmp_path / "things.txt").write_text(entity_list(40))
    price, in_flight = 0.000125, 8  # 20 tokens in and 5 out at $5 a million
    talk = TableTalk()

    def command(url, *more):
        return subprocess.run(
            [
                *(sys.executable, "-m", "hinterguesser", "generate", "20q", "--entities", str(tmp_path / "things.txt")),
                *("--hinter", "h", "--guesser", "g", "--api-base", url, "--out", str(tmp_path / "run")),
                *("--max-turns", "5", "--concurrency", str(in_flight), "--price-in", "5", "--price-out", "5", *more),
            ],
            capture_output=True, text=True, timeout=60,
        )  # fmt: skip

    with Loopback(talk, keep_requests=False) as server:
        capped = command(server.url, "--max-cost-usd", "0.0125")
        assert capped.returncode == 3
        assert "--max-cost-usd 0.0125 is used up" in capped.stderr
        assert "Traceback" not in capped.stderr
        spent = len(talk.asked) * price
        assert 0.0125 <= spent <= 0.0125 + in_flight * price
        rest = command(server.url)
        assert rest.returncode == 0, rest.stderr
    assert len(talk.asked) == len(set(talk.asked)), "nothing was paid for twice"
    told = [json.loads(line) for line in (tmp_path / "run" / "dialogues.jsonl").read_text().splitlines()]
    assert [dialogue["reason"] for dialogue in told] == [expected(number)[1] for number in range(40)]
    assert sum(dialogue["cost_usd"] for dialogue in told) > 0.0125
    used = json.loads((tmp_path / "run" / "run.json").read_text())["used"]
    assert len(used) == 2
    assert abs(sum(each["cost_usd"] for each in used) - len(talk.asked) * price) < 1e-9


def test_a_key_is_sent_to_the_server_and_appears_nowhere_else(tmp_path):
    (tmp_path / "things.txt").write_text(entity_list(8))
    talk = TableTalk()

    def script(request):
        assert request.headers["Authorization"] == f"Bearer {KEY}"
        if request.number % 3 == 0:  # servers do echo keys in their errors
            return Response({"error": {"message": f"wrong tone for key {KEY}"}}, status=500)
        return talk(request)

    def command(url, out):
        return subprocess.run(
            [
                *(sys.executable, "-m", "hinterguesser", "generate", "20q", "--entities", str(tmp_path / "things.txt")),
                *("--hinter", "h", "--guesser", "g", "--api-base", url, "--out", str(tmp_path / out)),
                *("--api-key-env", "MY_KEY", "--max-attempts", "2"),
            ],
            capture_output=True, text=True, timeout=60, env={**os.environ, "MY_KEY": KEY},
        )  # fmt: skip

    with Loopback(script, keep_requests=True) as server:
        done = command(server.url, "run")
    with Loopback(lambda _: Response({"error": {"message": f"bad key {KEY}"}}, status=401)) as server:
        refused = command(server.url, "refused")
    assert refused.returncode == 2
    assert "MY_KEY" in refused.stderr
    for said in (done.stdout, done.stderr, refused.stdout, refused.stderr):
        assert KEY not in said
    for file in tmp_path.rglob("*"):
        if file.is_file():
            assert KEY.encode() not in _content(file), file


def _content(file: Path) -> bytes:
    if file.suffix != ".sqlite":
        return file.read_bytes()
    from hinterguesser.store.journal_care import export_journal

    return file.read_bytes() + "".join(json.dumps(entry) for entry in export_journal(file)).encode()


def test_nothing_getting_through_stops_the_run_with_one_message(tmp_path):
    (tmp_path / "things.txt").write_text(entity_list(50))
    with Loopback(lambda _: Response(chat("x"), status=503), keep_requests=False) as server:
        done = subprocess.run(
            [
                *(sys.executable, "-m", "hinterguesser", "generate", "20q", "--entities", str(tmp_path / "things.txt")),
                *("--hinter", "h", "--guesser", "g", "--api-base", server.url, "--out", str(tmp_path / "run")),
                *("--give-up-after", "2"),
            ],
            capture_output=True, text=True, timeout=90,
        )  # fmt: skip
    assert done.returncode == 3
    assert done.stderr.count("hinterguesser:") == 1
    assert "503" in done.stderr or "nothing" in done.stderr.lower()
