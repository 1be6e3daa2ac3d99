"""Any other provider, through litellm: named as litellm spells it, with the key in the variable it looks for."""

import contextlib
import logging
import os
import warnings
from dataclasses import replace
from typing import Any

from hinterguesser.backends.base import Capabilities
from hinterguesser.backends.faults import Fault, fault_from_status, scrub
from hinterguesser.backends.replies import Prices, replies_from
from hinterguesser.backends.settings import CallSettings
from hinterguesser.domain.script import Call, Reply
from hinterguesser.errors import UserError

_MOST_TOP_LOGPROBS = 20
_NOTE_PLAIN = "plain text sent as one user message"


class Hosted:
    """One model of one provider. Makes single attempts: retries, limits and budget stand around it."""

    def __init__(self, model: str, settings: CallSettings, *, prices: Prices | None = None) -> None:
        """Reach `model`, named as litellm spells it.

        Raises:
            UserError: litellm knows no such provider, or the key it needs is not set.
        """
        self._model = model
        self._settings = settings
        self._prices = prices
        self._litellm = _quiet_litellm()
        name, self._provider = _provider_of(self._litellm, model)
        self.where = f"litellm:{self._provider}"
        self._key_names = [settings.api_key_env] if settings.api_key_env else _missing_keys(self._litellm, model)
        self._key = os.environ.get(settings.api_key_env) if settings.api_key_env else None
        if self._key_names and self._key is None:
            names = " or ".join(self._key_names) if self._provider == "gemini" else ", ".join(self._key_names)
            raise UserError(f"model {model!r} needs a key: set the environment variable {names}")
        known = self._litellm.get_supported_openai_params(model=name, custom_llm_provider=self._provider)
        self._supported = frozenset(known or ())
        logprobs = {"logprobs", "top_logprobs"} <= self._supported
        self.capabilities = Capabilities(
            logprobs=logprobs,
            max_top_logprobs=_MOST_TOP_LOGPROBS if logprobs else 0,
            many_samples="n" in self._supported,
            seeds="seed" in self._supported,
            json_object="response_format" in self._supported,
        )

    def __repr__(self) -> str:
        return f"Hosted({self._model!r})"

    async def ask(self, call: Call, count: int) -> list[Reply]:
        """One request for `count` replies; a provider may send fewer.

        Raises:
            Fault: this attempt brought nothing.
            UserError: the key or the model is wrong.
            RunStopped: the account is empty.
        """
        wanted, notes = self._parameters(call, count)
        if isinstance(call.prompt, str):
            messages = [{"role": "user", "content": call.prompt}]
            notes += (_NOTE_PLAIN,)
        else:
            messages = [{"role": message.role, "content": message.content} for message in call.prompt]
        if self._key is not None:
            wanted["api_key"] = self._key
        try:
            response = await self._litellm.acompletion(
                model=self._model,
                messages=messages,
                timeout=self._settings.timeout_seconds,
                num_retries=0,
                max_retries=0,
                **wanted,
            )
        except Exception as error:  # litellm lets its providers' own exceptions through, of any class
            raise self._fault(error) from None
        replies = replies_from(response.model_dump(), notes, self._prices)
        cost = getattr(response, "_hidden_params", {}).get("response_cost")
        if self._settings.price_in is None and cost is not None:  # litellm knows tiers and cache writes
            replies = [replace(reply, cost_usd=float(cost) / len(replies)) for reply in replies]
        return replies

    async def close(self) -> None:
        """Close litellm's connections."""
        close = getattr(self._litellm, "close_litellm_async_clients", None)
        if close is not None:
            with contextlib.suppress(Exception):
                await close()

    def _parameters(self, call: Call, count: int) -> tuple[dict[str, Any], tuple[str, ...]]:
        """What is sent along, and a note for each wish that this model does not know."""
        sampling = call.sampling
        wishes: dict[str, Any] = {"max_tokens": sampling.max_tokens, "temperature": sampling.temperature}
        if sampling.top_p != 1.0:  # some models refuse to be told both
            wishes["top_p"] = sampling.top_p
        if sampling.stop:
            wishes["stop"] = list(sampling.stop)
        if sampling.seed is not None:
            # Independent samples of one request need seeds of their own, or they are all the same.
            wishes["seed"] = sampling.seed + call.sample
        if sampling.top_logprobs:
            wishes["logprobs"] = True
            wishes["top_logprobs"] = min(sampling.top_logprobs, _MOST_TOP_LOGPROBS)
        if sampling.json_object:
            wishes["response_format"] = {"type": "json_object"}
        if self._settings.reasoning_effort is not None:
            wishes["reasoning_effort"] = self._settings.reasoning_effort
        if count > 1:
            wishes["n"] = count
        left_out = sorted(wishes.keys() - self._supported)
        if "top_logprobs" in left_out and "logprobs" not in left_out:  # of no use alone
            left_out.append("logprobs")
        if "max_tokens" in left_out and "max_completion_tokens" in self._supported:
            left_out.remove("max_tokens")
            wishes["max_completion_tokens"] = wishes.pop("max_tokens")
        notes = tuple(f"{name} is not known to this model and was left out" for name in left_out)
        return {name: value for name, value in wishes.items() if name not in left_out}, notes

    def _fault(self, error: Exception) -> Exception:
        said = scrub(str(error), self._key)
        if isinstance(error, self._litellm.exceptions.Timeout):
            return Fault(f"no reply within {self._settings.timeout_seconds:g} s", timed_out=True)
        status = getattr(error, "status_code", None)
        if not isinstance(status, int):
            return Fault(f"{type(error).__name__}: {said}", text=said)
        response = getattr(error, "response", None)
        headers = getattr(error, "litellm_response_headers", None) or getattr(response, "headers", None) or {}
        code = str(getattr(error, "code", None) or "")
        return fault_from_status(
            status,
            said.encode("utf-8", "replace"),
            dict(headers),
            where=self.where,
            model=self._model,
            key_name=", ".join(self._key_names) or "the provider's API key",
            secret=self._key,
            code=code,
        )


def _quiet_litellm() -> Any:
    """The litellm module, without network at import, retries of its own, callbacks or telemetry."""
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    warnings.filterwarnings("ignore", category=UserWarning, module="pydantic")  # about litellm's own types
    try:
        import litellm
    except ImportError as error:
        raise UserError(f"litellm cannot be imported ({error}); run `pip install litellm`") from error
    litellm.telemetry = False
    litellm.suppress_debug_info = True
    litellm.turn_off_message_logging = True
    litellm.drop_params = False
    litellm.num_retries = 0
    litellm.success_callback = []
    litellm.failure_callback = []
    litellm.callbacks = []
    logging.getLogger("LiteLLM").setLevel(logging.WARNING)  # it would write out whole requests
    return litellm


def _provider_of(litellm: Any, model: str) -> tuple[str, str]:
    try:
        name, provider, *_ = litellm.get_llm_provider(model)
    except litellm.exceptions.BadRequestError:
        raise UserError(
            f"unknown model {model!r}: litellm knows no such provider. A name is PROVIDER/MODEL, e.g. "
            "openai/gpt-4o-mini, anthropic/claude-sonnet-4-5, gemini/gemini-2.5-flash, groq/llama-3.1-8b-instant, "
            "deepseek/deepseek-chat, openrouter/ORGANISATION/MODEL; a server of your own is reached with --api-base URL"
        ) from None
    return str(name), str(provider)


def _missing_keys(litellm: Any, model: str) -> list[str]:
    """The environment variables for the key that are not set; nothing where a provider has other ways to sign in."""
    found = litellm.validate_environment(model)
    missing = [] if found.get("keys_in_environment") else [str(name) for name in found.get("missing_keys", ())]
    return missing if missing and all(name.endswith(("_API_KEY", "_TOKEN")) for name in missing) else []
