"""A model as judge of equivalence, asked only where the matcher says no."""

from dataclasses import dataclass
from typing import Any

from hinterguesser.domain.entity import Entity
from hinterguesser.domain.prompts import PromptBook
from hinterguesser.domain.script import Call, Message, Sampling, Script
from hinterguesser.domain.structured import Stuck, ask

SCHEMA = {"type": "object", "required": ["same"], "properties": {"same": {"type": "boolean"}}}
SAMPLING = Sampling(max_tokens=200, json_object=True)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the judge says of one answer to one entity."""

    entity: str
    answer: str
    same: bool | None
    """None when the judge gave no usable reply; the matcher's no then stands."""


def same_entity(model: str, entity: Entity, answer: str, prompts: PromptBook) -> Script[Verdict]:
    """Whether `answer` names `entity`, as the judge `model` sees it."""
    names = "; ".join((entity.name, *entity.aliases))
    message = Message("user", prompts.render("judge", reference=names, answer=answer))

    def accept(plain: dict[str, Any]) -> bool:
        return bool(plain["same"])

    said = yield from ask(Call(model, (message,), SAMPLING), SCHEMA, accept, prompts)
    return Verdict(entity.name, answer, None if isinstance(said, Stuck) else said)
