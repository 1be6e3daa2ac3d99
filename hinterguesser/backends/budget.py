"""What a run has used, and the caps it must not cross."""

from dataclasses import dataclass, field

from hinterguesser.domain.script import Reply
from hinterguesser.errors import RunStopped


@dataclass(slots=True)
class Totals:
    """What was used so far."""

    calls: int = 0
    """Replies that came."""
    requests: int = 0
    """Requests sent; those beyond what the calls needed are retries."""
    failed_requests: int = 0
    failed_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    """Input tokens that a server read from its prompt cache; part of `input_tokens`."""
    cost_usd: float = 0.0
    unpriced_calls: int = 0
    """Calls whose price is not known, so that the cost is a lower bound."""

    def to_dict(self) -> dict[str, int | float]:
        """As a plain dict, for `run.json` and the closing table."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(slots=True)
class Ledger:
    """The totals of a run and its caps, shared by all its backends."""

    max_cost_usd: float | None = None
    max_tokens_total: int | None = None
    totals: Totals = field(default_factory=Totals)
    under_way: int = 0
    """Calls that ordinary backends are asking at the moment."""
    reserved_tokens: int = 0
    """What open batches may come to at most."""
    reserved_cost_usd: float = 0.0
    """Likewise."""
    _closed: str | None = None

    @property
    def has_cap(self) -> bool:
        """Whether anything is capped."""
        return self.max_cost_usd is not None or self.max_tokens_total is not None

    def check(self) -> None:
        """Called right before a request goes out: is anything left?

        Since what is in flight is not yet counted, a cap is exceeded by no more than the requests in flight.

        Raises:
            RunStopped: a cap is reached.
        """
        if self._closed is not None:
            self._stop(self._closed)
        totals = self.totals
        if self.max_cost_usd is not None and totals.cost_usd >= self.max_cost_usd:
            self._stop(f"--max-cost-usd {self.max_cost_usd:g} is used up (${totals.cost_usd:.4f} spent)")
        if self.max_tokens_total is not None:
            used = totals.input_tokens + totals.output_tokens
            if used >= self.max_tokens_total:
                self._stop(f"--max-tokens-total {self.max_tokens_total} is used up ({used} tokens)")

    def fits(self, tokens: int, cost_usd: float) -> bool:
        """Whether so much more stays within the caps, beside what is used and what is reserved."""
        totals = self.totals
        if self.max_tokens_total is not None:
            used = totals.input_tokens + totals.output_tokens + self.reserved_tokens
            if used + tokens > self.max_tokens_total:
                return False
        spent = totals.cost_usd + self.reserved_cost_usd
        return self.max_cost_usd is None or spent + cost_usd <= self.max_cost_usd

    def reserve(self, tokens: int, cost_usd: float) -> None:
        """Set so much aside for a batch; negative amounts give it back."""
        self.reserved_tokens += tokens
        self.reserved_cost_usd += cost_usd

    def close(self) -> None:
        """Let nothing more go out: what is left of a cap may not cover what is waiting."""
        caps = []
        if self.max_cost_usd is not None:
            caps.append(f"--max-cost-usd {self.max_cost_usd:g} (${self.totals.cost_usd:.4f} spent)")
        if self.max_tokens_total is not None:
            used = self.totals.input_tokens + self.totals.output_tokens
            caps.append(f"--max-tokens-total {self.max_tokens_total} ({used} used)")
        self._closed = f"what is left of {' and '.join(caps)} may not cover another batch"

    def request(self) -> None:
        """Count a request that goes out."""
        self.totals.requests += 1

    def failed_request(self) -> None:
        """Count a request that brought nothing."""
        self.totals.failed_requests += 1

    def reply(self, reply: Reply) -> None:
        """Count a reply that came."""
        totals, usage = self.totals, reply.usage
        totals.calls += 1
        totals.input_tokens += usage.input_tokens or 0
        totals.output_tokens += usage.output_tokens or 0
        totals.cached_tokens += usage.cached_tokens or 0
        if reply.cost_usd is None:
            totals.unpriced_calls += 1
        else:
            totals.cost_usd += reply.cost_usd

    def _stop(self, why: str) -> None:
        raise RunStopped(f"{why}. What was done is kept; run the same command again, or with a higher cap, to go on.")
