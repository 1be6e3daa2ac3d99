"""What a report is about: evaluations, traces and dialogues, found in the folders that were named."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hinterguesser.domain.course import Course
from hinterguesser.domain.dialogue import Dialogue
from hinterguesser.domain.predictions import LABELS, Predictions
from hinterguesser.errors import UserError
from hinterguesser.flow.courses import courses
from hinterguesser.flow.metrics import MetricsSettings, Summary, summarise
from hinterguesser.flow.profiles import Profiles, profiles
from hinterguesser.flow.replay import Replayed, replay, request
from hinterguesser.flow.session import Progress, Silent
from hinterguesser.flow.source import HUB_NAME, Source
from hinterguesser.stats.grouping import group_codes, repeated_turns
from hinterguesser.store.prediction_columns import Reading
from hinterguesser.store.prediction_files import read_predictions
from hinterguesser.store.predictions import JSONL_FILE, PARQUET_FILE
from hinterguesser.store.release import PROVENANCE_FILE
from hinterguesser.store.replay_sources import is_traces
from hinterguesser.store.run import DIALOGUES_FILE
from hinterguesser.store.workfolder import RECORD_FILE, read_record


@dataclass(frozen=True, slots=True)
class Material:
    """Everything that a report shows; at least one of its parts is there."""

    sources: tuple[Path, ...]
    """What was named, in order."""
    summary: Summary | None
    """Of all evaluations together."""
    profiles: Profiles | None
    replayed: Replayed | None
    """Of all traces together."""
    dialogues: tuple[Dialogue, ...]
    """Kept and rejected ones."""
    courses: Mapping[tuple[str, str], Sequence[Course]]
    """What models did in each dialogue, by dataset and id."""
    records: tuple[tuple[Path, Mapping[str, Any]], ...]
    """What each folder says of how it was made."""
    notes: tuple[str, ...]
    """What is not shown, and why."""


@dataclass(frozen=True, slots=True)
class _Kinds:
    """The paths by what they hold."""

    evaluations: list[Path]
    traces: list[Path]
    dialogues: list[Path]


def gather(
    paths: Sequence[Path],
    *,
    dialogues: Sequence[Path] = (),
    show_dialogues: bool = True,
    resamples: int = 1000,
    seed: int = 0,
    percent: bool = False,
    progress: Progress = Silent(),
) -> Material:
    """Read evaluations, traces, runs and releases, and measure and replay what there is to.

    Dialogues come from the runs and releases that are named, and from where each evaluation had them, if they are still
    on this machine; nothing is fetched unless it is named.

    Args:
        paths: Folders that `evaluate` or `collect` filled, their files, runs and releases.
        dialogues: Further runs, releases, or datasets on the Hub (USER/NAME), to show dialogues of.
        show_dialogues: Whether dialogues are wanted.
        resamples: Of the bootstrap over entities.
        seed: Of the resamples.
        percent: Whether predictions hold confidences in percent.
        progress: Told what is being done.

    Raises:
        UserError: a path holds nothing that can be reported, or its content is at fault.
    """
    kinds = _sorted_out(paths)
    progress.start("measure", bool(kinds.evaluations) + bool(kinds.traces))
    notes: list[str] = []
    predictions = _joined(kinds.evaluations, percent)
    summary = measured = None
    if predictions is not None:
        settings = MetricsSettings(resamples=resamples, seed=seed)
        summary, measured = summarise(predictions, settings), profiles(predictions, settings)
        progress.advance()
    records = [(path, read_record(path)) for path in paths if (path / RECORD_FILE).is_file()]
    told = [*kinds.dialogues, *dialogues]
    if show_dialogues:
        told += _sources_of(records, told, notes)
    found = _dialogues(told) if show_dialogues else ()
    replayed = None
    if kinds.traces:
        replayed = replay(request(kinds.traces, resamples=resamples, seed=seed))
        progress.advance()
    return Material(
        sources=tuple(paths),
        summary=summary,
        profiles=measured,
        replayed=replayed,
        dialogues=found,
        courses=_courses(kinds.evaluations, percent) if found else {},
        records=tuple(records),
        notes=tuple(notes),
    )


def _sorted_out(paths: Sequence[Path]) -> _Kinds:
    kinds = _Kinds([], [], [])
    for path in paths:
        if (path / DIALOGUES_FILE).exists() or (path / PROVENANCE_FILE).exists():
            kinds.dialogues.append(path)
        elif is_traces(path):
            kinds.traces.append(path)
        elif path.is_file() or any((path / name).is_file() for name in (PARQUET_FILE, JSONL_FILE)):
            kinds.evaluations.append(path)  # what is wrong with it, if anything, is found out when it is read
        elif not path.exists():
            raise UserError(f"{path}: there is no such file or folder; check the path")
        else:
            raise UserError(
                f"{path}: nothing to report in it yet; name a folder that `evaluate`, `collect`, `generate`, `adapt` "
                "or `build` has filled, or a predictions or traces file"
            )
    return kinds


def _joined(evaluations: Sequence[Path], percent: bool) -> Predictions | None:
    if not evaluations:
        return None
    parts = [read_predictions(path, Reading(percent=percent, label_mass=True)) for path in evaluations]
    joined = Predictions.joined(parts)
    by = tuple(name for name in LABELS if name in joined.labels)
    again, earlier = repeated_turns(group_codes(joined, by), joined.dialogue, joined.turn)
    if again.any():
        row = int(again.argmax())
        owner = [at for at, part in enumerate(parts) for _ in range(len(part))]
        raise UserError(
            f"{evaluations[owner[row]]}: holds predictions of the same model about the same turns as "
            f"{evaluations[owner[int(earlier[row])]]}; report them apart, or see `hinterguesser compare`"
        )
    return joined


def _sources_of(
    records: Sequence[tuple[Path, Mapping[str, Any]]], named: Sequence[Path], notes: list[str]
) -> list[Path]:
    """Where the evaluations had their dialogues, as far as that is on this machine and not named already."""
    found: list[Path] = []
    there = {path.resolve() for path in named}
    for path, record in records:
        if record.get("command") != "evaluate":
            continue
        origin = str(record["asked"]["source"])
        source = Path(origin)
        if source.is_dir():
            if source.resolve() not in there:
                there.add(source.resolve())
                found.append(source)
        elif not named:
            how = origin.partition("@")[0] if HUB_NAME.fullmatch(origin.partition("@")[0]) else "PATH"
            notes.append(
                f"The dialogues of {path} are not shown: they were read from {origin}, which is not on this machine as "
                f"a folder. Name them with --dialogues {how}."
            )
    return found


def _dialogues(paths: Sequence[Path]) -> tuple[Dialogue, ...]:
    """All dialogues, each once: by game and id, the first that is found."""
    found: dict[tuple[str, str], Dialogue] = {}
    for path in paths:
        for dialogue in Source(path, split=None).all():
            found.setdefault((dialogue.game, dialogue.id), dialogue)
    return tuple(found.values())


def _courses(evaluations: Sequence[Path], percent: bool) -> dict[tuple[str, str], list[Course]]:
    found: dict[tuple[str, str], list[Course]] = {}
    for path in evaluations:
        for key, some in courses(path, percent=percent).items():
            found.setdefault(key, []).extend(some)
    return found
