"""The script that collects a trace: one question, asked at every depth of its evidence plan.

Every depth is asked on its own, at temperature 0, with the evidence as JSON in the user's message, so that no passage
can end the quotation and speak for itself. The model is not told how many retrievals are left: an answer then belongs
to a depth and not to a budget, and the same trace can be replayed under any budget. An empty slice asks nothing: its
state repeats the one before and is marked as a duplicate.
"""

import dataclasses
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from hinterguesser.domain.estimate import Confidence, Estimate, Unscored
from hinterguesser.domain.prompts import PromptBook
from hinterguesser.domain.script import Call, Message, Reply, Sampling, Script
from hinterguesser.domain.structured import Stuck, parse_object
from hinterguesser.replay.exact_match import exact_match
from hinterguesser.replay.plans import EvidencePlan
from hinterguesser.replay.questions import Passage, Question

ANSWER_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "required": ["answer"],
    "properties": {"answer": {"type": "string", "minLength": 1}},
}
JUDGE_TRIES = 3
CONFIDENCE_TOKENS = 8
"""Enough for a number."""


@dataclass(frozen=True, slots=True)
class CollectSettings:
    """How a trace is collected."""

    model: str
    judge: str | None = None
    """The model that decides what is correct; None decides by exact match."""
    rendering: Literal["chat", "plain"] = "chat"
    """'plain' for a model that follows a plain text with worked examples better than its chat template."""
    max_tokens: int = 512
    reuse_prompt: bool = True
    """Whether the model's server may reuse its cache of the prompt, which moves a reply once in a while."""
    judge_tries: int = JUDGE_TRIES
    """How often the judge is asked for one verdict before there is none."""


@dataclass(frozen=True, slots=True)
class State:
    """What the model said at one depth."""

    depth: int
    answer: str | None
    """None when the reply held no answer."""
    estimate: Estimate
    correct: bool | None
    """None when the judge gave no verdict."""
    cost_usd: float | None
    """Price of asking at this depth, tries included and the judge not; None when it is not known."""
    duplicate: bool
    """Whether this depth shows nothing new, so that the state of the depth before stands here again."""
    text: str
    """The reply as it came."""


@dataclass(frozen=True, slots=True)
class Trajectory:
    """All states of one question."""

    question_id: str
    model: str
    plan_sha256: str
    states: tuple[State, ...]

    @property
    def problem(self) -> str | None:
        """Why this trajectory cannot be a trace; None when it can."""
        unjudged = [state.depth for state in self.states if state.correct is None]
        return f"no verdict of the judge at depth {', '.join(map(str, unjudged))}" if unjudged else None

    def rows(self, dataset: str, split: str) -> list[dict[str, Any]]:
        """The trace, one row a state, as it is stored.

        Raises:
            ValueError: there is a `problem`.
        """
        if self.problem:
            raise ValueError(f"question {self.question_id}: {self.problem}")
        return [self._row(state, dataset, split) for state in self.states]

    def _row(self, state: State, dataset: str, split: str) -> dict[str, Any]:
        return {
            "question_id": self.question_id,
            "depth": state.depth,
            "confidence": state.estimate.value if isinstance(state.estimate, Confidence) else None,
            "correct": state.correct,
            "dataset": dataset,
            "model": self.model,
            "split": split,
            "answer": state.answer,
            "cost": state.cost_usd,
            "duplicate": state.duplicate,
            "unscored_reason": state.estimate.reason if isinstance(state.estimate, Unscored) else None,
            "plan_sha256": self.plan_sha256,
        }


@dataclass(frozen=True, slots=True)
class Answered:
    """A reply, read."""

    answer: str | None
    estimate: Estimate


def collect(
    question: Question, plan: EvidencePlan, settings: CollectSettings, prompts: PromptBook
) -> Script[Trajectory]:
    """The trajectory of `question`: all depths asked at once, unreadable replies once more, then judged.

    Raises:
        ValueError: the plan is another question's.
    """
    if plan.question_id != question.id:
        raise ValueError(f"the plan of {plan.question_id!r} was handed in with question {question.id!r}")
    depths = [depth for depth in range(plan.deepest + 1) if not plan.adds_nothing(depth)]
    calls = [_call(question, plan.shown(depth), settings, prompts) for depth in depths]
    replies = yield calls
    costs = [reply.cost_usd for reply in replies]
    replies, costs = yield from _ask_again(calls, list(replies), costs, prompts)
    read = [read_reply(reply) for reply in replies]
    verdicts = yield from _verdicts(question, read, settings, prompts)
    asked = {
        depth: State(depth, said.answer, said.estimate, verdict, cost, False, reply.text)
        for depth, said, verdict, cost, reply in zip(depths, read, verdicts, costs, replies, strict=True)
    }
    states: list[State] = []
    for depth in range(plan.deepest + 1):
        known = asked.get(depth)
        states.append(known or dataclasses.replace(states[-1], depth=depth, duplicate=True, cost_usd=0.0))
    return Trajectory(question.id, settings.model, plan.sha256, tuple(states))


def read_reply(reply: Reply) -> Answered:
    """The answer and the confidence in `reply`, each as far as it can be read.

    A confidence in (0, 1] is ambiguous (a fraction, or a percentage of at most one) and is left unscored.
    """
    plain = parse_object(reply, ANSWER_SCHEMA)
    if isinstance(plain, Stuck):
        return Answered(None, Unscored(plain.error))
    answer = " ".join(plain["answer"].split())
    if not answer:
        return Answered(None, Unscored("the answer is empty"))
    return Answered(answer, _read_confidence(plain.get("confidence")))


def _read_confidence(value: object) -> Estimate:
    if value is None:
        return Unscored("no confidence in the reply")
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return Unscored("the confidence is not a number")
    if not 0 <= value <= 100:
        return Unscored("the confidence is outside 0 to 100")
    if 0 < value <= 1:
        return Unscored("the confidence may be a fraction or a percentage; give a number from 0 to 100")
    return Confidence(value / 100)


def evidence_text(passages: Sequence[Passage]) -> str:
    """The passages as one line of JSON: quotation marks and line breaks inside them are escaped."""
    return json.dumps([{"title": passage.title, "text": passage.text} for passage in passages], ensure_ascii=False)


def _call(question: Question, passages: Sequence[Passage], settings: CollectSettings, prompts: PromptBook) -> Call:
    fields = {
        "evidence": evidence_text(passages),
        "question": json.dumps(question.question, ensure_ascii=False),
    }
    if settings.rendering == "plain":
        text = prompts.render("collect_plain", **fields).rstrip()
        sampling = Sampling(max_tokens=settings.max_tokens, stop=("\n",))
        return Call(settings.model, text, sampling, reuse_prompt=settings.reuse_prompt)
    asked = Message("user", prompts.render("collect_state", **fields))
    messages = (Message("system", prompts.render("collect")), asked)
    sampling = Sampling(max_tokens=settings.max_tokens, json_object=True)
    return Call(settings.model, messages, sampling, reuse_prompt=settings.reuse_prompt)


def _ask_again(
    calls: Sequence[Call], replies: list[Reply], costs: list[float | None], prompts: PromptBook
) -> Script[tuple[list[Reply], list[float | None]]]:
    """Ask once more where no confidence could be read.

    A chat model is told what was wrong with its reply. A plain text that stopped after the answer is begun for the
    model, up to the confidence.
    """
    again: list[tuple[int, Call, str]] = []
    for at, (call, reply) in enumerate(zip(calls, replies, strict=True)):
        said = read_reply(reply)
        if not isinstance(said.estimate, Unscored):
            continue
        if not isinstance(call.prompt, str):
            again.append((at, _told(call, reply, said.estimate, prompts), ""))
        elif said.answer is not None:
            begun = f'{{"answer": {json.dumps(said.answer, ensure_ascii=False)}, "confidence":'
            short = dataclasses.replace(call.sampling, max_tokens=CONFIDENCE_TOKENS, stop=("}", "\n"))
            again.append((at, dataclasses.replace(call, prompt=f"{call.prompt} {begun}", sampling=short), begun))
    if again:
        answers = yield [call for _, call, _ in again]
        for (at, _, begun), more in zip(again, answers, strict=True):
            reply = dataclasses.replace(more, text=f"{begun}{more.text}}}") if begun else more
            first, second = costs[at], reply.cost_usd
            costs[at] = None if first is None or second is None else first + second
            if _reads_better(reply, replies[at]):
                replies[at] = reply
    return replies, costs


def _told(call: Call, reply: Reply, problem: Unscored, prompts: PromptBook) -> Call:
    assert not isinstance(call.prompt, str), "only chat messages can be continued"
    said = Message("assistant", reply.text or "(empty)")
    return dataclasses.replace(
        call, prompt=(*call.prompt, said, Message("user", prompts.render("again", error=problem.reason)))
    )


def _reads_better(new: Reply, old: Reply) -> bool:
    """Whether the second reply says more than the first: a confidence, or at least an answer."""
    second, first = read_reply(new), read_reply(old)
    return isinstance(second.estimate, Confidence) or (first.answer is None and second.answer is not None)


def _verdicts(
    question: Question, read: Sequence[Answered], settings: CollectSettings, prompts: PromptBook
) -> Script[list[bool | None]]:
    """Whether each answer is correct; a reply without an answer is not."""
    said = list(dict.fromkeys(item.answer for item in read if item.answer is not None))
    if settings.judge is None:
        verdict: dict[str, bool | None] = {answer: exact_match(answer, question.answers) for answer in said}
    else:
        verdict = yield from judge(question, said, settings.judge, prompts, settings.judge_tries)
    return [False if item.answer is None else verdict[item.answer] for item in read]


def judge(
    question: Question, answers: Sequence[str], model: str, prompts: PromptBook, tries: int = JUDGE_TRIES
) -> Script[dict[str, bool | None]]:
    """The judge's verdict on each answer; None where `tries` replies were not a JSON object with a boolean.

    Equal answers of several depths are judged once, so they cannot get different verdicts.
    """
    verdict: dict[str, bool | None] = dict.fromkeys(answers)
    for attempt in range(tries):
        waiting = [answer for answer in answers if verdict[answer] is None]
        if not waiting:
            break
        replies = yield [_judge_call(question, answer, model, attempt, prompts) for answer in waiting]
        for answer, reply in zip(waiting, replies, strict=True):
            verdict[answer] = read_verdict(reply)
    return verdict


def _judge_call(question: Question, answer: str, model: str, attempt: int, prompts: PromptBook) -> Call:
    case = {"question": question.question, "references": list(question.answers), "answer": answer}
    messages = (
        Message("system", prompts.render("collect_judge")),
        Message("user", json.dumps(case, ensure_ascii=False)),
    )
    return Call(model, messages, Sampling(max_tokens=200, json_object=True), sample=attempt)


def read_verdict(reply: Reply) -> bool | None:
    """The boolean of `{"correct": ...}`; None for anything else, however near it comes."""
    try:
        plain = json.loads(reply.text)
    except ValueError:
        return None
    if not isinstance(plain, dict) or plain.keys() != {"correct"}:
        return None
    value = plain["correct"]
    return value if isinstance(value, bool) else None
