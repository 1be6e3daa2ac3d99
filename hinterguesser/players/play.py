"""A whole dialogue as one script: hint, legality check, guess, uniqueness probe, until correct and unique."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from hinterguesser.domain.dialogue import Dialogue, Failure, Guess, Hint, Turn
from hinterguesser.domain.entity import Entity
from hinterguesser.domain.facts import FactTable
from hinterguesser.domain.leak import secret as compiled_secret
from hinterguesser.domain.matching import Names
from hinterguesser.domain.matching import names as compiled_names
from hinterguesser.domain.script import Call, Reply, Script
from hinterguesser.domain.structured import Stuck
from hinterguesser.games.base import Game, Objection
from hinterguesser.players.base import Guesser, Hinter

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Table:
    """What the two players sit at: the game, its instruction, who plays, and for how long."""

    game: Game
    instruction: str
    hinter_name: str
    guesser_name: str
    facts: FactTable | None
    """With it, each turn carries the exact number of entities that still fit."""
    max_turns: int
    seed: int


def play(table: Table, entity: Entity, hinter: Hinter, guesser: Guesser) -> Script[Dialogue]:
    """Play one dialogue about `entity`; the result says how it ended, and is not yet filtered.

    `cost_usd` is the sum over all replies, None when the price of one is not known.
    """
    turns, outcome, failure = yield from _rounds(table, entity, hinter, guesser)
    return Dialogue(
        id=f"{table.game.name}-{entity.slug}-{table.seed}",
        game=table.game.name,
        regime="under_specified",
        entity=entity,
        instruction=table.instruction,
        outcome=outcome,
        kept=False,
        reason=outcome,
        turns=tuple(turns),
        hinter=table.hinter_name,
        guesser=table.guesser_name,
        seed=table.seed,
        failure=failure,
    )


def _rounds(
    table: Table, entity: Entity, hinter: Hinter, guesser: Guesser
) -> Script[tuple[list[Turn], str, Failure | None]]:
    secret, names = compiled_secret(entity.name, entity.aliases), compiled_names(entity.name, entity.aliases)
    hints: list[Hint] = []
    turns: list[Turn] = []

    def check(hint: Hint) -> Objection | None:
        return table.game.objection(hint, secret, hints)

    for number in range(1, table.max_turns + 1):
        hint = yield from hinter.hint(entity, hints, check)
        if isinstance(hint, Stuck):
            return turns, hint.reason, Failure(number, "hint", hint.error, hint.text)
        hints.append(hint)
        guess = yield from guesser.guess(hints)
        if isinstance(guess, Stuck):
            return turns, guess.reason, Failure(number, "guess", guess.error, guess.text)
        turns.append(_turn(number, hint, guess, names, _count(table.facts, hints)))
        if turns[-1].guess_correct and guess.unique:
            return turns, "solved", None
    return turns, "exhausted", None


def _turn(number: int, hint: Hint, guess: Guess, names: Names, n_candidates: int | None) -> Turn:
    return Turn(number, hint, guess, names.accepts(guess.guess), n_candidates)


def _count(facts: FactTable | None, hints: Sequence[Hint]) -> int | None:
    fitting = facts.fitting(hints) if facts else None
    return None if fitting is None else fitting.bit_count()


def with_cost(script: Script[Dialogue]) -> Generator[Sequence[Call], Sequence[Reply], Dialogue]:
    """`script`, with the cost of its replies written into the dialogue."""
    cost: float | None = 0.0
    try:
        calls = next(script)
        while True:
            replies = yield calls
            for reply in replies:
                cost = None if cost is None or reply.cost_usd is None else cost + reply.cost_usd
            calls = script.send(replies)
    except StopIteration as stop:
        dialogue: Dialogue = stop.value
        return replace(dialogue, cost_usd=cost)
