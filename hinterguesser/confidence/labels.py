"""The probability of one label against another on the first answer token."""

from collections.abc import Sequence
from math import exp

from hinterguesser.confidence.base import Candidate, Context
from hinterguesser.domain.estimate import Confidence, Estimate, Unscored
from hinterguesser.domain.script import Reply, Sampling, Script, TokenChoice

WIDEST_BOUND = 0.01
"""A label outside the top list leaves the confidence within bounds; wider apart than this, it is unscored."""

_SPACES = " \t\n\r\u2581\u0120\u010a"
"""White space, also as tokenizers spell it."""


def probe(context: Context, candidate: Candidate, name: str) -> Script[Estimate]:
    """P(confirming label) over P(either label), for the prompt `name` about `candidate`.

    With `swap_labels` the probe is asked under both orders of the labels and the two are averaged: a model that leans
    on the label's letter or place then comes out near one half.
    """
    prompts = context.subject.prompts
    yes, no = prompts.text(f"{name}_yes"), prompts.text(f"{name}_no")
    sampling = Sampling(max_tokens=1, top_logprobs=context.subject.top_logprobs)
    calls = [context.ask(name, sampling, candidate=candidate.text, option_a=yes, option_b=no)]
    if context.subject.swap_labels:
        calls.append(context.ask(name, sampling, candidate=candidate.text, option_a=no, option_b=yes))
    replies = yield calls
    estimates = [label_probability(reply, *order) for reply, order in zip(replies, ("AB", "BA"), strict=False)]
    scored = [estimate for estimate in estimates if isinstance(estimate, Confidence)]
    if len(scored) < len(estimates):
        return next(estimate for estimate in estimates if isinstance(estimate, Unscored))
    return _mean(scored)


def label_probability(reply: Reply, label: str, against: str) -> Estimate:
    """P(`label`) over P(`label`) + P(`against`), letter variants (`A`, ` A`, `a`) summed.

    A label outside the top list has at most the smallest listed probability, and at most the mass not listed. The
    confidence is given when that pins it down to `WIDEST_BOUND`, as the middle of its bounds; else it is unscored.
    """
    if not reply.first_token:
        return Unscored("no log-probabilities in reply")
    if reply.text and not reply.text.strip():
        return Unscored("white space instead of a label")
    here, there = _mass(reply.first_token, label), _mass(reply.first_token, against)
    if here is None and there is None:
        return Unscored(f"neither label among the {len(reply.first_token)} likeliest tokens")
    unlisted = max(0.0, 1.0 - sum(exp(choice.logprob) for choice in reply.first_token))
    most = min(unlisted, min(exp(choice.logprob) for choice in reply.first_token))
    low = (here or 0.0) / ((here or 0.0) + (most if there is None else there))
    high = 1.0 if there is None else (most if here is None else here) / ((most if here is None else here) + there)
    if high - low > WIDEST_BOUND:
        missing = label if here is None else against
        return Unscored(
            f"label {missing} not among the {len(reply.first_token)} likeliest tokens: "
            f"the confidence lies between {low:.3f} and {high:.3f}"
        )
    value = min(1.0, (low + high) / 2)
    return Confidence(value, p_raw=here, p_normalised=value, label_mass=min(1.0, (here or 0.0) + (there or 0.0)))


def _mass(choices: Sequence[TokenChoice], label: str) -> float | None:
    found = [exp(choice.logprob) for choice in choices if choice.token.strip(_SPACES).upper() == label]
    return min(1.0, sum(found)) if found else None


def _mean(estimates: Sequence[Confidence]) -> Confidence:
    def mean(values: Sequence[float | None]) -> float | None:
        known = [value for value in values if value is not None]
        return sum(known) / len(known) if len(known) == len(values) else None

    value = sum(estimate.value for estimate in estimates) / len(estimates)
    return Confidence(
        value,
        p_raw=mean([estimate.p_raw for estimate in estimates]),
        p_normalised=value,
        label_mass=mean([estimate.label_mass for estimate in estimates]),
    )
