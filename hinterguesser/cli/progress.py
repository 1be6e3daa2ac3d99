"""One line on stderr that says how far a long command is; nothing when stderr is no terminal.

It is drawn by the clock, not by the call: twice a second, by a thread of its own, so that it costs the same however
fast replies come, and goes on while one item takes minutes.
"""

import contextlib
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

from hinterguesser.flow.session import Meter

REDRAW_SECONDS = 0.5
WINDOW_SECONDS = 30.0
"""Rates are over the last so many seconds."""
NARROWEST_BAR = 8
UNKNOWN_WIDTH = 80
"""Columns of a terminal that does not say."""


class Bar:
    """Shows each stage of a long command as one tqdm line."""

    def __init__(self) -> None:
        """Show nothing yet."""
        self._bar: Any = None
        self._stage: Stage | None = None
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self, what: str, total: int) -> None:
        """Begin a line for `total` items, and end the one before."""
        self.close()
        if not sys.stderr.isatty():
            return
        from tqdm import tqdm

        self._stage = Stage(what, total, time.monotonic())
        # No monitor thread of tqdm's, and nothing drawn but by `_draw`.
        self._bar = tqdm(total=total, file=sys.stderr, bar_format="{desc}", maxinterval=0)
        self._over.clear()
        self._thread = threading.Thread(target=self._keep_drawing, name="hinterguesser progress", daemon=True)
        self._thread.start()

    def advance(self, count: int = 1) -> None:
        """So many more items are done."""
        if self._stage is not None:
            self._stage.done += count

    def count(self, **named: int) -> None:
        """So many more of these, e.g. `kept=1`."""
        if self._stage is not None:
            for name, count in named.items():
                self._stage.counts[name] = self._stage.counts.get(name, 0) + count

    def watch(self, reader: Callable[[], Meter]) -> None:
        """Show what `reader` says was used so far; calls begin now."""
        if self._stage is not None:
            self._stage.watch(reader, time.monotonic())

    def close(self) -> None:
        """Leave the line as it is and go to the next."""
        if self._thread is not None:
            self._over.set()
            self._thread.join()
            self._thread = None
        if self._bar is not None:
            self._draw()
            self._bar.close()
            self._bar = self._stage = None

    def _keep_drawing(self) -> None:
        while not self._over.wait(REDRAW_SECONDS):
            self._draw()

    def _draw(self) -> None:
        if self._stage is None:
            return
        width = _columns()
        before, after = self._stage.line(time.monotonic(), width)
        room = width - len(before) - len(after) - len(" || ")
        self._bar.n = min(self._stage.done, self._stage.total)
        self._bar.ncols = width
        has_bar = room >= NARROWEST_BAR and self._stage.total > 0
        middle = " |{bar}| " if has_bar else " " * bool(after)
        self._bar.bar_format = f"{before}{middle}{after}" if has_bar else "{desc}"
        self._bar.set_description_str(f"{before}{middle}{after}", refresh=False)
        with contextlib.suppress(OSError):  # a terminal that was closed is no reason to stop working
            self._bar.refresh()


class Stage:
    """What there is to say about one stage."""

    def __init__(self, what: str, total: int, now: float) -> None:
        """Nothing is done yet."""
        self.what, self.total, self.done = what, total, 0
        self.counts: dict[str, int] = {}
        self._start = self._began = now
        self._before = 0
        self._reader: Callable[[], Meter] | None = None
        self._calls_before = 0
        self._seen: deque[tuple[float, Meter]] = deque()

    def watch(self, reader: Callable[[], Meter], now: float) -> None:
        """Take rates from `reader`; what was done before now tells nothing about how long the rest takes."""
        first = reader()
        self._reader, self._calls_before = reader, first.calls
        self._began, self._before = now, self.done
        self._seen.clear()
        self._seen.append((now, first))

    def line(self, now: float, width: int) -> tuple[str, str]:
        """What stands before and after the bar; of what is less important, as much as fits into `width` columns."""
        before = f"{self.what} {self.done}/{self.total}"
        counts = ", ".join(f"{name} {count}" for name, count in list(self.counts.items()) if count)
        calls, tokens, cost = self._used(now)
        shown = [counts, calls, tokens, cost, self._time(now)]
        for place in (2, 1, 3, 4, 0):  # tokens/s goes first, what was kept last
            if len(before) + 1 + len(_joined(shown)) <= width:
                break
            shown[place] = ""
        return before[:width], _joined(shown)

    def _time(self, now: float) -> str:
        if self.done >= self.total:
            return f"in {_clock(now - self._start)}"
        passed, fresh = now - self._began, self.done - self._before
        return f"{_clock(passed / fresh * (self.total - self.done))} left" if fresh > 0 else ""

    def _used(self, now: float) -> tuple[str, str, str]:
        """Calls a second, tokens a second, and the cost so far; empty where nothing is to be said."""
        if self._reader is None:
            return "", "", ""
        meter = self._reader()
        if meter.calls == self._calls_before:  # so far the journal answered: that says nothing about the rest
            self._began, self._before = now, self.done
        self._seen.append((now, meter))
        while len(self._seen) > 2 and now - self._seen[1][0] >= WINDOW_SECONDS:
            self._seen.popleft()
        since, first = self._seen[0]
        cost = cost_so_far(meter)
        if meter.calls == 0 or now <= since:
            return "", "", cost
        calls, tokens = ((getattr(meter, name) - getattr(first, name)) / (now - since) for name in ("calls", "tokens"))
        return f"{_rate(calls)} calls/s", f"{_rate(tokens)} tokens/s" if meter.tokens else "", cost


def cost_so_far(meter: Meter) -> str:
    """The cost in dollars; '' while it is 0 and all prices are known; 'cost not known' or a mark while some are not."""
    if meter.cost_usd == 0:
        return "cost not known" if meter.unpriced_calls else ""
    return f"${meter.cost_usd:.4f}{' or more' if meter.unpriced_calls else ''}"


def _joined(parts: list[str]) -> str:
    return ", ".join(part for part in parts if part)


def _rate(a_second: float) -> str:
    return f"{a_second:.1f}" if a_second < 100 else f"{a_second:.0f}"


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _columns() -> int:
    """Columns to draw on: one is left free, since some terminals wrap a line that fills the last."""
    try:
        width = os.get_terminal_size(sys.stderr.fileno()).columns
    except OSError:
        width = 0
    return max(1, (width or UNKNOWN_WIDTH) - 1)


@contextlib.contextmanager
def bar() -> Iterator[Bar]:
    """A line that is ended whatever happens."""
    shown = Bar()
    try:
        yield shown
    finally:
        shown.close()
