"""Choosing a threshold that keeps a promise: `coverage>=0.8`, `accuracy>=0.9` (accuracy of what is committed).

The promise is checked on calibration traces with the exact binomial lower bound (Clopper and Pearson, 1934), so that
the chance of picking a threshold that breaks it, on questions like these, is at most 5 %, however many were looked at.

Looking at many: the cuts 0, 0.01, ..., 1 are fixed in advance and tested in a fixed order, each at the full level, up
to the first failure; then the chance that any passed cut is bad is that level (fixed-sequence testing).

* Coverage never rises with the threshold, so one sequence goes up from 0, at 5 %.
* Accuracy may do anything, and a high cut may have too few commits to prove anything. So five sequences go down, from
  `STARTS`, each at 1 % (Bonferroni); a cut is good if any of them passed it (Angelopoulos et al., 2021, 'Learn then
  Test').

Raw confidence is what is cut: a calibration map is fitted on the same traces, so cuts on calibrated confidence would
not be fixed in advance. A map that never decreases loses nothing by that; see `Calibrator.raw_threshold`.
"""

import re
from dataclasses import dataclass

import numpy as np

from hinterguesser.errors import UserError
from hinterguesser.replay.accounting import Account, account
from hinterguesser.replay.columns import FloatArray, IntArray
from hinterguesser.replay.controllers import Gate, gated
from hinterguesser.replay.grid import Calibration, Grid, calibration_of
from hinterguesser.replay.sweep import Sweep, sweep_gated

CUTS = np.arange(101) / 100
STARTS = (1.0, 0.95, 0.9, 0.8, 0.6)
RISK = 0.05

_PROMISE = re.compile(r"\s*(coverage|accuracy)\s*>=\s*(\d*\.?\d+)\s*(%?)\s*")


@dataclass(frozen=True, slots=True)
class Promise:
    """What must hold: 'coverage' or 'accuracy' of at least `least`, in (0, 1]."""

    what: str
    least: float

    def __str__(self) -> str:
        """As it is written."""
        return f"{self.what}>={self.least:g}"

    def kept_by(self, done: Account) -> bool | None:
        """Whether an account keeps it; None when the number does not exist."""
        reached = done.coverage if self.what == "coverage" else done.committed_accuracy
        return None if reached is None else reached >= self.least


@dataclass(frozen=True, slots=True)
class Pick:
    """The threshold that was picked, and what it did."""

    promise: Promise
    threshold: float | None
    """The cheapest cut on raw confidence (fewest retrievals on calibration; of equals, the lowest); None if none can be
    promised."""
    strictest: float | None
    """The highest cut that can be promised: for coverage, the most careful choice. None as above."""
    calibration: Account | None
    """What `threshold` did on the calibration traces."""
    test: Account | None
    """What it did on the test traces."""
    strictest_test: Account | None
    calibration_n: int
    """Calibration traces."""

    @property
    def kept(self) -> bool | None:
        """Whether the test traces kept the promise; None without a threshold or without commits."""
        return None if self.test is None else self.promise.kept_by(self.test)


def parse_promise(text: str) -> Promise:
    """Read `coverage>=0.8` or `accuracy>=90%`.

    Raises:
        UserError: it is not of this form, or not in (0, 1].
    """
    found = _PROMISE.fullmatch(text)
    if not found:
        raise UserError(f"--pick {text!r}: write coverage>=0.8 or accuracy>=0.9")
    least = float(found[2]) / (100 if found[3] else 1)
    if not 0 < least <= 1:
        raise UserError(f"--pick {text!r}: a promise lies above 0 and up to 1 (or 100%), got {found[2]}{found[3]}")
    return Promise(found[1], least)


def pick_threshold(promise: Promise, calibration: Calibration, test: Grid, gate: Gate) -> Pick:
    """Pick for the raw-gated controller with the budget and the low threshold of `gate`.

    Calibration and test traces should be of one model: the promise is about questions like them.

    Raises:
        TypeError: handed anything but calibration traces to pick on.
    """
    grid = calibration_of(calibration)
    swept = sweep_gated(grid.confidence, grid, CUTS, (gate.budget,), gate.low)
    good = promised(promise, swept)
    if len(good) == 0:
        return Pick(promise, None, None, None, None, None, len(grid))
    cheapest = int(good[np.argmin(swept.retrievals[0, good])])
    strictest = int(good[-1])

    def done(on: Grid, cut: int) -> Account:
        chosen = Gate(float(CUTS[cut]), gate.low, gate.budget)
        return account(on, gated(on.confidence, on, chosen))

    return Pick(
        promise,
        float(CUTS[cheapest]),
        float(CUTS[strictest]),
        done(grid, cheapest),
        done(test, cheapest),
        done(test, strictest),
        len(grid),
    )


def promised(promise: Promise, swept: Sweep) -> IntArray:
    """The positions in `CUTS` of the cuts that can be promised, ascending."""
    if swept.n == 0:
        return np.zeros(0, dtype=np.int64)
    commits, right = swept.commits[0], swept.right[0]
    if promise.what == "coverage":
        bounds = lower_bound(commits, np.full_like(commits, swept.n), RISK)
        passed = np.logical_and.accumulate(bounds >= promise.least)
        return np.flatnonzero(passed)
    bounds = lower_bound(right, commits, RISK / len(STARTS))
    holds = bounds >= promise.least
    passed = np.zeros(len(CUTS), dtype=bool)
    for start in STARTS:
        first = int(np.argmin(np.abs(CUTS - start)))
        down = np.logical_and.accumulate(holds[first::-1])
        passed[first::-1] |= down
    return np.flatnonzero(passed)


def lower_bound(successes: IntArray, trials: IntArray, risk: float) -> FloatArray:
    """The exact lower bound of a binomial share, wrong with a chance of at most `risk` (Clopper and Pearson).

    Args:
        successes: Shape (k,).
        trials: Shape (k,), at least as many.
        risk: In (0, 1), one-sided.

    Returns:
        Shape (k,), in [0, 1]; 0 without successes or trials.
    """
    from scipy.special import betaincinv

    some = successes > 0
    hits, misses = np.where(some, successes, 1), trials - successes
    bound = betaincinv(hits, np.where(some, misses, 0) + 1, risk)
    return np.where(some, bound, 0.0)
