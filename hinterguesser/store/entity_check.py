"""What may go wrong with an entity list before any call is paid: `entities check`."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from hinterguesser.domain.entity import Entity, EntityList
from hinterguesser.domain.leak import Secret
from hinterguesser.domain.spelling import normalise, word_forms

MAX_PAIRS = 1_000
"""Pairs that facts fail to separate are listed up to here, and counted beyond."""

_MAX_WORDS = 12
_SHORT = 2


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to look at."""

    kind: str
    """'duplicate_name', 'shared_alias', 'shared_head', 'contained_name', 'short_name', 'leaked_name', 'no_facts',
    'constant_attribute', 'unused_attribute', 'inseparable' or 'inseparable_count'."""
    entities: tuple[str, ...]
    """The names it is about; empty when it is about the list."""
    detail: str
    """One sentence: what was found, and what it leads to."""


def check(listed: EntityList) -> list[Finding]:
    """Everything worth a look in `listed`, worst first; an empty list when there is nothing.

    Names are compared as the matcher compares them. Time grows with the number of words in names and, for
    `inseparable`, with entities x facts x entities / 64: under a second for 2,000 entities with 20 facts.
    """
    return [
        *_collisions(listed),
        *_contained(listed),
        *_leaks(listed),
        *_fact_findings(listed),
    ]


def _labels(entity: Entity) -> tuple[str, ...]:
    return (entity.name, *entity.aliases)


def _collisions(listed: EntityList) -> Iterator[Finding]:
    owners: dict[str, tuple[int, str]] = {}
    for index, entity in enumerate(listed.entities):
        for label in _labels(entity):
            key = normalise(label)
            owner, other = next((owners[form] for form in _number_forms(key) if form in owners), (index, label))
            owners.setdefault(key, (index, label))
            if owner == index:
                continue
            first = listed.entities[owner].name
            if label == entity.name and other == first and normalise(first) == key:
                yield Finding("duplicate_name", (first, label), "The matcher reads both names as the same.")
            else:
                detail = f"'{other}' and '{label}' are the same to the matcher: a guess of it could mean either."
                yield Finding("shared_alias", (first, entity.name), detail)
    yield from _shared_heads(listed)


def _number_forms(key: str) -> Iterator[str]:
    """`key`, then with its last word in singular and plural."""
    yield key
    *words, last = key.split(" ")
    for form in sorted(word_forms(last, alone=not words) - {last}):
        yield " ".join([*words, form])


def _shared_heads(listed: EntityList) -> Iterator[Finding]:
    """Names such as 'Paris, Texas' and 'Paris, France': a guess without the qualifier fits both."""
    heads: dict[str, dict[int, None]] = {}
    for index, entity in enumerate(listed.entities):
        for label in _labels(entity):
            heads.setdefault(normalise(label.split(",")[0]), {})[index] = None
    for head, found in heads.items():
        names = tuple(listed.entities[index].name for index in found)
        qualified = [name for name in names if "," in name and normalise(name.split(",")[0]) == head]
        if len(names) > 1 and qualified:
            yield Finding("shared_head", names, f"A guess of '{head}' could mean any of them.")


def _contained(listed: EntityList) -> Iterator[Finding]:
    """Names that stand, as whole words, in a name or alias of another entity."""
    owners = {tuple(normalise(entity.name).split()): index for index, entity in enumerate(listed.entities)}
    seen: set[tuple[int, int]] = set()
    for index, entity in enumerate(listed.entities):
        for label in _labels(entity):
            words = normalise(label).split()[:_MAX_WORDS]
            for span in _proper_spans(words):
                inner = owners.get(span)
                if inner is None or inner == index or (inner, index) in seen:
                    continue
                seen.add((inner, index))
                name = listed.entities[inner].name
                yield Finding("contained_name", (name, entity.name), f"'{name}' is a part of '{label}'.")


def _proper_spans(words: list[str]) -> Iterator[tuple[str, ...]]:
    for start in range(len(words)):
        for stop in range(start + 1, len(words) + 1):
            if stop - start < len(words):
                yield tuple(words[start:stop])


def _leaks(listed: EntityList) -> Iterator[Finding]:
    attributes = {attribute.name: attribute for attribute in listed.attributes}
    for entity in listed.entities:
        short = [label for label in _labels(entity) if len(normalise(label)) <= _SHORT]
        if short:
            detail = f"'{short[0]}' has at most {_SHORT} letters: many innocent hints will hold it by chance."
            yield Finding("short_name", (entity.name,), detail)
        secret = Secret(entity.name, entity.aliases)
        for name, value in entity.facts.items():
            attribute = attributes.get(name)
            said = f"{attribute.ask(value)} {attribute.answer.render(value)}" if attribute else value
            if secret.leak_in(said) is not None:
                detail = f"The hint for {name} = '{value}' gives the name away, so it can never be given: '{said}'"
                yield Finding("leaked_name", (entity.name,), detail)


def _fact_findings(listed: EntityList) -> Iterator[Finding]:
    if not listed.has_facts:
        yield Finding("no_facts", (), "Nothing is known about any entity: only models can play this list.")
        return
    for entity in listed.entities:
        if not entity.facts:
            yield Finding("no_facts", (entity.name,), "Nothing is known about it, so no hint can rule it in or out.")
    values: dict[str, set[str]] = {}
    known: dict[str, int] = {}
    for entity in listed.entities:
        for name, value in entity.facts.items():
            values.setdefault(name, set()).add(value)
            known[name] = known.get(name, 0) + 1
    for name, found in values.items():
        if len(found) == 1 and known[name] == len(listed.entities) > 1:
            detail = f"'{name}' is '{next(iter(found))}' for every entity: it separates nothing."
            yield Finding("constant_attribute", (), detail)
    for attribute in listed.attributes:
        if attribute.name not in values:
            detail = f"'{attribute.name}' has a wording, but no entity has a value for it: is it misspelt?"
            yield Finding("unused_attribute", (), detail)
    pairs = list(islice(_inseparable(listed), MAX_PAIRS))
    for first, second in pairs:
        yield Finding("inseparable", (first.name, second.name), "No known fact tells the two apart.")
    total = count_inseparable(listed) if len(pairs) == MAX_PAIRS else len(pairs)
    if total > len(pairs):
        detail = f"{total:,} pairs are told apart by no known fact; the first {MAX_PAIRS:,} are listed."
        yield Finding("inseparable_count", (), detail)


def _fits(listed: EntityList) -> Iterator[tuple[int, int]]:
    """Each entity that has facts, with the bits of the later ones that have facts and fit all of its own."""
    having: dict[tuple[str, str], int] = {}
    known: dict[str, int] = {}
    with_facts = 0
    for index, entity in enumerate(listed.entities):
        bit = 1 << index
        with_facts |= bit if entity.facts else 0
        for name, value in entity.facts.items():
            having[name, value] = having.get((name, value), 0) | bit
            known[name] = known.get(name, 0) | bit
    for index, entity in enumerate(listed.entities):
        if entity.facts:
            bits = with_facts >> (index + 1) << (index + 1)
            for name, value in entity.facts.items():
                bits &= having[name, value] | ~known[name]
                if not bits:
                    break
            yield index, bits


def _inseparable(listed: EntityList) -> Iterator[tuple[Entity, Entity]]:
    for index, bits in _fits(listed):
        while bits:
            low = bits & -bits
            yield listed.entities[index], listed.entities[low.bit_length() - 1]
            bits ^= low


def count_inseparable(listed: EntityList) -> int:
    """How many pairs of entities, of those with any fact, are told apart by no known fact."""
    return sum(bits.bit_count() for _, bits in _fits(listed))
