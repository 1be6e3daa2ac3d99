"""The secret, and how its facts are worded."""

import hashlib
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

LONGEST_SLUG = 80


@dataclass(frozen=True, slots=True)
class Entity:
    """A secret: its name, other names that mean the same thing, and what is known about it."""

    name: str
    aliases: tuple[str, ...] = ()
    facts: Mapping[str, str] = field(default_factory=dict)
    """Attribute to value. A fact that is absent is unknown: it is never said, and rules nothing out."""

    @property
    def slug(self) -> str:
        """The name as part of an id: lower-case ASCII letters, digits and hyphens.

        A name that loses letters on the way (another script, say) gets a short hash, so that two names never meet.
        """
        plain = unicodedata.normalize("NFKD", self.name)
        ascii_only = "".join(mark for mark in plain if not unicodedata.combining(mark))
        words = re.findall(r"[a-z0-9]+", ascii_only.lower())
        slug = "-".join(words)
        if (
            len(slug) <= LONGEST_SLUG
            and self.name == self.name.strip()
            and re.fullmatch(r"[A-Za-z0-9]+((, |[ -])[A-Za-z0-9]+)*", self.name)
        ):
            return slug
        digest = hashlib.sha256(self.name.encode("utf-8", "backslashreplace")).hexdigest()[:10]
        return f"{slug[:LONGEST_SLUG]}-{digest}" if slug else digest

    def to_dict(self) -> dict[str, Any]:
        """As it stands in a dialogue: without the facts, which would give the game away to nobody and cost space."""
        return {"name": self.name, "aliases": list(self.aliases)}


def _first_upper(text: str) -> str:
    return text[:1].upper() + text[1:]


@dataclass(frozen=True, slots=True)
class Wording:
    """How a value is put into words: one template for all values, or one text a value."""

    template: str | None = None
    by_value: Mapping[str, str] = field(default_factory=dict)

    def render(self, value: str) -> str:
        """The words for `value`, starting with a capital.

        Raises:
            KeyError: there is neither a template nor a text for this value.
        """
        text = self.by_value[value] if self.template is None else self.template.replace("{value}", value)
        return _first_upper(text)


@dataclass(frozen=True, slots=True)
class Attribute:
    """One thing that can be known about an entity, with its question, its answer, and both as one statement."""

    name: str
    question: str
    answer: Wording
    statement: Wording
    closing: bool = False
    """Whether its values are distinctive by design: the oracle Hinter keeps such a hint for the end."""

    def ask(self, value: str) -> str:
        """The question as it is asked about an entity that has `value`."""
        return _first_upper(self.question.replace("{value}", value))


@dataclass(frozen=True, slots=True)
class EntityList:
    """Entities, best known first, and the wording of their attributes."""

    entities: tuple[Entity, ...]
    attributes: tuple[Attribute, ...] = ()

    @property
    def has_facts(self) -> bool:
        """Whether anything is known about any entity; without, only models can play."""
        return any(entity.facts for entity in self.entities)
