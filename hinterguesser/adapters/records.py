"""From the records of a quiz dataset to dialogues: kept ones, and rejected ones with their reason."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from hinterguesser.domain.dialogue import Dialogue, Hint, Turn
from hinterguesser.domain.entity import Entity

KEPT = "adapted"
"""Outcome of a dialogue that was taken from a source: nobody played it, so nobody solved it."""

REASONS = {
    "not_a_record": "the record is no JSON object",
    "no_answer": "the record names no answer",
    "no_page": "the record names no Wikipedia page, which would be the answer",
    "no_text": "the record has no question text",
    "long_text": "the question text is too long to be a question",
    "repeated": "the same question stands earlier in the source",
}
"""What a rejected dialogue's `reason` means, for tables and messages; its id says which record it was."""

MAX_QUESTION_LENGTH = 20_000
NOBODY = "none"

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_SPACES = re.compile(r"\s+")


def valid(text: str) -> str:
    """`text` with every lone surrogate replaced, so that it can be written as UTF-8; its length stays."""
    return _LONE_SURROGATE.sub("\ufffd", text)


def spaced(text: str) -> str:
    """`text` with each run of blanks, tabs, line ends and no-break spaces as one blank, and none around it."""
    return _SPACES.sub(" ", text).strip()


@dataclass(slots=True)
class Shelf:
    """Makes the dialogues of one source, and sees to it that no question and no id comes twice."""

    game: str
    instruction: str
    _ids: set[str] = field(default_factory=set)
    _seen: set[tuple[str, str]] = field(default_factory=set)

    def fault(self, key: str, text: str) -> str | None:
        """Why a record with this key and question text is rejected; None when it is not."""
        if not text.strip():
            return "no_text"
        if len(text) > MAX_QUESTION_LENGTH:
            return "long_text"
        if (key, text) in self._seen:
            return "repeated"
        self._seen.add((key, text))
        return None

    def kept(self, key: str, entity: Entity, clues: Sequence[str]) -> Dialogue:
        """The dialogue of a good record: turn i adds clue i."""
        turns = tuple(Turn(number, Hint("", clue), None, None) for number, clue in enumerate(clues, start=1))
        return self._dialogue(key, entity, turns, None)

    def rejected(self, key: str, name: str, reason: str) -> Dialogue:
        """The dialogue, without turns, that stands for a bad record."""
        return self._dialogue(key, Entity(name or "unknown"), (), reason)

    def _dialogue(self, key: str, entity: Entity, turns: tuple[Turn, ...], reason: str | None) -> Dialogue:
        return Dialogue(
            id=self._new_id(key),
            game=self.game,
            regime="fully_specified",
            entity=entity,
            instruction=self.instruction,
            outcome=KEPT if reason is None else "rejected",
            kept=reason is None,
            reason=reason,
            turns=turns,
            hinter=f"source/{self.game}",
            guesser=NOBODY,
            seed=0,
        )

    def _new_id(self, key: str) -> str:
        words = "-".join(re.findall(r"[a-z0-9]+", key.lower()))[:80] or "record"
        wanted = f"{self.game}-{words}"
        found, number = wanted, 1
        while found in self._ids:
            number += 1
            found = f"{wanted}-again-{number}"
        self._ids.add(found)
        return found
