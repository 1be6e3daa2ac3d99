"""--dry-run: what a run would ask, before anything is paid.

A sample of the run's own scripts is driven with made-up replies of ordinary length. So the prompts are the real ones,
and only the replies' lengths (and, for games that models play, the number of turns) are assumed.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from hinterguesser.backends.prices import prices_of
from hinterguesser.backends.settings import CallSettings
from hinterguesser.domain.script import Call, Reply, Script, TokenChoice

CHARACTERS_PER_TOKEN = 4
"""Of English text, roughly."""
TYPICAL_TURNS = 8
"""Of a dialogue; the paper's games took 8.2 and 7.3."""
SAMPLE = 5
"""Scripts that are rehearsed; the others are taken to be like them."""


@dataclass(slots=True)
class Estimate:
    """What one model would be asked."""

    model: str
    calls: float = 0
    input_tokens: float = 0
    output_tokens: float = 0
    cost_usd: float | None = None
    """None: the price is not known."""


Improvise = Callable[[Call], Reply]


def rehearse(
    items: Sequence[Any],
    script: Callable[[Any], Script[Any]],
    improvise: Callable[[Any], Improvise],
    calls: CallSettings,
) -> list[Estimate]:
    """Estimate what the scripts of all `items` would ask, from a sample spread over them.

    Args:
        items: what the run is about; the sample is spread evenly over them.
        script: the script of an item.
        improvise: for an item, made-up replies to its calls.
        calls: where prices may be given.
    """
    step = max(1, len(items) // SAMPLE)
    sample = items[::step][:SAMPLE]
    by_model: dict[str, Estimate] = {}
    for item in sample:
        _drive(script(item), improvise(item), by_model)
    scale = len(items) / len(sample) if sample else 0
    for estimate in by_model.values():
        estimate.calls *= scale
        estimate.input_tokens *= scale
        estimate.output_tokens *= scale
        prices = prices_of(estimate.model, calls, batch=calls.batch and estimate.model.startswith("openai/"))
        if prices is not None:
            estimate.cost_usd = estimate.input_tokens * prices.input + estimate.output_tokens * prices.output
    return list(by_model.values())


def _drive(script: Script[Any], improvise: Improvise, by_model: dict[str, Estimate]) -> None:
    asked: set[Call] = set()
    try:
        calls = next(script)
        while True:
            replies = [improvise(call) for call in calls]
            for call, reply in zip(calls, replies, strict=True):
                if call not in asked:  # the journal answers the same call the second time
                    asked.add(call)
                    _count(by_model.setdefault(call.model, Estimate(call.model)), call, reply)
            calls = script.send(replies)
    except StopIteration:
        return


def _count(estimate: Estimate, call: Call, reply: Reply) -> None:
    said = call.prompt if isinstance(call.prompt, str) else "".join(message.content for message in call.prompt)
    estimate.calls += 1
    estimate.input_tokens += len(said) / CHARACTERS_PER_TOKEN
    estimate.output_tokens += max(1.0, len(reply.text) / CHARACTERS_PER_TOKEN)


def as_model_under_test(call: Call) -> Reply:
    """Made-up replies to what `evaluate` asks, told apart by how long they may be."""
    if call.sampling.max_tokens == 1:
        return Reply("A", first_token=(TokenChoice("A", -0.7), TokenChoice("B", -0.7)))
    if call.sampling.json_object:
        return Reply('{"same": false}')
    if call.sampling.max_tokens >= 1000:
        return Reply("So the clues fit it, but others too. " * 16 + r"### Confidence: \boxed{50}")
    return Reply(r"\boxed{The name of it}" if call.sampling.max_tokens != 64 else r"### Confidence: \boxed{50}")
