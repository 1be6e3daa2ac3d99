"""Traces as a table of questions by depths, and their two parts that must never meet: calibration and test."""

from dataclasses import dataclass

import numpy as np

from hinterguesser.replay.columns import BoolArray, FloatArray, IntArray
from hinterguesser.replay.traces import Traces


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """The states of n traces at depths 0..d-1, one row a trace."""

    confidence: FloatArray
    """Shape (n, d): in [0, 1]; nan where unscored, and beyond the end of a trace."""
    correct: BoolArray
    """Shape (n, d): false beyond the end."""
    cost: FloatArray
    """Shape (n, d): nan where not known, and beyond the end."""
    answer: IntArray
    """Shape (n, d): codes; -1 without an answer, and beyond the end."""
    duplicate: BoolArray
    """Shape (n, d): false beyond the end."""
    length: IntArray
    """Shape (n,): how many depths the trace has, in 1..d."""
    model: IntArray
    """Shape (n,): codes."""
    dataset: IntArray
    """Shape (n,): codes."""
    cluster: IntArray
    """Shape (n,): what a bootstrap draws."""
    has_answers: bool

    def __len__(self) -> int:
        """The number of traces."""
        return len(self.length)

    @property
    def depths(self) -> int:
        """d, the number of depths."""
        return int(self.confidence.shape[1])

    @property
    def present(self) -> BoolArray:
        """Shape (n, d): where there is a state."""
        return np.arange(self.depths) < self.length[:, None]

    @property
    def scored(self) -> BoolArray:
        """Shape (n, d): where there is a confidence."""
        return ~np.isnan(self.confidence)

    def select(self, rows: BoolArray | IntArray) -> "Grid":
        """The grid of some of its traces."""
        return Grid(
            self.confidence[rows],
            self.correct[rows],
            self.cost[rows],
            self.answer[rows],
            self.duplicate[rows],
            self.length[rows],
            self.model[rows],
            self.dataset[rows],
            self.cluster[rows],
            self.has_answers,
        )


class Calibration:
    """The calibration traces, and nothing else: the only thing that maps and controllers can be fitted on.

    It takes all traces and picks by split itself, so there is no way to hand test records to a fit.
    """

    __slots__ = ("_grid",)

    def __init__(self, traces: Traces) -> None:
        """Keep the traces whose split is `calibration`."""
        self._grid = _grid(traces, ~traces.is_test)

    @property
    def grid(self) -> Grid:
        """The calibration traces as a grid."""
        return self._grid

    def of_model(self, model: int) -> "Calibration":
        """The calibration traces of one model, by its code."""
        part = object.__new__(Calibration)
        part._grid = self._grid.select(self._grid.model == model)
        return part


def held_out(traces: Traces) -> Grid:
    """The traces whose split is `test`, as a grid."""
    return _grid(traces, traces.is_test)


def calibration_of(what: Calibration) -> Grid:
    """The grid in `what`; every fit comes through here.

    Raises:
        TypeError: `what` is anything but a `Calibration`.
    """
    if not isinstance(what, Calibration):
        raise TypeError(f"fits take a Calibration, got {type(what).__name__}: test records must not be fitted on")
    return what.grid


def _grid(traces: Traces, keep: BoolArray) -> Grid:
    states = keep[traces.trace]
    renumbered = np.cumsum(keep) - 1
    row, column = renumbered[traces.trace[states]], traces.depth[states]
    shape = (int(keep.sum()), int(traces.deepest) + 1)

    confidence, cost = np.full(shape, np.nan), np.full(shape, np.nan)
    confidence[row, column] = traces.confidence[states]
    cost[row, column] = traces.cost[states]
    correct, duplicate = np.zeros(shape, bool), np.zeros(shape, bool)
    correct[row, column] = traces.correct[states]
    duplicate[row, column] = traces.duplicate[states]
    answer = np.full(shape, -1, dtype=np.int64)
    answer[row, column] = traces.answer[states]
    return Grid(
        confidence,
        correct,
        cost,
        answer,
        duplicate,
        np.bincount(row, minlength=shape[0]).astype(np.int64, copy=False),
        traces.model[keep],
        traces.dataset[keep],
        traces.cluster[keep],
        traces.has_answers,
    )
