"""models check: what a model really offers, by at most three tiny calls."""

import asyncio
from dataclasses import dataclass
from math import exp

from hinterguesser.backends.base import Backend
from hinterguesser.backends.resolve import Backends
from hinterguesser.backends.settings import CallSettings
from hinterguesser.confidence.labels import label_probability
from hinterguesser.domain.estimate import Confidence, Unscored
from hinterguesser.domain.prompts import PromptBook
from hinterguesser.domain.script import Call, Message, Reply, Sampling
from hinterguesser.errors import CallFailed
from hinterguesser.store.prompts import read_prompts

QUESTION = "Is Paris the capital of France?"
TOP = 20
MOST_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    what: str
    found: str


def check_model(model: str, calls: CallSettings) -> list[Finding]:
    """What `model` says it offers, and what came back when it was asked.

    Raises:
        UserError: the model cannot be reached at all: unknown name, no key, missing weights or package.
    """
    return asyncio.run(_check(model, calls))


async def _check(model: str, calls: CallSettings) -> list[Finding]:
    backends = Backends(calls)
    try:
        backend = backends.of(model)
        can = backend.capabilities
        prompts = read_prompts()
        probe = await _tried(backend, _label_call(model, can.rendering, prompts, top=min(TOP, can.max_top_logprobs)))
        plain = await _tried(backend, _answer_call(model, can.rendering, prompts, json_object=can.json_object))
        return [
            Finding("reached at", backend.endpoint),
            Finding("asked as", {"chat": "chat messages", "plain": "plain text with worked examples"}[can.rendering]),
            *_log_probabilities(probe, can.max_top_logprobs),
            *_answer(plain),
            Finding("several samples in one request", _yes(can.many_samples)),
            Finding("seeds", _yes(can.seeds)),
            Finding("JSON mode", _yes(can.json_object)),
        ]
    finally:
        await backends.close()


def _label_call(model: str, rendering: str, prompts: PromptBook, top: int) -> Call:
    sampling = Sampling(max_tokens=1, top_logprobs=top)
    fields = {"candidate": "Paris", "option_a": prompts.text("p_true_yes"), "option_b": prompts.text("p_true_no")}
    if rendering == "plain":
        return Call(model, _opening(prompts) + prompts.render("plain/p_true", **fields), sampling)
    said = (Message("user", QUESTION), Message("user", prompts.render("p_true", **fields)))
    return Call(model, said, sampling)


def _answer_call(model: str, rendering: str, prompts: PromptBook, *, json_object: bool) -> Call:
    if rendering == "plain":
        return Call(model, _opening(prompts) + prompts.text("plain/answer"), Sampling(max_tokens=16, stop=("\n",)))
    request = 'Reply with this JSON object and nothing else: {"capital": "Paris"}'
    return Call(model, (Message("user", request),), Sampling(max_tokens=64, json_object=json_object))


def _opening(prompts: PromptBook) -> str:
    hint = prompts.render("plain/hint", question="Which country is the city the capital of?", answer="France.")
    return prompts.text("plain/preamble_guess") + hint


async def _tried(backend: Backend, call: Call) -> Reply | str:
    try:
        return await backend.reply(call)
    except CallFailed as failed:
        return failed.reason


def _log_probabilities(probe: Reply | str, most: int) -> list[Finding]:
    if isinstance(probe, str):
        return [Finding("log-probabilities", f"the call failed: {probe}")]
    if not probe.first_token:
        return [Finding("log-probabilities", "none came; use vanilla_verb, cot_verb or self_consistency")]
    shown = ", ".join(f"{choice.token!r} {exp(choice.logprob):.3f}" for choice in probe.first_token[:MOST_SHOWN])
    spellings = [choice.token for choice in probe.first_token if choice.token.strip().upper() in ("A", "B")]
    estimate = label_probability(probe, "A", "B")
    return [
        Finding("log-probabilities", f"{len(probe.first_token)} for a token (it says it gives {most} at most)"),
        Finding("likeliest first tokens", shown),
        Finding("spellings of A and B among them", ", ".join(map(repr, spellings)) or "none"),
        Finding("P(A) over P(A) + P(B), asked what is true", _number(estimate)),
        Finding("mass on both labels", _number(estimate, of_mass=True)),
    ]


def _number(estimate: Confidence | Unscored, *, of_mass: bool = False) -> str:
    if isinstance(estimate, Unscored):
        return estimate.reason
    return f"{estimate.label_mass if of_mass else estimate.value:.3f}"


def _answer(plain: Reply | str) -> list[Finding]:
    if isinstance(plain, str):
        return [Finding("answer", f"the call failed: {plain}")]
    usage = plain.usage
    tokens = f"{usage.input_tokens} in, {usage.output_tokens} out, {usage.cached_tokens or 0} from a cache"
    return [
        Finding("answer", repr(plain.text)),
        Finding("finish reason", plain.finish_reason or "none given"),
        Finding("reasoning kept apart", "none" if plain.reasoning is None else f"{len(plain.reasoning)} characters"),
        Finding("tokens of that call", tokens),
        Finding("price", "not known" if plain.cost_usd is None else f"${plain.cost_usd:.6f} for that call"),
    ]


def _yes(offered: bool) -> str:
    return "yes" if offered else "no"
