"""One call at a time, the one first that adds least to what was read last.

A model in this process gives all cores to one call, and what makes calls cheap is its cache of the prompt read last. So
of the calls that wait, the one whose prompt shares most with that prompt goes first: a dialogue's calls follow one
another, however many dialogues are under way.
"""

import asyncio
import os
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field

from hinterguesser.domain.script import Call, Reply

GRACE_SECONDS = 0.02
"""How long a call that needs much reading waits for one that needs little: the next of the dialogue just served, which
its script makes only on seeing the last reply."""
LITTLE_CHARACTERS = 300

Ask = Callable[[Call, threading.Event], Reply]
"""Answers a call; the event says that nobody waits for it any more."""


@dataclass(eq=False, slots=True)
class _Job:
    call: Call
    reply: "Future[Reply]" = field(default_factory=Future)
    given_up: threading.Event = field(default_factory=threading.Event)

    @property
    def text(self) -> str:
        """The prompt as one text, to see what it shares with another."""
        prompt = self.call.prompt
        return prompt if isinstance(prompt, str) else "\n".join(f"{said.role}: {said.content}" for said in prompt)


class NearestFirst:
    """A thread that answers calls, and the calls that wait for it."""

    def __init__(self, start: Callable[[], Ask]) -> None:
        """Answer with what `start` returns; it is called on the thread, at the first call."""
        self._start = start
        self._jobs: list[_Job] = []
        self._current: _Job | None = None
        self._read = ""
        self._stopping = False
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None

    async def reply(self, call: Call) -> Reply:
        """The reply to `call`, when its turn comes; raises what answering it, or `start`, raised."""
        job = _Job(call)
        self._put(job)
        try:
            return await asyncio.wrap_future(job.reply)
        except asyncio.CancelledError:
            job.given_up.set()
            raise

    def stop(self) -> None:
        """Give up all calls, and let go of what `start` returned; returns when that is done."""
        with self._changed:
            self._stopping = True
            for job in (*self._jobs, *([self._current] if self._current else ())):
                job.given_up.set()
                job.reply.cancel()
            self._changed.notify()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()

    def _put(self, job: _Job) -> None:
        with self._changed:
            if self._stopping:
                raise RuntimeError("this backend is closed")
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="nearest-first", daemon=True)
                self._thread.start()
            self._jobs.append(job)
            self._changed.notify()

    def _work(self) -> None:
        ask: Ask | None = None
        while (job := self._next()) is not None:
            try:
                if ask is None:
                    ask = self._start()
                job.reply.set_result(ask(job.call, job.given_up))
            except BaseException as error:  # told to whoever waits, bugs included
                job.reply.set_exception(error)

    def _next(self) -> _Job | None:
        with self._changed:
            self._current = None
            while True:
                self._changed.wait_for(lambda: self._jobs or self._stopping)
                if self._jobs and self._least()[0] > LITTLE_CHARACTERS:
                    waiting = len(self._jobs)
                    self._changed.wait_for(lambda: self._stopping or len(self._jobs) > waiting, GRACE_SECONDS)  # noqa: B023 - called within this turn of the loop
                if self._stopping:
                    return None
                job = self._jobs.pop(self._least()[1])
                if job.reply.set_running_or_notify_cancel():  # else it was cancelled while it waited
                    self._current, self._read = job, job.text
                    return job

    def _least(self) -> tuple[int, int]:
        """How many characters the nearest job adds to what was read, and its place; the oldest of equals."""
        return min((len(job.text) - _shared(job.text, self._read), place) for place, job in enumerate(self._jobs))


def _shared(one: str, other: str) -> int:
    """How many characters two texts share at their beginning."""
    return len(os.path.commonprefix((one, other)))  # noqa: RUF071 - texts, not paths
