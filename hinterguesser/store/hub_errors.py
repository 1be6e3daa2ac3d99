"""What the Hub says when it refuses, as one message with the way out; it never shows a token."""

import contextlib
import re
from collections.abc import Iterator

from hinterguesser.errors import UserError

_LIBRARIES = ("httpx", "requests")
_SECRET = re.compile(r"\bhf_[A-Za-z0-9_]{4,}|(?i:bearer)\s+\S+")

LOG_IN = "log in with `hf auth login`, or set HF_TOKEN"
_SAID = {
    401: f"the Hub does not know who you are, or the dataset is private or not there; check the name and {LOG_IN}",
    402: "the Hub asks for a payment plan for this; see its message above",
    403: "your token has no permission for this; use one with write access to the namespace, or name another --repo",
    404: f"there is no such dataset or revision, or it is private; check the name and {LOG_IN}",
    409: "the Hub says that this is in conflict with what is there; look at the repository and run the command again",
    413: "the Hub finds this too large; split the release into several",
    416: "the Hub sent another part of a file than was asked for; run the command again",
    429: "the Hub limits how often it may be asked; wait some minutes and run the same command again",
}
_BROKEN = "the connection to the Hub broke ({}); run the same command again"


def transport_errors() -> tuple[type[BaseException], ...]:
    """What huggingface_hub may raise when a connection fails, whichever HTTP library it uses."""
    from huggingface_hub.errors import HfHubHTTPError

    http_error = next(base for base in HfHubHTTPError.__mro__ if base.__module__.split(".")[0].startswith(_LIBRARIES))
    return (http_error, OSError, RuntimeError)


def status_of(error: BaseException) -> int | None:
    """The HTTP status behind `error`, also when it is wrapped; None when no answer came."""
    seen: BaseException | None = error
    while seen is not None:
        status = getattr(getattr(seen, "response", None), "status_code", None)
        if isinstance(status, int):
            return status
        seen = seen.__cause__ or seen.__context__
    return None


def retry_after_seconds(error: BaseException) -> float | None:
    """How long the Hub asks to wait, if it says so in seconds."""
    seen: BaseException | None = error
    while seen is not None:
        headers = getattr(getattr(seen, "response", None), "headers", None)
        if headers is not None:
            found = re.fullmatch(r"\s*(\d{1,6}(?:\.\d+)?)\s*", str(headers.get("Retry-After", "")))
            # The Hub's own way: `RateLimit: "api";r=0;t=55`, with r requests left and t seconds to go.
            found = found or re.search(r";\s*r=0\s*;\s*t=(\d{1,6})\b", str(headers.get("RateLimit", "")))
            return float(found[1]) if found else None
        seen = seen.__cause__ or seen.__context__
    return None


@contextlib.contextmanager
def saying_what_the_hub_said(repo: str, doing: str) -> Iterator[None]:
    """Turn what the Hub, or the way to it, refuses into a `UserError` about `repo`.

    Args:
        repo: USER/NAME.
        doing: what was tried, e.g. 'read'.
    """
    from huggingface_hub.errors import HFValidationError, LocalTokenNotFoundError

    try:
        yield
    except UserError:
        raise
    except LocalTokenNotFoundError:
        raise UserError(f"{repo}: cannot {doing} it without a token; {LOG_IN}") from None
    except HFValidationError:
        raise UserError(f"{repo!r} cannot be the name of a dataset on the Hub; write USER/NAME") from None
    except transport_errors() as error:
        raise UserError(f"{repo}: cannot {doing} it: {message(error)}") from None
    except ValueError as error:
        raise UserError(f"{repo}: cannot {doing} it: the Hub's answer is of no use: {_shortened(error)}") from None


def message(error: BaseException) -> str:
    """What went wrong and the way out, in one sentence."""
    status = status_of(error)
    if status is None:
        reason = _shortened(error.__cause__ or error)
        return _BROKEN.format(reason)
    if 500 <= status < 600:
        return f"the Hub has a problem of its own (HTTP {status}); run the same command again later"
    said = _shortened(getattr(error, "server_message", None) or "")
    told = _SAID.get(status, "the Hub refuses this")
    return f"{told} (HTTP {status}{f': {said}' if said else ''})"


def _shortened(text: object) -> str:
    line = " ".join(_SECRET.sub("[hidden]", str(text)).split())
    return line if len(line) <= 200 else f"{line[:197]}..."
