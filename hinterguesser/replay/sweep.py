"""Every threshold and every budget at once: overall accuracy against cost.

A gated trace commits at depth t for exactly the thresholds above the highest confidence of the depths before and not
above the confidence at t. So each state adds to one interval of the sorted thresholds, and adding up at the intervals'
ends and summing once gives all thresholds together; a budget only says how many depths count. One pass over the states
replaces (thresholds x budgets) replays, and every count is exact.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from hinterguesser.replay.accounting import Account, account
from hinterguesser.replay.columns import BoolArray, FloatArray, IntArray
from hinterguesser.replay.controllers import adaptive, at_depth, fixed, last_depth, oracle_stop
from hinterguesser.replay.grid import Grid
from hinterguesser.replay.value import ValueOfInformation


@dataclass(frozen=True, slots=True, eq=False)
class Sweep:
    """Counts of one controller for b budgets and k thresholds."""

    thresholds: FloatArray
    """Shape (k,), ascending: the commit threshold."""
    budgets: tuple[int, ...]
    n: int
    """Questions."""
    commits: IntArray
    """Shape (b, k)."""
    right: IntArray
    """Shape (b, k): correct commits."""
    abstains: IntArray
    """Shape (b, k)."""
    retrievals: IntArray
    """Shape (b, k)."""
    asking_cost: FloatArray
    """Shape (b, k); nan where a part is not known."""

    @property
    def overall_accuracy(self) -> FloatArray:
        """Shape (b, k); nan without questions."""
        return _ratio(self.right, np.full_like(self.right, self.n))

    @property
    def committed_accuracy(self) -> FloatArray:
        """Shape (b, k); nan without commits."""
        return _ratio(self.right, self.commits)

    @property
    def coverage(self) -> FloatArray:
        """Shape (b, k); nan without questions."""
        return _ratio(self.commits, np.full_like(self.commits, self.n))

    @property
    def mean_retrievals(self) -> FloatArray:
        """Shape (b, k); nan without questions."""
        return _ratio(self.retrievals, np.full_like(self.retrievals, self.n))

    @property
    def escalates(self) -> IntArray:
        """Shape (b, k)."""
        return self.n - self.commits - self.abstains

    def mean_cost(self, retrieval_price: float) -> FloatArray:
        """Cost a question, shape (b, k); nan where a part is not known."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray((self.retrievals * retrieval_price + self.asking_cost) / self.n, dtype=np.float64)

    def rows(self, retrieval_price: float = 0.0) -> Iterator[dict[str, float | int | None]]:
        """One row a budget and threshold, for tables and figures; what does not exist is None."""
        columns = {
            "overall_accuracy": self.overall_accuracy,
            "committed_accuracy": self.committed_accuracy,
            "coverage": self.coverage,
            "mean_retrievals": self.mean_retrievals,
            "mean_cost": self.mean_cost(retrieval_price),
        }
        for b, budget in enumerate(self.budgets):
            for k, threshold in enumerate(self.thresholds.tolist()):
                cells = {name: float(values[b, k]) for name, values in columns.items()}
                known = {name: None if np.isnan(value) else value for name, value in cells.items()}
                yield {"budget": budget, "threshold": threshold, **known}


def sweep_gated(
    confidence: FloatArray, grid: Grid, thresholds: FloatArray, budgets: tuple[int, ...], low: float
) -> Sweep:
    """Replay a gated controller at every threshold and budget.

    Args:
        confidence: Shape (n, d), raw or calibrated; nan where unscored and beyond the end.
        grid: The traces.
        thresholds: Shape (k,), ascending.
        budgets: Numbers of retrievals.
        low: Below this, a question that ends uncommitted is abstained from; else it is escalated. A threshold below
            `low` commits first.
    """
    levels = _levels(confidence, thresholds)
    highest = np.maximum.accumulate(levels, axis=1)
    before = np.concatenate([np.zeros((len(grid), 1), levels.dtype), highest[:, :-1]], axis=1)
    spent = np.cumsum(grid.cost, axis=1)
    by_depth = _commits_by_depth(grid, levels, before, spent, len(thresholds))
    with np.errstate(invalid="ignore"):
        hopeless = ~(confidence >= low)
    parts = []
    for budget in budgets:
        last = last_depth(grid, budget)
        counts = by_depth[:, : min(budget, grid.depths - 1) + 1].sum(axis=1)
        parts.append(counts + _left_over(grid, highest, hopeless, spent, last, len(thresholds)))
    return _sweep(thresholds, budgets, len(grid), np.stack(parts, axis=1))


# Rows of the tables of counts below.
_COMMITS, _RIGHT, _ABSTAINS, _RETRIEVALS, _COST = range(5)


def _commits_by_depth(grid: Grid, levels: IntArray, before: IntArray, spent: FloatArray, size: int) -> FloatArray:
    """What the commits at each depth add, shape (5, d, size): depth t commits thresholds before[t] .. levels[t] - 1."""
    table = np.zeros((5, grid.depths, size))
    for depth in range(grid.depths):
        use = np.flatnonzero(levels[:, depth] > before[:, depth])
        start, end = before[use, depth], levels[use, depth]
        table[_COMMITS, depth] = _between(start, end, size)
        table[_RIGHT, depth] = _between(start, end, size, grid.correct[use, depth].astype(np.float64))
        table[_RETRIEVALS, depth] = depth * table[_COMMITS, depth]
        table[_COST, depth] = _costs_between(start, end, size, spent[use, depth])
    return table


def _left_over(
    grid: Grid, highest: IntArray, hopeless: BoolArray, spent: FloatArray, last: IntArray, size: int
) -> FloatArray:
    """What the traces that never commit add, shape (5, size): thresholds from the highest level at `last` on."""
    rows = np.arange(len(grid))
    start = highest[rows, last]
    end = np.full_like(start, size)
    table = np.zeros((5, size))
    table[_ABSTAINS] = _between(start, end, size, hopeless[rows, last].astype(np.float64))
    table[_RETRIEVALS] = _between(start, end, size, last.astype(np.float64))
    table[_COST] = _costs_between(start, end, size, spent[rows, last])
    return table


def sweep_fixed_stop(
    confidence: FloatArray,
    grid: Grid,
    stops: list[IntArray],
    thresholds: FloatArray,
    budgets: tuple[int, ...],
    low: float,
) -> Sweep:
    """Replay a controller whose stop does not depend on the threshold, as value of information does not.

    Args are those of `sweep_gated`; `stops` holds the depths at which the traces stop, shape (n,), for each budget.
    """
    rows, size, parts = np.arange(len(grid)), len(thresholds), []
    spent = np.cumsum(grid.cost, axis=1)
    for stop in stops:
        final = at_depth(confidence, stop)
        end = _levels(final, thresholds)
        start, all_of_them = np.zeros_like(end), np.full_like(end, size)
        table = np.zeros((5, size))
        table[_COMMITS] = _between(start, end, size)
        table[_RIGHT] = _between(start, end, size, grid.correct[rows, stop].astype(np.float64))
        with np.errstate(invalid="ignore"):
            table[_ABSTAINS] = _between(end, all_of_them, size, (~(final >= low)).astype(np.float64))
        table[_RETRIEVALS] = float(stop.sum())
        table[_COST] = float(spent[rows, stop].sum())
        parts.append(table)
    return _sweep(thresholds, budgets, len(grid), np.stack(parts, axis=1))


def constant_sweep(accounts: list[Account], thresholds: FloatArray, budgets: tuple[int, ...]) -> Sweep:
    """The sweep of a controller that looks at no threshold, from its account at each budget."""
    ones = np.ones(len(thresholds))
    rows = [
        [a.commits, a.right, a.abstains, a.retrievals, np.nan if a.asking_cost is None else a.asking_cost]
        for a in accounts
    ]
    table = np.array(rows, dtype=np.float64).T[:, :, None] * ones
    return _sweep(thresholds, budgets, accounts[0].n, table)


def _sweep(thresholds: FloatArray, budgets: tuple[int, ...], n: int, table: FloatArray) -> Sweep:
    counts = np.rint(table[:_COST]).astype(np.int64)
    return Sweep(thresholds, budgets, n, counts[0], counts[1], counts[2], counts[3], table[_COST])


def sweep_controllers(
    grid: Grid,
    calibrated: FloatArray | None,
    value: ValueOfInformation | None,
    thresholds: FloatArray,
    budgets: tuple[int, ...],
    low: float,
) -> dict[str, Sweep]:
    """Every controller at every threshold and budget, by name; `fixed` goes to the end of its budget and commits.

    What needs calibration traces is left out without them, `adaptive` without answers.
    """
    result = {"raw_gated": sweep_gated(grid.confidence, grid, thresholds, budgets, low)}
    if calibrated is not None:
        result["calibrated_gated"] = sweep_gated(calibrated, grid, thresholds, budgets, low)
    for name, decide in (("fixed", fixed), ("adaptive", adaptive), ("oracle_stop", oracle_stop)):
        decided = [decide(grid, budget) for budget in budgets]
        accounts = [account(grid, decisions) for decisions in decided if decisions is not None]
        if accounts:
            result[name] = constant_sweep(accounts, thresholds, budgets)
    if value is not None:
        stops = [value.stops(grid, budget) for budget in budgets]
        result["value_of_information"] = sweep_fixed_stop(value.confidence(grid), grid, stops, thresholds, budgets, low)
    return result


def _levels(confidence: FloatArray, thresholds: FloatArray) -> IntArray:
    """How many thresholds each confidence reaches; 0 where unscored."""
    reached = np.searchsorted(thresholds, confidence, side="right").astype(np.int64)
    reached[np.isnan(confidence)] = 0
    return reached


def _between(start: IntArray, end: IntArray, size: int, weight: FloatArray | None = None) -> FloatArray:
    """Per threshold j, the weight of rows with start <= j < end, shape (size,)."""
    opened = np.bincount(start, weights=weight, minlength=size + 1)
    closed = np.bincount(end, weights=weight, minlength=size + 1)
    return np.cumsum(opened - closed)[:size].astype(np.float64)


def _costs_between(start: IntArray, end: IntArray, size: int, cost: FloatArray) -> FloatArray:
    """As `_between`, for costs: nan for the thresholds at which a row of unknown cost takes part."""
    unknown = np.isnan(cost)
    if unknown.all():
        return np.where(_between(start, end, size) > 0, np.nan, 0.0)
    total = _between(start, end, size, np.where(unknown, 0.0, cost))
    if unknown.any():
        total[_between(start[unknown], end[unknown], size) > 0] = np.nan
    return total


def _ratio(above: IntArray, below: IntArray) -> FloatArray:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(above / below, dtype=np.float64)
