"""One dialogue put to the model under test: an answer a turn, and every method's confidence in it."""

from collections.abc import Sequence
from dataclasses import dataclass

from hinterguesser.confidence.answering import own_answer
from hinterguesser.confidence.base import Candidate, Context, Method, Subject
from hinterguesser.confidence.judge import Verdict, same_entity
from hinterguesser.confidence.views import View, views
from hinterguesser.domain.dialogue import Dialogue
from hinterguesser.domain.estimate import Estimate, Unscored
from hinterguesser.domain.matching import names as compiled_names
from hinterguesser.domain.matching import same_answer
from hinterguesser.domain.prediction import Prediction, scores
from hinterguesser.domain.script import Script, together

TARGETS = ("answer", "gold")


@dataclass(frozen=True, slots=True)
class Trial:
    """What is asked about each dialogue."""

    subject: Subject
    methods: Sequence[Method]
    conditions: Sequence[str] = ("multi",)
    targets: Sequence[str] = ("answer",)
    judge: str | None = None
    """A model that decides whether an answer is right where the matcher says no."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What came of one dialogue."""

    predictions: list[Prediction]
    verdicts: list[Verdict]


def put(trial: Trial, dialogue: Dialogue) -> Script[Judged]:
    """Every prediction about `dialogue`, condition by condition and turn by turn.

    So each turn's transcript extends one that was just read, and within a turn the answer and all probes share it.
    """
    judged = Judged([], [])
    for condition in trial.conditions:
        for view in views(dialogue, condition):
            yield from _turn(trial, dialogue, condition, view, judged)
    return judged


def _turn(trial: Trial, dialogue: Dialogue, condition: str, view: View, judged: Judged) -> Script[None]:
    answer: str | Unscored = Unscored(view.lacking)
    correct: bool | None = None
    estimates: list[Estimate]
    asked = [(method, target) for target in trial.targets for method in trial.methods]
    if view.hints is None:
        estimates = [Unscored(view.lacking) for _ in asked]
    else:
        context = Context(trial.subject, dialogue.game, dialogue.instruction, view.hints, view.n_candidates)
        answer = yield from own_answer(context)
        if isinstance(answer, str):
            correct = yield from _is_correct(trial, dialogue, answer, judged)
        estimates = yield from together(
            [_estimate(context, method, _candidate(dialogue, target, answer, correct)) for method, target in asked]
        )
    for (method, target), estimate in zip(asked, estimates, strict=True):
        judged.predictions.append(
            Prediction(
                dataset=dialogue.game,
                dialogue_id=dialogue.id,
                entity=dialogue.entity.name,
                turn=view.turn,
                length=dialogue.length,
                condition=condition,
                method=method.name,
                target=target,
                model=trial.subject.model,
                answer=answer if isinstance(answer, str) else None,
                correct=correct,
                **scores(estimate),
            )
        )


def _estimate(context: Context, method: Method, candidate: Candidate | Unscored) -> Script[Estimate]:
    if isinstance(candidate, Unscored) and method.judges_answer:
        yield from ()
        return candidate
    asked = Candidate("", lambda _: False) if isinstance(candidate, Unscored) else candidate
    return (yield from method.estimate(context, asked))


def _candidate(dialogue: Dialogue, target: str, answer: str | Unscored, correct: bool | None) -> Candidate | Unscored:
    """Whose answer the confidence is about: the model's own, or the gold one."""
    gold = compiled_names(dialogue.entity.name, dialogue.entity.aliases)
    if target == "gold":
        return Candidate(dialogue.entity.name, gold.accepts)
    if isinstance(answer, Unscored):
        return Unscored(f"no answer to judge: {answer.reason}")
    own: str = answer
    if correct:
        return Candidate(own, lambda other: gold.accepts(other) or same_answer(other, own))
    return Candidate(own, lambda other: same_answer(other, own))


def _is_correct(trial: Trial, dialogue: Dialogue, answer: str, judged: Judged) -> Script[bool]:
    if compiled_names(dialogue.entity.name, dialogue.entity.aliases).accepts(answer):
        return True
    if trial.judge is None:
        return False
    verdict = yield from same_entity(trial.judge, dialogue.entity, answer, trial.subject.prompts)
    judged.verdicts.append(verdict)
    return bool(verdict.same)
