"""Made-up dialogues, what models did in them, and predictions: as many as a test needs."""

import random
from dataclasses import replace

from samples import dialogue

from hinterguesser.domain.course import Course
from hinterguesser.domain.dialogue import Dialogue, Failure, Hint, Placebo
from hinterguesser.domain.entity import Entity
from hinterguesser.domain.prediction import Prediction

METHODS = ("vanilla_verb", "cot_verb", "self_consistency", "p_true", "p_sufficient")
WORDS = [
    "river",
    "harbour",
    "northern",
    "market",
    "bridge",
    "castle",
    "island",
    "winter",
    "copper",
    "garden",
    "valley",
    "museum",
    "festival",
    "railway",
    "desert",
    "cathedral",
    "university",
    "capital",
    "mountain",
    "volcano",
    "theatre",
    "orchard",
    "canal",
    "lantern",
]


def told(number: int, *, turns: int = 8, game: str = "guess", rejected: bool = False) -> Dialogue:
    """A dialogue with placebos and summaries; its words depend on `number` only."""
    rng = random.Random(number)

    def words(count: int) -> str:
        return " ".join(rng.choices(WORDS, k=count))

    hints = [Hint(f"What is its {words(2)}?", f"It has a {words(9)}.") for _ in range(turns)]
    plain = dialogue(*hints, name=f"{words(1).title()} {number}", game=game, id=f"{game}-{number:05}-0")
    return replace(
        plain,
        turns=tuple(
            replace(
                turn,
                n_candidates=max(1, 2 ** (turns - turn.turn)),
                placebo=Placebo(Hint(f"Is it a {words(2)}?", "That says nothing."), "pool"),
                summary=f"It has a {words(4 * turn.turn)}.",
            )
            for turn in plain.turns
        ),
        kept=not rejected,
        outcome="leak" if rejected else "solved",
        reason="leak" if rejected else None,
        failure=Failure(turns, "hint", "names the entity", f"It is {words(3)}!") if rejected else None,
    )


def named(name: str, number: int = 0) -> Dialogue:
    """A dialogue whose entity, id and texts are all `name`."""
    plain = dialogue(Hint(name, name), Hint("Is it?", name), name=name)
    return replace(plain, id=f"{name}-{number}", entity=Entity(name, (name,)), instruction=name)


def course(shown: Dialogue, model: str = "m", condition: str = "multi", methods: tuple[str, ...] = METHODS) -> Course:
    """What a model did: confidences that depend on ids only, one of them unscored at the first turn."""
    rng = random.Random(f"{shown.id!a} {model} {condition}")
    length = shown.length
    confidences = {
        (method, target): [round(rng.random(), 3) for _ in range(length)]
        for method in methods
        for target in ("answer", "gold")
    }
    confidences[methods[0], "answer"][0] = None  # type: ignore[call-overload]
    answers = [shown.entity.name if rng.random() < at / length else "elsewhere" for at in range(length)]
    return Course(model, condition, answers, [answer == shown.entity.name for answer in answers], confidences)


def predictions(
    dialogues: list[Dialogue],
    models: tuple[str, ...] = ("m",),
    methods: tuple[str, ...] = METHODS,
    conditions: tuple[str, ...] = ("multi", "placebo", "single"),
) -> list[Prediction]:
    """The rows that an evaluation of `dialogues` would write."""
    rows = []
    for model in models:
        for shown in dialogues:
            for condition in conditions:
                drawn = course(shown, model, condition, methods)
                for (method, target), values in drawn.confidences.items():
                    for at, value in enumerate(values):
                        rows.append(
                            Prediction(
                                dataset=shown.game,
                                dialogue_id=shown.id,
                                entity=shown.entity.name,
                                turn=at + 1,
                                length=shown.length,
                                condition=condition,
                                method=method,
                                target=target,
                                model=model,
                                answer=drawn.answers[at],
                                correct=drawn.correct[at],
                                confidence=value,
                                unscored_reason="no percentage in reply" if value is None else None,
                                p_raw=None,
                                p_normalised=value if method.startswith("p_") else None,
                                label_mass=0.5 if method.startswith("p_") else None,
                            )
                        )
    return rows
