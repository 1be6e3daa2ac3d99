"""Entries of a public list made into an entity list in which every name and alias means one entity."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from hinterguesser.adapters.records import spaced, valid
from hinterguesser.domain.entity import Entity, EntityList
from hinterguesser.domain.spelling import normalise
from hinterguesser.errors import UserError

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
_NEAR_LENGTH = 6
_MOST_FOR_NEAR = 5_000


@dataclass(frozen=True, slots=True)
class Note:
    """One thing that an importer changed, left out, or wants looked at."""

    kind: str
    """'variants', 'case_collision', 'duplicate', 'shared_alias', 'same_id', 'blank_name', 'misspelt', 'near_names',
    'cut_row' or 'unused_aliases'."""
    name: str
    detail: str


@dataclass(frozen=True, slots=True)
class ImportedList:
    """A list that can be written and played, and what was done to it."""

    listed: EntityList
    """Without attributes: reading the written list words them."""
    notes: tuple[Note, ...]

    def counts(self) -> dict[str, int]:
        """How many notes of each kind."""
        return dict(Counter(note.kind for note in self.notes))


@dataclass(frozen=True, slots=True)
class Draft:
    """One entry as its source has it."""

    name: str
    aliases: Sequence[str]
    facts: Mapping[str, str]


def assemble(
    path: Path, drafts: Sequence[Draft], notes: Sequence[Note], spellings: Mapping[str, str] | None = None
) -> ImportedList:
    """The drafts as a list, in their order, with everything dropped that two of them would share.

    Raises:
        UserError: nothing is left.
    """
    found = list(notes)
    kept = _distinct(_respelt(map(_readable, drafts), spellings or {}, found), found)
    entities = tuple(_without_shared_aliases(kept, found))
    if not entities:
        raise UserError(f"{path}:1: no names in it; give the published file")
    found.extend(_near_names(entities))
    return ImportedList(EntityList(entities), tuple(found))


def _readable(draft: Draft) -> Draft:
    facts = {name: _tidy(value) for name, value in draft.facts.items()}
    return Draft(_tidy(draft.name), [_tidy(alias) for alias in draft.aliases], facts)


def _tidy(text: str) -> str:
    return spaced(valid(_CONTROL.sub(" ", text)))


def _respelt(drafts: Iterable[Draft], spellings: Mapping[str, str], notes: list[Note]) -> Iterator[Draft]:
    for draft in drafts:
        right = spellings.get(draft.name)
        if right is not None:
            notes.append(Note("misspelt", draft.name, f"written as {right!r}"))
            draft = replace(draft, name=right)
        if normalise(draft.name):
            yield draft
        else:
            notes.append(Note("blank_name", draft.name, "an entry without a name; left out"))


def _distinct(drafts: Iterator[Draft], notes: list[Note]) -> list[Draft]:
    """The drafts without those whose name, or id, an earlier one has."""
    names: dict[str, str] = {}
    slugs: dict[str, str] = {}
    kept: list[Draft] = []
    for draft in drafts:
        first = names.setdefault(normalise(draft.name), draft.name)
        if len(names) == len(kept):
            only_case = first != draft.name and first.casefold() == draft.name.casefold()
            kind = "case_collision" if only_case else "duplicate"
            notes.append(Note(kind, draft.name, f"the list has {first!r} already; left out"))
            continue
        slug = Entity(draft.name).slug
        holder = slugs.setdefault(slug, draft.name)
        if holder != draft.name:
            del names[normalise(draft.name)]
            notes.append(Note("same_id", draft.name, f"it would have the id of {holder!r}, '{slug}'; left out"))
            continue
        kept.append(draft)
    return kept


def _without_shared_aliases(drafts: Sequence[Draft], notes: list[Note]) -> Iterator[Entity]:
    names = {normalise(draft.name): index for index, draft in enumerate(drafts)}
    holders: dict[str, set[int]] = {}
    for index, draft in enumerate(drafts):
        for alias in draft.aliases:
            holders.setdefault(normalise(alias), set()).add(index)
    for index, draft in enumerate(drafts):
        own = {normalise(draft.name)}
        kept: list[str] = []
        for alias in draft.aliases:
            key = normalise(alias)
            if not key or key in own:
                continue
            own.add(key)
            others = (holders[key] | ({names[key]} if key in names else set())) - {index}
            if others:
                other = drafts[min(others)].name
                notes.append(Note("shared_alias", draft.name, f"{alias!r} could also mean {other!r}; left out"))
            else:
                kept.append(alias)
        yield Entity(draft.name, tuple(kept), draft.facts)


def _near_names(entities: Sequence[Entity]) -> Iterator[Note]:
    """Names that differ in one letter: one of the two may be misspelt. Left out for very long lists."""
    if len(entities) > _MOST_FOR_NEAR:
        return
    shapes: dict[str, int] = {}
    seen: set[tuple[int, int]] = set()
    for index, entity in enumerate(entities):
        name = normalise(entity.name)
        if len(name) < _NEAR_LENGTH:
            continue
        for shape in {name, *(name[:cut] + name[cut + 1 :] for cut in range(len(name)))}:
            other = shapes.setdefault(shape, index)
            if other != index and (other, index) not in seen:
                seen.add((other, index))
                first = entities[other].name
                yield Note("near_names", entity.name, f"almost the same as {first!r}; is one of them misspelt?")
