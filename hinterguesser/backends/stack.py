"""One model, ready to be asked: a client of single attempts, with limiter, retries, breaker and budget around it."""

import asyncio
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol

from tenacity import AsyncRetrying, retry_if_exception

from hinterguesser.backends.base import Backend, Capabilities
from hinterguesser.backends.budget import Ledger
from hinterguesser.backends.faults import Fault
from hinterguesser.backends.limits import Limiter, Ticket
from hinterguesser.backends.retries import Breaker, Patience, is_worth_retrying
from hinterguesser.backends.settings import CallSettings
from hinterguesser.domain.script import Call, Reply, Usage
from hinterguesser.errors import CallFailed, RunStopped, UserError

OnFailedAttempt = Callable[[str, Call, int | None, str, str, str | None], None]
"""Told of each failed attempt: endpoint, call, HTTP status if any, reason, what was said, finish reason."""


class Client(Protocol):
    """A way to make one request; raises `Fault` when an attempt brings nothing."""

    where: str
    capabilities: Capabilities

    async def ask(self, call: Call, count: int) -> list[Reply]:
        """One request for `count` replies to `call`; may bring fewer, not none."""
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...


class Stack:
    """A `Backend` over a client of single attempts."""

    def __init__(
        self,
        client: Client,
        settings: CallSettings,
        *,
        ledger: Ledger,
        limiter: Limiter,
        breaker: Breaker,
        on_failed_attempt: OnFailedAttempt | None = None,
    ) -> None:
        """Put everything around `client`; the limiter and the breaker may be shared."""
        self._client = client
        self._settings = settings
        self._ledger = ledger
        self._limiter = limiter
        self._breaker = breaker
        self._tell = on_failed_attempt
        self._rng = random.Random()  # noqa: S311 - jitter
        self._many_samples = client.capabilities.many_samples
        self.capabilities = client.capabilities
        effort = settings.reasoning_effort
        self.endpoint = client.where if effort is None else f"{client.where} reasoning_effort={effort}"

    async def reply(self, call: Call) -> Reply:
        """The reply to `call`; see `Backend.reply`."""
        return (await self._persist(call, 1))[0]

    async def samples(self, call: Call, count: int) -> list[Reply]:
        """`count` independent replies to `call`, samples `call.sample` onwards, in one request where the server can.

        Raises as `reply` does.
        """
        replies: list[Reply] = []
        if count > 1 and self._many_samples:
            replies = (await self._persist(call, count))[:count]
            if len(replies) < count:  # a server that does not know `n`
                self._many_samples = False
                self.capabilities = replace(self.capabilities, many_samples=False)
        missing = [replace(call, sample=call.sample + at) for at in range(len(replies), count)]
        return replies + list(await asyncio.gather(*(self.reply(each) for each in missing)))

    async def close(self) -> None:
        """Let go of connections."""
        await self._client.close()

    async def _persist(self, call: Call, count: int) -> list[Reply]:
        self._ledger.under_way += 1
        try:
            return await self._tried(call, count)
        finally:
            self._ledger.under_way -= 1

    async def _tried(self, call: Call, count: int) -> list[Reply]:
        # Most calls need one attempt, and tenacity's bookkeeping would cost them as much as all else here.
        try:
            return await self._once(call, count, again=False)
        except Fault as fault:
            seen: Fault | None = fault
        attempts = 1
        patience = Patience(self._settings, self._rng)
        try:
            async for attempt in AsyncRetrying(
                retry=retry_if_exception(is_worth_retrying), stop=patience.stop, wait=patience.wait, reraise=True
            ):
                with attempt:
                    try:
                        if seen is not None:  # the attempt above, for tenacity to judge
                            raise seen
                        attempts += 1
                        return await self._once(call, count, again=True)
                    except Fault as fault:
                        seen = None
                        patience.failed(fault)
                        raise
        except Fault as fault:
            self._ledger.totals.failed_calls += 1
            tried = f" (after {attempts} attempts)" if attempts > 1 else ""
            raise CallFailed(f"{fault.reason}{tried}", text=fault.text, finish_reason=fault.finish_reason) from fault
        raise AssertionError("retrying ends with a reply or an error")

    async def _once(self, call: Call, count: int, *, again: bool) -> list[Reply]:
        self._breaker.check()
        self._ledger.check()
        limiter = self._limiter
        characters = _characters(call) if limiter.counts_tokens else 0
        ticket = await limiter.enter(characters, call.sampling.max_tokens * count, again=again)
        try:
            # While this one waited its turn, the others went on.
            self._breaker.check()
            self._ledger.check()
            self._ledger.request()
            replies = await self._client.ask(call, count)
        except Fault as fault:
            self._failed(call, fault, ticket)
            raise
        except (UserError, RunStopped) as error:
            limiter.leave(ticket)
            self._breaker.stop(error)
            raise
        except BaseException:
            limiter.leave(ticket)
            raise
        limiter.leave(ticket, replies[0].usage if count == 1 else _sum(replies))
        self._breaker.success()
        for reply in replies:
            self._ledger.reply(reply)
        return replies

    def _failed(self, call: Call, fault: Fault, ticket: Ticket) -> None:
        if fault.slow_down:
            pause = fault.retry_after_seconds
            self._limiter.slow_down(ticket, self._settings.backoff_seconds if pause is None else pause)
        elif fault.timed_out:
            self._limiter.slow_down(ticket, 0.0)
        self._limiter.leave(ticket)
        self._ledger.failed_request()
        if self._tell is not None:
            self._tell(self.endpoint, call, fault.status, fault.reason, fault.text, fault.finish_reason)
        self._breaker.failure(fault)


class Metered:
    """A `Backend` in this process: nothing to retry or to limit, but counted and capped like any other."""

    def __init__(self, backend: Backend, ledger: Ledger) -> None:
        """Count what `backend` does in `ledger`."""
        self._backend = backend
        self._ledger = ledger
        self.capabilities = backend.capabilities
        self.endpoint = backend.endpoint

    async def reply(self, call: Call) -> Reply:
        """The reply to `call`; see `Backend.reply`."""
        self._ledger.check()
        self._ledger.request()
        self._ledger.under_way += 1
        try:
            reply = await self._backend.reply(call)
        except CallFailed:
            self._ledger.failed_request()
            self._ledger.totals.failed_calls += 1
            raise
        finally:
            self._ledger.under_way -= 1
        self._ledger.reply(reply)
        return reply

    async def close(self) -> None:
        """Let go of the model."""
        await self._backend.close()


def _characters(call: Call) -> int:
    if isinstance(call.prompt, str):
        return len(call.prompt)
    return sum(len(message.content) for message in call.prompt)


def _sum(replies: Sequence[Reply]) -> Usage:
    return Usage(
        sum(reply.usage.input_tokens or 0 for reply in replies),
        sum(reply.usage.output_tokens or 0 for reply in replies),
    )
