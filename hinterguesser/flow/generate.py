"""generate: play one dialogue about every entity of a list, filter them, and keep them in a run folder."""

import json
import platform
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import hinterguesser
from hinterguesser.backends.settings import CallSettings
from hinterguesser.derive.keep import RETRIED, filtered
from hinterguesser.domain.dialogue import Dialogue, Failure
from hinterguesser.domain.entity import Entity, EntityList
from hinterguesser.domain.facts import FactTable
from hinterguesser.domain.prompts import PromptBook
from hinterguesser.domain.script import Call, Reply, Script
from hinterguesser.errors import CallFailed, UserError
from hinterguesser.flow import plugins, session
from hinterguesser.flow.desk import Desk
from hinterguesser.flow.drive import drive
from hinterguesser.flow.rehearse import TYPICAL_TURNS, Estimate, Improvise, rehearse
from hinterguesser.players.base import Guesser, Hinter
from hinterguesser.players.llm import ModelGuesser, ModelHinter
from hinterguesser.players.oracle import OracleGuesser, OracleHinter
from hinterguesser.players.play import Table, play, with_cost
from hinterguesser.store.entities import builtin_list, list_sha256, read_entities
from hinterguesser.store.prompts import read_prompts
from hinterguesser.store.run import RunFolder

ORACLE = "builtin/oracle"
DEFAULT_PACE = 1.25


@dataclass(frozen=True, slots=True)
class GenerateSettings:
    """What is asked for. All but `limit` decides what a dialogue says, so a run goes on only with the same."""

    game: str
    entities: Path | None = None
    """None: the list that ships for the game."""
    hinter: str = ORACLE
    guesser: str = ORACLE
    max_turns: int = 20
    pace: float = DEFAULT_PACE
    """Bits of narrowing a hint of the oracle Hinter should bring."""
    temperature: float = 1.0
    """Of model players."""
    seed: int = 0
    prompts: Path | None = None
    limit: int | None = None
    """Play only the first so many entities."""
    shard: tuple[int, int] = (1, 1)
    """(I, N): play every N-th entity, starting from the I-th."""


@dataclass(frozen=True, slots=True)
class Tally:
    """What a run came to."""

    outcomes: Counter[str]
    """Dialogues by reason, '' for those kept."""
    turns_kept: int
    failed: tuple[tuple[str, str], ...]
    """Ids and reasons of dialogues that the next run tries again."""
    used: session.Used

    @property
    def kept(self) -> int:
        """Dialogues that were kept."""
        return self.outcomes[""]


def generate(
    settings: GenerateSettings,
    out: Path,
    calls: CallSettings = CallSettings(),
    progress: session.Progress = session.Silent(),
) -> Tally:
    """Play what `settings` ask for into the run folder `out`, or go on with it.

    Args:
        settings: what to play.
        out: the run folder.
        calls: how models are reached.
        progress: told of every dialogue that is done, also of those that were there before.

    Raises:
        UserError: the settings, the list, the prompts or the folder are at fault.
        RunStopped: the budget is used up, or nothing gets through; what is done is kept.
    """
    setup = _Setup.make(settings)
    session.check_models({settings.hinter, settings.guesser} - {ORACLE}, calls)
    run = RunFolder.begin(out, "generate", setup.asked(), _noted(setup))
    with run.held():
        done, earlier = _earlier(run, set(map(setup.dialogue_id, setup.chosen)))
        waiting = [entity for entity in setup.chosen if setup.dialogue_id(entity) not in done]
        progress.start(settings.game, len(setup.chosen))
        progress.advance(len(setup.chosen) - len(waiting))
        progress.count(kept=earlier["kept"], rejected=earlier["rejected"])

        async def work(desk: Desk) -> None:
            async def ended(entity: Entity, result: Dialogue | CallFailed) -> None:
                dialogue = setup.failed(entity, result) if isinstance(result, CallFailed) else filtered(result)
                await desk.settled()
                run.add(dialogue)
                progress.advance()
                progress.count(**{_what_became_of(dialogue): 1})

            items = ((entity, setup.script(entity)) for entity in waiting)
            await drive(items, desk.ask, ended, at_once=calls.at_once, stopping=desk.stopping)

        try:
            _, used = session.run(work, run, calls, progress)
        finally:
            run.settle(map(setup.dialogue_id, setup.listed.entities))
        return _tally(run.dialogues(), used)


def _earlier(run: RunFolder, chosen: set[str]) -> tuple[set[str], Counter[str]]:
    """Ids of the dialogues that are done, and what became of those of them that are asked for."""
    became: Counter[str] = Counter()

    def again(dialogue: Dialogue) -> bool:
        if dialogue.id in chosen:
            became[_what_became_of(dialogue)] += 1
        return dialogue.reason == RETRIED

    return run.finished(again), became


def _what_became_of(dialogue: Dialogue) -> str:
    if dialogue.reason == RETRIED:
        return "failed"
    return "kept" if dialogue.kept else "rejected"


def rehearse_generate(settings: GenerateSettings, calls: CallSettings = CallSettings()) -> list[Estimate]:
    """What `generate` would ask models, with replies of ordinary length and dialogues of `TYPICAL_TURNS`.

    Raises:
        UserError: as `generate`.
    """
    setup = _Setup.make(settings)
    session.check_models({settings.hinter, settings.guesser} - {ORACLE}, calls)

    def improvise(entity: Entity) -> Improvise:
        hints = guesses = 0

        def reply(call: Call) -> Reply:
            nonlocal hints, guesses
            said: dict[str, Any]
            assert not isinstance(call.prompt, str)
            if call.prompt[0].content == setup.prompts.texts[f"hinter_{settings.game}"]:
                hints += 1
                said = {
                    "question": f"Is it told apart from others by its trait number {hints}?",
                    "answer": "Yes, it is.",
                }
            else:
                guesses += 1
                last = guesses >= min(TYPICAL_TURNS, settings.max_turns)
                others = [] if last else ["One other", "A second one", "A third one"]
                said = {"guess": entity.name, "unique": last, "alternatives": others}
            return Reply(json.dumps(said))

        return reply

    return rehearse(setup.chosen, setup.script, improvise, calls)


def _tally(dialogues: Iterator[Dialogue], used: session.Used) -> Tally:
    outcomes: Counter[str] = Counter()
    turns, failed = 0, []
    for dialogue in dialogues:
        outcomes[dialogue.reason or ""] += 1
        turns += dialogue.length if dialogue.kept else 0
        if dialogue.reason == RETRIED:
            failed.append((dialogue.id, dialogue.failure.error if dialogue.failure else "no reason kept"))
    return Tally(outcomes, turns, tuple(failed), used)


@dataclass(frozen=True, slots=True)
class _Setup:
    """Everything read and checked before the first dialogue is played."""

    settings: GenerateSettings
    source: Path
    listed: EntityList
    prompts: PromptBook
    table: Table
    chosen: tuple[Entity, ...]

    @classmethod
    def make(cls, settings: GenerateSettings) -> "_Setup":
        game = plugins.game(settings.game)
        source = settings.entities or builtin_list(settings.game)
        listed = read_entities(source)
        _check(settings, listed, source)
        prompts = read_prompts(settings.prompts)
        table = Table(
            game=game,
            instruction=prompts.text(f"instruction_{game.name}"),
            hinter_name=settings.hinter,
            guesser_name=settings.guesser,
            facts=FactTable(listed) if listed.has_facts else None,
            max_turns=settings.max_turns,
            seed=settings.seed,
        )
        index, count = settings.shard
        chosen = listed.entities[: settings.limit][index - 1 :: count]
        return cls(settings, source, listed, prompts, table, chosen)

    def asked(self) -> dict[str, Any]:
        """What decides the dialogues, for run.json."""
        settings = self.settings
        words = {f"instruction_{settings.game}"}
        words |= _prompts_used("hinter", settings.hinter, settings.game)
        words |= _prompts_used("guesser", settings.guesser, settings.game)
        hashes = self.prompts.sha256()
        asked = {
            "game": settings.game,
            "hinter": settings.hinter,
            "guesser": settings.guesser,
            "max_turns": settings.max_turns,
            "pace": settings.pace if settings.hinter == ORACLE else None,
            "temperature": None if ORACLE == settings.hinter == settings.guesser else settings.temperature,
            "seed": settings.seed,
            "shard": f"{settings.shard[0]}/{settings.shard[1]}",
        }
        asked |= {f"entities {name}": digest for name, digest in list_sha256(self.source).items()}
        return asked | {f"prompt {name}": hashes[name] for name in sorted(words)}

    def dialogue_id(self, entity: Entity) -> str:
        return f"{self.settings.game}-{entity.slug}-{self.settings.seed}"

    def script(self, entity: Entity) -> Script[Dialogue]:
        # Seeded by the entity, so that a dialogue does not depend on which others are played.
        rng = random.Random(f"{self.settings.seed}/{entity.name}")  # noqa: S311 - for play, not for secrets
        return with_cost(play(self.table, entity, self._hinter(rng), self._guesser(rng)))

    def _hinter(self, rng: random.Random) -> Hinter:
        settings = self.settings
        if settings.hinter == ORACLE:
            assert self.table.facts is not None
            return OracleHinter(self.table.facts, settings.pace, rng)
        return ModelHinter(settings.hinter, settings.game, self.prompts, settings.temperature, rng)

    def _guesser(self, rng: random.Random) -> Guesser:
        settings = self.settings
        if settings.guesser == ORACLE:
            assert self.table.facts is not None
            return OracleGuesser(self.table.facts)
        return ModelGuesser(settings.guesser, settings.game, self.prompts, settings.temperature, rng)

    def failed(self, entity: Entity, failure: CallFailed) -> Dialogue:
        return Dialogue(
            id=self.dialogue_id(entity),
            game=self.settings.game,
            regime="under_specified",
            entity=entity,
            instruction=self.table.instruction,
            outcome=RETRIED,
            kept=False,
            reason=RETRIED,
            turns=(),
            hinter=self.settings.hinter,
            guesser=self.settings.guesser,
            seed=self.settings.seed,
            cost_usd=None,
            failure=Failure(0, "call", failure.reason, failure.text),
        )


def _prompts_used(role: str, player: str, game: str) -> set[str]:
    return set() if player == ORACLE else {f"{role}_{game}", f"{role}_turn", "again"}


def _check(settings: GenerateSettings, listed: EntityList, source: Path) -> None:
    if ORACLE in (settings.hinter, settings.guesser) and not listed.has_facts:
        raise UserError(
            f"{source}: this list has no facts, and {ORACLE} plays from facts; add facts (see the README of "
            "entity_lists), or let models play: --hinter MODEL --guesser MODEL"
        )
    if settings.hinter == ORACLE:
        _check_facts(settings.game, FactTable(listed), source)
    if settings.guesser == ORACLE and settings.hinter != ORACLE:
        raise UserError(
            f"the Guesser {ORACLE} reads only hints worded from the fact table, and the Hinter {settings.hinter} words "
            "its own; let a model guess, or the oracle hint"
        )


def _check_facts(game: str, facts: FactTable, source: Path) -> None:
    """Refuse a list of which the oracle may not say a single fact under the game's rule."""
    rule = plugins.game(game).rule
    faults = [(fact, rule(fact.hint)) for entity in facts.entities for fact in facts.facts_of(entity)]
    if faults and all(fault for _, fault in faults):
        fact, fault = faults[0]
        raise UserError(
            f"{source}: no fact of this list makes a legal hint of {game}: {fact.hint.question!r} with the answer "
            f"{fact.hint.answer!r}: {fault}; give yes/no facts (columns such as 'has strings' with yes or no), or word "
            f"the facts as the game wants them in {source.stem}.attributes.jsonl (see entity_lists/README.md)"
        )


def _noted(setup: _Setup) -> dict[str, Any]:
    return {
        "hinterguesser": hinterguesser.__version__,
        "python": platform.python_version(),
        "entities": str(setup.source.resolve()),
        "entity_count": len(setup.listed.entities),
        "prompts": str(setup.settings.prompts.resolve()) if setup.settings.prompts else None,
    }
