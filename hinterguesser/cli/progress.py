"""A bar on stderr; nothing when stderr is no terminal."""

import contextlib
import sys
from collections.abc import Iterator
from typing import Any


class Bar:
    """Shows each stage of a long command as one tqdm bar."""

    def __init__(self) -> None:
        """Show nothing yet."""
        self._bar: Any = None

    def start(self, what: str, total: int) -> None:
        """Begin a bar of `total` items, and end the one before."""
        self.close()
        if sys.stderr.isatty():
            from tqdm import tqdm

            self._bar = tqdm(total=total, desc=what, file=sys.stderr, dynamic_ncols=True, mininterval=0.2)

    def advance(self, count: int = 1) -> None:
        """So many more items are done."""
        if self._bar is not None:
            self._bar.update(count)

    def close(self) -> None:
        """Leave the bar as it is and go to the next line."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None


@contextlib.contextmanager
def bar() -> Iterator[Bar]:
    """A bar that is closed whatever happens."""
    shown = Bar()
    try:
        yield shown
    finally:
        shown.close()
