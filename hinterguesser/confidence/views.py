"""What the model sees: a dialogue under each condition, turn by turn."""

from collections.abc import Iterator
from dataclasses import dataclass

from hinterguesser.domain.dialogue import Dialogue, Hint

CONDITIONS = ("multi", "placebo", "single")


@dataclass(frozen=True, slots=True)
class View:
    """One turn of a dialogue under one condition."""

    turn: int
    hints: tuple[Hint, ...] | None
    """None: the dialogue lacks what the condition shows, so nothing can be asked."""
    n_candidates: int | None
    """Entities that fit what is shown; None without a certificate."""
    lacking: str = ""
    """What is missing, in words."""


def views(dialogue: Dialogue, condition: str) -> Iterator[View]:
    """Every turn of `dialogue` as the model sees it under `condition`.

    * `multi`: the hints 1..i;
    * `placebo`: the hints 1..i-1, then turn i's placebo, which leaves the candidates as they were after turn i-1;
    * `single`: the summary of hints 1..i as one statement.

    Raises:
        ValueError: an unknown condition.
    """
    hints = tuple(turn.hint for turn in dialogue.turns)
    for number, turn in enumerate(dialogue.turns, start=1):
        if condition == "multi":
            yield View(number, hints[:number], turn.n_candidates)
        elif condition == "placebo":
            before = dialogue.turns[number - 2].n_candidates if number > 1 else None
            shown = None if turn.placebo is None else (*hints[: number - 1], turn.placebo.hint)
            yield View(number, shown, before, "no placebo hint for this turn")
        elif condition == "single":
            shown = None if turn.summary is None else (Hint("", turn.summary),)
            yield View(number, shown, turn.n_candidates, "no summary for this turn")
        else:
            raise ValueError(f"unknown condition {condition!r}")
