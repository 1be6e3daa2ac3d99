"""Where calls go: the journal first, then the model; and never twice at the same time."""

import asyncio
from collections.abc import Sequence

from hinterguesser.backends.resolve import Backends
from hinterguesser.domain.script import Call, Reply
from hinterguesser.errors import RunStopped
from hinterguesser.store.journal import Journal


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
        outcomes = await asyncio.gather(*map(self._one, calls), return_exceptions=True)
        replies: list[Reply] = []
        for outcome in outcomes:
            if isinstance(outcome, BaseException):
                raise outcome
            replies.append(outcome)
        return replies

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
        if self._stopping is not None:
            raise RunStopped(self._stopping)
        future: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._in_flight[key] = future
        try:
            reply = await backend.reply(call)
        except BaseException as error:
            future.set_exception(error if isinstance(error, Exception) else RunStopped("interrupted"))
            future.exception()  # nobody else may be waiting; then it is not lost but raised right here
            raise
        finally:
            del self._in_flight[key]
        self._journal.put(key, call, reply, endpoint=backend.endpoint)
        self.made += 1
        future.set_result(reply)
        return reply
