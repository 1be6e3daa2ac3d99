"""A scripted OpenAI-compatible server on the loopback interface: real HTTP, in a thread of its own.

    with Loopback(lambda request: chat("yes")) as server:
        ... server.url, server.requests

The script gets each request and returns a dict (sent as JSON with status 200), a `Response`, or a `Fault`.
"""

import asyncio
import contextlib
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

import orjson
from aiohttp import web


@dataclass
class Request:
    """What a client sent."""

    number: int
    """1 for the first request this server got."""
    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    raw: bytes
    method: str = "POST"


@dataclass
class Response:
    body: bytes | str | dict[str, Any] | list[Any] = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    content_type: str = "application/json"
    delay_seconds: float = 0.0


@dataclass
class Fault:
    """Something no decent server does."""

    kind: Literal["reset", "hang", "cut_off"]
    body: bytes = b'{"id": "x", "choices": [{"index": 0, "message": {"role": "assis'


Script = Callable[[Request], "dict[str, Any] | Response | Fault"]


def chat(text: str | None, *, count: int = 1, finish_reason: str | None = "stop", **message: Any) -> dict[str, Any]:
    """A plain chat completion."""
    choice = {"message": {"role": "assistant", "content": text, **message}, "finish_reason": finish_reason}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": "m",
        "choices": [{"index": at, **choice} for at in range(count)],
        "usage": {"prompt_tokens": 20, "completion_tokens": 5 * count, "total_tokens": 20 + 5 * count},
    }


def completion(text: str, **choice: Any) -> dict[str, Any]:
    """A plain text completion."""
    return {
        "id": "cmpl-1",
        "object": "text_completion",
        "created": 0,
        "model": "m",
        "choices": [{"index": 0, "text": text, "finish_reason": "stop", "logprobs": None, **choice}],
        "usage": {"prompt_tokens": 20, "completion_tokens": 5, "total_tokens": 25},
    }


class Loopback:
    """The running server. `requests` holds all that came; `most_at_once` the highest number under way together."""

    def __init__(self, script: Script, *, keep_requests: bool = True, keep_sent: bool = False) -> None:
        self._script = script
        self._keep_sent = keep_sent
        self._keep_requests = keep_requests
        self.requests: list[Request] = []
        self.count = 0
        self.under_way = 0
        self.most_at_once = 0
        self.sent: list[tuple[float, bytes]] = []
        """With `keep_sent`: when an answer with status 200 was handed to the connection, and to which request."""
        self.url = ""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._started = threading.Event()
        self._stop: asyncio.Event | None = None
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)

    def __enter__(self) -> "Loopback":
        self._thread.start()
        assert self._started.wait(20), "the loopback server did not start"
        return self

    def __exit__(self, *_: object) -> None:
        assert self._loop is not None
        assert self._stop is not None
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(20)

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        app = web.Application(client_max_size=2**26)
        app.router.add_route("*", "/{path:.*}", self._handle)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.2, handler_cancellation=True)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0, backlog=1024)
        await site.start()
        port = site._server.sockets[0].getsockname()[1]  # type: ignore[union-attr]
        self.url = f"http://127.0.0.1:{port}/v1"
        self._started.set()
        await self._stop.wait()
        await runner.cleanup()

    async def _handle(self, http: web.Request) -> web.StreamResponse:
        self.count += 1
        self.under_way += 1
        self.most_at_once = max(self.most_at_once, self.under_way)
        try:
            raw = await http.read()
            try:
                body = orjson.loads(raw) if raw else {}
            except ValueError:
                body = {}
            request = Request(self.count, http.path, dict(http.headers), body, raw, http.method)
            if self._keep_requests:
                self.requests.append(request)
            answer = self._script(request)
            if isinstance(answer, Fault):
                return await _misbehave(http, answer)
            if isinstance(answer, dict):
                answer = Response(answer)
            if answer.delay_seconds:
                await asyncio.sleep(answer.delay_seconds)
            sent = answer.body
            if isinstance(sent, dict | list):
                sent = orjson.dumps(sent)
            elif isinstance(sent, str):
                sent = sent.encode()
            if self._keep_sent and answer.status == 200:
                self.sent.append((time.monotonic(), raw))
            return web.Response(
                body=sent, status=answer.status, headers={"Content-Type": answer.content_type, **answer.headers}
            )
        finally:
            self.under_way -= 1


async def _misbehave(http: web.Request, fault: Fault) -> web.StreamResponse:
    transport = http.transport
    assert transport is not None
    if fault.kind == "hang":
        await asyncio.sleep(3600)
    if fault.kind == "cut_off":
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(fault.body) + 500}\r\n\r\n"
        transport.write(head.encode() + fault.body)
        await asyncio.sleep(0.02)
        transport.close()
    else:
        transport.abort()
    return web.Response()
