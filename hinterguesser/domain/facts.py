"""The fact table: which entities still fit a set of hints, exactly.

A set of entities is an `int` used as bits (bit k: the k-th entity of the list), so narrowing is one `&` and counting
one `bit_count()`, for a hundred entities or a hundred thousand.

An entity fits a hint when it has the hint's value, *or when its value is unknown*: an unknown fact rules nothing out.
So `n_candidates` never under-counts, and a hint that leaves one candidate has ruled out all others by what is known.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from hinterguesser.domain.dialogue import Hint
from hinterguesser.domain.entity import Attribute, Entity, EntityList


@dataclass(frozen=True, slots=True)
class Fact:
    """One value of one attribute, in words and as the set of entities that fit it."""

    attribute: str
    value: str
    hint: Hint
    statement: str
    """Question and answer as one sentence."""
    has: int
    """Bits of the entities that are known to have the value."""
    fits: int
    """The same, and those whose value is unknown."""
    closing: bool


class FactTable:
    """All facts of a list, compiled once."""

    def __init__(self, listed: EntityList) -> None:
        """Compile `listed`; every fact must have its attribute among `listed.attributes`."""
        self.entities = listed.entities
        self.everyone = (1 << len(listed.entities)) - 1
        self._attributes = {attribute.name: attribute for attribute in listed.attributes}
        self._last: tuple[Entity | None, tuple[Fact, ...]] = (None, ())
        having: dict[tuple[str, str], int] = {}
        known: dict[str, int] = {}
        for index, entity in enumerate(listed.entities):
            bit = 1 << index
            for name, value in entity.facts.items():
                having[name, value] = having.get((name, value), 0) | bit
                known[name] = known.get(name, 0) | bit
        self._facts = {
            (name, value): self._fact(self._attributes[name], value, bits, self.everyone & ~known[name])
            for (name, value), bits in having.items()
        }

    @staticmethod
    def _fact(attribute: Attribute, value: str, has: int, unknown: int) -> Fact:
        hint = Hint(attribute.ask(value), attribute.answer.render(value))
        statement = attribute.statement.render(value)
        return Fact(attribute.name, value, hint, statement, has, has | unknown, attribute.closing)

    def facts_of(self, entity: Entity) -> tuple[Fact, ...]:
        """What is known about `entity`, in the order of its list."""
        if self._last[0] is not entity:
            self._last = entity, tuple(map(self._facts.__getitem__, entity.facts.items()))
        return self._last[1]

    @cached_property
    def _by_hint(self) -> dict[tuple[str, str], Fact]:
        return {(fact.hint.question, fact.hint.answer): fact for fact in self._facts.values()}

    def fact_of(self, hint: Hint) -> Fact | None:
        """The fact that `hint` says word for word; None when it says something the table cannot judge."""
        return self._by_hint.get((hint.question, hint.answer))

    def fitting(self, hints: Iterable[Hint]) -> int | None:
        """Bits of the entities that fit all `hints`; None when one of them is not worded from this table."""
        bits = self.everyone
        for hint in hints:
            fact = self.fact_of(hint)
            if fact is None:
                return None
            bits &= fact.fits
        return bits

    def members(self, bits: int) -> Iterator[Entity]:
        """The entities in `bits`, best known first."""
        while bits:
            low = bits & -bits
            yield self.entities[low.bit_length() - 1]
            bits ^= low
