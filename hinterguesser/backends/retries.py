"""Trying again, and knowing when to stop trying."""

import random
import time
from collections.abc import Callable

from tenacity import RetryCallState

from hinterguesser.backends.faults import Fault
from hinterguesser.backends.settings import CallSettings
from hinterguesser.errors import RunStopped, UserError

_SLOW_DOWN_COUNTS = 0.25
_HOPELESS_CALLS = 20


def is_worth_retrying(error: BaseException) -> bool:
    """Whether the same request may bring a reply next time."""
    return isinstance(error, Fault) and error.retry


class Patience:
    """When to stop trying one call, and how long to wait in between; made for one call, handed to tenacity.

    Being told to slow down counts a quarter of a failure: the server is alive and says when to come back.
    """

    def __init__(self, settings: CallSettings, rng: random.Random) -> None:
        """Take limits from `settings`, jitter from `rng`."""
        self._settings = settings
        self._rng = rng
        self._failures = 0.0
        self._told_when = False

    def failed(self, fault: Fault) -> None:
        """Take note of one more failed attempt."""
        self._failures += _SLOW_DOWN_COUNTS if fault.slow_down else 1.0
        self._told_when = fault.retry_after_seconds is not None

    def stop(self, _: RetryCallState) -> bool:
        """Whether that was the last attempt."""
        return self._failures >= self._settings.max_attempts

    def wait(self, _: RetryCallState) -> float:
        """Seconds until the next attempt: exponential, with jitter.

        When the server said how long, the limiter holds everybody back that long; a little jitter spreads the return.
        """
        if self._told_when:
            return self._rng.random() * min(self._settings.backoff_seconds, 1.0)
        doubled: float = self._settings.backoff_seconds * 2.0 ** max(0.0, self._failures - 1)
        mean = min(doubled, self._settings.max_backoff_seconds)
        return mean * (0.5 + self._rng.random())


class Breaker:
    """Stops the run when nothing gets through any more: one for each (endpoint, model)."""

    def __init__(self, where: str, give_up_after_seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        """Watch the endpoint called `where`."""
        self._where = where
        self._give_up_after_seconds = give_up_after_seconds
        self._clock = clock
        self._failing_since: float | None = None
        self._ever = False
        self._refused = 0
        self._stopped: UserError | RunStopped | None = None

    def check(self) -> None:
        """Raise what stopped the run, if anything did: nothing more is sent."""
        if self._stopped is not None:
            raise type(self._stopped)(str(self._stopped))  # a new one: a traceback grows when raised again

    def success(self) -> None:
        """A reply came."""
        self._failing_since = None
        self._ever = True

    def stop(self, error: UserError | RunStopped) -> None:
        """Nothing more is sent, for the reason `error` gives."""
        self._stopped = self._stopped or error

    def failure(self, fault: Fault) -> None:
        """An attempt failed.

        Raises:
            UserError: nothing listens at the address, and never did in this run.
            RunStopped: attempts have failed for too long, or the first calls were all refused for good.
        """
        now = self._clock()
        if fault.unreached and not self._ever:
            self.stop(UserError(f"{self._where} cannot be reached: {fault.reason}. Is the server running?"))
        if not fault.retry:
            self._refused += 1
            if not self._ever and self._refused >= _HOPELESS_CALLS:
                self.stop(self._run_stopped(f"refused the first {self._refused} calls", fault))
        elif self._failing_since is None:
            self._failing_since = now
        elif now - self._failing_since >= self._give_up_after_seconds:
            self.stop(self._run_stopped(f"has given no reply for {now - self._failing_since:.0f} s", fault))
        self.check()

    def _run_stopped(self, what: str, fault: Fault) -> RunStopped:
        return RunStopped(
            f"{self._where} {what}; the last fault: {fault.reason}. What was done is kept; run the same command again "
            "to go on (--give-up-after SECONDS waits longer)."
        )
