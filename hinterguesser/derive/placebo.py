"""Placebo hints: what stands where an informative hint stood, and says nothing.

Three kinds, recorded in each turn:

* `pool`: a pair from the game's fixed list, true of any entity of the game (the paper's kind);
* `redundant`: a true fact, not yet said, that every entity still in play is known to share: topical, and of exactly
  zero information, since the set of candidates stays the same to the last member;
* `model`: written by a model.
"""

import random
from collections.abc import Sequence

from hinterguesser.domain.dialogue import Dialogue, Hint, Placebo
from hinterguesser.domain.entity import Entity
from hinterguesser.domain.facts import Fact, FactTable
from hinterguesser.domain.leak import secret as compiled_secret
from hinterguesser.domain.spelling import normalise
from hinterguesser.errors import UserError


def from_pool(dialogue: Dialogue, pool: Sequence[Hint], rng: random.Random) -> list[Placebo]:
    """One placebo a turn, drawn without repeating within the dialogue; none that leaks or was asked for real.

    Raises:
        UserError: the dialogue has more turns than the pool has fitting pairs.
    """
    secret = compiled_secret(dialogue.entity.name, dialogue.entity.aliases)
    asked = {normalise(turn.hint.question) for turn in dialogue.turns}
    fitting = [
        hint
        for hint in pool
        if secret.leak_in(f"{hint.question} {hint.answer}") is None and normalise(hint.question) not in asked
    ]
    if len(fitting) < dialogue.length:
        raise UserError(
            f"dialogue {dialogue.id} has {dialogue.length} turns, but only {len(fitting)} placebo pairs fit it; "
            f"add pairs to prompts/placebo_pool_{dialogue.game}.jsonl and pass the folder with --prompts"
        )
    return [Placebo(hint, "pool") for hint in rng.sample(fitting, dialogue.length)]


def redundant(
    dialogue: Dialogue, entity: Entity, table: FactTable, spare: Sequence[Placebo], rng: random.Random
) -> list[Placebo]:
    """One placebo a turn that leaves the candidates before the turn as they are; `spare` where no fact does.

    Args:
        dialogue: its hints are worded from `table`.
        entity: the secret, with its facts.
        table: the fact table of the dialogue's list.
        spare: one placebo a turn to fall back on.
        rng: picks among the facts that fit.

    Raises:
        UserError: a hint is not worded from the table.
    """
    secret = compiled_secret(entity.name, entity.aliases)
    placebos: list[Placebo] = []
    used: set[str] = set()
    hints = [turn.hint for turn in dialogue.turns]
    said = {fact.attribute for fact in map(table.fact_of, hints) if fact is not None}
    for number, fallback in zip(range(dialogue.length), spare, strict=True):
        before = table.fitting(hints[:number])
        if before is None:
            raise UserError(
                f"dialogue {dialogue.id}: turn {number + 1} or an earlier one is not worded from the fact table; "
                "use --placebo pool, or the entity list the run was made with"
            )
        facts = [fact for fact in table.facts_of(entity) if _says_nothing(fact, before, said | used)]
        rng.shuffle(facts)
        fact = next((fact for fact in facts if secret.leak_in(_text(fact.hint)) is None), None)
        if fact is None:
            placebos.append(fallback)
        else:
            used.add(fact.attribute)
            placebos.append(Placebo(fact.hint, "redundant"))
    return placebos


def _says_nothing(fact: Fact, candidates: int, said: set[str]) -> bool:
    return fact.attribute not in said and not fact.closing and candidates & fact.has == candidates


def _text(hint: Hint) -> str:
    return f"{hint.question} {hint.answer}"
