"""The files and batch endpoints of OpenAI, and of servers that offer the same, through the `openai` package."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import orjson
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_delay

from hinterguesser.backends.faults import Fault, fault_from_status, scrub
from hinterguesser.backends.retries import is_worth_retrying
from hinterguesser.backends.server import Server
from hinterguesser.backends.settings import CallSettings
from hinterguesser.errors import RunStopped, UserError

T = TypeVar("T")

ENDED = frozenset({"completed", "failed", "expired", "cancelled"})
_NOT_OFFERED = (404, 405, 501)
_MOST_LISTED = 1000


class NotOffered(Exception):
    """This server has no batch API."""


@dataclass(frozen=True, slots=True)
class State:
    """How a batch stands."""

    status: str
    files: tuple[str, ...] = ()
    """The files with its results, so far as there are any: of requests that went well, and of those that did not."""
    errors: tuple[tuple[str, str], ...] = ()
    """Code and message of what is wrong with the batch as a whole."""

    @property
    def queue_full(self) -> bool:
        """Whether the provider has as much of ours waiting as it allows."""
        return any(code == "token_limit_exceeded" for code, _ in self.errors)

    @property
    def ended(self) -> bool:
        """Whether nothing more will come."""
        return self.status in ENDED


class BatchApi:
    """Files and batches at one server. Control requests are retried here; what they ask for is free."""

    def __init__(self, server: Server, settings: CallSettings) -> None:
        """Reach the batch endpoints of `server`.

        Raises:
            UserError: the `openai` package cannot be imported.
        """
        try:
            import openai
        except ImportError as error:
            raise UserError(f"--batch needs the openai package ({error}); run `pip install openai`") from error
        self._openai = openai
        self._server = server
        self._settings = settings
        self._ever = False
        self._rng = random.Random()  # noqa: S311 - jitter
        self._client = openai.AsyncOpenAI(
            api_key=server.key or "none",
            base_url=server.base,
            timeout=settings.timeout_seconds,
            max_retries=0,
            http_client=openai.DefaultAsyncHttpxClient(trust_env=not server.is_local),
        )

    async def upload(self, lines: bytes) -> str:
        """Store a file of requests; returns its id.

        Raises:
            NotOffered: there is no such endpoint.
            Fault: nothing got through for long enough.
            UserError: the key or the address is wrong.
            RunStopped: the account is empty.
        """
        made = await self._persist(lambda: self._client.files.create(file=("batch.jsonl", lines), purpose="batch"))
        return _id_of(made)

    async def submit(self, file_id: str, path: Any) -> str:
        """Begin the batch of an uploaded file; returns its id. It is begun once, even if an answer is lost on its way.

        Raises as `upload`.
        """
        deadline = time.monotonic() + self._settings.give_up_after_seconds
        while True:
            try:
                made = await self._once(
                    lambda: self._client.batches.create(input_file_id=file_id, endpoint=path, completion_window="24h")
                )
                return _id_of(made)
            except Fault as fault:
                if not fault.retry or time.monotonic() > deadline:
                    raise
                await asyncio.sleep(max(self._settings.backoff_seconds, fault.retry_after_seconds or 0.0))
            found = await self.find(file_id)
            if found is not None:
                return found

    async def find(self, file_id: str) -> str | None:
        """The id of the batch that was begun with this file, if one was.

        Raises as `upload`, but for `NotOffered`.
        """

        async def look() -> str | None:
            seen = 0
            async for batch in self._client.batches.list(limit=100):
                if batch.input_file_id == file_id:
                    return str(batch.id)
                seen += 1
                if seen == _MOST_LISTED:
                    break
            return None

        try:
            return await self._persist(look)
        except NotOffered:
            return None

    async def state(self, batch_id: str) -> State | None:
        """How the batch stands; None when the server knows no such batch (any more).

        Raises as `upload`, but for `NotOffered`.
        """
        try:
            batch = await self._persist(lambda: self._client.batches.retrieve(batch_id))
        except NotOffered:
            return None
        files = tuple(name for name in (batch.output_file_id, batch.error_file_id) if name)
        listed = (batch.errors.data or []) if batch.errors is not None else []
        errors = tuple(
            (error.code or "", scrub(error.message or error.code or "no reason given", self._server.key))
            for error in listed
        )
        return State(batch.status, files, errors)

    async def results(self, state: State) -> dict[str, dict[str, Any]]:
        """Each line of the results by the id that its request was given; a line that is no JSON object is left out.

        Raises as `upload`, but for `NotOffered`.
        """
        found: dict[str, dict[str, Any]] = {}
        for name in state.files:
            try:
                content = await self._persist(lambda name=name: self._content(name))  # type: ignore[misc]
            except NotOffered:  # the file is gone: its lines count as missing
                continue
            for line in content.splitlines():
                try:
                    plain = orjson.loads(line)
                    found[plain["custom_id"]] = plain
                except (ValueError, KeyError, TypeError):
                    continue
        return found

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def _content(self, file_id: str) -> bytes:
        response = await self._client.files.content(file_id)
        return bytes(response.content)

    async def _persist(self, make: Callable[[], Awaitable[T]]) -> T:
        settings = self._settings

        def wait(state: RetryCallState) -> float:
            fault = state.outcome.exception() if state.outcome is not None else None
            told = fault.retry_after_seconds if isinstance(fault, Fault) else None
            mean = min(settings.backoff_seconds * 2.0 ** (state.attempt_number - 1), settings.max_backoff_seconds)
            return max(mean * (0.5 + self._rng.random()), min(told or 0.0, settings.max_backoff_seconds))

        async for attempt in AsyncRetrying(
            retry=retry_if_exception(is_worth_retrying),
            stop=stop_after_delay(settings.give_up_after_seconds),
            wait=wait,
            reraise=True,
        ):
            with attempt:
                return await self._once(make)
        raise AssertionError("retrying ends with a result or an error")

    async def _once(self, make: Callable[[], Awaitable[T]]) -> T:
        openai = self._openai
        try:
            made = await make()
        except openai.APIStatusError as error:
            self._ever = True
            if error.status_code in _NOT_OFFERED:
                raise NotOffered from None
            raise self._refusal(error.status_code, error.response.content, error.response.headers) from None
        except openai.APITimeoutError:
            raise Fault(f"no answer within {self._settings.timeout_seconds:g} s", timed_out=True) from None
        except openai.APIConnectionError as error:
            said = scrub(str(error.__cause__ or error), self._server.key)
            if not self._ever and type(error.__cause__).__name__ == "ConnectError":
                raise UserError(f"{self._server.where} cannot be reached: {said}. Is the server running?") from None
            raise Fault(f"{type(error).__name__}: {said}") from None
        except (openai.OpenAIError, ValueError) as error:
            raise Fault(f"{type(error).__name__}: {scrub(str(error), self._server.key)}") from None
        self._ever = True
        return made

    def _refusal(self, status: int, body: bytes, headers: Any) -> Exception:
        return fault_from_status(
            status,
            body,
            dict(headers),
            where=self._server.where,
            model=self._server.model,
            key_name=self._server.key_name,
            secret=self._server.key,
        )


def _id_of(made: Any) -> str:
    """The id of what was made; a server that answers everything with something else offers no batches."""
    found = getattr(made, "id", None)
    if not isinstance(found, str) or not found:
        raise NotOffered
    return found


def afresh(error: Exception) -> Exception:
    """`error` to be raised once more: a new one where that is known to be the same, since a traceback grows."""
    return type(error)(str(error)) if isinstance(error, RunStopped | UserError) else error


def final(error: Exception, where: str) -> Exception:
    """What the run is told when a control request failed for good."""
    if isinstance(error, Fault):
        return RunStopped(
            f"{where} does not answer about batches: {error.reason}. Batches that were submitted go on there; run the "
            "same command again to collect their replies."
        )
    return error
