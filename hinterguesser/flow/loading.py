"""Dialogues for Python: typed, and as one row a turn with the exact prompt of each condition."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from hinterguesser.confidence.answering import CHAT
from hinterguesser.confidence.base import Context, Subject
from hinterguesser.confidence.views import CONDITIONS, views
from hinterguesser.domain.dialogue import Dialogue, Hint
from hinterguesser.errors import UserError
from hinterguesser.flow.source import Source
from hinterguesser.store.prompts import read_prompts


def load(source: str | Path, config: str | None, split: str | None, revision: str | None) -> list[Dialogue]:
    """What `hinterguesser.load` says."""
    where = Source(Path(source), config, split, revision)
    found = list(where.kept())
    if not found:
        asked = " ".join(filter(None, (config, split)))
        raise UserError(f"{source}: no kept dialogue{f' of {asked}' if asked else ''} in it")
    return found


def turns(dialogues: Iterable[Dialogue], prompt: str, prompts: Path | None, **fields: str) -> Iterator[dict[str, Any]]:
    """What `hinterguesser.turns` says."""
    subject = Subject("", read_prompts(prompts))
    for dialogue in dialogues:
        by_condition = {condition: list(views(dialogue, condition)) for condition in CONDITIONS}
        for index, turn in enumerate(dialogue.turns):
            asked = {
                condition: _messages(subject, dialogue, shown[index].hints, prompt, fields)
                for condition, shown in by_condition.items()
            }
            yield {
                "dataset": dialogue.game,
                "dialogue_id": dialogue.id,
                "entity": dialogue.entity.name,
                "aliases": list(dialogue.entity.aliases),
                "turn": turn.turn,
                "length": dialogue.length,
                "level": turn.turn / dialogue.length,
                "question": turn.hint.question,
                "answer": turn.hint.answer,
                "guess": turn.guess.guess if turn.guess else None,
                "guess_correct": turn.guess_correct,
                "unique": turn.guess.unique if turn.guess else None,
                "n_candidates": turn.n_candidates,
                **asked,
            }


def _messages(
    subject: Subject, dialogue: Dialogue, hints: tuple[Hint, ...] | None, prompt: str, fields: dict[str, str]
) -> list[dict[str, str]] | None:
    if hints is None:
        return None
    call = Context(subject, dialogue.game, dialogue.instruction, hints).ask(prompt, CHAT, **fields)
    assert not isinstance(call.prompt, str), "the rendering is chat"
    return [{"role": message.role, "content": message.content} for message in call.prompt]
