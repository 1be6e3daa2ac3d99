"""What a user may set about how models are reached."""

from dataclasses import dataclass
from pathlib import Path

BATCH_SCRIPTS = 10_000


@dataclass(frozen=True, slots=True)
class CallSettings:
    """How models are reached: limits, retries, budget, address and key. One value for a whole run."""

    concurrency: int = 16
    """Ceiling of requests in flight to one model; fewer when the server asks for it or slows down."""
    rpm: float | None = None
    """Requests a minute at most; None: no limit of our own."""
    input_tpm: float | None = None
    """Input tokens a minute at most."""
    output_tpm: float | None = None
    """Output tokens a minute at most."""
    max_attempts: int = 6
    """Requests for one call at most, counting the first; being told to slow down counts a quarter."""
    timeout_seconds: float = 120.0
    """For one request, from connecting to the last byte."""
    give_up_after_seconds: float = 300.0
    """The run stops when requests have failed for this long and none succeeded."""
    backoff_seconds: float = 1.0
    """Mean wait before the second attempt; doubles with each further one."""
    max_backoff_seconds: float = 60.0
    """Longest wait between two attempts of a call, and longest pause a server's Retry-After is given at a time."""
    max_cost_usd: float | None = None
    max_tokens_total: int | None = None
    """Input and output tokens of the whole run."""
    price_in: float | None = None
    """US dollars per million input tokens; overrides the price table."""
    price_out: float | None = None
    """US dollars per million output tokens."""
    api_base: str | None = None
    """Address of an OpenAI-compatible server, usually ending in /v1."""
    api_key_env: str | None = None
    """Name of the environment variable that holds the key; the key itself is stored nowhere."""
    journal: Path | None = None
    """A journal that several runs share; None: the run folder's own."""
    reasoning_effort: str | None = None
    """Passed on to models that reason, e.g. 'low'."""
    batch: bool = False
    """Submit calls through the provider's batch API, where it has one."""
    batch_gather_seconds: float = 1.0
    """A batch is submitted when no script has made a call for this long: all of them wait for a reply."""
    batch_poll_seconds: float = 5.0
    """Wait before a batch is first asked after; grows to a minute."""

    @property
    def at_once(self) -> int:
        """How many scripts are under way at most: a batch should hold as many calls as there can be."""
        return max(self.concurrency, BATCH_SCRIPTS) if self.batch else self.concurrency
