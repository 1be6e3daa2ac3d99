"""What every command that may ask a model has in common: a journal, backends made on demand, and a clean end."""

import asyncio
import contextlib
import signal
import threading
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import Protocol, TypeVar

from hinterguesser.backends.resolve import Backends
from hinterguesser.backends.settings import CallSettings
from hinterguesser.flow.desk import Desk
from hinterguesser.store.journal import Journal

T = TypeVar("T")


class Progress(Protocol):
    """Told how far a long command is."""

    def start(self, what: str, total: int) -> None:
        """A stage begins: what is done to how many items."""
        ...

    def advance(self, count: int = 1) -> None:
        """So many more items are done."""
        ...


class Silent:
    """A `Progress` for callers that show nothing."""

    def start(self, what: str, total: int) -> None:
        """Show nothing."""

    def advance(self, count: int = 1) -> None:
        """Show nothing."""


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


def run(work: Callable[[Desk], Awaitable[T]], journal: Path, calls: CallSettings) -> T:
    """Run `work` to its end with a journal at `journal`, in an event loop of its own.

    Works where a loop is running already (a notebook): then in a thread of its own.

    Raises:
        KeyboardInterrupt: Ctrl-C. Pressed once, nothing new is started and what is in flight is finished and kept;
            pressed twice, the run ends now. Nothing that is in the journal is lost either way.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(_attended(work, journal, calls))
    outcome: list[T] = []
    failure: list[BaseException] = []

    def apart() -> None:
        try:
            outcome.append(asyncio.run(_attended(work, journal, calls)))
        except BaseException as error:
            failure.append(error)

    thread = threading.Thread(target=apart, name="hinterguesser")
    thread.start()
    thread.join()
    if failure:
        raise failure[0]
    return outcome[0]


async def _attended(work: Callable[[Desk], Awaitable[T]], journal: Path, calls: CallSettings) -> T:
    with Journal(journal) as opened:
        backends = Backends(calls, on_failed_attempt=opened.failed_attempt)
        desk = Desk(backends, opened)
        task = asyncio.ensure_future(work(desk))
        presses = _listen(desk, task)
        try:
            return await task
        except asyncio.CancelledError:
            raise KeyboardInterrupt from None
        except Exception as error:
            if presses and str(error) == INTERRUPTED:
                raise KeyboardInterrupt from None
            raise
        finally:
            await backends.close()


def _listen(desk: Desk, task: "asyncio.Future[T]") -> list[int]:
    """Hear Ctrl-C and a polite kill: once to finish what is in flight, twice to end now."""
    presses: list[int] = []
    loop = asyncio.get_running_loop()

    def pressed() -> None:
        presses.append(1)
        desk.stop(INTERRUPTED)
        if len(presses) == 1:
            loop.call_later(FINISH_SECONDS, task.cancel)
        else:
            task.cancel()

    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM):
            with contextlib.suppress(NotImplementedError):  # no such thing on Windows: Ctrl-C then ends the run at once
                loop.add_signal_handler(number, pressed)
    return presses
