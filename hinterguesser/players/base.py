"""What a player must offer."""

from collections.abc import Callable, Sequence
from typing import Protocol

from hinterguesser.domain.dialogue import Guess, Hint
from hinterguesser.domain.entity import Entity
from hinterguesser.domain.script import Script
from hinterguesser.domain.structured import Stuck
from hinterguesser.games.base import Objection

Check = Callable[[Hint], Objection | None]
"""Why a hint may not be given now, or None."""


class Hinter(Protocol):
    """Knows the secret, and reveals one hint a turn."""

    def hint(self, entity: Entity, earlier: Sequence[Hint], check: Check) -> Script[Hint | Stuck]:
        """The next hint about `entity` after `earlier`; one that `check` has no objection to."""
        ...


class Guesser(Protocol):
    """Sees the hints only; guesses, and says whether other answers still fit."""

    def guess(self, hints: Sequence[Hint]) -> Script[Guess | Stuck]:
        """The best guess after `hints`, and the uniqueness probe."""
        ...
