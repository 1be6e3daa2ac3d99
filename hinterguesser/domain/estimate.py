"""A confidence, or the reason why there is none. Never a made-up number."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Unscored:
    """No confidence (or no answer) could be read."""

    reason: str
    """Shown to the user and counted in every table, e.g. 'no percentage in reply'."""


@dataclass(frozen=True, slots=True)
class Confidence:
    """A confidence in [0, 1], with what it was made from where the method knows it."""

    value: float
    p_raw: float | None = None
    """Probability of the confirming label as the model gave it."""
    p_normalised: float | None = None
    """The same, over the two labels only."""
    label_mass: float | None = None
    """Probability that the two labels hold together; far below 1, the model wants to say something else."""

    def __post_init__(self) -> None:
        """Refuse what is not a probability."""
        if not 0.0 <= self.value <= 1.0:
            raise ValueError(f"a confidence lies in [0, 1], got {self.value!r}")


Estimate = Confidence | Unscored
