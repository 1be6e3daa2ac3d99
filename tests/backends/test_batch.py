"""One model reached through a provider's batch API."""

import asyncio
import json

import pytest
from loopback import Loopback, chat, completion
from loopback_batches import Batches

from hinterguesser.backends.prices import listed_prices
from hinterguesser.backends.resolve import Backends
from hinterguesser.backends.settings import CallSettings
from hinterguesser.domain.script import Call, Message, Sampling
from hinterguesser.errors import UserError
from hinterguesser.store.batches import BATCHES_FILE, BatchBook, read_batches
from hinterguesser.store.journal import Journal

ASK = (Message("user", "Which city?"),)
QUICK = {"batch_gather_seconds": 0.05, "batch_poll_seconds": 0.02, "backoff_seconds": 0.01}


def ask(folder, url, work, **settings):
    """What `work` makes of the backends, and what they said to the user."""
    said = []

    async def run():
        with Journal(folder / "journal.sqlite") as journal:
            calls = CallSettings(**{"api_base": url, "batch": True, **QUICK, **settings})
            backends = Backends(calls, book=BatchBook(folder, journal), notice=said.append)
            try:
                return await work(backends)
            finally:
                await backends.close()

    return asyncio.run(run()), said


def test_samples_of_one_call_are_one_line_and_plain_texts_go_apart_from_chats(tmp_path):
    batches = Batches(
        lambda request: completion(" Bogor") if "prompt" in request.body else chat("x", count=request.body.get("n", 1))
    )

    async def work(backends):
        backend = backends.of("m")
        return await asyncio.gather(
            backend.samples(Call("m", ASK, Sampling(seed=1)), 5),
            backend.reply(Call("m", "The city is")),
        )

    with Loopback(batches) as server:
        [samples, plain], said = ask(tmp_path, server.url, work)
    assert [reply.text for reply in samples] == ["x"] * 5
    assert plain.text == " Bogor"
    assert [(name, body.get("n")) for name, body in batches.lines] == [("batch_1", 5), ("batch_2", None)]
    assert not said


def test_a_server_that_knows_no_n_is_asked_for_the_missing_samples_each_with_its_seed(tmp_path):
    batches = Batches(lambda request: chat(str(request.body["seed"])))

    async def work(backends):
        return await backends.of("m").samples(Call("m", ASK, Sampling(seed=1)), 3)

    with Loopback(batches) as server:
        replies, _ = ask(tmp_path, server.url, work)
    assert sorted(reply.text for reply in replies) == ["1", "2", "3"]
    assert len(batches.batches) == 2


def test_ordinary_calls_under_way_are_waited_for_before_a_batch_is_submitted(tmp_path):
    batches = Batches(lambda request: chat("x"))

    async def work(backends):
        backend = backends.of("m")
        backends.ledger.under_way = 1  # a model in this process thinks
        waiting = asyncio.ensure_future(backend.reply(Call("m", ASK)))
        await asyncio.sleep(0.3)
        assert not batches.batches
        other = asyncio.ensure_future(backend.reply(Call("m", ASK, Sampling(seed=2))))
        backends.ledger.under_way = 0
        return await asyncio.gather(waiting, other)

    with Loopback(batches) as server:
        ask(tmp_path, server.url, work)
    assert len(batches.batches) == 1


def test_a_provider_without_batches_is_said_so_once(tmp_path, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-not-a-key")

    async def work(backends):
        backends.of("anthropic/claude-sonnet-4-5")
        backends.of("anthropic/claude-haiku-4-5")

    _, said = ask(tmp_path, None, work)
    assert len(said) == 1
    assert "litellm:anthropic" in said[0]


def test_a_server_that_is_not_there_is_one_message(tmp_path):
    async def work(backends):
        return await backends.of("m").reply(Call("m", ASK))

    with pytest.raises(UserError, match="cannot be reached"):
        ask(tmp_path, "http://127.0.0.1:1/v1", work)


def test_a_wrong_key_is_one_message_without_the_key(tmp_path, monkeypatch):
    from loopback import Response

    monkeypatch.setenv("MY_KEY", "marked-0123456789")

    async def work(backends):
        return await backends.of("m").reply(Call("m", ASK))

    with Loopback(lambda _: Response({"error": {"message": "bad key marked-0123456789"}}, status=401)) as server:
        with pytest.raises(UserError, match="MY_KEY") as caught:
            ask(tmp_path, server.url, work, api_key_env="MY_KEY")
        assert server.requests[0].headers["Authorization"] == "Bearer marked-0123456789"
    assert "marked-0123456789" not in str(caught.value)


def test_a_batch_that_the_provider_has_lost_is_asked_again(tmp_path):
    book = {"endpoint": "", "model": "m", "file_id": "f", "calls": {}, "batch_id": "batch_77"}
    batches = Batches(lambda request: chat("x"))

    async def work(backends):
        backend = backends.of("m")
        return await backend.reply(Call("m", ASK))

    with Loopback(batches) as server:
        key = Journal.key(server.url, Call("m", ASK)).hex()
        plain = {"schema": 1, "batches": [{**book, "endpoint": server.url, "calls": {key: 1}}]}
        (tmp_path / BATCHES_FILE).write_text(json.dumps(plain))
        reply, _ = ask(tmp_path, server.url, work)
    assert reply.text == "x"
    assert len(batches.lines) == 1


@pytest.mark.parametrize("text", ["", "[]", '{"schema": 1, "batches": [{"model": "m"}]}', '{"schema": 9}'])
def test_a_damaged_list_of_batches_is_refused_and_the_way_out_is_named(tmp_path, text):
    (tmp_path / BATCHES_FILE).write_text(text)
    with pytest.raises(UserError, match=BATCHES_FILE):
        read_batches(tmp_path)


def test_prices_of_batches_are_those_of_the_price_table():
    ordinary, batch = listed_prices("gpt-4o-mini"), listed_prices("gpt-4o-mini", batch=True)
    assert batch.input == ordinary.input / 2
    assert batch.output == ordinary.output / 2
