"""replay: read traces from wherever they are, replay every controller on them, and answer when to commit."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from hinterguesser.replay.controllers import Gate
from hinterguesser.replay.curves import risk_coverage_rows, sweep_rows
from hinterguesser.replay.grid import held_out
from hinterguesser.replay.joined import join
from hinterguesser.replay.pick import parse_promise
from hinterguesser.replay.result import Replay, ReplaySettings
from hinterguesser.replay.result import replay as replay_traces
from hinterguesser.replay.tables import Table, named, tables
from hinterguesser.replay.traces import Traces
from hinterguesser.replay.when import Rule, when_table, when_to_commit
from hinterguesser.store.replay_files import write_replay
from hinterguesser.store.replay_sources import Choice, read_source


@dataclass(frozen=True, slots=True)
class ReplayRequest:
    """What is replayed, and where it is."""

    paths: tuple[Path, ...]
    """Traces files, or folders that `collect` or `evaluate` filled; several are replayed as one."""
    settings: ReplaySettings = field(default_factory=ReplaySettings)
    choice: Choice = field(default_factory=Choice)
    calibration_share: float | None = None
    """Split the questions of each dataset anew, the first share for calibration; None takes the traces' own split."""


@dataclass(frozen=True, slots=True)
class When:
    """When to commit, for one model on one dataset: every rule that was tried."""

    model: str | None
    dataset: str | None
    rules: tuple[Rule, ...]


@dataclass(frozen=True, slots=True)
class Replayed:
    """What a replay came to."""

    traces: Traces
    result: Replay
    whens: tuple[When, ...]
    turns: bool
    """Whether the traces are dialogues: a turn is a depth, a further hint is a retrieval."""

    def to_dict(self) -> dict[str, Any]:
        """What `replay --json` prints; with promises, also what was picked for them."""
        plain = self.result.to_dict()
        return plain | {"picks": self.details()["picks"]} if self.result.settings.promises else plain

    def details(self) -> dict[str, Any]:
        """What stands beside it: intervals, costs, comparisons, the quality of each depth, picks, when to commit."""
        rules = [rule.to_dict() | {"model": of.model, "dataset": of.dataset} for of in self.whens for rule in of.rules]
        return self.result.details() | {"when_to_commit": rules}

    def tables(self) -> list[Table]:
        """All tables, the answer to 'when should it commit?' first."""
        word = "turn" if self.turns else "depth"
        firsts = [
            when_table(
                list(of.rules), f"At which {word} should it commit?{named(of.model, of.dataset)}", turns=self.turns
            )
            for of in self.whens
        ]
        return [*firsts, *tables(self.result)]


def request(
    paths: Sequence[Path],
    *,
    commit: float = 0.7,
    low: float = 0.3,
    budget: int = 3,
    promises: Sequence[str] = (),
    method: str | None = None,
    condition: str | None = None,
    target: str | None = None,
    calibration_share: float | None = None,
    **settings: Any,
) -> ReplayRequest:
    """A request from what the command line says; `settings` are fields of `ReplaySettings`.

    Raises:
        UserError: a promise is not written like coverage>=0.8.
        ValueError: a number is out of range.
    """
    return ReplayRequest(
        tuple(paths),
        ReplaySettings(gate=Gate(commit, low, budget), promises=tuple(map(parse_promise, promises)), **settings),
        Choice(method, condition, target),
        calibration_share,
    )


def replay(request: ReplayRequest) -> Replayed:
    """Replay every controller on the test traces.

    Raises:
        UserError: a file cannot be read or holds bad traces (the line is named), there is no test trace, or no
            calibrator of that name.
    """
    read = [read_source(path, request.choice) for path in request.paths]
    names = [str(path) for path in request.paths]
    traces = join([each for each, _ in read], names, request.calibration_share)
    turns = all(are_dialogues for _, are_dialogues in read)
    return Replayed(traces, replay_traces(traces, request.settings), _whens(traces), turns)


def save(replayed: Replayed, out: Path) -> Sequence[Path]:
    """Write the results into the folder `out`: JSON, a CSV file a table, curves, and the tables as text.

    Returns the paths of what was written.

    Raises:
        UserError: the folder cannot be written to.
    """
    plain, details, settings = replayed.to_dict(), replayed.details(), replayed.result.settings
    rows = {
        **{name: value for name, value in details.items() if name != "notes"},
        "transitions": plain["transitions"],
        "sweep": list(sweep_rows(replayed.traces, settings)),
        "risk_coverage": list(risk_coverage_rows(replayed.traces, settings)),
    }
    text = "\n\n".join([*(table.text() for table in replayed.tables()), *replayed.result.notes])
    return write_replay(out, plain, details, rows, text)


def _whens(traces: Traces) -> tuple[When, ...]:
    grid = held_out(traces)
    return tuple(
        When(
            traces.models[model],
            traces.datasets[dataset],
            tuple(when_to_commit(grid.select((grid.model == model) & (grid.dataset == dataset)))),
        )
        for model in np.unique(grid.model).tolist()
        for dataset in np.unique(grid.dataset[grid.model == model]).tolist()
    )
