"""What can go wrong with one request, and what each answer of a server means.

A `Fault` is one attempt that brought nothing. Whether it is tried again is decided here, once, for every way to reach a
model. What no retry can mend is named at once: a wrong key or model is the user's to mend (`UserError`), an empty purse
stops the run (`RunStopped`).
"""

import os
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import orjson

from hinterguesser.errors import RunStopped, UserError

_SLOW_DOWN = frozenset({429, 503, 529})
_TRY_AGAIN = frozenset({408, 409, 425, 429})
_NO_SUCH_MODEL = re.compile(
    r"model[_ ]not[_ ]?(found|exist)|invalid[_ ]model|unknown model|model .{0,200}does not exist", re.I
)
_NO_MONEY = re.compile(
    r"insufficient[_ ]quota|insufficient[_ ]balance|billing_hard_limit|credit balance is too low|not enough credits|"
    r"insufficient credits",
    re.I,
)
_KEY_SHAPES = re.compile(r"\b(sk|pk|rk|xai|gsk|hf|AIza)[-_][A-Za-z0-9_*.\-]{8,}|AIza[A-Za-z0-9_\-]{20,}")
_SECRET_NAMES = ("KEY", "TOKEN", "SECRET", "PASSWORD")
_MOST_WORDS = 500


class Fault(Exception):
    """One attempt that brought no usable reply."""

    def __init__(
        self,
        reason: str,
        *,
        status: int | None = None,
        text: str = "",
        finish_reason: str | None = None,
        retry: bool = True,
        slow_down: bool = False,
        retry_after_seconds: float | None = None,
        timed_out: bool = False,
        unreached: bool = False,
    ) -> None:
        """Say why in one line; keep what the server said, and what to do about it."""
        super().__init__(reason)
        self.reason = reason
        self.status = status
        self.text = text
        self.finish_reason = finish_reason
        self.retry = retry
        self.slow_down = slow_down
        """The server is busy: fewer requests at once, and a pause."""
        self.retry_after_seconds = retry_after_seconds
        self.timed_out = timed_out
        """No answer in time: fewer requests at once, but no pause."""
        self.unreached = unreached
        """Nothing listens there at all."""


def scrub(text: str, *secrets: str | None) -> str:
    """`text` without keys: those given, those in the environment, and what looks like one."""
    known = [secret for secret in secrets if secret]
    known += [
        value
        for name, value in os.environ.items()
        if len(value) >= 8 and any(word in name.upper() for word in _SECRET_NAMES)
    ]
    for secret in sorted(known, key=len, reverse=True):
        text = text.replace(secret, "[key]")
    return _KEY_SHAPES.sub("[key]", text)


def retry_after_seconds(headers: Mapping[str, str]) -> float | None:
    """How long the server asks to wait, by `Retry-After` (seconds or an HTTP date) or `retry-after-ms`; else None."""
    lower = {name.lower(): value for name, value in headers.items()}
    try:
        if "retry-after-ms" in lower:
            return max(0.0, float(lower["retry-after-ms"]) / 1000)
        value = lower.get("retry-after")
        if value is None:
            return None
        try:
            seconds = float(value)
        except ValueError:
            when = parsedate_to_datetime(value)
            when = when if when.tzinfo else when.replace(tzinfo=UTC)
            seconds = (when - datetime.now(UTC)).total_seconds()
        return max(0.0, seconds) if seconds == seconds else None
    except (ValueError, TypeError, OverflowError):
        return None


def words_of(body: bytes) -> tuple[str, str]:
    """A server's message and its error code or type ('' when it gave none), whatever shape its error has."""
    try:
        plain: Any = orjson.loads(body)
    except orjson.JSONDecodeError:
        return " ".join(body.decode("utf-8", "replace").split())[:_MOST_WORDS], ""
    if isinstance(plain, list) and plain:  # Gemini wraps its error in a list
        plain = plain[0]
    if not isinstance(plain, dict):
        return str(plain)[:_MOST_WORDS], ""
    error = plain.get("error", plain)
    if not isinstance(error, dict):
        return str(error)[:_MOST_WORDS], ""
    message = error.get("message") or error.get("detail") or error.get("error") or orjson.dumps(error).decode()
    code = " ".join(str(error[name]) for name in ("code", "type", "status") if error.get(name) is not None)
    return str(message)[:_MOST_WORDS], code


def fault_from_status(
    status: int,
    body: bytes,
    headers: Mapping[str, str],
    *,
    where: str,
    model: str,
    key_name: str,
    secret: str | None,
    code: str = "",
) -> Exception:
    """What an answer with an HTTP error status means: a `Fault`, a `UserError` or a `RunStopped`.

    `where` is the server's address, `key_name` the environment variable that its key is read from, `code` an error code
    that is not in the body.
    """
    message, code_in_body = words_of(body)
    code = f"{code} {code_in_body}"
    message = scrub(message, secret)
    text = scrub(body.decode("utf-8", "replace"), secret)
    said = f"HTTP {status}: {message}" if message else f"HTTP {status}"
    if status == 402 or (status in (400, 403, 429) and (_NO_MONEY.search(code) or _NO_MONEY.search(message))):
        return RunStopped(
            f"{where} says the account is out of money or quota ({said}). Top it up, or choose another model; then run "
            "the same command again: everything so far is kept."
        )
    if status == 401 or (status == 403 and not _is_moderation(message)):
        return UserError(
            f"{where} refuses the key for model {model!r} ({said}). Set {key_name} to a valid key; "
            "--api-key-env NAME reads it from another variable."
        )
    if status == 404 or (status == 400 and _NO_SUCH_MODEL.search(code)):
        if status == 404 and not (_NO_SUCH_MODEL.search(message + " " + code) or "model" in message.lower()):
            return UserError(
                f"{where} knows no such address ({said}). Most servers want an --api-base that ends in /v1."
            )
        return UserError(f"{where} has no model {model!r} ({said}).")
    if 300 <= status < 400:
        return UserError(f"{where} sends us elsewhere (HTTP {status}); give the final address as --api-base.")
    # Some gateways turn 529 into 500 and leave the word.
    slow_down = status in _SLOW_DOWN or (status >= 500 and "overloaded" in message.lower())
    retry = slow_down or status in _TRY_AGAIN or (status >= 500 and status not in (501, 505))
    wait = retry_after_seconds(headers)
    return Fault(said, status=status, text=text, retry=retry, slow_down=slow_down, retry_after_seconds=wait)


def _is_moderation(message: str) -> bool:
    """Some services answer 403 for a text they will not pass on, which says nothing about the key."""
    return any(word in message.lower() for word in ("moderation", "flagged", "content policy"))
