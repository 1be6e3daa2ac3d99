"""--batch: calls travel together through a provider's batch API, at half the price and within a day.

Scripts go turn by turn. So calls are gathered until no script can go on without a reply; then one batch a model is
submitted, waited for, and its replies are handed out. What is open stands in the run's folder (`store.batches`), and a
run that is begun again waits for the same batches.
"""

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from hinterguesser.backends.batch_api import BatchApi, NotOffered, State, afresh, final
from hinterguesser.backends.batch_lines import MISSING, MOST_CALLS, Waiting, outcome_of, portion, waiting_for
from hinterguesser.backends.batch_wait import refusal, state_at_end
from hinterguesser.backends.budget import Ledger
from hinterguesser.backends.faults import Fault
from hinterguesser.backends.server import Server
from hinterguesser.backends.settings import CallSettings
from hinterguesser.backends.stack import OnFailedAttempt, Stack
from hinterguesser.domain.script import Call, Reply
from hinterguesser.errors import CallFailed, RunStopped, UserError
from hinterguesser.store.batches import BatchBook, OpenBatch
from hinterguesser.store.journal import call_key

_LONGEST_WAIT_SECONDS = 60.0
_CLOSE_SECONDS = 20.0


class Batched:
    """A `Backend` that submits its calls in batches; where the server has no batch API, it makes ordinary ones."""

    def __init__(
        self,
        ordinary: Stack,
        server: Server,
        settings: CallSettings,
        *,
        ledger: Ledger,
        book: BatchBook,
        notice: Callable[[str], None],
        on_failed_attempt: OnFailedAttempt | None = None,
    ) -> None:
        """Submit calls to `server`, whose prices are those of batches; `ordinary` is the other way to the same model.

        Args:
            ordinary: makes the calls where batches are not offered.
            server: the server and the model.
            settings: how often to ask, how long to wait.
            ledger: what is used, and the caps.
            book: the open batches of the run.
            notice: told, in words for the user, when there is no batch API.
            on_failed_attempt: told of each call of a batch that brought nothing.
        """
        self._ordinary = ordinary
        self._server = server
        self._settings = settings
        self._ledger = ledger
        self._book = book
        self._notice = notice
        self._tell = on_failed_attempt
        self._api = BatchApi(server, settings)
        self.capabilities = ordinary.capabilities
        self.endpoint = ordinary.endpoint
        self._offered = True
        self._stopped: Exception | None = None
        self._most_calls = MOST_CALLS
        self._waiting: dict[str, Waiting] = {}
        """To be submitted, by the journal's key."""
        self._out: dict[str, Waiting] = {}
        """In a batch."""
        self._early: dict[str, list[Reply]] = {}
        """Replies of an earlier run's batch that no script has asked for yet."""
        self._keys_out: set[str] = set()
        self._watchers: set[asyncio.Task[None]] = set()
        self._submitting: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._last_arrival = 0.0
        self._begun = False

    async def reply(self, call: Call) -> Reply:
        """The reply to `call`; see `Backend.reply`."""
        found = await self._through_batch(call, 1)
        return await self._ordinary.reply(call) if found is None else found[0]

    async def samples(self, call: Call, count: int) -> list[Reply]:
        """`count` independent replies to `call`, as one line of a batch; see `SamplingBackend.samples`."""
        found = await self._through_batch(call, count)
        if found is None:
            return await self._ordinary.samples(call, count)
        found = found[:count]
        if len(found) < count:  # a server that does not know `n`
            self.capabilities = replace(self.capabilities, many_samples=False)
        missing = [replace(call, sample=call.sample + at) for at in range(len(found), count)]
        return found + list(await asyncio.gather(*map(self.reply, missing)))

    def stop(self, why: str) -> None:
        """Wait for nothing any more: what is in batches stays there, what was gathered is not submitted."""
        self._fail(RunStopped(why))

    async def close(self) -> None:
        """Let a submission that has begun come to its end, so that it is written down; then let go."""
        if self._timer is not None:
            self._timer.cancel()
        submitting = self._submitting
        if submitting is not None:
            await asyncio.wait([submitting], timeout=_CLOSE_SECONDS)
            submitting.cancel()
        for watcher in self._watchers:
            watcher.cancel()
        await asyncio.gather(*self._watchers, return_exceptions=True)
        await self._book.tidy()
        await self._api.close()
        await self._ordinary.close()

    async def _through_batch(self, call: Call, count: int) -> list[Reply] | None:
        if not self._begun:
            self._begun = True
            for batch in self._book.open(self.endpoint, call.model):
                self._watch(batch)
        key = call_key(self.endpoint, call).hex()
        early = self._early.pop(key, None)
        if early is not None:
            return early
        if self._stopped is not None:
            raise afresh(self._stopped)
        if not self._offered and key not in self._keys_out:
            return None
        waiting = waiting_for(self._server, call, count, key)
        if key in self._keys_out:
            self._out[key] = waiting
        else:
            self._ledger.check()
            self._gather(key, waiting)
        return await waiting.future

    # Gathering and submitting

    def _gather(self, key: str, waiting: Waiting) -> None:
        self._waiting[key] = waiting
        self._last_arrival = asyncio.get_running_loop().time()
        self._wake(self._settings.batch_gather_seconds)

    def _wake(self, seconds: float) -> None:
        if self._timer is None and self._submitting is None:
            self._timer = asyncio.get_running_loop().call_later(seconds, self._lull)

    def _lull(self) -> None:
        """Submit, once nobody has come for a while and no ordinary call is under way that may bring more."""
        self._timer = None
        least = self._settings.batch_gather_seconds
        quiet = asyncio.get_running_loop().time() - self._last_arrival
        if quiet < least or self._ledger.under_way:
            self._wake(max(least - quiet, least / 4))
        elif self._waiting and self._stopped is None:
            self._submitting = asyncio.create_task(self._submit())

    async def _submit(self) -> None:
        wait = self._settings.batch_gather_seconds
        try:
            await self._book.tidy()
            while self._waiting and self._stopped is None:
                crowded = self._keys_out and self._most_calls < MOST_CALLS  # the provider's queue is full
                chosen = [] if crowded else portion(self._waiting, self._most_calls, self._ledger)
                if not chosen:  # until something that is out has come back
                    wait = min(max(wait, self._settings.batch_poll_seconds), _LONGEST_WAIT_SECONDS)
                    break
                await self._send(chosen)
        except NotOffered:
            self._fall_back()
        except Exception as error:
            self._fail(final(error, self._server.where))
        finally:
            self._submitting = None
            if self._waiting and self._stopped is None:
                self._wake(wait)

    async def _send(self, keys: list[str]) -> None:
        chosen = {key: self._waiting[key] for key in keys}
        tokens = sum(waiting.worst.tokens for waiting in chosen.values())
        cost = sum(waiting.worst.cost_usd for waiting in chosen.values())
        first = next(iter(chosen.values()))
        self._ledger.reserve(tokens, cost)
        batch: OpenBatch | None = None
        try:
            file_id = await self._api.upload(b"".join(waiting.line for waiting in chosen.values()))
            if self._stopped is not None:
                self._ledger.reserve(-tokens, -cost)
                return
            counts = {key: waiting.count for key, waiting in chosen.items()}
            batch = OpenBatch(self.endpoint, first.call.model, file_id, counts, tokens=tokens, cost_usd=cost)
            self._book.add(batch)
            batch.batch_id = await self._api.submit(file_id, first.path)
        except BaseException as error:
            self._ledger.reserve(-tokens, -cost)
            if batch is not None and isinstance(error, NotOffered | UserError | RunStopped):
                self._book.drop(batch)  # it was refused; after any other fault it may be there, and is looked up
            raise
        self._book.save()
        for key, waiting in chosen.items():
            self._waiting.pop(key, None)
            if not waiting.future.done():
                self._out[key] = waiting
        self._watch(batch, reserved=True)

    # Waiting and handing out

    def _watch(self, batch: OpenBatch, *, reserved: bool = False) -> None:
        self._keys_out |= batch.calls.keys()
        if not reserved:
            self._ledger.reserve(batch.tokens, batch.cost_usd)
        task = asyncio.create_task(self._see_through(batch))
        self._watchers.add(task)
        task.add_done_callback(self._watchers.discard)

    async def _see_through(self, batch: OpenBatch) -> None:
        """Wait for a batch's end and hand out what it brought."""
        try:
            state = await state_at_end(batch, self._api, self._book, self._settings.batch_poll_seconds)
            results = {} if state is None else await self._api.results(state)
        except Exception as error:
            self._fail(final(error, self._server.where))
            return
        self._ledger.reserve(-batch.tokens, -batch.cost_usd)
        try:
            if state is not None and state.status == "failed" and not results:
                self._refused(batch, state)
            else:
                self._land(batch, results)
        except Exception as error:
            self._fail(final(error, self._server.where))

    def _land(self, batch: OpenBatch, results: dict[str, dict[str, Any]]) -> None:
        """Hand out replies; what is missing or may go better is asked again, in another batch."""
        if self._stopped is not None:
            return  # the next run collects them
        for key, count in list(batch.calls.items()):
            waiting = self._out.get(key)
            notes = () if waiting is None else self._server.left_out(waiting.call)
            outcome = outcome_of(results.get(key), self._server, notes)
            self._out.pop(key, None)
            self._keys_out.discard(key)
            if not isinstance(outcome, list):
                del batch.calls[key]
                if waiting is not None and not waiting.future.done():
                    self._failed(key, waiting, outcome)
                continue
            for reply in outcome[:count]:
                self._ledger.reply(reply)
            self._ledger.request()
            if waiting is None or waiting.future.done():
                self._early[key] = outcome
            else:
                waiting.future.set_result(outcome)
        if batch.calls:
            self._book.landed(batch)
        else:
            self._book.drop(batch)

    def _failed(self, key: str, waiting: Waiting, error: Exception) -> None:
        if isinstance(error, UserError | RunStopped):
            waiting.future.set_exception(afresh(error))
            self._fail(error)
            return
        fault = error if isinstance(error, Fault) else Fault(str(error))
        waiting.tries += 1
        if fault is not MISSING:
            self._ledger.request()
            self._ledger.failed_request()
            if self._tell is not None:
                self._tell(self.endpoint, waiting.call, fault.status, fault.reason, fault.text, fault.finish_reason)
        if fault.retry and waiting.tries < self._settings.max_attempts:
            self._gather(key, waiting)
            return
        self._ledger.totals.failed_calls += 1
        waiting.future.set_exception(CallFailed(fault.reason, text=fault.text, finish_reason=fault.finish_reason))

    def _refused(self, batch: OpenBatch, state: State) -> None:
        """The provider did not take the batch: gather its calls again if its queue was full, else say so."""
        again = {key: self._out.pop(key) for key in batch.calls if key in self._out}
        self._keys_out -= batch.calls.keys()
        self._book.drop(batch)
        if state.queue_full and len(batch.calls) > 1:
            self._most_calls = max(1, min(self._most_calls, len(batch.calls)) // 2)
            for key, waiting in again.items():
                if not waiting.future.done():
                    self._gather(key, waiting)
            return
        self._out |= again
        raise refusal(self._server, state)

    # Ending

    def _fail(self, error: Exception) -> None:
        """Everybody who waits gets `error`, and so does whoever comes later."""
        self._stopped = self._stopped or error
        for waiting in (*self._waiting.values(), *self._out.values()):
            if not waiting.future.done():
                waiting.future.set_exception(afresh(error))
                waiting.future.exception()
        self._waiting.clear()
        self._out.clear()

    def _fall_back(self) -> None:
        self._offered = False
        self.capabilities = self._ordinary.capabilities
        self._notice(f"--batch: {self._server.where} offers no batch API; its models get ordinary calls")
        for waiting in self._waiting.values():
            with contextlib.suppress(asyncio.InvalidStateError):
                waiting.future.set_result(None)
        self._waiting.clear()
