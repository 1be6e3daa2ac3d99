"""derive: add a placebo hint and a summary to every turn of the dialogues that a run kept.

Clues of a source dataset (a run of `adapt`) get summaries only: no clue of a finished question says nothing.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import orjson

from hinterguesser.backends.settings import CallSettings
from hinterguesser.derive import placebo as placebos
from hinterguesser.derive import summary as summaries
from hinterguesser.derive import written
from hinterguesser.domain.dialogue import Dialogue, Hint, Placebo, Turn
from hinterguesser.domain.entity import Entity
from hinterguesser.domain.facts import FactTable
from hinterguesser.domain.leak import secret as compiled_secret
from hinterguesser.domain.prompts import PromptBook
from hinterguesser.domain.script import Script
from hinterguesser.domain.structured import Stuck
from hinterguesser.errors import CallFailed, UserError
from hinterguesser.flow import plugins, session
from hinterguesser.flow.desk import Desk
from hinterguesser.flow.drive import drive
from hinterguesser.store.entities import list_sha256, read_entities
from hinterguesser.store.prompts import read_pool, read_prompts
from hinterguesser.store.run import RunFolder

KINDS = ("pool", "redundant", "model")


@dataclass(frozen=True, slots=True)
class DeriveSettings:
    """What is asked for."""

    placebo: str | None = None
    """One of `KINDS`; None: 'model' with a model, else 'pool'."""
    model: str | None = None
    """Writes the summaries (and placebos of kind 'model'); None: both come without a model."""
    seed: int = 0
    prompts: Path | None = None
    entities: Path | None = None
    """The list that the run was made with, if it is no longer where it was."""
    redo: bool = False
    """Derive anew what was derived with other settings."""

    @property
    def kind(self) -> str:
        """The kind of placebo that is meant."""
        return self.placebo or ("model" if self.model else "pool")


@dataclass(frozen=True, slots=True)
class Derived:
    """What a run of `derive` came to."""

    dialogues: int
    placebos: Counter[str]
    """Placebo hints by kind."""
    turns: int
    """Turns of these dialogues."""
    summaries: int
    """How many of the turns have a summary."""
    missing: tuple[str, ...]
    """Turns that got no placebo or no summary, with the reason."""
    failed: tuple[tuple[str, str], ...]
    """Dialogues whose calls failed; the next run tries them again."""
    used: session.Used


def derive(
    path: Path,
    settings: DeriveSettings = DeriveSettings(),
    calls: CallSettings = CallSettings(),
    progress: session.Progress = session.Silent(),
) -> Derived:
    """Add placebos and summaries to the kept dialogues of the run at `path`.

    Raises:
        UserError: the run, the settings or the entity list are at fault; nothing is written then.
    """
    run = RunFolder.open(path)
    if settings.model is not None:
        session.check_models([settings.model], calls)
    elif settings.kind == "model":
        raise UserError("placebos of kind 'model' need a model: --model NAME")
    with run.held():
        maker = _Maker.make(run, settings)
        fresh = _begin(run, maker.asked(), settings)
        kept = [dialogue for dialogue in run.dialogues() if dialogue.kept]
        waiting = [dialogue for dialogue in kept if fresh or not _is_derived(dialogue)]
        progress.start("derive", len(kept))
        progress.advance(len(kept) - len(waiting))
        ready: dict[str, Dialogue] = {}
        missing: list[str] = []
        failed: list[tuple[str, str]] = []

        async def ended(dialogue: Dialogue, result: Dialogue | CallFailed) -> None:
            if isinstance(result, CallFailed):
                failed.append((dialogue.id, result.reason))
                progress.count(failed=1)
            else:
                ready[dialogue.id] = result
            progress.advance()

        async def work(desk: Desk) -> None:
            items = ((dialogue, maker.script(dialogue, missing)) for dialogue in waiting)
            await drive(items, desk.ask, ended, at_once=calls.at_once, stopping=desk.stopping)

        try:
            _, used = session.run(work, run, calls, progress)
        finally:
            if ready:
                run.rewrite(ready.get(dialogue.id, dialogue) for dialogue in run.dialogues())
        derived = _count(run.dialogues(), missing, failed, used)
        run.record["derived_made"] = {
            "turns": derived.turns,
            "placebos": dict(sorted(derived.placebos.items())),
            "summaries": derived.summaries,
        }
        run.save_record()
        return derived


def _begin(run: RunFolder, asked: dict[str, Any], settings: DeriveSettings) -> bool:
    """Note what is asked for; whether all is to be derived anew."""
    before = run.record.get("derived")
    wanted = orjson.loads(orjson.dumps(asked))
    if before is not None and before != wanted and not settings.redo:
        keys = sorted(key for key in before.keys() | wanted.keys() if before.get(key) != wanted.get(key))
        raise UserError(
            f"{run.path}: placebos and summaries were derived with other settings ({', '.join(keys)}); "
            "use the same, or derive anew with --redo"
        )
    run.record["derived"] = wanted
    run.save_record()
    return bool(before != wanted)


def _is_derived(dialogue: Dialogue) -> bool:
    return any(turn.placebo is not None or turn.summary is not None for turn in dialogue.turns)


def _count(
    dialogues: Iterator[Dialogue], missing: list[str], failed: list[tuple[str, str]], used: session.Used
) -> Derived:
    kinds: Counter[str] = Counter()
    count = turns = summaries = 0
    for dialogue in dialogues:
        if dialogue.kept:
            count += 1
            turns += dialogue.length
            kinds.update(turn.placebo.kind for turn in dialogue.turns if turn.placebo is not None)
            summaries += sum(turn.summary is not None for turn in dialogue.turns)
    return Derived(count, kinds, turns, summaries, tuple(missing), tuple(failed), used)


@dataclass(frozen=True, slots=True)
class _Maker:
    """Everything read and checked before the first dialogue is touched."""

    settings: DeriveSettings
    game: str
    kind: str | None
    """Of placebos; None where there are none: clues of a source dataset."""
    prompts: PromptBook
    pool: tuple[Hint, ...]
    table: FactTable | None
    by_name: dict[str, Entity]

    @classmethod
    def make(cls, run: RunFolder, settings: DeriveSettings) -> "_Maker":
        prompts = read_prompts(settings.prompts)
        if run.record["command"] == "adapt":
            if settings.placebo is not None:
                raise UserError(
                    f"{run.path}: this run holds clues of a source dataset, which have no placebos; "
                    "leave out --placebo to get summaries"
                )
            return cls(settings, run.record["asked"]["source"], None, prompts, (), None, {})
        game = run.record["asked"]["game"]
        plugins.game(game)
        table, by_name = _facts(run, settings)
        pool = read_pool(game, settings.prompts)
        return cls(settings, game, settings.kind, prompts, pool, table, by_name)

    def asked(self) -> dict[str, Any]:
        settings, hashes = self.settings, self.prompts.sha256()
        asked: dict[str, Any] = {"placebo": self.kind, "model": settings.model, "seed": settings.seed}
        drawn = self.kind in ("pool", "redundant")
        asked["pool"] = [[hint.question, hint.answer] for hint in self.pool] if drawn else None
        if settings.model:
            used = ("summary", "again", *([f"placebo_{self.game}"] if self.kind else []))
            asked |= {f"prompt {name}": hashes[name] for name in used}
        return asked

    def script(self, dialogue: Dialogue, missing: list[str]) -> Script[Dialogue]:
        """The dialogue with placebos and summaries; what a model could not write is told to `missing`."""
        rng = random.Random(f"{self.settings.seed}/{dialogue.id}")  # noqa: S311 - for play, not for secrets
        shams = yield from self._placebos(dialogue, rng)
        texts = yield from self._summaries(dialogue)
        turns = []
        for turn, sham, text in zip(dialogue.turns, shams, texts, strict=True):
            for what, made in (("placebo", sham), ("summary", text)):
                if isinstance(made, Stuck):
                    missing.append(f"{dialogue.id}, turn {turn.turn}: no {what}: {made.error}")
            turns.append(_with(turn, sham, text))
        return replace(dialogue, turns=tuple(turns))

    def _placebos(self, dialogue: Dialogue, rng: random.Random) -> Script[Sequence[Placebo | Stuck | None]]:
        if self.kind is None:
            return [None] * dialogue.length
        if self.kind == "model":
            assert self.settings.model is not None
            refuse = self._refuse(dialogue)
            return (yield from written.placebos(dialogue, self.settings.model, self.prompts, refuse))
        drawn = placebos.from_pool(dialogue, self.pool, rng)
        if self.kind == "pool":
            return drawn
        if self.table is None:
            raise UserError("placebos of kind 'redundant' need an entity list with facts; use --placebo pool")
        return placebos.redundant(dialogue, self.by_name[dialogue.entity.name], self.table, drawn, rng)

    def _refuse(self, dialogue: Dialogue) -> Callable[[Hint], str | None]:
        game = plugins.game(self.game)
        secret = compiled_secret(dialogue.entity.name, dialogue.entity.aliases)
        hints = [turn.hint for turn in dialogue.turns]

        def refuse(hint: Hint) -> str | None:
            objection = game.objection(hint, secret, hints)
            return objection.message if objection else None

        return refuse

    def _summaries(self, dialogue: Dialogue) -> Script[Sequence[str | Stuck]]:
        if self.settings.model is None:
            return summaries.worded(dialogue, self.table)
        return (yield from written.summaries(dialogue, self.settings.model, self.prompts))


def _with(turn: Turn, sham: Placebo | Stuck | None, text: str | Stuck) -> Turn:
    return replace(
        turn,
        placebo=None if isinstance(sham, Stuck) else sham,
        summary=None if isinstance(text, Stuck) else text,
    )


def _facts(run: RunFolder, settings: DeriveSettings) -> tuple[FactTable | None, dict[str, Entity]]:
    """The fact table that the run was played with; None when its list has no facts."""
    source = settings.entities or Path(run.record["noted"]["entities"])
    if not source.exists():
        raise UserError(f"{source}: the run's entity list is no longer there; say where it is with --entities FILE")
    before = sorted(value for key, value in run.record["asked"].items() if key.startswith("entities "))
    if sorted(list_sha256(source).values()) != before:
        raise UserError(
            f"{source}: this is not the entity list (or wording file) that the run was made with; "
            "give the right one with --entities FILE"
        )
    listed = read_entities(source)
    by_name = {entity.name: entity for entity in listed.entities}
    return (FactTable(listed) if listed.has_facts else None), by_name
