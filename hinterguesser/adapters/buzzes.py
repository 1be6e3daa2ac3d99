"""Who pressed the buzzer when: what people and models did on a question, kept beside its dialogue."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

_BUZZ = re.compile(r"\[\s*(?P<team>(?P<kind>[HM])\d+)\s*,\s*(?P<sign>[+-])\s*\]")


@dataclass(frozen=True, slots=True)
class Buzz:
    """One team's try at a question."""

    team: str
    """The source's own pseudonym: 'H3' is a team of people, 'M1' a model."""
    is_model: bool
    correct: bool
    word: int
    """Words heard, from 1."""
    turn: int
    """The clue in which the last of these words stands, from 1."""

    def to_dict(self) -> dict[str, object]:
        """As a plain dict."""
        return {
            "team": self.team,
            "is_model": self.is_model,
            "correct": self.correct,
            "word": self.word,
            "turn": self.turn,
        }


def read_buzzes(positions: object, clues: Sequence[str]) -> tuple[tuple[Buzz, ...], int]:
    """The buzzes of one question, in order, and how many entries could not be read.

    Args:
        positions: one-entry objects such as `{"55": "[H17, -]"}`: index, from 0, of the last word heard, and what
            happened. An object with several entries, and entries that hold a list of buzzes, are read too.
        clues: the clues of the question; their words are counted as the source counts them, by blanks.
    """
    ends: list[int] = []
    for clue in clues:
        ends.append(len(clue.split()) + (ends[-1] if ends else 0))
    found: list[Buzz] = []
    unread = 0
    for entry in positions if isinstance(positions, list) else [positions] if positions else []:
        items = entry.items() if isinstance(entry, dict) else ()
        unread += not items
        for index, marks in items:
            for mark in marks if isinstance(marks, list) else [marks]:
                buzz = _buzz(index, mark, ends)
                if buzz is None:
                    unread += 1
                else:
                    found.append(buzz)
    return tuple(sorted(found, key=lambda buzz: buzz.word)), unread


def _buzz(index: object, mark: object, ends: Sequence[int]) -> Buzz | None:
    match = _BUZZ.fullmatch(mark.strip()) if isinstance(mark, str) else None
    if match is None or not (isinstance(index, str) and re.fullmatch(r"[0-9]{1,6}", index)):
        return None
    word = int(index) + 1
    turn = next((number for number, end in enumerate(ends, start=1) if word <= end), None)
    if turn is None:
        return None
    return Buzz(match["team"], match["kind"] == "M", match["sign"] == "+", word, turn)
