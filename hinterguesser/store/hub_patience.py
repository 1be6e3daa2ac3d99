"""How the Hub is asked: with or without bars, and again where that may help."""

import contextlib
from collections.abc import Callable, Iterator
from typing import TypeVar

from hinterguesser.store import hub_errors

T = TypeVar("T")

MOST_TRIES = 8
"""In all steps of one upload together; fewer where no answer comes at all."""
MOST_TRIES_UNHEARD = 4
LONGEST_WAIT_SECONDS = 600.0
"""A longer wait that the Hub asks for is left to the user."""
_LONGEST_OWN_WAIT_SECONDS = 60.0


class Patience:
    """Tries again what may well work later: a limit of the Hub, a problem of its own, a broken connection."""

    def __init__(self, wait: Callable[[float], None]) -> None:
        """Wait with `wait`, which takes seconds."""
        self._wait = wait
        self._tries = 0

    def call(self, step: Callable[[], T]) -> T:
        """What `step` returns, in the end."""
        while True:
            try:
                return step()
            except hub_errors.transport_errors() as error:
                status = hub_errors.status_of(error)
                if status is not None and status != 429 and status < 500:
                    raise
                self.pause(error)

    def pause(self, error: BaseException) -> None:
        """Wait as long as the Hub asks, else longer each time, beginning with not at all; in the end raise `error`."""
        asked = hub_errors.retry_after_seconds(error)
        own = min(2.0 ** (self._tries - 1), _LONGEST_OWN_WAIT_SECONDS) if self._tries else 0.0
        seconds = own if asked is None else asked
        self._tries += 1
        most = MOST_TRIES_UNHEARD if hub_errors.status_of(error) is None else MOST_TRIES
        if self._tries >= most or seconds > LONGEST_WAIT_SECONDS:
            raise error
        self._wait(seconds)


@contextlib.contextmanager
def with_bars(wanted: bool) -> Iterator[None]:
    """Keep huggingface_hub from drawing bars, unless they are wanted; what it waits for, it says on stderr."""
    from huggingface_hub.utils import disable_progress_bars, enable_progress_bars

    if wanted:
        yield
        return
    disable_progress_bars()
    try:
        yield
    finally:
        enable_progress_bars()
