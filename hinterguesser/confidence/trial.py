"""One dialogue put to the model under test: an answer a turn, and every method's confidence in it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hinterguesser.confidence.answering import own_answer
from hinterguesser.confidence.base import Context, Method, Subject
from hinterguesser.domain.dialogue import Dialogue, Hint
from hinterguesser.domain.estimate import Estimate, Unscored
from hinterguesser.domain.matching import Names
from hinterguesser.domain.prediction import Prediction, scores
from hinterguesser.domain.script import Script, together

CONDITIONS = ("multi",)
TARGETS = ("answer",)


@dataclass(frozen=True, slots=True)
class Trial:
    """What is asked about each dialogue."""

    subject: Subject
    methods: Sequence[Method]
    conditions: Sequence[str] = CONDITIONS


def judge(trial: Trial, dialogue: Dialogue) -> Script[list[Prediction]]:
    """Every prediction about `dialogue`, turn by turn, so that each turn's transcript extends one just read."""
    names = Names(dialogue.entity.name, dialogue.entity.aliases)
    predictions: list[Prediction] = []
    for condition in trial.conditions:
        for turn, hints in enumerate(_views(dialogue, condition), start=1):
            context = Context(trial.subject, dialogue.game, dialogue.instruction, hints)
            answer = yield from own_answer(context)
            estimates: list[Estimate]
            if isinstance(answer, Unscored):
                estimates = [Unscored(f"no answer to judge: {answer.reason}") for _ in trial.methods]
            else:
                estimates = yield from together([method.estimate(context, answer) for method in trial.methods])
            for method, estimate in zip(trial.methods, estimates, strict=True):
                predictions.append(
                    Prediction(
                        dataset=dialogue.game,
                        dialogue_id=dialogue.id,
                        entity=dialogue.entity.name,
                        turn=turn,
                        length=dialogue.length,
                        condition=condition,
                        method=method.name,
                        target="answer",
                        model=trial.subject.model,
                        answer=None if isinstance(answer, Unscored) else answer,
                        correct=None if isinstance(answer, Unscored) else names.accepts(answer),
                        **scores(estimate),
                    )
                )
    return predictions


def _views(dialogue: Dialogue, condition: str) -> Iterator[tuple[Hint, ...]]:
    """The hints that the model sees at each turn under `condition`."""
    hints = tuple(turn.hint for turn in dialogue.turns)
    if condition == "multi":
        yield from (hints[:number] for number in range(1, len(hints) + 1))
    else:
        raise ValueError(f"unknown condition {condition!r}")
