"""Caps: exceeded by no more than the calls in flight; what is left over is done by the next run."""

import asyncio

import pytest
from loopback import Loopback, Response, chat

from hinterguesser.backends.budget import Ledger
from hinterguesser.backends.prices import listed_prices, prices_of
from hinterguesser.backends.resolve import Backends
from hinterguesser.backends.settings import CallSettings
from hinterguesser.domain.script import Call, Message, Reply, Usage
from hinterguesser.errors import RunStopped, UserError


def ask_all(server, count, **settings):
    async def run():
        backends = Backends(CallSettings(api_base=server.url, **settings))
        try:
            backend = backends.of("m")
            calls = (Call("m", (Message("user", f"q{at}"),)) for at in range(count))
            outcomes = await asyncio.gather(*map(backend.reply, calls), return_exceptions=True)
            return outcomes, backends.ledger.totals
        finally:
            await backends.close()

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("cap", "name"),
    [
        ({"max_cost_usd": 0.001, "price_in": 1.0, "price_out": 4.0}, "--max-cost-usd"),
        ({"max_tokens_total": 625}, "--max-tokens-total"),
    ],
)
@pytest.mark.parametrize("concurrency", [1, 8])
def test_a_cap_is_exceeded_by_no_more_than_the_calls_in_flight(cap, name, concurrency):
    # A call takes 20 + 5 tokens and $0.00004: both caps are reached with the 25th.
    with Loopback(lambda request: Response(chat("x"), delay_seconds=0.005)) as server:
        outcomes, totals = ask_all(server, 200, concurrency=concurrency, **cap)
    replies = [outcome for outcome in outcomes if isinstance(outcome, Reply)]
    stopped = [outcome for outcome in outcomes if isinstance(outcome, RunStopped)]
    assert len(replies) + len(stopped) == 200
    assert 25 <= len(replies) < 25 + concurrency
    assert server.count == len(replies) == totals.calls
    assert name in str(stopped[0])


def test_a_cap_without_a_known_price_is_refused_before_any_call():
    with pytest.raises(UserError, match="--price-in"):
        Backends(CallSettings(api_base="http://127.0.0.1:1/v1", max_cost_usd=1.0)).of("m")


def test_one_price_alone_is_refused():
    with pytest.raises(UserError, match="both"):
        prices_of("m", CallSettings(price_in=1.0))


def test_list_prices_are_known_without_importing_litellm():
    prices = listed_prices("openai/gpt-4o-mini")
    assert prices is not None
    assert 0 < prices.cached < prices.input < prices.output
    assert listed_prices("nobody/nothing") is None
    assert prices_of("openai/gpt-4o-mini", CallSettings(api_base="http://127.0.0.1:1/v1")) is None


def test_cached_tokens_cost_their_own_price():
    prices = listed_prices("openai/gpt-4o-mini")
    full, cached = prices.cost_usd(Usage(1000, 10, 0)), prices.cost_usd(Usage(1000, 10, 800))
    assert cached == pytest.approx(full - 800 * (prices.input - prices.cached))
    assert prices.cost_usd(Usage()) is None


def test_a_reply_without_a_price_is_counted_as_such():
    ledger = Ledger(max_tokens_total=10)
    ledger.reply(Reply("x", usage=Usage(6, 3)))
    ledger.check()
    ledger.reply(Reply("x", usage=Usage(1, None), cost_usd=0.5))
    with pytest.raises(RunStopped):
        ledger.check()
    assert ledger.totals.to_dict() == {
        "calls": 2,
        "requests": 0,
        "failed_requests": 0,
        "failed_calls": 0,
        "input_tokens": 7,
        "output_tokens": 3,
        "cached_tokens": 0,
        "cost_usd": 0.5,
        "unpriced_calls": 1,
    }
