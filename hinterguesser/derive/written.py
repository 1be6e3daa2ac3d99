"""Placebos and summaries written by a model, under the same checks as any hint."""

from collections.abc import Callable, Sequence
from typing import Any

from hinterguesser.domain.dialogue import Dialogue, Hint, Placebo, Turn
from hinterguesser.domain.leak import secret as compiled_secret
from hinterguesser.domain.prompts import PromptBook
from hinterguesser.domain.script import Call, Message, Sampling, Script, together
from hinterguesser.domain.structured import Stuck, ask

Refuse = Callable[[Hint], str | None]
"""Why a hint may not stand in this dialogue, or None."""

_LINE = {"type": "string", "minLength": 1, "maxLength": 500}
PLACEBO_SCHEMA = {
    "type": "object",
    "required": ["question", "answer"],
    "properties": {"question": _LINE, "answer": _LINE},
}
SUMMARY_SCHEMA = {
    "type": "object",
    "required": ["summary"],
    "properties": {"summary": {"type": "string", "minLength": 1, "maxLength": 4000}},
}
MAX_TOKENS = 800


def placebos(dialogue: Dialogue, model: str, prompts: PromptBook, refuse: Refuse) -> Script[list[Placebo | Stuck]]:
    """One placebo a turn: a hint that says nothing new, given what was said before it."""

    def accept(plain: dict[str, Any]) -> Placebo | Stuck:
        hint = Hint(plain["question"].strip(), plain["answer"].strip())
        refused = refuse(hint)
        return Placebo(hint, "model") if refused is None else Stuck("illegal_hint", refused)

    scripts = [
        ask(_call(model, prompts, f"placebo_{dialogue.game}", dialogue.turns[:number]), PLACEBO_SCHEMA, accept, prompts)
        for number in range(dialogue.length)
    ]
    return (yield from together(scripts))


def summaries(dialogue: Dialogue, model: str, prompts: PromptBook) -> Script[list[str | Stuck]]:
    """One summary a turn, of all hints up to it."""
    secret = compiled_secret(dialogue.entity.name, dialogue.entity.aliases)

    def accept(plain: dict[str, Any]) -> str | Stuck:
        summary = " ".join(plain["summary"].split())
        leaked = secret.leak_in(summary)
        return summary if leaked is None else Stuck("leak", f"it gives the secret away ({leaked})")

    scripts = [
        ask(_call(model, prompts, "summary", dialogue.turns[: number + 1]), SUMMARY_SCHEMA, accept, prompts)
        for number in range(dialogue.length)
    ]
    return (yield from together(scripts))


def _call(model: str, prompts: PromptBook, name: str, turns: Sequence[Turn]) -> Call:
    said = (
        "\n".join(f"- {turn.hint.question} {turn.hint.answer}".replace("-  ", "- ") for turn in turns) or "(none yet)"
    )
    message = Message("user", prompts.render(name, hints=said))
    return Call(model, (message,), Sampling(max_tokens=MAX_TOKENS, json_object=True))
