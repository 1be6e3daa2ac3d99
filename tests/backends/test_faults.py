"""Faults of every kind, over real HTTP: each call comes to its right end."""

import asyncio
import random

import pytest
from loopback import Fault, Loopback, Response, chat

from hinterguesser.backends.faults import retry_after_seconds, scrub, words_of
from hinterguesser.backends.resolve import Backends
from hinterguesser.backends.settings import CallSettings
from hinterguesser.domain.script import Call, Message
from hinterguesser.errors import CallFailed, RunStopped

FAULTS = {
    "429 with Retry-After": lambda: Response({"error": {"message": "slow"}}, 429, {"Retry-After": "0.02"}),
    "429 with a date": lambda: Response("", 429, {"Retry-After": "Thu, 01 Jan 1970 00:00:00 GMT"}),
    "429 without": lambda: Response({"error": {"message": "slow"}}, 429),
    "408": lambda: Response("", 408),
    "409": lambda: Response("", 409),
    "500": lambda: Response("oops", 500, content_type="text/plain"),
    "503": lambda: Response({"error": {"message": "Loading model", "code": 503}}, 503),
    "529": lambda: Response({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, 529),
    "reset": lambda: Fault("reset"),
    "hang": lambda: Fault("hang"),
    "cut off": lambda: Fault("cut_off"),
    "invalid JSON": lambda: Response('{"choices": [{"message": {"content": "x'),
    "empty choices": lambda: {"id": "x", "choices": []},
    "no message": lambda: {"choices": [{"index": 0, "finish_reason": "stop"}]},
    "empty body": lambda: Response(""),
    "wrong content type": lambda: Response("<html>gateway</html>", content_type="text/html"),
}


def ask_all(server, count, **settings):
    async def run():
        chosen = {"backoff_seconds": 0.005, "timeout_seconds": 0.5, "max_attempts": 8, **settings}
        backends = Backends(CallSettings(api_base=server.url, **chosen))
        try:
            backend = backends.of("m")
            calls = (Call("m", (Message("user", f"q{at}"),)) for at in range(count))
            outcomes = await asyncio.gather(*map(backend.reply, calls), return_exceptions=True)
            return outcomes, backends.ledger.totals
        finally:
            await backends.close()

    return asyncio.run(run())


def answer(request):
    return chat("to " + request.body["messages"][0]["content"])


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_is_tried_again_and_noted(fault):
    seen = {}

    def script(request):
        question = request.body["messages"][0]["content"]
        seen[question] = seen.get(question, 0) + 1
        return FAULTS[fault]() if seen[question] == 1 else answer(request)

    with Loopback(script) as server:
        outcomes, totals = ask_all(server, 6)
    assert [outcome.text for outcome in outcomes] == [f"to q{at}" for at in range(6)]
    assert (totals.calls, totals.failed_requests, totals.requests) == (6, 6, 12)


def test_a_third_of_all_requests_failing_loses_no_call():
    rng = random.Random(7)
    kinds = list(FAULTS.values())

    def script(request):
        return rng.choice(kinds)() if rng.random() < 0.3 else answer(request)

    with Loopback(script) as server:
        outcomes, totals = ask_all(server, 300, timeout_seconds=0.3, max_attempts=10)
    assert [getattr(outcome, "text", outcome) for outcome in outcomes] == [f"to q{at}" for at in range(300)]
    assert totals.requests == server.count
    assert totals.requests < 600
    assert totals.failed_calls == 0


@pytest.mark.parametrize("fault", ["500", "invalid JSON", "reset"])
def test_attempts_are_bounded(fault):
    with Loopback(lambda request: FAULTS[fault]()) as server:
        [outcome], totals = ask_all(server, 1, max_attempts=3)
    assert isinstance(outcome, CallFailed)
    assert server.count == 3
    assert totals.failed_calls == 1


def test_being_told_to_slow_down_for_ever_ends_too():
    with Loopback(lambda request: FAULTS["429 with Retry-After"]()) as server:
        [outcome], _ = ask_all(server, 1, max_attempts=3)
    assert isinstance(outcome, CallFailed)
    assert server.count == 12


def test_when_nothing_gets_through_the_run_stops_with_one_message():
    with Loopback(lambda request: FAULTS["500"]()) as server:
        outcomes, _ = ask_all(server, 40, max_attempts=50, give_up_after_seconds=0.2, concurrency=4)
    assert all(isinstance(outcome, RunStopped) for outcome in outcomes)
    assert len({str(outcome) for outcome in outcomes}) == 1
    assert "HTTP 500: oops" in str(outcomes[0])
    assert "--give-up-after" in str(outcomes[0])


def test_when_every_call_is_refused_the_run_stops_early():
    with Loopback(lambda request: Response({"error": {"message": "unknown parameter: top_p"}}, 400)) as server:
        outcomes, _ = ask_all(server, 200, concurrency=4)
    assert server.count < 30
    assert isinstance(outcomes[-1], RunStopped)
    assert "unknown parameter" in str(outcomes[-1])


def test_one_success_keeps_a_refused_call_from_stopping_the_run():
    def script(request):
        return answer(request) if request.number == 1 else Response({"error": {"message": "too long"}}, 400)

    with Loopback(script) as server:
        outcomes, _ = ask_all(server, 60, concurrency=1)
    assert sum(isinstance(outcome, CallFailed) for outcome in outcomes) == 59


def test_an_empty_account_stops_everything_at_once():
    def script(request):
        return Response({"error": {"message": "no", "code": "insufficient_quota"}}, 429)

    with Loopback(script) as server:
        outcomes, _ = ask_all(server, 50, concurrency=2)
    assert all(isinstance(outcome, RunStopped) for outcome in outcomes)
    assert server.count <= 2


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"Retry-After": "7"}, 7.0),
        ({"retry-after": " 1.5 "}, 1.5),
        ({"Retry-After": "-3"}, 0.0),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": "nan"}, None),
        ({"Retry-After": ""}, None),
        ({"Retry-After": "Thu, 01 Jan 1970 00:00:00 GMT"}, 0.0),
        ({"retry-after-ms": "250", "Retry-After": "9"}, 0.25),
    ],
)
def test_retry_after_is_read_in_every_form(headers, seconds):
    assert retry_after_seconds(headers) == seconds


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b'{"error": {"message": "m"}}', "m"),
        (b'{"error": "m"}', "m"),
        (b'{"detail": "m"}', "m"),
        (b'{"message": "m"}', "m"),
        (b'[{"error": {"message": "m", "status": "RESOURCE_EXHAUSTED"}}]', "m"),
        (b"<html>\n m </html>", "<html> m </html>"),
        (b"", ""),
        (b'"m"', "m"),
    ],
)
def test_a_servers_words_are_found(body, message):
    assert words_of(body)[0] == message


def test_keys_are_scrubbed(monkeypatch):
    monkeypatch.setenv("SOME_API_KEY", "abcdefgh-1234")
    text = scrub("given-key abcdefgh-1234 sk-ant-0123456789abc AIzaSyA0123456789012345678901 fine", "given-key")
    assert text == "[key] [key] [key] [key] fine"
