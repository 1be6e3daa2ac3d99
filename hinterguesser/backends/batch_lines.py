"""The lines of a batch: a call as one that goes up, how many go together, and what one that comes down means."""

from asyncio import Future, get_running_loop
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from hinterguesser.backends.budget import Ledger
from hinterguesser.backends.faults import Fault, fault_from_status, scrub
from hinterguesser.backends.replies import Prices, replies_from
from hinterguesser.backends.server import Server
from hinterguesser.domain.script import Call, Reply
from hinterguesser.errors import CallFailed

MOST_CALLS = 50_000
MOST_BYTES = 150_000_000
"""Of one batch; OpenAI takes 50,000 calls and 200 MB."""
_WORTH_A_BATCH = 0.1
"""Near a cap: the least share of the waiting calls that a batch is still submitted for."""
MISSING = Fault("the batch ended without a reply to this call")
"""It was not done, and not paid: it is asked again."""
_NOT_DONE = ("batch_expired", "batch_cancelled")
_MOST_TOKENS_PER_BYTE = 0.5


@dataclass(frozen=True, slots=True)
class Worst:
    """What one call may come to at most."""

    tokens: int
    cost_usd: float


@dataclass(slots=True)
class Waiting:
    """A call that waits: to be submitted, or for its batch."""

    call: Call
    count: int
    future: "Future[list[Reply] | None]"
    """None: make it as an ordinary call."""
    path: str
    line: bytes
    worst: Worst
    tries: int = 0


def waiting_for(server: Server, call: Call, count: int, key: str) -> Waiting:
    """`call`, ready to be submitted; to be made in the running loop.

    Raises:
        CallFailed: the prompt is no valid Unicode.
    """
    path = "/v1/completions" if isinstance(call.prompt, str) else "/v1/chat/completions"
    plain = {"custom_id": key, "method": "POST", "url": path, "body": server.body(call, count)}
    try:
        line = orjson.dumps(plain) + b"\n"
    except (TypeError, orjson.JSONEncodeError) as error:
        raise CallFailed(f"the prompt is no valid Unicode: {error}") from None
    worst = worst_of(line, call, count, server.prices)
    return Waiting(call, count, get_running_loop().create_future(), path, line, worst)


def worst_of(line: bytes, call: Call, count: int, prices: Prices | None) -> Worst:
    """What a call may come to, by the length of its line and by the most it may write."""
    tokens_in = int(len(line) * _MOST_TOKENS_PER_BYTE) + 1
    tokens_out = call.sampling.max_tokens * count
    cost = 0.0 if prices is None else tokens_in * prices.input + tokens_out * prices.output
    return Worst(tokens_in + tokens_out, cost)


def portion(waiting: Mapping[str, Waiting], most_calls: int, ledger: Ledger) -> list[str]:
    """Keys of the calls that may go into the next batch: of one kind, within its size and within the caps.

    Each call is taken to cost the most it can, so that a batch keeps a cap. None: what is out must come back first.

    Raises:
        RunStopped: nothing is out, and what is left of a cap does not cover a batch worth submitting.
    """
    path = next(iter(waiting.values())).path
    alike = [(key, each) for key, each in waiting.items() if each.path == path][:most_calls]
    chosen: list[str] = []
    size = tokens = 0
    cost = 0.0
    for key, each in alike:
        size, tokens, cost = size + len(each.line), tokens + each.worst.tokens, cost + each.worst.cost_usd
        if chosen and size > MOST_BYTES:
            return chosen
        if not ledger.fits(tokens, cost):
            break
        chosen.append(key)
    if len(chosen) >= max(1.0, _WORTH_A_BATCH * len(alike)):
        return chosen
    if ledger.reserved_tokens == 0:
        ledger.close()
        ledger.check()
    return []


def outcome_of(plain: dict[str, Any] | None, server: Server, notes: tuple[str, ...]) -> list[Reply] | Exception:
    """The replies that a line of results holds, or what went wrong: `MISSING`, a `Fault`, or what ends the run."""
    if plain is None:
        return MISSING
    response, error = plain.get("response"), plain.get("error")
    if isinstance(response, dict) and isinstance(response.get("status_code"), int):
        status, body = response["status_code"], response.get("body")
        if status != 200:
            return fault_from_status(
                status,
                orjson.dumps(body),
                {},
                where=server.where,
                model=server.model,
                key_name=server.key_name,
                secret=server.key,
            )
        try:
            return replies_from(body if isinstance(body, dict) else {}, notes, server.prices)
        except Fault as fault:
            return fault
    code = str(error.get("code")) if isinstance(error, dict) else ""
    if code in _NOT_DONE:
        return MISSING
    said = scrub(orjson.dumps(error).decode(), server.key)
    return Fault(f"the batch has no reply to this call: {said[:500]}", text=said)
