"""Small lists and dialogues that several tests need."""

import random

from hinterguesser.domain.dialogue import Dialogue, Guess, Hint, Turn
from hinterguesser.domain.entity import Attribute, Entity, EntityList, Wording
from hinterguesser.domain.facts import FactTable

YES_NO = ("yes", "no")


def attribute(name: str, *, closing: bool = False) -> Attribute:
    if closing:
        return Attribute(name, "What is it known for?", Wording("{value}."), Wording("it is known for {value}."), True)
    return Attribute(
        name,
        f"Is it {name}?",
        Wording(by_value={"yes": "Yes.", "no": "No."}),
        Wording(by_value={"yes": f"It is {name}.", "no": f"It is not {name}."}),
    )


def little_list() -> EntityList:
    """Eight animals told apart by three facts; each has a distinctive fourth."""
    names = ["wolf", "otter", "eagle", "gull", "lizard", "turtle", "beetle", "crab"]
    entities = tuple(
        Entity(
            name,
            aliases=(f"common {name}",) if name == "wolf" else (),
            facts={
                "furry": YES_NO[index & 4 > 0],
                "aquatic": YES_NO[index & 1 == 0],
                "hardy": YES_NO[index & 2 > 0],
                "fame": f"deed number {index}",
            },
        )
        for index, name in enumerate(names)
    )
    attributes = (*map(attribute, ("furry", "aquatic", "hardy")), attribute("fame", closing=True))
    return EntityList(entities, attributes)


def random_list(rng: random.Random, entities: int = 30, attributes: int = 12, unknown: float = 0.2) -> EntityList:
    """Entities with random yes/no facts, some unknown."""
    names = [f"q{number}" for number in range(attributes)]
    made = tuple(
        Entity(f"item{index}", facts={name: rng.choice(YES_NO) for name in names if rng.random() > unknown})
        for index in range(entities)
    )
    return EntityList(made, tuple(map(attribute, names)))


def little_table() -> FactTable:
    return FactTable(little_list())


def dialogue(*hints: Hint, name: str = "wolf", outcome: str = "solved", kept: bool = True, **other: object) -> Dialogue:
    """A dialogue in which every guess is wrong but the last."""
    turns = tuple(
        Turn(
            number,
            hint,
            Guess(name if number == len(hints) else "eel", unique=number == len(hints)),
            guess_correct=number == len(hints),
        )
        for number, hint in enumerate(hints, 1)
    )
    fields: dict[str, object] = {
        "id": f"20q-{name}-0",
        "game": "20q",
        "regime": "under_specified",
        "entity": Entity(name),
        "instruction": "Name it.",
        "outcome": outcome,
        "kept": kept,
        "reason": None if kept else outcome,
        "turns": turns,
        "hinter": "h",
        "guesser": "g",
        "seed": 0,
    }
    return Dialogue(**{**fields, **other})  # type: ignore[arg-type]
