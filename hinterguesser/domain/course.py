"""A model's course through one dialogue: what it answered turn by turn, and how sure it was."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Course:
    """One model in one dialogue under one condition; every sequence has one entry a turn, in the order of turns."""

    model: str
    condition: str
    answers: Sequence[str | None]
    """The model's own answers; None where none could be read."""
    correct: Sequence[bool | None]
    """Whether they are right; None where that is not known."""
    confidences: Mapping[tuple[str, str], Sequence[float | None]]
    """By (method, target), in [0, 1]; None where unscored."""
