"""Facts about an entity by vote: a model is asked several times, and only what it always says counts."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hinterguesser.domain.entity import Attribute, Entity
from hinterguesser.domain.leak import secret as compiled_secret
from hinterguesser.domain.prompts import PromptBook
from hinterguesser.domain.script import Call, Message, Sampling, Script, together
from hinterguesser.domain.spelling import normalise
from hinterguesser.domain.structured import Stuck, ask

SCHEMA = {"type": "object", "minProperties": 1}
QUESTIONS_A_CALL = 20
LONGEST_VALUE = 80
LEFT_OUT = {
    "not_unanimous": "the samples do not agree",
    "unknown": "every sample says that it is not known",
    "leak": "it would give the entity's name away",
    "no_answer": "a sample could not be read, even when asked again",
}
"""Why a fact is left out, in words."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked about an entity: an attribute, and which values it may have."""

    attribute: Attribute
    values: tuple[str, ...] = ()
    """All that are allowed; empty: any short text."""
    examples: tuple[str, ...] = ()

    def line(self) -> str:
        """As one line of the prompt."""
        told = f" ({' / '.join(self.values)})" if self.values else ""
        if self.examples:
            told = f" (for instance: {'; '.join(self.examples)})"
        return f"- {self.attribute.name}: {self.attribute.question}{told}"


@dataclass(frozen=True, slots=True)
class Vote:
    """What the samples said about one attribute of one entity."""

    attribute: str
    value: str | None
    """What most of them said; None: that it is not known."""
    share: float
    """Of all samples, in [0, 1]."""
    counts: Mapping[str, int]
    """Samples by value; '' stands for not known."""
    left_out: str | None
    """Why it is no fact, a key of `LEFT_OUT`; None when it is one: every sample said the same."""

    def to_dict(self) -> dict[str, Any]:
        """As a plain dict."""
        return {
            "attribute": self.attribute,
            "value": self.value,
            "share": self.share,
            "counts": dict(self.counts),
            "left_out": self.left_out,
        }


def vote(
    entity: Entity, questions: Sequence[Question], model: str, samples: int, prompts: PromptBook
) -> Script[list[Vote]]:
    """What `samples` independent replies of `model` say about each of `questions`, in their order."""
    parts = [questions[start : start + QUESTIONS_A_CALL] for start in range(0, len(questions), QUESTIONS_A_CALL)]
    scripts = [
        _sample(entity, part, _call(entity, part, model, prompts, sample), prompts)
        for part in parts
        for sample in range(samples)
    ]
    replies = yield from together(scripts)
    votes: list[Vote] = []
    for index, part in enumerate(parts):
        said = replies[index * samples : (index + 1) * samples]
        votes.extend(_counted(entity, question, said) for question in part)
    return votes


Sample = dict[str, str | None]


def _sample(entity: Entity, questions: Sequence[Question], call: Call, prompts: PromptBook) -> Script[Sample | Stuck]:
    def accept(plain: dict[str, Any]) -> Sample | Stuck:
        values: Sample = {}
        for question in questions:
            name = question.attribute.name
            if name not in plain:
                return Stuck("malformed", f"'{name}' is missing; give null where it is not known")
            value = _value(question, plain[name])
            if isinstance(value, Stuck):
                return value
            values[name] = value
        return values

    return ask(call, SCHEMA, accept, prompts)


def _value(question: Question, raw: object) -> str | Stuck | None:
    name = question.attribute.name
    if raw is None:
        return None
    if isinstance(raw, bool):
        raw = "yes" if raw else "no"
    text = " ".join(str(raw).split()) if isinstance(raw, str | int | float) else ""
    if not text or len(text) > LONGEST_VALUE:
        return Stuck("malformed", f"'{name}' must be a short text or null, got {raw!r:.60}")
    if not question.values:
        return text
    allowed = {normalise(value): value for value in question.values}
    if normalise(text) not in allowed:
        return Stuck("malformed", f"'{name}' must be one of {', '.join(question.values)}, or null; got {text!r}")
    return allowed[normalise(text)]


def _call(entity: Entity, questions: Sequence[Question], model: str, prompts: PromptBook, sample: int) -> Call:
    words = prompts.render(
        "enrich",
        name=entity.name,
        questions="\n".join(question.line() for question in questions),
        example=json.dumps({question.attribute.name: None for question in questions[:2]}),
    )
    sampling = Sampling(temperature=1.0, max_tokens=100 + 40 * len(questions), json_object=True)
    return Call(model, (Message("user", words),), sampling, sample=sample)


def _counted(entity: Entity, question: Question, said: Sequence[Sample | Stuck]) -> Vote:
    name = question.attribute.name
    values = [sample[name] for sample in said if not isinstance(sample, Stuck)]
    forms: dict[str, Counter[str]] = {}
    for value in values:
        forms.setdefault(normalise(value) if value else "", Counter())[value or ""] += 1
    counts = {form.most_common(1)[0][0]: form.total() for form in forms.values()}
    if not counts:
        return Vote(name, None, 0.0, {}, "no_answer")
    value, most = max(counts.items(), key=lambda item: item[1])
    share = most / len(said)
    return Vote(
        name,
        value or None,
        share,
        counts,
        next(_faults(entity, question, value, share, len(values) == len(said)), None),
    )


def _faults(entity: Entity, question: Question, value: str, share: float, all_read: bool) -> Iterator[str]:
    if not all_read:
        yield "no_answer"
    if share < 1:
        yield "not_unanimous"
    if not value:
        yield "unknown"
    elif compiled_secret(entity.name, entity.aliases).leak_in(question.attribute.answer.render(value)):
        yield "leak"
