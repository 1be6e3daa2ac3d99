"""How many requests may be under way: one limiter for each (endpoint, model) of a run.

Concurrency rises by about a tenth a round of successes and is cut when the server says it is busy, or when replies take
much longer without more of them coming (additive increase, multiplicative decrease). A pause the server asks for holds
for everybody. Requests and tokens a minute are buckets that refill steadily.
"""

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from hinterguesser.domain.script import Usage

_CUT = 0.7
_LATENCY_CUT = 0.9
_LATENCY_RATIO = 3.0
_LATENCY_SLACK_SECONDS = 1.0
_ROUND_CALLS = 32
_BURST_SECONDS = 5.0
_FIRST_TOKENS_PER_CHARACTER = 0.3
_FIRST_OUTPUT_TOKENS = 128
_LEARN = 0.1


class Bucket:
    """A steady allowance: `per_minute` units, of which at most five seconds' worth are saved up."""

    def __init__(self, per_minute: float, now: float) -> None:
        """Start with what may be saved up."""
        self._rate = per_minute / 60.0
        self._burst = max(1.0, self._rate * _BURST_SECONDS)
        self._level = self._burst
        self._at = now

    def wait_seconds(self, amount: float, now: float) -> float:
        """How long until `amount` may be taken; an amount above the burst may go once the bucket is full."""
        self._refill(now)
        missing = min(amount, self._burst) - self._level
        return missing / self._rate if missing > 1e-9 else 0.0

    def take(self, amount: float) -> None:
        """Take `amount`; a negative one gives back what was reserved and not used. The level may fall below zero."""
        self._level = min(self._burst, self._level - amount)

    def _refill(self, now: float) -> None:
        self._level = min(self._burst, self._level + (now - self._at) * self._rate)
        self._at = now


@dataclass(slots=True)
class Ticket:
    """Leave to make one request, to be handed back."""

    started: float = 0.0
    characters: int = 0
    input_tokens: float = 0.0
    """Reserved."""
    output_tokens: float = 0.0


class Limiter:
    """Lets requests start, first come first served; retries go to the front."""

    def __init__(
        self,
        ceiling: int,
        *,
        rpm: float | None = None,
        input_tpm: float | None = None,
        output_tpm: float | None = None,
        max_pause_seconds: float = 60.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Allow up to `ceiling` requests at once, and so many requests and tokens a minute."""
        self._ceiling = ceiling
        self._clock = clock
        now = clock()
        self._requests = None if rpm is None else Bucket(rpm, now)
        self._input = None if input_tpm is None else Bucket(input_tpm, now)
        self._output = None if output_tpm is None else Bucket(output_tpm, now)
        self._max_pause_seconds = max_pause_seconds
        self._allowed = float(ceiling)
        self._active = 0
        self._waiting: deque[tuple[Ticket, asyncio.Future[None]]] = deque()
        self._timer: asyncio.TimerHandle | None = None
        self._paused_until = 0.0
        self._last_cut = 0.0
        self._tokens_per_character = _FIRST_TOKENS_PER_CHARACTER
        self._output_seen: float | None = None
        self._latency = _Latency(now)

    @property
    def allowed(self) -> int:
        """How many requests may be under way at the moment."""
        return max(1, int(self._allowed))

    @property
    def active(self) -> int:
        """How many are under way."""
        return self._active

    @property
    def counts_tokens(self) -> bool:
        """Whether `enter` needs to know how long the prompt is."""
        return self._input is not None or self._output is not None

    async def enter(self, characters: int, max_tokens: int, *, again: bool = False) -> Ticket:
        """Wait until one more request may start. Each ticket must be handed back with `leave`."""
        ticket = Ticket(characters=characters)
        if self._input is not None:
            ticket.input_tokens = characters * self._tokens_per_character
        if self._output is not None:
            # Reserved from what was observed: the model's maximum would throttle to a crawl.
            ticket.output_tokens = min(max_tokens, self._output_seen or _FIRST_OUTPUT_TOKENS)
        now = self._clock()
        if not self._waiting and self._active < self.allowed and self._wait_seconds(ticket, now) <= 0:
            self._start(ticket, now)
            return ticket
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        entry = (ticket, future)
        (self._waiting.appendleft if again else self._waiting.append)(entry)
        self._pump()
        try:
            await future
        except asyncio.CancelledError:
            if future.done() and not future.cancelled():
                self._active -= 1  # leave was granted in the same moment
            else:
                with contextlib.suppress(ValueError):
                    self._waiting.remove(entry)
            self._pump()
            raise
        return ticket

    def leave(self, ticket: Ticket, usage: Usage | None = None) -> None:
        """Hand the ticket back: with the usage after a success, without after anything else."""
        self._active -= 1
        if usage is not None:
            now = self._clock()
            self._settle(ticket, usage)
            if self._allowed < self._ceiling:
                self._allowed = min(float(self._ceiling), self._allowed + max(1.0, 0.1 * self._allowed) / self._allowed)
            if self._latency.rises(now - ticket.started, now, self.allowed):
                self._allowed = max(1.0, self._ceiling / 4, self._allowed * _LATENCY_CUT)
        if self._waiting:
            self._pump()

    def slow_down(self, ticket: Ticket, pause_seconds: float) -> None:
        """The server said it is busy: cut concurrency, once a round, and pause for everybody.

        Requests that were already under way at the last cut tell nothing new. A long pause is capped: the next request
        will be told again if it is still too early.
        """
        now = self._clock()
        if ticket.started >= self._last_cut:
            self._last_cut = now
            self._allowed = max(1.0, self._allowed * _CUT)
        self._paused_until = max(self._paused_until, now + min(pause_seconds, self._max_pause_seconds))

    def _wait_seconds(self, ticket: Ticket, now: float) -> float:
        wait = self._paused_until - now
        if self._requests is not None:
            wait = max(wait, self._requests.wait_seconds(1, now))
        if self._input is not None:
            wait = max(wait, self._input.wait_seconds(ticket.input_tokens, now))
        if self._output is not None:
            wait = max(wait, self._output.wait_seconds(ticket.output_tokens, now))
        return wait

    def _start(self, ticket: Ticket, now: float) -> None:
        self._active += 1
        ticket.started = now
        if self._requests is not None:
            self._requests.take(1)
        if self._input is not None:
            self._input.take(ticket.input_tokens)
        if self._output is not None:
            self._output.take(ticket.output_tokens)

    def _pump(self) -> None:
        """Start whoever may start; come back when time alone will let the next one go."""
        while self._waiting and self._active < self.allowed:
            ticket, future = self._waiting[0]
            if future.done():  # cancelled
                self._waiting.popleft()
                continue
            now = self._clock()
            wait = self._wait_seconds(ticket, now)
            if wait > 0:
                self._come_back(wait)
                return
            self._waiting.popleft()
            self._start(ticket, now)
            future.set_result(None)

    def _come_back(self, wait_seconds: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(wait_seconds, self._on_timer)

    def _on_timer(self) -> None:
        self._timer = None
        self._pump()

    def _settle(self, ticket: Ticket, usage: Usage) -> None:
        """Correct the reservation by what was really used, and learn from it."""
        if self._input is not None and usage.input_tokens is not None and ticket.characters:
            self._input.take(usage.input_tokens - ticket.input_tokens)
            seen = usage.input_tokens / ticket.characters
            self._tokens_per_character += _LEARN * (seen - self._tokens_per_character)
        if self._output is not None and usage.output_tokens is not None:
            self._output.take(usage.output_tokens - ticket.output_tokens)
            before = self._output_seen if self._output_seen is not None else float(usage.output_tokens)
            self._output_seen = before + _LEARN * (usage.output_tokens - before)


class _Latency:
    """Notices that replies take much longer than at best while no more of them come."""

    def __init__(self, now: float) -> None:
        self._since = now
        self._seconds: list[float] = []
        self._best_seconds: float | None = None
        self._best_rate = 0.0

    def rises(self, seconds: float, now: float, allowed: int) -> bool:
        """Take in one latency; true once a round when it is time to cut."""
        self._seconds.append(seconds)
        count = len(self._seconds)
        if count < max(_ROUND_CALLS, allowed):
            return False
        median = sorted(self._seconds)[count // 2]
        rate = count / max(1e-6, now - self._since)
        self._seconds.clear()
        self._since = now
        if self._best_seconds is None or median <= self._best_seconds:
            self._best_seconds, self._best_rate = median, max(rate, self._best_rate)
            return False
        slow = median > self._best_seconds * _LATENCY_RATIO and median > self._best_seconds + _LATENCY_SLACK_SECONDS
        cut = slow and rate <= self._best_rate * 1.1
        # What counts as best drifts up, so that longer prompts later in a run do not throttle it for good.
        self._best_seconds += 0.05 * (median - self._best_seconds)
        self._best_rate = max(rate, self._best_rate * 0.95)
        return cut
