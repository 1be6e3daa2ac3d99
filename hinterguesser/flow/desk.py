"""Where calls go: the journal first, then the model; and never twice at the same time."""

import asyncio
from collections.abc import Awaitable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar, cast

from hinterguesser.backends.base import Backend, SamplingBackend
from hinterguesser.backends.resolve import Backends
from hinterguesser.domain.script import Call, Reply
from hinterguesser.errors import RunStopped
from hinterguesser.store.journal import Journal

T = TypeVar("T")


class Desk:
    """Gets replies for one run."""

    def __init__(self, backends: Backends, journal: Journal) -> None:
        """Ask `journal` before the backend of a call's model."""
        self.backends = backends
        self._journal = journal
        self._in_flight: dict[bytes, asyncio.Future[Reply]] = {}
        self._stopping: str | None = None
        self.made = 0
        """Calls that went to a model."""
        self.replayed = 0
        """Calls that the journal answered."""

    def stop(self, why: str) -> None:
        """Start no further call; those in flight come to their end and are kept."""
        self._stopping = why

    def stopping(self) -> str | None:
        """Why no further call is started, or None."""
        return self._stopping

    async def settled(self) -> None:
        """Return once every reply so far is on disk: before anything that rests on one is reported."""
        await self._journal.committed()

    async def ask(self, calls: Sequence[Call]) -> Sequence[Reply]:
        """The replies to `calls`, in their order; every one that comes is in the journal, even if another fails."""
        if len(calls) == 1:
            return [await self._one(calls[0])]
        alike: dict[Call, dict[Call, None]] = {}
        for call in calls:  # the same call may be made twice: it is asked once
            alike.setdefault(replace(call, sample=0), {})[call] = None
        groups = list(map(list, alike.values()))
        found = await _all(map(self._samples, groups))
        replies = {
            call: reply
            for calls, some in zip(groups, found, strict=True)
            for call, reply in zip(calls, some, strict=True)
        }
        return [replies[call] for call in calls]

    async def _samples(self, calls: Sequence[Call]) -> Sequence[Reply]:
        """Replies to calls that are alike but for their sample; in one request, where the model can do that."""
        backend = self.backends.of(calls[0].model)
        if len(calls) > 1 and backend.capabilities.many_samples:
            fresh = [call for call in calls if not self._is_known(backend, call)]
            first = fresh[0].sample if fresh else 0
            if len(fresh) == len(calls) and [call.sample for call in calls] == list(range(first, first + len(calls))):
                return await self._fetch(backend, {self._journal.key(backend.endpoint, call): call for call in calls})
        return await _all(map(self._one, calls))

    def _is_known(self, backend: Backend, call: Call) -> bool:
        key = self._journal.key(backend.endpoint, call)
        return key in self._in_flight or self._journal.get(key) is not None

    async def _one(self, call: Call) -> Reply:
        backend = self.backends.of(call.model)
        key = self._journal.key(backend.endpoint, call)
        known = self._journal.get(key)
        if known is not None:
            self.replayed += 1
            return known
        under_way = self._in_flight.get(key)
        if under_way is not None:
            return await asyncio.shield(under_way)
        [reply] = await self._fetch(backend, {key: call})
        return reply

    async def _fetch(self, backend: Backend, calls: Mapping[bytes, Call]) -> Sequence[Reply]:
        """Ask the model: one call, or several samples of one, each under its key; file every reply."""
        if self._stopping is not None:
            raise RunStopped(self._stopping)
        loop = asyncio.get_running_loop()
        waiting = {key: loop.create_future() for key in calls}
        self._in_flight |= waiting
        try:
            replies = await _replies(backend, list(calls.values()))
        except BaseException as error:
            for future in waiting.values():
                future.set_exception(error if isinstance(error, Exception) else RunStopped("interrupted"))
                future.exception()  # nobody else may be waiting; then it is not lost but raised right here
            raise
        finally:
            for key in waiting:
                del self._in_flight[key]
        for (key, future), reply in zip(waiting.items(), replies, strict=True):
            self._journal.put(key, calls[key], reply, endpoint=backend.endpoint)
            self.made += 1
            future.set_result(reply)
        return replies


async def _all(work: Iterable[Awaitable[T]]) -> list[T]:
    """What each gives, once all have ended; the first failure is raised then."""
    outcomes = await asyncio.gather(*work, return_exceptions=True)
    results: list[T] = []
    for outcome in outcomes:
        if isinstance(outcome, BaseException):
            raise outcome
        results.append(outcome)
    return results


async def _replies(backend: Backend, calls: Sequence[Call]) -> Sequence[Reply]:
    if len(calls) == 1:
        return [await backend.reply(calls[0])]
    drawer = cast(SamplingBackend, backend)
    return await drawer.samples(calls[0], len(calls))
