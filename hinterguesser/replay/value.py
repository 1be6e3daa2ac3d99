"""Value of information: is another retrieval worth its price? Learnt from what retrievals did on calibration traces.

Confidence says how likely the present answer is right, not whether one more passage would help. So the gain is
estimated from transitions: states of one depth are put into bins of about equal size by raw confidence (unscored states
into a bin of their own), and for each bin the mean worth of going on is compared with the mean correctness of stopping.
Going on is worth what the best continuation with one retrieval less is worth, so the look reaches to the end of the
budget: two retrievals that only help together are seen. This is backward induction on binned states:

    V(t, b) = correct(t)                                   with no budget left, or at the trace's end
    V(t, b) = max over {stop, go on} of the bin's mean:    mean correct(t)   against   mean V(t + 1, b - 1) - price

Where it stops, an isotonic map per depth says how likely the answer is right, whatever calibrator the gated controllers
use: a rule that seeks out later depths must not judge them by a map of depth 0.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from hinterguesser.replay.calibrators import Calibrator, fit_calibrator
from hinterguesser.replay.columns import BoolArray, FloatArray, IntArray
from hinterguesser.replay.controllers import Decisions, Gate, act_at, last_depth
from hinterguesser.replay.grid import Calibration, Grid, calibration_of

BINS = 10
SMALLEST_BIN = 20
"""Bins hold at least this many calibration states, where there are as many: means of fewer are noise."""


@dataclass(frozen=True, slots=True, eq=False)
class Horizon:
    """What to do at each depth with a given budget at the start."""

    edges: tuple[FloatArray, ...]
    """Per depth, ascending: bin k holds the confidences c with edges[k - 1] < c <= edges[k]."""
    go_on: tuple[BoolArray, ...]
    """Per depth: whether to retrieve, one per bin; the last one is for unscored states."""


@dataclass(frozen=True, slots=True, eq=False)
class ValueOfInformation:
    """A fitted and frozen rule for when to retrieve, by model and budget."""

    price: float
    """What a retrieval must add to the chance of being right."""
    horizons: Mapping[tuple[int, int], Horizon]
    """By (model code, budget)."""
    calibrator: Calibrator
    """Isotonic, per depth."""

    def covers(self, model: int) -> bool:
        """Whether there were scored calibration traces of this model."""
        return self.calibrator.covers(model, 0)

    def confidence(self, grid: Grid) -> FloatArray:
        """The chance that each answer is right, shape (n, d); nan where unscored.

        Raises:
            KeyError: a model that is not covered.
        """
        return self.calibrator.apply(grid)

    def stops(self, grid: Grid, budget: int) -> IntArray:
        """The depth at which each trace stops, shape (n,).

        Raises:
            KeyError: a model without calibration traces, or a budget that was not fitted.
        """
        last = last_depth(grid, budget)
        stop = last.copy()
        for model in np.unique(grid.model).tolist():
            rows = np.flatnonzero(grid.model == model)
            horizon = self.horizons[model, budget]
            going = rows
            for depth in range(min(budget, grid.depths - 1)):
                going = going[last[going] > depth]
                known = depth < len(horizon.go_on)
                bins = _bin(grid.confidence[going, depth], horizon.edges[depth]) if known else np.zeros(0, np.int64)
                onwards = horizon.go_on[depth][bins] if known else np.zeros(len(going), dtype=bool)
                stop[going[~onwards]] = depth
                going = going[onwards]
        return stop

    def decide(self, grid: Grid, gate: Gate) -> Decisions:
        """Retrieve by value; then commit, abstain or escalate by `confidence`."""
        return act_at(self.confidence(grid), self.stops(grid, gate.budget), gate)


def fit_value(calibration: Calibration, budgets: range, price: float) -> ValueOfInformation:
    """Fit the rule for each model, all datasets together, and each budget.

    Raises:
        TypeError: handed anything but calibration traces.
        ValueError: a negative price.
    """
    if price < 0:
        raise ValueError(f"the price of a retrieval cannot be negative, got {price}")
    grid = calibration_of(calibration)
    horizons = {}
    for model in np.unique(grid.model).tolist():
        part = grid.select(grid.model == model)
        edges = tuple(_edges(part.confidence[:, depth]) for depth in range(part.depths))
        for budget in budgets:
            horizons[model, budget] = _fit(part, edges, budget, price)
    return ValueOfInformation(price, horizons, fit_calibrator("isotonic_per_depth", calibration))


def _fit(grid: Grid, edges: tuple[FloatArray, ...], budget: int, price: float) -> Horizon:
    last = last_depth(grid, budget)
    deepest = int(last.max(initial=0))
    worth = np.take_along_axis(grid.correct, last[:, None], axis=1)[:, 0].astype(np.float64)
    rules: list[BoolArray] = []
    for depth in range(deepest - 1, -1, -1):
        can = last > depth
        bins = _bin(grid.confidence[can, depth], edges[depth])
        size = len(edges[depth]) + 1
        n = np.bincount(bins, minlength=size)
        stopping = np.bincount(bins, weights=grid.correct[can, depth], minlength=size)
        going = np.bincount(bins, weights=worth[can], minlength=size)
        rule = going - stopping > price * n
        worth[can] = np.where(rule[bins], worth[can] - price, grid.correct[can, depth])
        rules.append(rule)
    return Horizon(edges[:deepest], tuple(reversed(rules)))


def _edges(confidence: FloatArray) -> FloatArray:
    """Upper edges of bins of about equal size; equal confidences stay together. The last edge is infinite."""
    scored = confidence[~np.isnan(confidence)]
    bins = max(1, min(BINS, len(scored) // SMALLEST_BIN))
    if len(scored) == 0:
        return np.array([np.inf])
    inner = np.unique(np.quantile(scored, np.arange(1, bins) / bins, method="inverted_cdf"))
    return np.append(inner[inner < scored.max()], np.inf)


def _bin(confidence: FloatArray, edges: FloatArray) -> IntArray:
    """The bin of each confidence; unscored states have the one after the last."""
    bins = np.searchsorted(edges, confidence, side="left")
    return np.where(np.isnan(confidence), len(edges), bins).astype(np.int64)
