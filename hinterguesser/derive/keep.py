"""Which dialogues are kept, and why the others are not.

An `outcome` says how a dialogue ended; a `reason` says why it is filtered out (`MEANINGS`).
"""

from collections.abc import Iterable
from dataclasses import replace

from hinterguesser.domain.dialogue import Dialogue
from hinterguesser.domain.leak import secret as compiled_secret
from hinterguesser.domain.spelling import normalise

RETRIED = "backend_error"
"""The one reason that is no property of the dialogue: it is played again when the run goes on."""

MEANINGS = {
    "not_converged": "the turns (or the facts) ran out before the guess was correct and unique",
    "leak": "a hint gives the secret away",
    "illegal_hint": "a hint breaks the game's rule",
    "repeated_hint": "a question was asked twice",
    "malformed": "a reply could not be read, even when asked again",
    RETRIED: "the model could not be reached; the next run tries again",
}
"""What a reason means, for tables."""


def filtered(dialogue: Dialogue) -> Dialogue:
    """`dialogue` with `kept` and `reason` decided; every filter looks at the dialogue itself, not at who played it."""
    reason = _rejection(dialogue)
    return replace(dialogue, kept=reason is None, reason=reason)


def _rejection(dialogue: Dialogue) -> str | None:
    if dialogue.outcome == "exhausted":
        return "not_converged"
    if dialogue.outcome != "solved":
        return dialogue.outcome
    secret = compiled_secret(dialogue.entity.name, dialogue.entity.aliases)
    if any(secret.leak_in(f"{turn.hint.question} {turn.hint.answer}") for turn in dialogue.turns):
        return "leak"
    if _repeats(normalise(turn.hint.question) for turn in dialogue.turns):
        return "repeated_hint"
    return None


def _repeats(questions: Iterable[str]) -> bool:
    seen: set[str] = set()
    for question in questions:
        if question in seen:
            return True
        seen.add(question)
    return False
