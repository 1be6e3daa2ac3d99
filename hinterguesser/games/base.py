"""What a game is: its instruction, and which hints are legal."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from hinterguesser.domain.dialogue import Hint
from hinterguesser.domain.leak import Secret
from hinterguesser.domain.spelling import normalise


@dataclass(frozen=True, slots=True)
class Objection:
    """Why a hint may not be given."""

    reason: str
    """'leak', 'repeated_hint' or 'illegal_hint': the dialogue's outcome, if the Hinter has nothing better."""
    message: str
    """In words, for a Hinter that is asked again."""


@dataclass(frozen=True, slots=True)
class Game:
    """The rules of one game.

    Its words are prompts named after it: `instruction_NAME` (what the model under test is told), `hinter_NAME` and
    `guesser_NAME` (what model players are told), `plain/preamble_NAME`, and the placebo pool `placebo_pool_NAME`.
    """

    name: str
    rule: Callable[[Hint], str | None]
    """What is wrong with a hint under this game's rule, or None."""

    def objection(self, hint: Hint, secret: Secret, earlier: Iterable[Hint]) -> Objection | None:
        """Why `hint` may not follow `earlier` in a dialogue about `secret`; None when it may."""
        leaked = secret.leak_in(f"{hint.question} {hint.answer}")
        if leaked is not None:
            return Objection("leak", f"it gives the secret away ({leaked})")
        asked = normalise(hint.question)
        if any(asked == normalise(before.question) for before in earlier):
            return Objection("repeated_hint", "this question was asked before")
        broken = self.rule(hint)
        return None if broken is None else Objection("illegal_hint", broken)


def question_fault(hint: Hint) -> str | None:
    """What keeps `hint` from being one question and its answer, in any game."""
    if not hint.question.rstrip().endswith("?"):
        return "the question must end with a question mark"
    if hint.question.count("?") > 1:
        return "there must be one question only"
    if not hint.answer.strip():
        return "the answer is empty"
    return None
