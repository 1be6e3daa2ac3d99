"""The call journal: every reply that was ever paid for, found again by what was asked.

One SQLite file. A put returns at once; a writer thread gathers what was put and commits it, with an fsync, at most
every 50 ms. Whoever reports something that rests on replies awaits `committed` first. A process may be killed at any
moment: what was committed stays, what was not is asked again.
"""

import asyncio
import contextlib
import json
import sqlite3
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import orjson

from hinterguesser.domain.script import Call, Reply
from hinterguesser.errors import UserError
from hinterguesser.store.journal_file import open_for_writing, open_journal, pack, trouble, unpack

COMMIT_SECONDS = 0.05
MOST_TEXT_KEPT = 4000
"""Characters of a failed attempt's text that are kept; enough to see what a server said."""


def call_key(endpoint: str, call: Call) -> bytes:
    """What the reply to `call` at `endpoint` is filed under: 32 bytes, the same on every machine.

    Whatever may change the reply is in it: endpoint, model, every message, every sampling parameter, seed, sample index
    and whether the prompt's cache may be used. The fields are written out, so that a field added to `Sampling` later
    can be left out here while it has no effect, and old journals keep their worth.
    """
    try:
        return sha256(orjson.dumps([endpoint, call.model, *_parts(call)])).digest()
    except (TypeError, orjson.JSONEncodeError):  # a lone surrogate in a prompt
        return sha256(repr([endpoint, call.model, *_parts(call)]).encode("utf-8", "surrogatepass")).digest()


def _parts(call: Call) -> list[Any]:
    """Everything about a call but where it goes, as plain lists: much quicker to write out than dataclasses."""
    sampling = call.sampling
    return [
        call.prompt if isinstance(call.prompt, str) else [[said.role, said.content] for said in call.prompt],
        float(sampling.temperature),
        float(sampling.top_p),
        sampling.max_tokens,
        sampling.stop,
        sampling.top_logprobs,
        sampling.seed,
        sampling.json_object,
        call.sample,
        call.reuse_prompt,
    ]


@dataclass(frozen=True, slots=True)
class _Put:
    key: bytes
    endpoint: str
    call: Call
    reply: Reply
    attempts: int
    at: float


@dataclass(frozen=True, slots=True)
class _Failure:
    key: bytes
    model: str
    status: int | None
    reason: str
    text: str
    finish_reason: str | None
    at: float


_Waiter = tuple[int, asyncio.AbstractEventLoop, "asyncio.Future[None]"]

_INSERT_REPLY = """INSERT OR IGNORE INTO replies
(key, at, endpoint, model, call, reply, attempts, finish_reason, input_tokens, output_tokens, cached_tokens, cost_usd)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""
_INSERT_FAILURE = (
    "INSERT INTO attempts (key, at, model, status, reason, text, finish_reason) VALUES (?, ?, ?, ?, ?, ?, ?)"
)


class Journal:
    """An open journal. `get` and `put` belong to one thread at a time; several processes may share the file."""

    key = staticmethod(call_key)

    def __init__(self, path: str | Path, *, commit_seconds: float = COMMIT_SECONDS) -> None:
        """Open the journal at `path`, or begin it.

        Raises:
            UserError: the file cannot be read or written, is no journal, or comes from a newer version.
        """
        self.path = Path(path)
        self._commit_seconds = commit_seconds
        self._writing = open_for_writing(self.path)
        self._reading = open_journal(self.path)
        self._select = self._reading.cursor().execute
        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)
        self._hurry = threading.Event()
        self._puts: list[_Put] = []
        self._failures: list[_Failure] = []
        self._unwritten: dict[bytes, Reply] = {}
        self._failed_before: dict[bytes, int] = {}
        self._waiters: list[_Waiter] = []
        self._given = 0
        self._written = 0
        self._broken: UserError | None = None
        self._closed = False
        self._thread = threading.Thread(target=self._write_on, name="journal writer", daemon=True)
        self._thread.start()

    def get(self, key: bytes) -> Reply | None:
        """The reply filed under `key`, committed or not; None when there is none.

        Raises:
            UserError: the file can no longer be read.
        """
        waiting = self._unwritten.get(key)
        if waiting is not None:
            return waiting
        try:
            row = self._select("SELECT reply FROM replies WHERE key = ?", (key,)).fetchone()
        except sqlite3.Error as error:
            raise trouble(self.path, error) from error
        return None if row is None else Reply.from_dict(orjson.loads(unpack(row[0])))

    def put(self, key: bytes, call: Call, reply: Reply, *, endpoint: str = "", attempts: int | None = None) -> None:
        """File `reply` under `key`; it is on disk within about 50 ms, or once `committed` returns.

        A reply that is already there stays. `attempts` is how many requests it took; by default one more than the
        failed attempts that were noted for this key.

        Raises:
            UserError: an earlier write failed, for instance because the disk is full.
        """
        failed = self._failed_before.pop(key, 0)
        put = _Put(key, endpoint, call, reply, failed + 1 if attempts is None else attempts, time.time())
        self._unwritten[key] = reply
        self._give(self._puts.append, put)

    def failed_attempt(
        self, endpoint: str, call: Call, status: int | None, reason: str, text: str, finish_reason: str | None = None
    ) -> None:
        """Note an attempt that brought no usable reply, for diagnosis: the HTTP status if any, why, what was said."""
        key = call_key(endpoint, call)
        self._failed_before[key] = self._failed_before.get(key, 0) + 1
        failure = _Failure(key, call.model, status, reason, text[:MOST_TEXT_KEPT], finish_reason, time.time())
        self._give(self._failures.append, failure)

    async def committed(self) -> None:
        """Return once everything put so far is on disk.

        Raises:
            UserError: it cannot be written.
        """
        with self._lock:
            self._raise_if_broken()
            if self._written == self._given:
                return
            loop = asyncio.get_running_loop()
            done: asyncio.Future[None] = loop.create_future()
            self._waiters.append((self._given, loop, done))
        await done

    def close(self) -> None:
        """Write what is left and let go of the file.

        Raises:
            UserError: what was left cannot be written.
        """
        if self._closed:
            return
        with self._lock:
            self._closed = True
            self._changed.notify()
        self._hurry.set()
        self._thread.join()
        self._reading.close()
        self._writing.close()
        self._raise_if_broken()

    def __enter__(self) -> "Journal":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _give(self, append: Callable[[Any], None], item: _Put | _Failure) -> None:
        with self._lock:
            self._raise_if_broken()
            append(item)
            self._given += 1
            if self._given == self._written + 1 or len(self._puts) + len(self._failures) == 1:
                self._changed.notify()

    def _raise_if_broken(self) -> None:
        if self._broken is not None:
            raise UserError(str(self._broken))  # a new one each time: a traceback grows when raised again

    def _write_on(self) -> None:
        """The writer thread: gather, commit, tell who waits."""
        last = 0.0
        while True:
            with self._lock:
                while not (self._puts or self._failures or self._closed):
                    self._changed.wait()
            self._hurry.wait(max(0.0, last + self._commit_seconds - time.monotonic()))
            last = time.monotonic()  # from start to start: a slow disk does not add to the wait
            with self._lock:
                puts, failures, given, closing = list(self._puts), list(self._failures), self._given, self._closed
                self._puts.clear()
                self._failures.clear()
            try:
                if puts or failures:
                    self._commit(puts, failures)
            except (sqlite3.Error, OSError) as error:
                self._break(trouble(self.path, error))
                return
            except BaseException as error:  # a bug must not leave someone waiting for ever
                self._break(UserError(f"{self.path}: the journal cannot go on: {error!r}"))
                raise
            self._settle(puts, given)
            if closing:
                return

    def _commit(self, puts: list[_Put], failures: list[_Failure]) -> None:
        rows = [_row(put) for put in puts]
        run = self._writing.execute
        run("BEGIN IMMEDIATE")
        try:
            self._writing.executemany(_INSERT_REPLY, rows)
            if failures:
                self._writing.executemany(
                    _INSERT_FAILURE,
                    [(f.key, f.at, f.model, f.status, f.reason, f.text, f.finish_reason) for f in failures],
                )
            run("COMMIT")
        except BaseException:
            with contextlib.suppress(sqlite3.Error):
                run("ROLLBACK")
            raise

    def _settle(self, puts: list[_Put], given: int) -> None:
        with self._lock:
            self._written = given
            # An entry that was put again in the meantime belongs to the next commit and stays.
            for put in puts:
                if self._unwritten.get(put.key) is put.reply:
                    del self._unwritten[put.key]
            ready = [waiter for waiter in self._waiters if waiter[0] <= given]
            self._waiters = [waiter for waiter in self._waiters if waiter[0] > given]
        _wake(ready, None)

    def _break(self, error: UserError) -> None:
        with self._lock:
            self._broken = error
            ready, self._waiters = self._waiters, []
        _wake(ready, error)


def _wake(waiters: list[_Waiter], error: UserError | None) -> None:
    """Finish the waiters' futures, each in its own loop, with one message a loop."""
    by_loop: dict[asyncio.AbstractEventLoop, list[asyncio.Future[None]]] = {}
    for _, loop, future in waiters:
        by_loop.setdefault(loop, []).append(future)
    for loop, futures in by_loop.items():
        with contextlib.suppress(RuntimeError):  # that loop is closed; nobody waits any more
            loop.call_soon_threadsafe(_finish, futures, error)


def _finish(futures: list["asyncio.Future[None]"], error: UserError | None) -> None:
    for future in futures:
        if future.done():
            continue
        if error is None:
            future.set_result(None)
        else:
            future.set_exception(error)


def _row(put: _Put) -> tuple[Any, ...]:
    usage = put.reply.usage
    return (
        put.key,
        put.at,
        put.endpoint,
        put.call.model,
        pack(_call_json(put.call)),
        pack(orjson.dumps(put.reply.to_dict())),
        put.attempts,
        put.reply.finish_reason,
        usage.input_tokens,
        usage.output_tokens,
        usage.cached_tokens,
        put.reply.cost_usd,
    )


def _call_json(call: Call) -> bytes:
    try:
        return orjson.dumps(_parts(call))
    except (TypeError, orjson.JSONEncodeError):
        return json.dumps(_parts(call), ensure_ascii=False).encode("utf-8", "replace")
