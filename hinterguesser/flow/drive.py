"""The one driver: runs many scripts at once, and bounds how many are under way."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import TypeVar

from hinterguesser.domain.script import Call, Reply, Script
from hinterguesser.errors import CallFailed, RunStopped

T = TypeVar("T")
K = TypeVar("K")

Ask = Callable[[Sequence[Call]], Awaitable[Sequence[Reply]]]
Ended = Callable[[K, T | CallFailed], Awaitable[None]]


async def drive(
    items: Iterable[tuple[K, Script[T]]],
    ask: Ask,
    ended: Ended[K, T],
    *,
    at_once: int,
    stopping: Callable[[], str | None] = lambda: None,
) -> None:
    """Run every script of `items`, at most `at_once` at a time, and report each as it ends.

    No script waits for another: one that ends makes room for the next, so a slow call holds up its own script only.
    `items` is taken one by one, so a list of any length needs memory for `at_once` scripts.

    Args:
        items: a key and a script each.
        ask: gets the replies to calls that are made together.
        ended: told the key and the result, or why a call of the script failed for good.
        at_once: how many scripts are under way at most.
        stopping: says why no further script may start, or None.

    Raises:
        RunStopped: `stopping` or `ask` said so. Each script under way went on to its next call, so that the replies in
            flight were kept.
        Exception: whatever else `ask` or `ended` raised; the other scripts are cancelled where they stand.
    """
    source = iter(items)
    stops: list[RunStopped] = []

    async def work() -> None:
        for key, script in source:
            try:
                await ended(key, await _finish(script, ask))
            except RunStopped as stop:
                stops.append(stop)
            await asyncio.sleep(0)  # scripts without calls would otherwise keep the loop from ever hearing of Ctrl-C
            why = stopping()
            if why is not None:
                stops.append(RunStopped(why))
            if stops:
                return

    workers = [asyncio.create_task(work()) for _ in range(max(1, at_once))]
    try:
        done, _ = await asyncio.wait(workers, return_when=asyncio.FIRST_EXCEPTION)
        for worker in done:
            worker.result()
    finally:
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
    if stops:
        raise stops[0]


async def _finish(script: Script[T], ask: Ask) -> T | CallFailed:
    try:
        calls = next(script)
        while True:
            try:
                replies = await ask(calls)
            except CallFailed as failed:
                return failed
            calls = script.send(replies)
    except StopIteration as stop:
        result: T = stop.value
        return result
    finally:
        script.close()
