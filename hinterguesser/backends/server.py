"""An OpenAI-compatible server (vLLM, llama.cpp, SGLang, Ollama) and OpenAI itself: lean, with aiohttp and orjson."""

import asyncio
import os
import socket
import urllib.request
import uuid
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import aiohttp
import orjson
from yarl import URL

from hinterguesser.backends.base import Capabilities
from hinterguesser.backends.faults import Fault, fault_from_status, scrub
from hinterguesser.backends.replies import Prices, load_body, replies_from
from hinterguesser.backends.settings import CallSettings
from hinterguesser.domain.script import Call, Reply
from hinterguesser.errors import UserError

OPENAI_BASE = "https://api.openai.com/v1"
_MOST_TOP_LOGPROBS = 20
_OPENAI_REASONERS = ("o1", "o3", "o4", "gpt-5")
_LOCAL = ("localhost", "127.0.0.1", "::1")
_OPENAI_CHATTERS = ("gpt-5-chat",)


class Server:
    """One model at one server. Makes single attempts: retries, limits and budget stand around it."""

    def __init__(self, model: str, settings: CallSettings, *, base: str, prices: Prices | None = None) -> None:
        """Reach `model`, named as the server names it, at `base`.

        Raises:
            UserError: the address is malformed, or a key is needed and not set.
        """
        self.model = model
        self._settings = settings
        self.prices = prices
        self.base, self.where = _address(base)
        self.is_local = (urlsplit(base).hostname or "") in _LOCAL
        self._is_openai = self.where.startswith(OPENAI_BASE)
        self.key_name = settings.api_key_env or "OPENAI_API_KEY"
        self.key = os.environ.get(self.key_name) or None
        if self.key is None and (self._is_openai or settings.api_key_env):
            raise UserError(f"model {model!r} needs a key: set the environment variable {self.key_name}")
        self._reasons = (
            self._is_openai and model.startswith(_OPENAI_REASONERS) and not model.startswith(_OPENAI_CHATTERS)
        )
        self.capabilities = Capabilities(
            logprobs=not self._reasons,
            max_top_logprobs=0 if self._reasons else _MOST_TOP_LOGPROBS,
            many_samples=True,
            seeds=True,
            json_object=True,
        )
        self._chat = URL(f"{self.base}/chat/completions")
        self._plain = URL(f"{self.base}/completions")
        self._headers = {"Content-Type": "application/json", "Accept": "application/json"}
        self._session: aiohttp.ClientSession | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def __repr__(self) -> str:
        return f"Server({self.model!r} at {self.where})"

    async def ask(self, call: Call, count: int) -> list[Reply]:
        """One request for `count` replies; a server may send fewer.

        Raises:
            Fault: this attempt brought nothing.
            UserError: the key, the model or the address is wrong.
            RunStopped: the account is empty.
        """
        plain = isinstance(call.prompt, str)
        try:
            data = orjson.dumps(self.body(call, count))
        except (TypeError, orjson.JSONEncodeError) as error:
            raise Fault(f"the prompt is no valid Unicode: {error}", retry=False) from None
        session = self._session
        if session is None or self._loop is not asyncio.get_running_loop():
            session = await self._open()
        try:
            async with session.post(self._plain if plain else self._chat, data=data, allow_redirects=False) as response:
                body = await response.read()
        except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
            raise self._connection_fault(error) from error
        if response.status != 200:
            raise await self._refusal(response.status, body, response.headers)
        parsed, notes = load_body(body, response.content_type)
        if parsed.get("error") and not parsed.get("choices"):
            # Some gateways say 200 and mean the status inside.
            inner = parsed["error"].get("code") if isinstance(parsed["error"], dict) else None
            status = inner if isinstance(inner, int) and 400 <= inner < 600 else 500
            raise await self._refusal(status, body, response.headers)
        return replies_from(parsed, notes + self.left_out(call), self.prices)

    async def close(self) -> None:
        """Close the connections."""
        session, self._session = self._session, None
        if session is not None and self._loop is asyncio.get_running_loop():
            await session.close()

    def body(self, call: Call, count: int) -> dict[str, Any]:
        """The request for `count` replies to `call`, as it is sent."""
        sampling = call.sampling
        body: dict[str, Any] = {"model": self.model}
        if isinstance(call.prompt, str):
            body["prompt"] = call.prompt
            body["max_tokens"] = sampling.max_tokens
            if sampling.top_logprobs:
                body["logprobs"] = min(sampling.top_logprobs, self.capabilities.max_top_logprobs)
        else:
            body["messages"] = [{"role": said.role, "content": said.content} for said in call.prompt]
            body["max_completion_tokens" if self._is_openai else "max_tokens"] = sampling.max_tokens
            if sampling.top_logprobs and not self._reasons:
                body["logprobs"] = True
                body["top_logprobs"] = min(sampling.top_logprobs, self.capabilities.max_top_logprobs)
            if sampling.json_object:
                body["response_format"] = {"type": "json_object"}
            if self._settings.reasoning_effort is not None:
                body["reasoning_effort"] = self._settings.reasoning_effort
        if not self._reasons:
            body["temperature"] = sampling.temperature
            body["top_p"] = sampling.top_p
        if sampling.stop:
            body["stop"] = sampling.stop
        if sampling.seed is not None:
            # Independent samples of one request need seeds of their own, or they are all the same.
            body["seed"] = sampling.seed + call.sample
        if count > 1:
            body["n"] = count
        if not call.reuse_prompt and not self._is_openai:
            body["cache_prompt"] = False  # llama.cpp
            body["cache_salt"] = uuid.uuid4().hex  # vLLM
        return body

    def left_out(self, call: Call) -> tuple[str, ...]:
        """A note for each wish of `call` that `body` leaves out, since the model refuses to be told."""
        if not self._reasons:
            return ()
        sampling = call.sampling
        wishes = (
            ("logprobs", sampling.top_logprobs > 0),
            ("temperature", sampling.temperature != 1.0),
            ("top_p", sampling.top_p != 1.0),
        )
        return tuple(f"{name} is not known to this model and was left out" for name, wished in wishes if wished)

    async def _open(self) -> aiohttp.ClientSession:
        headers = dict(self._headers)
        if self.key is not None:
            headers["Authorization"] = f"Bearer {self.key}"
        self._loop = asyncio.get_running_loop()
        # The limiter bounds the connections. The total covers connecting, sending and the whole answer.
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=30),
            timeout=aiohttp.ClientTimeout(total=self._settings.timeout_seconds),
            headers=headers,
            cookie_jar=aiohttp.DummyCookieJar(),
            proxy=_proxy_for(self.base),
        )
        return self._session

    async def _refusal(self, status: int, body: bytes, headers: Any) -> Exception:
        error = fault_from_status(
            status,
            body,
            headers,
            where=self.where,
            model=self.model,
            key_name=self.key_name,
            secret=self.key,
        )
        if isinstance(error, UserError) and "has no model" in str(error):
            names = await self._model_names()
            if names:
                return UserError(f"{error} It has: {', '.join(names[:10])}{', ...' if len(names) > 10 else ''}.")
        return error

    async def _model_names(self) -> list[str]:
        """The names the server lists, to help with a misspelt one; nothing when it lists none."""
        try:
            session = self._session or await self._open()
            async with session.get(f"{self.base}/models", timeout=aiohttp.ClientTimeout(total=10)) as response:
                listed = orjson.loads(await response.read())["data"]
                return sorted(str(model["id"]) for model in listed)
        except (aiohttp.ClientError, TimeoutError, OSError, ValueError, LookupError, TypeError):
            return []

    def _connection_fault(self, error: Exception) -> Fault:
        if isinstance(error, TimeoutError):
            return Fault(f"no reply within {self._settings.timeout_seconds:g} s", timed_out=True)
        cause = error.os_error if isinstance(error, aiohttp.ClientConnectorError) else error
        unknown_host = isinstance(cause, socket.gaierror) and cause.errno != socket.EAI_AGAIN
        unreached = isinstance(cause, ConnectionRefusedError) or unknown_host
        said = scrub(str(error), self.key) or type(error).__name__
        return Fault(f"{type(error).__name__}: {said}", unreached=unreached)


def _address(base: str) -> tuple[str, str]:
    """The address to send to, and the one to show and file under: without user, password and query."""
    parts = urlsplit(base.rstrip("/"))
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UserError(f"--api-base must be an http or https address such as http://127.0.0.1:8000/v1, got {base!r}")
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, parts.netloc, parts.path, "", "")), urlunsplit(
        (parts.scheme, host, parts.path, "", "")
    )


def _proxy_for(base: str) -> str | None:
    """The proxy the environment names for this address; looked up once, not for every request."""
    parts = urlsplit(base)
    host = parts.hostname or ""
    if host in _LOCAL or urllib.request.proxy_bypass(host):
        return None
    return urllib.request.getproxies().get(parts.scheme)
