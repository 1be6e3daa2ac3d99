"""collect: ask a model every question of a dataset at every depth of its evidence plan, and store the traces."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import orjson

import hinterguesser
from hinterguesser.backends.base import Rendering
from hinterguesser.backends.embedders import OFFLINE, similarity
from hinterguesser.backends.resolve import Backends
from hinterguesser.backends.settings import CallSettings
from hinterguesser.domain.prompts import PromptBook
from hinterguesser.domain.script import Script
from hinterguesser.errors import CallFailed, UserError
from hinterguesser.flow import plugins, session
from hinterguesser.flow.desk import Desk
from hinterguesser.flow.drive import drive
from hinterguesser.replay import collect as scripts
from hinterguesser.replay.collect import JUDGE_TRIES, Trajectory
from hinterguesser.replay.plans import EvidencePlan, PlanSettings, Similarity, plan_as_before, plan_evidence
from hinterguesser.replay.questions import Question, source_order_split
from hinterguesser.store.files import saying_why, write_whole
from hinterguesser.store.prompts import read_prompts
from hinterguesser.store.traces import write_traces
from hinterguesser.store.workfolder import WorkFolder

PLANS_FILE = "plans.json"
JSONL_FILE, PARQUET_FILE = "traces.jsonl", "traces.parquet"
RANKERS = ("overlap", "embedding")
PROMPTS: Mapping[Rendering, tuple[str, ...]] = {
    "chat": ("collect", "collect_state", "again"),
    "plain": ("collect_plain",),
}

REPLY_TOKENS: Mapping[Rendering, int] = {"chat": 512, "plain": 48}
"""A model that is given plain text tends to ramble on; what is cut off cannot be read, and is unscored."""


@dataclass(frozen=True, slots=True)
class CollectionSettings:
    """What is asked for. All but `limit` and `path` decides what the traces say."""

    dataset: str
    """'hotpotqa', 'musique', or a dataset of questions of another package."""
    path: Path
    model: str
    judge: str | None = None
    """The model that decides what is correct; None decides by exact match."""
    calibration_share: float = 0.3
    """The first so many of the questions, in source order, are for calibration."""
    distractors: int | None = None
    """How many of the best ranked distractors are kept; None keeps all."""
    slices: int = 3
    ranker: str = "overlap"
    embedder: str | None = None
    """What ranks with the ranker 'embedding'; None is the one that needs no network."""
    reply_tokens: int | None = None
    """Longest reply of the model under test; None is `REPLY_TOKENS`."""
    reuse_prompt: bool = True
    """Whether a server may reuse its cache of the prompt; False is slower, and repeats exactly."""
    prompts: Path | None = None
    limit: int | None = None
    """Only the first so many questions."""
    shard: tuple[int, int] = (1, 1)
    """(I, N): every N-th question, starting from the I-th."""


@dataclass(frozen=True, slots=True)
class Collection:
    """What a collection came to."""

    calibration: int
    """Questions that have a trace, by split."""
    test: int
    states: int
    unscored: int
    """States whose reply held no readable confidence."""
    cost_usd: float | None
    """Of asking at every depth; None when a part of it is not known."""
    failed: tuple[tuple[str, str], ...]
    """Questions without a trace, with the reason; the next run tries them again."""
    used: session.Used


def collect(
    settings: CollectionSettings,
    out: Path,
    calls: CallSettings = CallSettings(),
    progress: session.Progress = session.Silent(),
) -> Collection:
    """Collect into the folder `out`, or go on there: what the journal has is not asked again.

    Raises:
        UserError: the settings, the questions, the prompts or the folder are at fault, or a package is missing.
        RunStopped: the budget is used up, or nothing gets through.
    """
    setup = _Setup.make(settings, calls)
    folder = WorkFolder.begin(out, "collect", setup.asked(), setup.noted())
    with folder.held():
        plans = setup.plans(folder, progress)
        tries = JUDGE_TRIES * (1 + folder.record["noted"].get(WITHOUT_VERDICT, 0))
        traces: dict[str, Trajectory] = {}
        failed: dict[str, str] = {}
        progress.start("collect", len(setup.questions))

        async def ended(question: Question, result: Trajectory | CallFailed) -> None:
            if isinstance(result, CallFailed):
                failed[question.id] = result.reason
                progress.count(failed=1)
            else:
                traces[question.id] = result
            progress.advance()

        async def work(desk: Desk) -> None:
            items = ((each, setup.script(each, plan, tries)) for each, plan in zip(setup.questions, plans, strict=True))
            await drive(items, desk.ask, ended, at_once=calls.at_once, stopping=desk.stopping)
            await desk.settled()

        _, used = session.run(work, folder, calls, progress)
        unjudged = {name: trace.problem for name, trace in traces.items() if trace.problem}
        if unjudged:
            folder.record["noted"][WITHOUT_VERDICT] = folder.record["noted"].get(WITHOUT_VERDICT, 0) + 1
            folder.save_record()
        failed |= unjudged
        rows = setup.rows([traces[each.id] for each in setup.questions if each.id not in failed])
        for name in (JSONL_FILE, PARQUET_FILE):
            write_traces(rows, out / name)
    listed = tuple((each.id, failed[each.id]) for each in setup.questions if each.id in failed)
    return _collection(rows, listed, used)


WITHOUT_VERDICT = "runs_without_verdict"
"""How many runs ended with a judge that gave no verdict; each further run gives it more tries, or it would only hear
from the journal what it said before."""


def _collection(
    rows: Sequence[Mapping[str, Any]], failed: tuple[tuple[str, str], ...], used: session.Used
) -> Collection:
    first = [row["split"] for row in rows if row["depth"] == 0]
    costs = [row["cost"] for row in rows]
    return Collection(
        calibration=first.count("calibration"),
        test=first.count("test"),
        states=len(rows),
        unscored=sum(row["confidence"] is None for row in rows),
        cost_usd=None if None in costs else sum(costs),
        failed=failed,
        used=used,
    )


@dataclass(frozen=True, slots=True)
class _Setup:
    """Everything read and checked before the first question is asked."""

    settings: CollectionSettings
    prompts: PromptBook
    rendering: Rendering
    questions: tuple[Question, ...]
    split: Mapping[str, str]
    """Question id to 'calibration' or 'test'."""
    plan: PlanSettings
    similarity: Similarity | None

    @classmethod
    def make(cls, settings: CollectionSettings, calls: CallSettings) -> "_Setup":
        source = plugins.questions(settings.dataset)
        prompts = read_prompts(settings.prompts)
        models = {settings.model, settings.judge} - {None}
        session.check_models([model for model in models if model is not None], calls)
        rendering = Backends(calls).of(settings.model).capabilities.rendering
        similar, ranker = _ranker(settings)
        chosen = tuple(islice(source.read(settings.path), settings.limit))
        if not chosen:
            raise UserError(f"{settings.path}: no question in it, so there is nothing to collect")
        splits = source_order_split(len(chosen), settings.calibration_share)
        index, count = settings.shard
        return cls(
            settings,
            prompts,
            rendering,
            questions=chosen[index - 1 :: count],
            split={question.id: split for question, split in zip(chosen, splits, strict=True)},
            plan=PlanSettings(settings.slices, settings.distractors, ranker),
            similarity=similar,
        )

    def asked(self) -> dict[str, Any]:
        """What decides the traces, for run.json."""
        settings = self.settings
        used = [*PROMPTS[self.rendering], *(["collect_judge"] if settings.judge else [])]
        hashes = self.prompts.sha256()
        return {
            "dataset": settings.dataset,
            "questions": _sha256(settings.path),
            "model": settings.model,
            "judge": settings.judge,
            "calibration_share": settings.calibration_share,
            "distractors": settings.distractors,
            "slices": settings.slices,
            "ranker": self.plan.ranker,
            "reply_tokens": self.reply_tokens,
            "reuse_prompt": settings.reuse_prompt,
            "shard": f"{settings.shard[0]}/{settings.shard[1]}",
        } | {f"prompt {name}": hashes[name] for name in used}

    @property
    def reply_tokens(self) -> int:
        return self.settings.reply_tokens or REPLY_TOKENS[self.rendering]

    def noted(self) -> dict[str, Any]:
        return {"hinterguesser": hinterguesser.__version__, "path": str(self.settings.path.resolve())}

    def plans(self, folder: WorkFolder, progress: session.Progress) -> list[EvidencePlan]:
        """The plan of every question; made before anything is asked, since an embedder would hold up the calls.

        What an embedder ranked is kept in the folder: embedding takes long, and need not give the same elsewhere.
        """
        kept = folder.path / PLANS_FILE
        known = orjson.loads(kept.read_bytes()) if kept.exists() else {}
        plans = []
        progress.start("plan evidence", len(self.questions))
        for question in self.questions:
            if question.id in known:
                plans.append(plan_as_before(question, known[question.id], self.plan))
            else:
                plans.append(plan_evidence(question, self.plan, self.similarity))
            progress.advance()
        if self.similarity is not None and known.keys() != {plan.question_id for plan in plans}:
            known |= {plan.question_id: plan.indexes for plan in plans}
            write_whole(kept, orjson.dumps(known))
        return plans

    def script(self, question: Question, plan: EvidencePlan, judge_tries: int) -> Script[Trajectory]:
        settings = scripts.CollectSettings(
            self.settings.model,
            judge=self.settings.judge,
            rendering=self.rendering,
            max_tokens=self.reply_tokens,
            reuse_prompt=self.settings.reuse_prompt,
            judge_tries=judge_tries,
        )
        return scripts.collect(question, plan, settings, self.prompts)

    def rows(self, trajectories: Sequence[Trajectory]) -> list[dict[str, Any]]:
        """The traces as they are stored."""
        return [
            row
            for trajectory in trajectories
            for row in trajectory.rows(self.settings.dataset, self.split[trajectory.question_id])
        ]


def _ranker(settings: CollectionSettings) -> tuple[Similarity | None, str]:
    """What ranks distractors besides word overlap, and the name that goes into a plan's fingerprint."""
    if settings.ranker not in RANKERS:
        raise UserError(f"unknown ranker {settings.ranker!r}; there are: {', '.join(RANKERS)}")
    if settings.ranker == "embedding":
        embedder = settings.embedder or OFFLINE
        return similarity(embedder), f"embedding:{embedder}"
    if settings.embedder is not None:
        raise UserError(f"--embedder {settings.embedder} is used by --ranker embedding only; add that, or leave it out")
    return None, settings.ranker


def _sha256(path: Path) -> str:
    with saying_why(path), path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
