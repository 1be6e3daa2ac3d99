"""Players that ask a model. The Hinter's prompt holds the secret; the Guesser's never does."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hinterguesser.domain.dialogue import Guess, Hint
from hinterguesser.domain.entity import Entity
from hinterguesser.domain.matching import same_answer
from hinterguesser.domain.prompts import PromptBook
from hinterguesser.domain.script import Call, Message, Sampling, Script
from hinterguesser.domain.structured import Stuck, ask
from hinterguesser.players.base import Check

_LINE = {"type": "string", "minLength": 1, "maxLength": 500}
HINT_SCHEMA = {
    "type": "object",
    "required": ["question", "answer"],
    "properties": {"question": _LINE, "answer": _LINE},
}
GUESS_SCHEMA = {
    "type": "object",
    "required": ["guess", "unique"],
    "properties": {
        "guess": _LINE,
        "unique": {"type": "boolean"},
        "alternatives": {"type": "array", "items": {"type": "string"}, "maxItems": 50},
    },
}
MAX_TOKENS = 400


@dataclass(frozen=True, slots=True)
class ModelHinter:
    """A model that knows the secret and reveals one hint a turn."""

    model: str
    game: str
    prompts: PromptBook
    temperature: float
    random: random.Random
    """Gives each request its seed, so that the same request in two dialogues is drawn twice."""

    def hint(self, entity: Entity, earlier: Sequence[Hint], check: Check) -> Script[Hint | Stuck]:
        """The model's next hint; a refused one is asked for again with the reason."""
        messages = (
            Message("system", self.prompts.render(f"hinter_{self.game}")),
            Message(
                "user",
                self.prompts.render(
                    "hinter_turn",
                    secret=entity.name,
                    aliases="; ".join(entity.aliases) or "none",
                    hints=transcript(earlier),
                ),
            ),
        )

        def accept(plain: dict[str, Any]) -> Hint | Stuck:
            hint = Hint(_one_line(plain["question"]), _one_line(plain["answer"]))
            objection = check(hint)
            return hint if objection is None else Stuck(objection.reason, objection.message)

        call = Call(self.model, messages, _sampling(self.temperature, self.random))
        return (yield from ask(call, HINT_SCHEMA, accept, self.prompts))


@dataclass(frozen=True, slots=True)
class ModelGuesser:
    """A model that sees the hints, guesses, and says whether other answers still fit."""

    model: str
    game: str
    prompts: PromptBook
    temperature: float
    random: random.Random

    def guess(self, hints: Sequence[Hint]) -> Script[Guess | Stuck]:
        """The model's guess and uniqueness probe."""
        messages = (
            Message("system", self.prompts.render(f"guesser_{self.game}")),
            Message("user", self.prompts.render("guesser_turn", hints=transcript(hints))),
        )
        call = Call(self.model, messages, _sampling(self.temperature, self.random))
        return (yield from ask(call, GUESS_SCHEMA, _accept_guess, self.prompts))


def _accept_guess(plain: dict[str, Any]) -> Guess | Stuck:
    guess = _one_line(plain["guess"])
    named = (_one_line(other) for other in plain.get("alternatives") or ())
    others = tuple(other for other in named if other and not same_answer(other, guess))
    if plain["unique"] and others:
        return Stuck("malformed", "'unique' is true, yet 'alternatives' names other answers that fit")
    return Guess(guess, plain["unique"], others)


def transcript(hints: Sequence[Hint]) -> str:
    """The hints as numbered lines; a line is never changed by what follows it, so servers can reuse the prefix."""
    lines = [f"{number}. {hint.question} {hint.answer}".replace(".  ", ". ") for number, hint in enumerate(hints, 1)]
    return "\n".join(lines) or "(none yet)"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _sampling(temperature: float, rng: random.Random) -> Sampling:
    return Sampling(temperature=temperature, max_tokens=MAX_TOKENS, seed=rng.getrandbits(31), json_object=True)
