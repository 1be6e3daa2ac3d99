"""Players that play from the fact table: exact, fast, and without a model."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from math import log2

from hinterguesser.domain.dialogue import Guess, Hint
from hinterguesser.domain.entity import Entity
from hinterguesser.domain.facts import Fact, FactTable
from hinterguesser.domain.script import Script
from hinterguesser.domain.structured import Stuck
from hinterguesser.players.base import Check

CHOOSES_AMONG = 3
"""Dialogues of one list would be too alike if the Hinter always took the one fact nearest to its pace."""

CLOSES_AT = 2
"""With this many candidates left, the distinctive fact ends the dialogue."""

ALTERNATIVES_NAMED = 5

_Ranked = tuple[float, str, Fact]
"""Distance from the pace in bits, attribute (which decides between equals), fact."""


@dataclass(frozen=True, slots=True)
class OracleHinter:
    """Gives true facts that narrow the candidates at an even pace, and a distinctive one at the end."""

    table: FactTable
    pace: float
    """Bits of narrowing a hint should bring, log2(candidates before / after)."""
    random: random.Random

    def hint(self, entity: Entity, earlier: Sequence[Hint], check: Check) -> Script[Hint | Stuck]:
        """A fact not yet said, near the pace; never one that says nothing.

        Ordinary facts leave at least two candidates while a distinctive fact can still close the dialogue, so that a
        model that knows the world gets a hint it can recognise the answer by.
        """
        yield from ()
        said = {fact.attribute for fact in map(self.table.fact_of, earlier) if fact is not None}
        candidates = self.table.fitting(earlier)
        if candidates is None:
            return Stuck("exhausted", "an earlier hint is not worded from the fact table")
        legal = self._legal(entity, said, candidates, check)
        if legal is None:
            return Stuck("exhausted", "no fact is left that narrows the candidates")
        return legal.hint

    def _legal(self, entity: Entity, said: set[str], candidates: int, check: Check) -> Fact | None:
        """The fact to say now, or None: the first of the preferred ones that `check` lets pass."""
        before = candidates.bit_count()
        wanted = log2(before) - self.pace
        ordinary: list[_Ranked] = []
        closing: list[_Ranked] = []
        final: list[_Ranked] = []
        for fact in self.table.facts_of(entity):
            after = (candidates & fact.fits).bit_count()
            if after == before or fact.attribute in said:
                continue
            distance = abs(log2(after) - wanted)
            kind = closing if fact.closing else ordinary if after > 1 else final
            kind.append((distance, fact.attribute, fact))
        for kind in (ordinary, closing, final):
            kind.sort()
        nearest = ordinary[:CHOOSES_AMONG]
        self.random.shuffle(nearest)
        ordinary[:CHOOSES_AMONG] = nearest
        order = (closing, ordinary, final) if before <= CLOSES_AT else (ordinary, closing, final)
        return next((fact for kind in order for _, _, fact in kind if check(fact.hint) is None), None)


@dataclass(frozen=True, slots=True)
class OracleGuesser:
    """Keeps the exact set of entities that fit, and guesses the best-known one."""

    table: FactTable

    def guess(self, hints: Sequence[Hint]) -> Script[Guess | Stuck]:
        """The best-known entity that fits all hints; unique exactly when no other does."""
        yield from ()
        candidates = self.table.fitting(hints)
        if candidates is None:
            return Stuck("malformed", "the oracle reads only hints worded from its fact table", hints[-1].question)
        named = [entity.name for entity in islice(self.table.members(candidates), 1 + ALTERNATIVES_NAMED)]
        return Guess(named[0], unique=len(named) == 1, alternatives=tuple(named[1:]))
