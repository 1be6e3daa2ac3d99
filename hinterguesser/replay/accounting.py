"""What a controller's decisions won and cost.

An uncommitted question counts as not right in overall accuracy. Shares are of questions; a number that does not exist
(accuracy of no commits, a cost with an unknown part) is None.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from hinterguesser.replay.columns import FloatArray, IntArray
from hinterguesser.replay.controllers import Action, Decisions
from hinterguesser.replay.grid import Grid
from hinterguesser.stats.intervals import wilson

Ends = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Account:
    """One controller on n questions; counts, from which all shares follow."""

    n: int
    commits: int
    right: int
    """Commits that are correct."""
    abstains: int
    escalates: int
    retrievals: int
    """Over all questions."""
    asking_cost: float | None
    """What the model's calls cost in all; None when a part of it is not known."""
    unscored_stops: int
    """Questions that ended on a state without a confidence."""

    @property
    def overall_accuracy(self) -> float | None:
        """Right commits over all questions, in [0, 1]."""
        return _share(self.right, self.n)

    @property
    def committed_accuracy(self) -> float | None:
        """Right commits over commits, in [0, 1]; None without commits."""
        return _share(self.right, self.commits)

    @property
    def coverage(self) -> float | None:
        """Commits over all questions, in [0, 1]."""
        return _share(self.commits, self.n)

    @property
    def mean_retrievals(self) -> float | None:
        """Retrievals a question."""
        return _share(self.retrievals, self.n)

    @property
    def abstain_share(self) -> float | None:
        """In [0, 1]."""
        return _share(self.abstains, self.n)

    @property
    def escalate_share(self) -> float | None:
        """In [0, 1]."""
        return _share(self.escalates, self.n)

    @property
    def unscored_share(self) -> float | None:
        """Questions that ended on a state without a confidence, in [0, 1]."""
        return _share(self.unscored_stops, self.n)

    def mean_cost(self, retrieval_price: float) -> float | None:
        """Cost a question: retrievals at `retrieval_price` each, and the model's calls."""
        if self.asking_cost is None or self.n == 0:
            return None
        return (self.retrievals * retrieval_price + self.asking_cost) / self.n

    def intervals(self) -> Mapping[str, Ends | None]:
        """Wilson's 95 % interval of each share, by the share's name."""
        return {
            "overall_accuracy": wilson(self.right, self.n),
            "committed_accuracy": wilson(self.right, self.commits),
            "coverage": wilson(self.commits, self.n),
            "abstain_share": wilson(self.abstains, self.n),
            "escalate_share": wilson(self.escalates, self.n),
        }


def account(grid: Grid, decisions: Decisions) -> Account:
    """Add up what `decisions` did with the traces of `grid`."""
    rows = np.arange(len(grid))
    committed = decisions.action == Action.COMMIT
    return Account(
        n=len(grid),
        commits=int(committed.sum()),
        right=int((committed & grid.correct[rows, decisions.stop]).sum()),
        abstains=int((decisions.action == Action.ABSTAIN).sum()),
        escalates=int((decisions.action == Action.ESCALATE).sum()),
        retrievals=int(decisions.stop.sum()),
        asking_cost=_asking_cost(grid, decisions),
        unscored_stops=int(np.isnan(grid.confidence[rows, decisions.stop]).sum()),
    )


def _asking_cost(grid: Grid, decisions: Decisions) -> float | None:
    """Cost of the calls that were made: at every depth up to the stop, or at the stop alone."""
    depths = np.arange(grid.depths)
    stop = decisions.stop[:, None]
    asked = depths <= stop if decisions.asks_all else depths == stop
    total = float(grid.cost[asked].sum())
    return None if np.isnan(total) else total


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


@dataclass(frozen=True, slots=True)
class Change:
    """First less second controller on the same questions, with a 95 % interval (None where it does not exist)."""

    name: str
    """'overall_accuracy', 'committed_accuracy', 'coverage' or 'mean_retrievals'."""
    difference: float | None
    interval: Ends | None


def compare(
    grid: Grid, first: Decisions, second: Decisions, rng: np.random.Generator, *, resamples: int = 1000
) -> list[Change]:
    """Compare two controllers by a paired bootstrap over questions (over entities, where they are known).

    A resample takes a question with what both controllers did with it. Questions that fared alike under both are drawn
    together, as one cell of a multinomial: the same distribution at the cost of a few hundred cells, not of a million
    questions. The interval is the percentile interval; resamples in which a number does not exist are left out.

    Args:
        grid: The traces.
        first: What one controller did with them.
        second: What the other did.
        rng: Where randomness comes from.
        resamples: How many to draw.
    """
    sums = _cluster_sums(grid, _outcome(grid, first), _outcome(grid, second))
    cells, n = _distinct_rows(sums)
    observed = _changes((n @ cells)[None, :])
    drawn = _changes(_draw(n, resamples, rng) @ cells) if len(sums) > 1 else np.full((0, 4), np.nan)
    names = ("overall_accuracy", "committed_accuracy", "coverage", "mean_retrievals")
    return [Change(name, _number(observed[0, at]), _ends(drawn[:, at])) for at, name in enumerate(names)]


def _outcome(grid: Grid, decisions: Decisions) -> IntArray:
    """Committed, right, retrievals: shape (n, 3)."""
    committed = decisions.action == Action.COMMIT
    right = committed & grid.correct[np.arange(len(grid)), decisions.stop]
    return np.stack([committed, right, decisions.stop], axis=1).astype(np.int64)


def _cluster_sums(grid: Grid, first: IntArray, second: IntArray) -> IntArray:
    """Per cluster: its questions, then both outcomes; shape (clusters, 7)."""
    rows = np.concatenate([np.ones((len(grid), 1), dtype=np.int64), first, second], axis=1)
    distinct, index = np.unique(grid.cluster, return_inverse=True)
    if len(distinct) == len(rows):
        return rows
    summed = [np.bincount(index, weights=column, minlength=len(distinct)) for column in rows.T]
    return np.stack(summed, axis=1).astype(np.int64)


def _distinct_rows(rows: IntArray) -> tuple[FloatArray, FloatArray]:
    """The distinct rows, and how often each occurs."""
    if len(rows) == 0:
        return np.zeros((0, rows.shape[1])), np.zeros(0)
    sizes = rows.max(axis=0) + 1
    if float(np.prod(sizes.astype(np.float64))) > 2**62:
        distinct, n = np.unique(rows, axis=0, return_counts=True)
        return distinct.astype(np.float64), n.astype(np.float64)
    key = np.ravel_multi_index(tuple(rows.T), tuple(sizes.tolist()))
    _, at, n = np.unique(key, return_index=True, return_counts=True)
    return rows[at].astype(np.float64), n.astype(np.float64)


def _draw(n: FloatArray, resamples: int, rng: np.random.Generator) -> FloatArray:
    """How often each cell is drawn in each resample, shape (resamples, cells)."""
    total = int(n.sum())
    return rng.multinomial(total, n / n.sum(), size=resamples).astype(np.float64)


def _changes(sums: FloatArray) -> FloatArray:
    """First less second: overall and committed accuracy, coverage, mean retrievals; shape (resamples, 4)."""
    n, commits, right, retrievals, commits2, right2, retrievals2 = sums.T
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.stack(
            [
                (right - right2) / n,
                right / commits - right2 / commits2,
                (commits - commits2) / n,
                (retrievals - retrievals2) / n,
            ],
            axis=1,
        )


def _ends(values: FloatArray) -> Ends | None:
    values = values[np.isfinite(values)]
    if len(values) == 0:
        return None
    low, high = np.quantile(values, [0.025, 0.975])
    return float(low), float(high)


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
