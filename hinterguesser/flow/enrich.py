"""entities enrich: ask a model for the facts that a game plays with, several times, and keep what it always says."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import orjson

import hinterguesser
from hinterguesser.backends.settings import CallSettings
from hinterguesser.derive.voting import Question, Vote, vote
from hinterguesser.domain.entity import Attribute, Entity, EntityList
from hinterguesser.domain.prompts import PromptBook
from hinterguesser.domain.script import Script
from hinterguesser.errors import CallFailed, UserError
from hinterguesser.flow import plugins, session
from hinterguesser.flow.desk import Desk
from hinterguesser.flow.drive import drive
from hinterguesser.store.entities import builtin_list, list_sha256, read_entities, write_entities
from hinterguesser.store.files import write_lines
from hinterguesser.store.prompts import read_prompts
from hinterguesser.store.workfolder import WorkFolder

COMMAND = "entities enrich"
MOST_CHOICES = 16
"""An attribute with at most so many values in the game's own list is asked for with the list of them."""
_EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class EnrichSettings:
    """What is asked for."""

    entities: Path
    game: str
    model: str
    samples: int = 5
    prompts: Path | None = None
    limit: int | None = None
    """Only the first so many entities."""


@dataclass(frozen=True, slots=True)
class Enriched:
    """What a run came to."""

    path: Path
    """The list with the facts; its wording file stands beside it."""
    votes_path: Path
    """What the samples said, one entity a line."""
    entities: int
    facts: int
    """New ones, each said by every sample."""
    left_out: Counter[str]
    failed: tuple[tuple[str, str], ...]
    """Entities whose calls failed; the next run asks again."""
    used: session.Used


def enrich(
    settings: EnrichSettings,
    out: Path,
    calls: CallSettings = CallSettings(),
    progress: session.Progress = session.Silent(),
) -> Enriched:
    """Write the list of `settings` with facts into the folder `out`, or go on there: the journal is asked first.

    Facts that an entity has already stay as they are.

    Raises:
        UserError: the list, the settings or the folder are at fault.
        RunStopped: the budget is used up, or nothing gets through; replies so far are kept.
    """
    listed = read_entities(settings.entities)
    game_list = builtin_list(plugins.game(settings.game).name)
    questions = questions_of(read_entities(game_list))
    prompts = read_prompts(settings.prompts)
    session.check_models([settings.model], calls)
    asked = _asked(settings, game_list, prompts)
    folder = WorkFolder.begin(out, COMMAND, asked, {"hinterguesser": hinterguesser.__version__})
    chosen = listed.entities[: settings.limit]
    with folder.held():
        progress.start("enrich", len(chosen))
        votes: dict[str, list[Vote]] = {}
        failed: list[tuple[str, str]] = []

        def script(entity: Entity) -> Script[list[Vote]]:
            wanted = [question for question in questions if question.attribute.name not in entity.facts]
            return vote(entity, wanted, settings.model, settings.samples, prompts)

        async def ended(entity: Entity, result: list[Vote] | CallFailed) -> None:
            if isinstance(result, CallFailed):
                failed.append((entity.name, result.reason))
                progress.count(failed=1)
            else:
                votes[entity.name] = result
            progress.advance()

        async def work(desk: Desk) -> None:
            items = ((entity, script(entity)) for entity in chosen)
            await drive(items, desk.ask, ended, at_once=calls.at_once, stopping=desk.stopping)
            await desk.settled()

        _, used = session.run(work, folder, calls, progress)
        path, votes_path = _write(settings, folder.path, listed, questions, votes)
    counted = Counter(one.left_out or "" for told in votes.values() for one in told)
    facts = counted.pop("", 0)
    return Enriched(path, votes_path, len(chosen), facts, counted, tuple(failed), used)


def _asked(settings: EnrichSettings, game_list: Path, prompts: PromptBook) -> dict[str, Any]:
    """What decides the facts, for the folder's record."""
    hashes = prompts.sha256()
    asked: dict[str, Any] = {"game": settings.game, "model": settings.model, "samples": settings.samples}
    asked |= {f"entities {name}": digest for name, digest in list_sha256(settings.entities).items()}
    asked |= {f"questions {name}": digest for name, digest in list_sha256(game_list).items()}
    return asked | {f"prompt {name}": hashes[name] for name in ("enrich", "again")}


def questions_of(listed: EntityList) -> list[Question]:
    """A question for each attribute of the game's own list, but for those that are different for every entity."""
    values: dict[str, dict[str, None]] = {}
    for entity in listed.entities:
        for name, value in entity.facts.items():
            values.setdefault(name, {})[value] = None
    return [
        _question(attribute, tuple(values.get(attribute.name, ())))
        for attribute in listed.attributes
        if not attribute.closing and "{value}" not in attribute.question
    ]


def _question(attribute: Attribute, values: tuple[str, ...]) -> Question:
    worded = attribute.answer.template is None or attribute.statement.template is None
    if worded:
        values = tuple(attribute.answer.by_value or attribute.statement.by_value)
    if worded or len(values) <= MOST_CHOICES:
        return Question(attribute, values)
    return Question(attribute, examples=values[:_EXAMPLES])


def _write(
    settings: EnrichSettings,
    folder: Path,
    listed: EntityList,
    questions: list[Question],
    votes: Mapping[str, list[Vote]],
) -> tuple[Path, Path]:
    stem = settings.entities.stem
    path, votes_path = folder / f"{stem}.jsonl", folder / f"{stem}.votes.jsonl"
    entities = tuple(_with_facts(entity, votes.get(entity.name, [])) for entity in listed.entities)
    used = {name for entity in entities for name in entity.facts}
    wordings: dict[str, Attribute] = {attribute.name: attribute for attribute in listed.attributes}
    for question in questions:
        wordings.setdefault(question.attribute.name, question.attribute)
    attributes = tuple(attribute for name, attribute in wordings.items() if name in used)
    write_entities(EntityList(entities, attributes), path)
    rows: list[dict[str, Any]] = [
        {"name": entity.name, "votes": [one.to_dict() for one in votes[entity.name]]}
        for entity in listed.entities
        if entity.name in votes
    ]
    write_lines(votes_path, map(orjson.dumps, rows))
    try:
        read_entities(path)
    except UserError as error:
        raise UserError(f"the enriched list cannot be played as it is: {error}") from None
    return path, votes_path


def _with_facts(entity: Entity, votes: list[Vote]) -> Entity:
    new = {one.attribute: one.value for one in votes if one.left_out is None and one.value is not None}
    return replace(entity, facts={**entity.facts, **new})
