"""What `evaluate` is asked for, read and checked before the first call."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from hinterguesser.backends.base import Capabilities
from hinterguesser.backends.resolve import Backends
from hinterguesser.backends.settings import CallSettings
from hinterguesser.confidence.base import Method, Subject
from hinterguesser.confidence.trial import TARGETS, Trial
from hinterguesser.confidence.views import CONDITIONS, views
from hinterguesser.domain.dialogue import Dialogue
from hinterguesser.domain.prompts import PromptBook
from hinterguesser.errors import UserError
from hinterguesser.flow import plugins
from hinterguesser.flow.source import Source
from hinterguesser.games import BUILTIN as GAMES
from hinterguesser.store.entities import builtin_list, list_sha256, read_entities
from hinterguesser.store.prompts import read_prompts

DEFAULT_METHODS = ("vanilla_verb", "p_true", "p_sufficient")
WITHOUT_LOGPROBS = "vanilla_verb, cot_verb or self_consistency"
IN_PROCESS = "in-process"
MOST_TOP_LOGPROBS = 100
"""Asked for where a model gives them: on a small model a label may rank low."""


@dataclass(frozen=True, slots=True)
class EvaluateSettings:
    """What is asked for."""

    source: Source
    models: tuple[str, ...]
    methods: tuple[str, ...] = DEFAULT_METHODS
    conditions: tuple[str, ...] = ("multi",)
    targets: tuple[str, ...] = ("answer",)
    samples: int = 20
    """Replies that a sampling method draws."""
    judge: str | None = None
    """A model that decides whether an answer is right where the matcher says no."""
    swap_labels: bool = False
    reuse_prompt: bool = True
    prompts: Path | None = None
    names: Path | None = None
    """An entity list whose names candidates are weighed against; None: the list that ships for the game."""
    seed: int = 0
    """Of sampled replies and of the bootstrap intervals."""
    limit: int | None = None
    """Only the first so many dialogues of the source."""
    shard: tuple[int, int] = field(default=(1, 1))
    """(I, N): every N-th dialogue, starting from the I-th."""


@dataclass(frozen=True, slots=True)
class Trials:
    """One trial a model, and the dialogues they are about."""

    settings: EvaluateSettings
    trials: tuple[Trial, ...]
    dialogues: tuple[Dialogue, ...]
    prompts: PromptBook
    in_process: bool
    """Whether every model runs in this process."""

    @classmethod
    def make(cls, settings: EvaluateSettings, calls: CallSettings) -> "Trials":
        """Read and check everything.

        Raises:
            UserError: unknown names, a model that cannot be reached or lacks what a method needs, a source that is at
                fault or has nothing to show.
        """
        prompts = read_prompts(settings.prompts)
        methods = [plugins.method(name) for name in settings.methods]
        _check_names(settings)
        dialogues = _chosen(settings)
        _check_material(settings, dialogues)
        backends = Backends(calls)
        names = _names(settings, methods, dialogues)
        trials = []
        for model in settings.models:
            can = backends.of(model).capabilities
            _check_capabilities(model, can, methods)
            subject = replace(_subject(settings, model, can, prompts), names=names)
            trials.append(Trial(subject, methods, settings.conditions, settings.targets, settings.judge))
        if settings.judge is not None:
            backends.of(settings.judge)
        in_process = all(backends.of(model).endpoint.startswith(IN_PROCESS) for model in settings.models)
        return cls(settings, tuple(trials), dialogues, prompts, in_process)

    @property
    def items(self) -> list[tuple[Trial, Dialogue]]:
        """Every dialogue under every model, model by model."""
        return [(trial, dialogue) for trial in self.trials for dialogue in self.dialogues]

    def asked(self) -> dict[str, Any]:
        """What decides the predictions, for the folder's record."""
        settings = self.settings
        sampled = "self_consistency" in settings.methods
        index, count = settings.shard
        return {
            "source": settings.source.identity(),
            "config": settings.source.config,
            "models": list(settings.models),
            "methods": list(settings.methods),
            "conditions": list(settings.conditions),
            "targets": list(settings.targets),
            "judge": settings.judge,
            "samples": settings.samples if sampled else None,
            "seed": settings.seed if sampled else None,
            "names": list_sha256(settings.names) if settings.names else None,
            "swap_labels": settings.swap_labels,
            "reuse_prompt": settings.reuse_prompt,
            "shard": f"{index}/{count}",
        } | {f"prompt {name}": digest for name, digest in self._prompts_used().items()}

    def _prompts_used(self) -> dict[str, str]:
        renderings = {trial.subject.rendering for trial in self.trials}
        probes = ("answer", *self.settings.methods)
        judging = ("judge", "again") if self.settings.judge else ()
        return {
            name: digest
            for name, digest in self.prompts.sha256().items()
            if ("chat" in renderings and name.startswith(probes))
            or ("plain" in renderings and name.startswith("plain/"))
            or name in judging
        }


def _subject(settings: EvaluateSettings, model: str, can: Capabilities, prompts: PromptBook) -> Subject:
    return Subject(
        model,
        prompts,
        rendering=can.rendering,
        top_logprobs=min(MOST_TOP_LOGPROBS, can.max_top_logprobs),
        swap_labels=settings.swap_labels,
        reuse_prompt=settings.reuse_prompt,
        samples=settings.samples,
        seed=settings.seed,
    )


def _names(
    settings: EvaluateSettings, methods: Sequence[Method], dialogues: Sequence[Dialogue]
) -> dict[str, tuple[str, ...]]:
    """The closed list of each game, if a method needs one; a game without a list has none."""
    if not any(method.needs_names for method in methods):
        return {}
    games = {dialogue.game for dialogue in dialogues}
    paths = {game: settings.names or builtin_list(game) for game in games if settings.names or game in GAMES}
    return {game: tuple(entity.name for entity in read_entities(path).entities) for game, path in paths.items()}


def _chosen(settings: EvaluateSettings) -> tuple[Dialogue, ...]:
    dialogues: list[Dialogue] = []
    for dialogue in settings.source.kept():
        if settings.limit is not None and len(dialogues) >= settings.limit:
            break
        dialogues.append(dialogue)
    if not dialogues:
        which = f" (config {settings.source.config or 'any'}, split {settings.source.split or 'any'})"
        raise UserError(f"{settings.source.path}: no kept dialogue in it{which}, so there is nothing to evaluate")
    index, count = settings.shard
    return tuple(dialogues[index - 1 :: count])


def _check_names(settings: EvaluateSettings) -> None:
    for what, asked, known in (("condition", settings.conditions, CONDITIONS), ("target", settings.targets, TARGETS)):
        for name in asked:
            if name not in known:
                raise UserError(f"unknown {what} {name!r}; there are: {', '.join(known)}")
    for what, asked in (("method", settings.methods), ("condition", settings.conditions), ("target", settings.targets)):
        if not asked:
            raise UserError(f"name at least one {what}")


def _check_material(settings: EvaluateSettings, dialogues: Sequence[Dialogue]) -> None:
    """Refuse a condition for which no dialogue has anything to show."""
    for condition in settings.conditions:
        if all(view.hints is None for dialogue in dialogues for view in views(dialogue, condition)):
            raise UserError(
                f"{settings.source.path}: nothing to show under the condition '{condition}'; "
                "run `hinterguesser derive` on the run (and build again)"
            )


def _check_capabilities(model: str, can: Capabilities, methods: Sequence[Method]) -> None:
    lacking = [method.name for method in methods if method.needs_logprobs and not can.logprobs]
    if lacking:
        raise UserError(
            f"{model} gives no log-probabilities, which {' and '.join(lacking)} read; "
            f"use --methods with {WITHOUT_LOGPROBS}, or a model that gives them"
        )
