"""Predictions: one row an estimate, the format that `evaluate` writes and `metrics` reads."""

from dataclasses import dataclass
from typing import Any

from hinterguesser.domain.estimate import Confidence, Estimate


@dataclass(frozen=True, slots=True)
class Prediction:
    """One confidence about one answer after one turn, and whether the answer was right."""

    dataset: str
    dialogue_id: str
    entity: str
    turn: int
    length: int
    condition: str
    method: str
    target: str
    model: str
    answer: str | None
    """The model's own answer in this condition; None when none could be read."""
    correct: bool | None
    """Whether `answer` is right; None without an answer."""
    confidence: float | None
    """In [0, 1]; None when unscored."""
    unscored_reason: str | None
    p_raw: float | None
    p_normalised: float | None
    label_mass: float | None

    def to_dict(self) -> dict[str, Any]:
        """As one row, columns in the order of the design."""
        return {name: getattr(self, name) for name in self.__slots__}


def scores(estimate: Estimate) -> dict[str, Any]:
    """The columns of a prediction that an estimate fills."""
    if isinstance(estimate, Confidence):
        return {
            "confidence": estimate.value,
            "unscored_reason": None,
            "p_raw": estimate.p_raw,
            "p_normalised": estimate.p_normalised,
            "label_mass": estimate.label_mass,
        }
    return {
        "confidence": None,
        "unscored_reason": estimate.reason,
        "p_raw": None,
        "p_normalised": None,
        "label_mass": None,
    }
