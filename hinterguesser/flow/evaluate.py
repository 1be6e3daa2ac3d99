"""evaluate: put dialogues to a model, turn by turn, and read its confidence by every method asked for."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import orjson

import hinterguesser
from hinterguesser.backends.base import Capabilities
from hinterguesser.backends.resolve import Backends
from hinterguesser.backends.settings import CallSettings
from hinterguesser.confidence.base import Method, Subject
from hinterguesser.confidence.trial import CONDITIONS, TARGETS, Trial, judge
from hinterguesser.domain.dialogue import Dialogue
from hinterguesser.domain.prediction import Prediction
from hinterguesser.domain.prompts import PromptBook
from hinterguesser.errors import CallFailed, UserError
from hinterguesser.flow import plugins, session
from hinterguesser.flow.desk import Desk
from hinterguesser.flow.drive import drive
from hinterguesser.flow.source import Source
from hinterguesser.stats.measures import Rows, codes, measure
from hinterguesser.store.predictions import write_predictions
from hinterguesser.store.prompts import read_prompts
from hinterguesser.store.workfolder import WorkFolder

DEFAULT_METHODS = ("vanilla_verb", "p_true", "p_sufficient")
MOST_TOP_LOGPROBS = 100
"""Asked for where a model gives them: on a small model a label may rank low."""


@dataclass(frozen=True, slots=True)
class EvaluateSettings:
    """What is asked for."""

    source: Source
    model: str
    methods: tuple[str, ...] = DEFAULT_METHODS
    conditions: tuple[str, ...] = CONDITIONS
    targets: tuple[str, ...] = TARGETS
    swap_labels: bool = False
    reuse_prompt: bool = True
    prompts: Path | None = None
    seed: int = 0
    """Of the bootstrap intervals."""
    limit: int | None = None
    """Only the first so many dialogues of the source."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What an evaluation came to."""

    predictions: tuple[Prediction, ...]
    groups: tuple[dict[str, Any], ...]
    """As `metrics --json` prints them, by dataset, model, condition, method and target."""
    failed: tuple[tuple[str, str], ...]
    """Dialogues whose calls failed, with the reason; the next run tries them again."""
    calls: int
    replayed: int


def evaluate(
    settings: EvaluateSettings,
    out: Path,
    calls: CallSettings = CallSettings(),
    progress: session.Progress = session.Silent(),
) -> Evaluation:
    """Evaluate into the folder `out`, or go on there: what the journal has is not asked again.

    Raises:
        UserError: the settings, the source, the prompts or the folder are at fault, or the model lacks what a method
            needs.
        RunStopped: the budget is used up, or nothing gets through.
    """
    prompts = read_prompts(settings.prompts)
    methods = [plugins.method(name) for name in settings.methods]
    _check_names(settings)
    can = Backends(calls).of(settings.model).capabilities
    _check_capabilities(settings.model, can, methods)
    subject = Subject(
        settings.model,
        prompts,
        rendering=can.rendering,
        top_logprobs=min(MOST_TOP_LOGPROBS, can.max_top_logprobs),
        swap_labels=settings.swap_labels,
        reuse_prompt=settings.reuse_prompt,
    )
    trial = Trial(subject, methods, settings.conditions)
    dialogues = _chosen(settings)
    folder = WorkFolder.begin(
        out, "evaluate", _asked(settings, subject, prompts), {"hinterguesser": hinterguesser.__version__}
    )
    with folder.held():
        progress.start("evaluate", sum(dialogue.length for dialogue in dialogues))
        judged: dict[str, list[Prediction]] = {}
        failed: dict[str, str] = {}

        async def ended(dialogue: Dialogue, result: list[Prediction] | CallFailed) -> None:
            if isinstance(result, CallFailed):
                failed[dialogue.id] = result.reason
            else:
                judged[dialogue.id] = result
            progress.advance(dialogue.length)

        async def work(desk: Desk) -> tuple[int, int]:
            items = ((dialogue, judge(trial, dialogue)) for dialogue in dialogues)
            await drive(items, desk.ask, ended, at_once=calls.concurrency, stopping=desk.stopping)
            await desk.settled()
            return desk.made, desk.replayed

        made, replayed = session.run(work, folder.journal_path, calls)
        predictions = [row for dialogue in dialogues for row in judged.get(dialogue.id, ())]
        write_predictions(out, predictions)
    groups = measured(predictions, settings.seed)
    return Evaluation(tuple(predictions), tuple(groups), tuple(failed.items()), made, replayed)


def _chosen(settings: EvaluateSettings) -> list[Dialogue]:
    dialogues: list[Dialogue] = []
    for dialogue in settings.source.kept():
        if settings.limit is not None and len(dialogues) >= settings.limit:
            break
        dialogues.append(dialogue)
    if not dialogues:
        raise UserError(f"{settings.source.path}: no kept dialogue in it, so there is nothing to evaluate")
    return dialogues


def _check_names(settings: EvaluateSettings) -> None:
    for what, asked, known in (
        ("condition", settings.conditions, CONDITIONS),
        ("target", settings.targets, TARGETS),
    ):
        for name in asked:
            if name not in known:
                raise UserError(f"unknown {what} {name!r}; there are: {', '.join(known)}")


def _check_capabilities(model: str, can: Capabilities, methods: Sequence[Method]) -> None:
    lacking = [method.name for method in methods if method.needs_logprobs and not can.logprobs]
    if lacking:
        raise UserError(
            f"{model} gives no log-probabilities, which {', '.join(lacking)} needs; "
            "use --methods vanilla_verb, or a model that gives them"
        )


def _asked(settings: EvaluateSettings, subject: Subject, prompts: PromptBook) -> dict[str, Any]:
    """What decides the predictions, for the folder's record."""
    plain = subject.rendering == "plain"
    hashes = {name: digest for name, digest in prompts.sha256().items() if name.startswith("plain/") == plain}
    names = ("answer", *settings.methods)
    used = {name: digest for name, digest in hashes.items() if plain or name.startswith(names)}
    return {
        "source": str(settings.source.path.resolve()),
        "config": settings.source.config,
        "model": settings.model,
        "methods": list(settings.methods),
        "conditions": list(settings.conditions),
        "targets": list(settings.targets),
        "swap_labels": settings.swap_labels,
        "reuse_prompt": settings.reuse_prompt,
        "top_logprobs": subject.top_logprobs,
    } | {f"prompt {name}": digest for name, digest in used.items()}


BY = ("dataset", "model", "condition", "method", "target")


def measured(predictions: Sequence[Prediction], seed: int) -> list[dict[str, Any]]:
    """The numbers of each group of predictions, as `metrics --json` prints them."""
    grouped: dict[tuple[str, ...], list[Prediction]] = defaultdict(list)
    for prediction in predictions:
        grouped[tuple(getattr(prediction, name) for name in BY)].append(prediction)
    return [
        {"by": dict(zip(BY, key, strict=True)), **measure(_rows(rows), np.random.default_rng(seed))}
        for key, rows in grouped.items()
    ]


def _rows(predictions: Sequence[Prediction]) -> Rows:
    scored = [row for row in predictions if row.confidence is not None and row.correct is not None]
    return Rows(
        dialogue=codes([row.dialogue_id for row in scored]),
        entity=codes([row.entity for row in scored]),
        turn=np.array([row.turn for row in scored], dtype=np.int64),
        length=np.array([row.length for row in scored], dtype=np.int64),
        confidence=np.array([row.confidence for row in scored], dtype=np.float64),
        correct=np.array([row.correct for row in scored], dtype=np.float64),
        unscored=len(predictions) - len(scored),
    )


def to_json(evaluation: Evaluation) -> str:
    """The groups as `--json` prints them."""
    return orjson.dumps({"groups": list(evaluation.groups)}, option=orjson.OPT_INDENT_2).decode()
