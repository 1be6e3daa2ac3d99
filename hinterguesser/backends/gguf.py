"""GGUF models in this process, through llama.cpp (the package xllamacpp, the extra `local`).

One thread owns the model and answers one call at a time, the one first whose prompt is nearest to what the model has
just read; see `nearest_first`.
"""

import asyncio
import contextlib
import hashlib
import importlib
import importlib.util
import json
import os
import threading
import weakref
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hinterguesser.backends.base import Capabilities
from hinterguesser.backends.faults import Fault
from hinterguesser.backends.nearest_first import NearestFirst
from hinterguesser.backends.replies import NOTE_BYTES, Prices, replies_from
from hinterguesser.domain.script import Call, Reply
from hinterguesser.errors import CallFailed, UserError
from hinterguesser.store.weights import MAGIC, weights_of, weights_path

CONTEXT_TOKENS = 8192
"""Prompt and reply together; less when the model was trained for less."""
MOST_TOP_LOGPROBS = 200
"""Up to here the list costs nothing that can be measured; 1,000 cost 5 ms a token, the whole vocabulary 500."""
FREE = Prices(0.0, 0.0)

_JSON_GRAMMAR = r"""
root ::= object
value ::= object | array | string | number | "true" | "false" | "null"
object ::= "{" gap (string ":" gap value ("," gap string ":" gap value)*)? "}"
array ::= "[" gap (value ("," gap value)*)? "]"
string ::= "\"" ([^"\\\x00-\x1F] | "\\" (["\\/bfnrt] | "u" [0-9a-fA-F] [0-9a-fA-F] [0-9a-fA-F] [0-9a-fA-F]))* "\""
number ::= "-"? ("0" | [1-9] [0-9]*) ("." [0-9]+)? ([eE] [-+]? [0-9]+)?
gap ::= " "?
"""
"""Any JSON object on one line. llama.cpp's own JSON mode lets a model fill a short reply with line breaks."""


class GgufBackend:
    """One GGUF model, loaded at the first call."""

    def __init__(self, model: str, *, context_tokens: int = CONTEXT_TOKENS, threads: int | None = None) -> None:
        """Find `model`: 'builtin/NAME' or 'gguf/PATH'. It runs on `threads` cores; None: on all it may use.

        Raises:
            UserError: the weights or the package are missing, or the file is no GGUF file.
        """
        if importlib.util.find_spec("xllamacpp") is None:
            raise _package_missing()
        kind, _, name = model.partition("/")
        if kind == "builtin":
            path, mark, full_window = weights_path(name), weights_of(name).sha256, weights_of(name).full_window
        else:
            path, full_window = Path(name).expanduser(), False
            mark = _fingerprint(path)
        self.endpoint = f"in-process/{mark[:12]}"
        self.capabilities = Capabilities(
            # Measured: SmolLM2-135M names 13 of 15 cities from plain text with worked examples, 2 through its chat
            # template; Gemma 3 270M is a base model and has none.
            rendering="plain" if kind == "builtin" else "chat",
            logprobs=True,
            max_top_logprobs=MOST_TOP_LOGPROBS,
            seeds=True,
            json_object=True,
        )
        settings = _Settings(path, context_tokens, threads or _cores(), full_window)
        self._queue = NearestFirst(lambda: _Model(settings).ask)
        # Also at the interpreter's exit: a thread inside llama.cpp would bring the process down there.
        self._finalizer = weakref.finalize(self, self._queue.stop)

    async def reply(self, call: Call) -> Reply:
        """The model's reply.

        Raises:
            CallFailed: the prompt is too long, or llama.cpp cannot answer it.
            UserError: the file cannot be loaded.
        """
        return await self._queue.reply(call)

    async def close(self) -> None:
        """Let go of the model; what is under way ends within a token."""
        await asyncio.to_thread(self._finalizer)


@dataclass(frozen=True, slots=True)
class _Settings:
    path: Path
    context_tokens: int
    threads: int
    full_window: bool


class _Model:
    """The loaded model. Everything here happens on the one thread that owns it."""

    def __init__(self, settings: _Settings) -> None:
        package = _package()
        wanted = package.CommonParams()
        wanted.model.path = str(settings.path)
        wanted.n_ctx = settings.context_tokens
        wanted.n_parallel = 1
        wanted.cpuparams.n_threads = wanted.cpuparams_batch.n_threads = settings.threads
        wanted.swa_full = settings.full_window
        wanted.n_batch = 512  # progress is told, and a reply can be given up, after each batch
        wanted.warmup = False
        wanted.verbosity = -1
        # The package also opens a port on the loopback interface. Nobody is given the key to it.
        wanted.api_keys = [os.urandom(32).hex()]
        for name in ("ui", "endpoint_slots"):
            if hasattr(wanted, name):  # not in every version of the package
                setattr(wanted, name, False)
        try:
            self._server = package.Server(wanted)
            # A server that is let go of before its first call waits for ever in its destructor.
            self._server.handle_completions({"prompt": "a", "max_tokens": 1})
        except RuntimeError:
            raise UserError(
                f"{settings.path}: llama.cpp cannot load this file: it is damaged or cut off, needs more memory than "
                "there is, or is of a kind that this xllamacpp does not know; get it again, or update xllamacpp"
            ) from None

    def ask(self, call: Call, given_up: threading.Event) -> Reply:
        """The reply to `call`; soon after `given_up` is set, none."""
        chunks: list[bytes] = []

        def hear(chunk: bytes) -> bool:
            chunks.append(chunk)
            return given_up.is_set()

        request = json.dumps(_request(call)).encode()
        if isinstance(call.prompt, str):
            self._server.handle_completions(request, hear)
        else:
            self._server.handle_chat_completions(request, hear)
        if given_up.is_set():
            raise CallFailed("the call was given up before its reply was whole")
        return _reply(chunks)


def _request(call: Call) -> dict[str, Any]:
    sampling = call.sampling
    request: dict[str, Any] = {
        "max_tokens": sampling.max_tokens,
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        # Unless told not to, llama.cpp cuts the tail off; a sample is to be drawn as asked for.
        "top_k": 0,
        "min_p": 0.0,
        "typical_p": 1.0,
        "repeat_penalty": 1.0,
        "stop": list(sampling.stop),
        "cache_prompt": call.reuse_prompt,
        "stream": True,
        "stream_options": {"include_usage": True},
        "return_progress": True,
    }
    if sampling.seed is not None:
        # Samples of one request are to differ under one seed.
        request["seed"] = (sampling.seed + 1_000_003 * call.sample) % 2**32
    if sampling.json_object:
        request["grammar"] = _JSON_GRAMMAR
    if isinstance(call.prompt, str):
        request["prompt"] = _utf8(call.prompt)
        if sampling.top_logprobs:
            request["logprobs"] = sampling.top_logprobs
    else:
        request["messages"] = [{"role": said.role, "content": _utf8(said.content)} for said in call.prompt]
        if sampling.top_logprobs:
            request |= {"logprobs": True, "top_logprobs": sampling.top_logprobs}
    return request


def _reply(chunks: list[bytes]) -> Reply:
    """What the chunks of a streamed answer come to."""
    text, reasoning = "", ""
    tokens: list[Any] = []
    finish_reason, usage = None, None
    for chunk in chunks:
        said = chunk.decode("utf-8", "replace")
        plain = json.loads(said)
        if "error" in plain:
            raise CallFailed(_refusal(plain["error"]), text=text)
        usage = plain.get("usage") or usage
        for choice in plain.get("choices") or ():
            delta = choice.get("delta") or {}
            text += choice.get("text") or delta.get("content") or ""
            reasoning += delta.get("reasoning_content") or ""
            tokens += map(_under_one_name, (choice.get("logprobs") or {}).get("content") or ())
            finish_reason = choice.get("finish_reason") or finish_reason
    message = {"content": text, "reasoning_content": reasoning or None}
    choice = {"message": message, "finish_reason": finish_reason, "logprobs": {"content": tokens} if tokens else None}
    notes = (NOTE_BYTES,) if "\ufffd" in text else ()
    try:
        [reply] = replies_from({"choices": [choice], "usage": usage}, notes, FREE)
    except Fault as fault:
        raise CallFailed(str(fault), text=text, finish_reason=finish_reason) from fault
    return reply


def _under_one_name(token: dict[str, Any]) -> dict[str, Any]:
    """`token` as its own list of candidates spells it, too.

    A token that is part of a character is spelled by the whole character where it was chosen, and as a stand-in among
    the candidates; it would count twice.
    """
    for candidate in token.get("top_logprobs") or ():
        if candidate.get("id") == token.get("id"):
            candidate["token"] = token.get("token")
    return token


def _refusal(error: Any) -> str:
    if not isinstance(error, Mapping):
        return f"llama.cpp cannot answer: {str(error)[:300]}"
    if error.get("type") == "exceed_context_size_error":
        return (
            f"the prompt has {error.get('n_prompt_tokens')} tokens, more than the model's context of "
            f"{error.get('n_ctx')}"
        )
    return f"llama.cpp cannot answer: {str(error.get('message'))[:300]}"


def _utf8(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def _fingerprint(path: Path) -> str:
    """What tells one model file from another, without reading gigabytes: its size, its beginning and its end."""
    digest = hashlib.sha256()
    try:
        with path.open("rb") as file:
            begins = file.read(1 << 20)
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - (1 << 20)))
            ends = file.read()
    except OSError as error:
        raise UserError(f"gguf/{path}: the file cannot be read: {error.strerror or error}") from None
    if not begins.startswith(MAGIC):
        raise UserError(f"gguf/{path}: this is no GGUF file")
    digest.update(str(size).encode() + begins + ends)
    return digest.hexdigest()


def _package() -> Any:
    try:
        with _patient_threads():
            return importlib.import_module("xllamacpp")
    except ImportError as error:
        raise _package_missing(f" ({error})") from None


def _package_missing(why: str = "") -> UserError:
    return UserError(f"a model in this process needs the package xllamacpp: pip install 'hinterguesser[local]'{why}")


@contextlib.contextmanager
def _patient_threads() -> Iterator[None]:
    """Have the OpenMP runtime, which reads its settings on being loaded, sleep where it waits.

    By default its threads spin: with another busy process on the same cores, llama.cpp then ran 10 to 50 times slower.
    """
    ours = not os.environ.keys() & {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT"}
    if ours:
        os.environ["OMP_WAIT_POLICY"] = "passive"
    try:
        yield
    finally:
        if ours:
            del os.environ["OMP_WAIT_POLICY"]


def _cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
