"""Raw against calibrated confidence where the comparison is fair: at the same coverage, and at the same cost.

At the same number the two controllers mean different things: a map that never decreases only moves the cut, so
calibrated confidence at 0.7 is raw confidence at some other number (`Calibrator.raw_threshold`). What looks like a gain
in accuracy can be nothing but a stricter choice. At equal coverage, or equal cost, only the ranking counts.
"""

from dataclasses import dataclass

import numpy as np

from hinterguesser.replay.accounting import Account, account
from hinterguesser.replay.columns import FloatArray
from hinterguesser.replay.controllers import Gate, gated
from hinterguesser.replay.grid import Grid
from hinterguesser.replay.sweep import sweep_gated

MOST_CUTS = 1001
"""Raw cuts that are tried; with more distinct confidences, that many of their quantiles."""


@dataclass(frozen=True, slots=True)
class Matched:
    """The raw-gated controller that comes nearest to the calibrated-gated one."""

    by: str
    """'number' (the same threshold), 'coverage' or 'cost' (mean retrievals)."""
    raw_threshold: float | None
    """None: it never commits."""
    raw: Account
    calibrated: Account


def match_raw(grid: Grid, calibrated: FloatArray, gate: Gate) -> list[Matched]:
    """Compare at the same number, at matched coverage and at matched cost; empty without questions.

    The nearest cut is taken, of equally near ones the lowest. Where raw confidence has few distinct values, the match
    can be loose: both accounts are given, so that it can be seen.

    Args:
        grid: The test traces.
        calibrated: Shape (n, d), nan where unscored.
        gate: Thresholds and budget of both controllers.
    """
    if len(grid) == 0:
        return []
    target = account(grid, gated(calibrated, grid, gate))
    cuts = _cuts(grid, gate.budget)
    swept = sweep_gated(grid.confidence, grid, cuts, (gate.budget,), gate.low)
    nearest = {
        "coverage": int(np.argmin(np.abs(swept.commits[0] - target.commits))),
        "cost": int(np.argmin(np.abs(swept.retrievals[0] - target.retrievals))),
    }
    result = [Matched("number", gate.commit, account(grid, gated(grid.confidence, grid, gate)), target)]
    for by, at in nearest.items():
        cut = float(cuts[at])
        raw = account(grid, gated(grid.confidence, grid, Gate(cut, gate.low, gate.budget)))
        result.append(Matched(by, cut if cut <= 1 else None, raw, target))
    return result


def _cuts(grid: Grid, budget: int) -> FloatArray:
    """Every cut that makes a difference, ascending; the last, infinite, never commits."""
    values = grid.confidence[:, : budget + 1]
    distinct = np.unique(values[~np.isnan(values)])
    if len(distinct) > MOST_CUTS:
        distinct = np.unique(np.quantile(distinct, np.linspace(0, 1, MOST_CUTS), method="inverted_cdf"))
    return np.append(distinct, np.inf)
