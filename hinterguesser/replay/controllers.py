"""Controllers: from the confidences of a trace to where it stops and what it does there.

At depth t a gated controller commits when confidence >= `commit`. Below that it retrieves while budget remains and the
trace goes on; after that it abstains when confidence < `low`, else it escalates (arXiv 2608.26846, section 4).

An unscored state has no number to compare: it never commits, it retrieves while it can, and at the end it abstains.

* `fixed_k` goes to depth k (or the trace's last) and commits: an answer without asking for confidence. `fixed_0` never
  retrieves.
* `adaptive` commits as soon as an answer repeats: at the first depth t >= 1 whose answer is the one of depth t - 1
  (after normalisation; no answer repeats nothing), else at the end of its budget. It always commits.
* `oracle_stop` knows what is correct: it commits at the first correct depth within budget; where there is none, it
  abstains at depth 0 and spends nothing. Nothing does better: the ceiling.
* `value_of_information` retrieves while the expected gain in correctness exceeds the price, see `replay.value`; where
  it stops, its own estimate of being right commits, abstains or escalates as above.
"""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from hinterguesser.replay.columns import FloatArray, IntArray
from hinterguesser.replay.grid import Grid


class Action(IntEnum):
    """What a controller does with a question in the end."""

    COMMIT = 0
    ABSTAIN = 1
    ESCALATE = 2


@dataclass(frozen=True, slots=True, eq=False)
class Decisions:
    """What one controller does with n traces."""

    action: IntArray
    """Shape (n,): an `Action`."""
    stop: IntArray
    """Shape (n,): the depth at which it stops, which is the number of retrievals."""
    asks_all: bool = True
    """Whether the model is asked at every depth up to the stop; a fixed depth asks only there."""


@dataclass(frozen=True, slots=True)
class Gate:
    """The numbers of a gated controller."""

    commit: float = 0.7
    """From this confidence on it commits; infinite, it never does."""
    low: float = 0.3
    """Below this, an uncommitted question is abstained from at the end, else escalated."""
    budget: int = 3
    """How many retrievals at most."""

    def __post_init__(self) -> None:
        """Refuse thresholds outside [0, 1] and a negative budget."""
        if not 0 <= self.low <= 1 or not (0 <= self.commit <= 1 or self.commit == float("inf")):
            raise ValueError(f"thresholds must lie in [0, 1], got commit {self.commit} and low {self.low}")
        if self.budget < 0:
            raise ValueError(f"the budget cannot be negative, got {self.budget}")


def last_depth(grid: Grid, budget: int) -> IntArray:
    """The deepest depth each trace can reach with `budget` retrievals, shape (n,)."""
    return np.minimum(grid.length - 1, budget)


def gated(confidence: FloatArray, grid: Grid, gate: Gate) -> Decisions:
    """Commit, retrieve, abstain or escalate by thresholds.

    Args:
        confidence: Shape (n, d), raw or calibrated; nan where unscored and beyond the end.
        grid: The traces.
        gate: Thresholds and budget.
    """
    last = last_depth(grid, gate.budget)
    within = np.arange(grid.depths) <= last[:, None]
    with np.errstate(invalid="ignore"):
        enough = (confidence >= gate.commit) & within
    return act_at(confidence, np.where(enough.any(axis=1), enough.argmax(axis=1), last), gate)


def act_at(confidence: FloatArray, stop: IntArray, gate: Gate) -> Decisions:
    """What the thresholds say at the depth `stop`, shape (n,), without a further retrieval."""
    final = at_depth(confidence, stop)
    with np.errstate(invalid="ignore"):
        below = np.where(final >= gate.low, Action.ESCALATE, Action.ABSTAIN)
        action = np.where(final >= gate.commit, Action.COMMIT, below)
    return Decisions(action.astype(np.int64), stop)


def fixed(grid: Grid, depth: int) -> Decisions:
    """Go to `depth`, or the trace's last, and commit."""
    return Decisions(np.full(len(grid), int(Action.COMMIT)), last_depth(grid, depth), asks_all=False)


def adaptive(grid: Grid, budget: int) -> Decisions | None:
    """Commit when an answer repeats; None when the traces do not say what was answered."""
    if not grid.has_answers:
        return None
    last = last_depth(grid, budget)
    repeats = np.zeros(grid.answer.shape, dtype=bool)
    repeats[:, 1:] = (grid.answer[:, 1:] == grid.answer[:, :-1]) & (grid.answer[:, 1:] >= 0)
    repeats &= np.arange(grid.depths) <= last[:, None]
    stop = np.where(repeats.any(axis=1), repeats.argmax(axis=1), last)
    return Decisions(np.full(len(grid), int(Action.COMMIT)), stop)


def oracle_stop(grid: Grid, budget: int) -> Decisions:
    """Commit at the first correct depth; abstain at once where there is none within budget."""
    right = grid.correct & (np.arange(grid.depths) <= last_depth(grid, budget)[:, None])
    action = np.where(right.any(axis=1), Action.COMMIT, Action.ABSTAIN)
    return Decisions(action.astype(np.int64), right.argmax(axis=1).astype(np.int64))


def at_depth(values: FloatArray, depth: IntArray) -> FloatArray:
    """The value of each row at its depth: shape (n, d) and (n,) to (n,)."""
    picked: FloatArray = np.take_along_axis(values, depth[:, None], axis=1)[:, 0]
    return picked
