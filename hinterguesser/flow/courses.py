"""What models did in each dialogue of an evaluation, by dataset and dialogue."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hinterguesser.domain.course import Course
from hinterguesser.domain.dialogue import Dialogue
from hinterguesser.errors import UserError
from hinterguesser.store.replay_sources import read_evaluation_rows

MOST_TURNS = 100_000
"""Of one dialogue; a file that says more is at fault."""


def courses(path: Path, *, percent: bool = False) -> dict[tuple[str, str], list[Course]]:
    """One course a model and condition, for every dialogue in the folder that `evaluate` filled, or a file like it.

    Confidences come as fractions; `percent` says that the file holds percentages.
    Rows that name no dataset belong to the dataset '', and so with models, conditions, methods and targets.

    Raises:
        UserError: there is no such file, it holds no predictions, or a row is at fault.
    """
    rows, place = read_evaluation_rows(path)
    found: dict[tuple[str, str], dict[tuple[str, str], _Drawn]] = {}
    for number, row in enumerate(rows):
        try:
            by_course = found.setdefault((row.get("dataset") or "", str(row["dialogue_id"])), {})
            course = (row.get("model") or "", row.get("condition") or "")
            if course not in by_course:
                by_course[course] = _Drawn(int(row["length"]))
            by_course[course].add(row, 100 if percent else 1)
        except (KeyError, TypeError, ValueError, IndexError):
            raise UserError(f"{place(number)}: no readable prediction; `hinterguesser metrics` says why") from None
    return {
        dialogue: [drawn.course(*course) for course, drawn in by_course.items()]
        for dialogue, by_course in found.items()
    }


def courses_of(drawn: Mapping[tuple[str, str], Sequence[Course]], dialogue: Dialogue) -> Sequence[Course]:
    """What models did in one dialogue; predictions that name no dataset are matched by id alone."""
    return drawn.get((dialogue.game, dialogue.id)) or drawn.get(("", dialogue.id), ())


class _Drawn:
    """A course while its rows come in."""

    def __init__(self, length: int) -> None:
        if not 0 < length <= MOST_TURNS:
            raise ValueError(length)
        self._answers: list[str | None] = [None] * length
        self._correct: list[bool | None] = [None] * length
        self._confidences: dict[tuple[str, str], list[float | None]] = {}

    def add(self, row: Mapping[str, Any], whole: int) -> None:
        at = int(row["turn"]) - 1
        if at < 0:
            raise ValueError(at)
        self._answers[at] = row.get("answer")
        self._correct[at] = None if row["correct"] is None else bool(row["correct"])
        key = (row.get("method") or "", row.get("target") or "")
        confidences = self._confidences.setdefault(key, [None] * len(self._answers))
        confidences[at] = None if row["confidence"] is None else float(row["confidence"]) / whole

    def course(self, model: str, condition: str) -> Course:
        return Course(model, condition, self._answers, self._correct, self._confidences)
