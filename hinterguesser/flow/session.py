"""What every command that may ask a model has in common: a journal, backends made on demand, and a clean end."""

import asyncio
import contextlib
import signal
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Protocol, TypeVar

from hinterguesser.backends.resolve import Backends
from hinterguesser.backends.settings import CallSettings
from hinterguesser.errors import UserError
from hinterguesser.flow.desk import Desk
from hinterguesser.store.batches import BATCHES_FILE, BatchBook, OpenBatch, read_batches
from hinterguesser.store.journal import Journal
from hinterguesser.store.workfolder import WorkFolder

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Meter:
    """What a run used so far."""

    calls: int
    """Calls that a model answered."""
    tokens: int
    """Read and written."""
    cost_usd: float
    unpriced_calls: int
    """Calls whose price is not known, so that the cost is a lower bound."""


class Progress(Protocol):
    """Told how far a long command is."""

    def start(self, what: str, total: int) -> None:
        """A stage begins: what is done to how many items."""
        ...

    def advance(self, count: int = 1) -> None:
        """So many more items are done."""
        ...

    def count(self, **named: int) -> None:
        """So many more of these, e.g. `kept=1`."""
        ...

    def watch(self, reader: Callable[[], Meter]) -> None:
        """Calls begin; `reader` says, from any thread and at any time, what was used so far."""
        ...


class Silent:
    """A `Progress` for callers that show nothing."""

    def start(self, what: str, total: int) -> None:
        """Show nothing."""

    def advance(self, count: int = 1) -> None:
        """Show nothing."""

    def count(self, **named: int) -> None:
        """Show nothing."""

    def watch(self, reader: Callable[[], Meter]) -> None:
        """Show nothing."""


@dataclass(frozen=True, slots=True)
class Used:
    """What one run of a command used."""

    calls: int
    """Calls that a model answered."""
    replayed: int
    """Calls that the journal answered."""
    requests: int
    """Requests sent to servers; what goes beyond the calls is retries."""
    failed_requests: int
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    """Input tokens that a server had in its cache; part of `input_tokens`."""
    cost_usd: float
    unpriced_calls: int
    """Calls whose price is not known, so that the cost is a lower bound."""
    wall_seconds: float


INTERRUPTED = "interrupted"
FINISH_SECONDS = 10.0
"""How long calls in flight may take after Ctrl-C."""


def check_models(models: Iterable[str], calls: CallSettings) -> None:
    """Refuse a model that cannot be reached, before a file is written or a call is paid.

    Raises:
        UserError: its name is unknown, its key is not set, its weights or a package are missing.
    """
    backends = Backends(calls)
    for model in models:
        backends.of(model)


def run(
    work: Callable[[Desk], Awaitable[T]], folder: WorkFolder, calls: CallSettings, progress: Progress = Silent()
) -> tuple[T, Used]:
    """Run `work` to its end with the journal of `folder`, in an event loop of its own.

    What it used is noted in the folder's record, however it ends; `progress` can look at it meanwhile.

    Works where a loop is running already (a notebook): then in a thread of its own.

    Raises:
        UserError: batches are open, and this run would ask their calls again.
        KeyboardInterrupt: Ctrl-C. Pressed once, nothing new is started and what is in flight is finished and kept;
            pressed twice, the run ends now. Nothing that is in the journal is lost either way.
    """
    _refuse_to_ask_twice(folder, calls)
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(_attended(work, folder, calls, progress))
    outcome: list[tuple[T, Used]] = []
    failure: list[BaseException] = []

    def apart() -> None:
        try:
            outcome.append(asyncio.run(_attended(work, folder, calls, progress)))
        except BaseException as error:
            failure.append(error)

    thread = threading.Thread(target=apart, name="hinterguesser")
    thread.start()
    thread.join()
    if failure:
        raise failure[0]
    return outcome[0]


async def _attended(
    work: Callable[[Desk], Awaitable[T]], folder: WorkFolder, calls: CallSettings, progress: Progress
) -> tuple[T, Used]:
    with Journal(calls.journal or folder.journal_path) as journal:
        book = BatchBook(folder.path, journal) if calls.batch else None
        backends = Backends(calls, on_failed_attempt=journal.failed_attempt, book=book, notice=_say)
        desk = Desk(backends, journal)
        progress.watch(lambda: _meter(desk))
        try:
            return await _heard(work, folder, desk)
        except KeyboardInterrupt:
            still_open = book.open() if book else []
            if still_open:
                raise KeyboardInterrupt(_go_on(still_open)) from None
            raise


async def _heard(work: Callable[[Desk], Awaitable[T]], folder: WorkFolder, desk: Desk) -> tuple[T, Used]:
    start = time.monotonic()
    task = asyncio.ensure_future(work(desk))
    presses = _listen(desk, task)
    try:
        result = await task
        return result, _used(desk, start)
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None
    except Exception as error:
        if presses and str(error) == INTERRUPTED:
            raise KeyboardInterrupt from None
        raise
    finally:
        await desk.backends.close()
        used = _used(desk, start)
        if used.calls or used.requests:
            folder.record.setdefault("used", []).append(asdict(used))
            folder.save_record()


def _refuse_to_ask_twice(folder: WorkFolder, calls: CallSettings) -> None:
    """Without --batch, the calls that are in open batches would be made and paid a second time."""
    still_open = [] if calls.batch else read_batches(folder.path)
    if still_open:
        count = sum(len(batch.calls) for batch in still_open)
        raise UserError(
            f"{folder.path / BATCHES_FILE}: {count} calls of this run are in batches at {still_open[0].endpoint}; "
            "give --batch to collect their replies, or delete this file to make them again"
        )


def _go_on(still_open: list[OpenBatch]) -> str:
    count = sum(len(batch.calls) for batch in still_open)
    names = ", ".join(batch.batch_id or "(being submitted)" for batch in still_open[:5])
    return (
        f"interrupted; what was done is kept. {count} calls go on in batches at {still_open[0].endpoint} ({names}"
        f"{', ...' if len(still_open) > 5 else ''}). Run the same command again to collect their replies and go on."
    )


def _say(text: str) -> None:
    sys.stderr.write(f"hinterguesser: {text}\n")


def _meter(desk: Desk) -> Meter:
    totals = desk.backends.ledger.totals
    return Meter(desk.made, totals.input_tokens + totals.output_tokens, totals.cost_usd, totals.unpriced_calls)


def _used(desk: Desk, start: float) -> Used:
    totals = desk.backends.ledger.totals
    return Used(
        calls=desk.made,
        replayed=desk.replayed,
        requests=totals.requests,
        failed_requests=totals.failed_requests,
        input_tokens=totals.input_tokens,
        output_tokens=totals.output_tokens,
        cached_tokens=totals.cached_tokens,
        cost_usd=totals.cost_usd,
        unpriced_calls=totals.unpriced_calls,
        wall_seconds=round(time.monotonic() - start, 3),
    )


def _listen(desk: Desk, task: "asyncio.Future[T]") -> list[int]:
    """Hear Ctrl-C and a polite kill: once to finish what is in flight, twice to end now."""
    presses: list[int] = []
    loop = asyncio.get_running_loop()

    def pressed() -> None:
        presses.append(1)
        desk.stop(INTERRUPTED)
        desk.backends.stop(INTERRUPTED)
        if len(presses) == 1:
            loop.call_later(FINISH_SECONDS, task.cancel)
        else:
            task.cancel()

    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM):
            with contextlib.suppress(NotImplementedError):  # no such thing on Windows: Ctrl-C then ends the run at once
                loop.add_signal_handler(number, pressed)
    return presses
