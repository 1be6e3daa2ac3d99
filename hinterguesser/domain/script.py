"""Scripts: whatever needs a model says what it wants said, and never how it travels.

A script is a generator. It yields the calls it wants made together and is sent their replies in the same order; it
returns its result. Scripts compose with `yield from`, and a test drives one with a list of replies.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, TypeVar

T = TypeVar("T")

Role = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True)
class Message:
    """One chat message."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class Sampling:
    """How the reply is drawn. All of it changes what may come back, so all of it is in the journal's key."""

    temperature: float = 0.0
    top_p: float = 1.0
    max_tokens: int = 256
    stop: tuple[str, ...] = ()
    top_logprobs: int = 0
    """How many alternatives to report for the first answer token; 0 asks for none."""
    seed: int | None = None
    json_object: bool = False
    """Ask for JSON mode where the model has it; the reply is checked either way."""


@dataclass(frozen=True, slots=True)
class Call:
    """One request to one model."""

    model: str
    prompt: tuple[Message, ...] | str
    """Chat messages; or a plain text to be continued, for models that follow text better than a chat template."""
    sampling: Sampling = Sampling()
    sample: int = 0
    """Which of several independent replies to the same request this is."""
    reuse_prompt: bool = True
    """Whether the server may reuse its cache of the prompt (which moves log-probabilities slightly)."""


@dataclass(frozen=True, slots=True)
class TokenChoice:
    """One candidate for a token, with its natural-log probability."""

    token: str
    logprob: float


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the model's server counted them; None where it did not say."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back. Always valid Unicode; reasoning is kept apart from the answer."""

    text: str
    finish_reason: str | None = None
    reasoning: str | None = None
    first_token: tuple[TokenChoice, ...] = ()
    """The likeliest candidates for the first *answer* token, likeliest first; empty when none were given."""
    usage: Usage = field(default=Usage())
    cost_usd: float | None = None
    """None: the price is not known."""
    notes: tuple[str, ...] = ()
    """What was repaired on the way in, e.g. 'lone surrogates replaced'."""

    def to_dict(self) -> dict[str, Any]:
        """As a plain dict, without what is at its default."""
        usage = {key: value for key, value in _usage_items(self.usage) if value is not None}
        fields: dict[str, Any] = {
            "text": self.text,
            "finish_reason": self.finish_reason,
            "reasoning": self.reasoning,
            "first_token": [[choice.token, choice.logprob] for choice in self.first_token] or None,
            "usage": usage or None,
            "cost_usd": self.cost_usd,
            "notes": list(self.notes) or None,
        }
        return {key: value for key, value in fields.items() if value is not None}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> "Reply":
        """The reply that `to_dict` wrote."""
        return cls(
            text=plain["text"],
            finish_reason=plain.get("finish_reason"),
            reasoning=plain.get("reasoning"),
            first_token=tuple(TokenChoice(token, logprob) for token, logprob in plain.get("first_token", ())),
            usage=Usage(**plain.get("usage", {})),
            cost_usd=plain.get("cost_usd"),
            notes=tuple(plain.get("notes", ())),
        )


def _usage_items(usage: Usage) -> tuple[tuple[str, int | None], ...]:
    return (
        ("input_tokens", usage.input_tokens),
        ("output_tokens", usage.output_tokens),
        ("cached_tokens", usage.cached_tokens),
    )


Script = Generator[Sequence[Call], Sequence[Reply], T]


def together(scripts: Sequence[Script[T]]) -> Script[list[T]]:
    """Several scripts as one: at each step, the calls that all unfinished ones want next are made together."""
    results: dict[int, T] = {}
    wanted: dict[int, Sequence[Call]] = {}

    def advance(index: int, step: Callable[[], Sequence[Call]]) -> None:
        try:
            wanted[index] = step()
        except StopIteration as stop:
            results[index] = stop.value

    for index, script in enumerate(scripts):
        advance(index, partial(next, script))
    while wanted:
        asked, wanted = wanted, {}
        replies = iter((yield [call for calls in asked.values() for call in calls]))
        for index, calls in asked.items():
            advance(index, partial(scripts[index].send, [next(replies) for _ in calls]))
    return [results[index] for index in range(len(scripts))]


def run_with(script: Script[T], replies: Sequence[Sequence[Reply]]) -> T:
    """Drive `script` with prepared replies, one sequence a step; for tests and for scripts that need no model.

    Raises:
        RuntimeError: when the script wants more, or fewer, steps than were prepared.
    """
    waiting = iter(replies)
    try:
        calls = next(script)
        while True:
            try:
                answers = next(waiting)
            except StopIteration:
                raise RuntimeError(f"the script asks for {len(calls)} more calls than were prepared") from None
            if len(answers) != len(calls):
                raise RuntimeError(f"the script made {len(calls)} calls, {len(answers)} replies were prepared")
            calls = script.send(answers)
    except StopIteration as stop:
        left = sum(1 for _ in waiting)
        if left:
            raise RuntimeError(f"the script ended with {left} prepared steps unused") from None
        result: T = stop.value
        return result
