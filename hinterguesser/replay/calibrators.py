"""Maps from stated confidence to the chance of being right, fitted on calibration traces and then frozen.

A calibrator's name is a kind, and what it is fitted for:

* kinds: `isotonic` (pool adjacent violators, linear between knots, clipped at the ends), `platt`
  (1 / (1 + exp(-(a c + b))), on the confidence itself), `temperature` (logit(c) / T), `identity`;
* fitted for: each model, on depth 0, all datasets together (no suffix; arXiv 2608.26846, section 4), each depth
  (`_per_depth`) or each dataset (`_per_dataset`, depth 0).

A single map that never decreases moves thresholds and leaves the ranking alone; only maps per depth or per dataset can
change which of two states is the more confident.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from hinterguesser.errors import UserError
from hinterguesser.replay.columns import BoolArray, FloatArray
from hinterguesser.replay.grid import Calibration, Grid, calibration_of

KINDS = ("isotonic", "platt", "temperature", "identity")
SCOPES = ("", "_per_depth", "_per_dataset")
EDGE = 0.005
"""For temperature, confidence is kept this far from 0 and 1: half of what whole percentages can tell apart."""


class ConfidenceMap(Protocol):
    """One fitted map. Never decreases, except a `platt` fitted to confidence that points the wrong way."""

    def __call__(self, confidence: FloatArray) -> FloatArray:
        """Map confidences in [0, 1] to [0, 1]; nan stays nan."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Isotonic:
    """Linear between knots, constant beyond them."""

    x: FloatArray
    """Shape (knots,), ascending."""
    y: FloatArray
    """Shape (knots,), in [0, 1], never decreasing."""

    def __call__(self, confidence: FloatArray) -> FloatArray:
        """Interpolate."""
        mapped: FloatArray = np.interp(confidence, self.x, self.y)
        return mapped


@dataclass(frozen=True, slots=True)
class Platt:
    """A logistic curve over the confidence."""

    slope: float
    offset: float

    def __call__(self, confidence: FloatArray) -> FloatArray:
        """Evaluate the curve."""
        return sigmoid(self.slope * confidence + self.offset)


@dataclass(frozen=True, slots=True)
class Temperature:
    """Log-odds divided by one number."""

    temperature: float
    """Above 1, confidence moves towards one half; below, away from it."""

    def __call__(self, confidence: FloatArray) -> FloatArray:
        """Divide the log-odds."""
        return sigmoid(log_odds(confidence) / self.temperature)


@dataclass(frozen=True, slots=True)
class Identity:
    """Leaves confidence as it is."""

    def __call__(self, confidence: FloatArray) -> FloatArray:
        """Return a copy."""
        return confidence.copy()


@dataclass(frozen=True, slots=True, eq=False)
class Calibrator:
    """Fitted and frozen maps, by model and, as the name says, by depth or dataset."""

    name: str
    maps: Mapping[tuple[int, int], ConfidenceMap]
    """By (model code, depth or dataset code); the second is 0 when there is one map a model."""

    def covers(self, model: int, dataset: int) -> bool:
        """Whether there is a map for traces of this model on this dataset."""
        if self.name.endswith("_per_dataset"):
            return (model, dataset) in self.maps
        return any(of == model for of, _ in self.maps)

    def apply(self, grid: Grid) -> FloatArray:
        """The calibrated confidence of every state of `grid`, shape (n, d); nan where unscored.

        A depth without a map of its own uses that of the nearest shallower depth that has one, else the shallowest.

        Raises:
            KeyError: a model or (per dataset) a dataset without a map; ask `covers` first.
        """
        result = np.full(grid.confidence.shape, np.nan)
        for model in np.unique(grid.model).tolist():
            rows = grid.model == model
            if self.name.endswith("_per_depth"):
                for depth in range(grid.depths):
                    result[rows, depth] = self._at_depth(model, depth)(grid.confidence[rows, depth])
            elif self.name.endswith("_per_dataset"):
                for dataset in np.unique(grid.dataset[rows]).tolist():
                    some = rows & (grid.dataset == dataset)
                    result[some] = self.maps[model, dataset](grid.confidence[some])
            else:
                result[rows] = self.maps[model, 0](grid.confidence[rows])
        return result

    def _at_depth(self, model: int, depth: int) -> ConfidenceMap:
        fitted = sorted(key for of, key in self.maps if of == model)
        if not fitted:
            raise KeyError(model)
        return self.maps[model, max((key for key in fitted if key <= depth), default=fitted[0])]

    def raw_threshold(self, model: int, commit: float) -> float | None:
        """The cut on raw confidence that equals `commit` on the calibrated one: the least c that maps to it or above.

        To within 1e-9. None when nothing reaches `commit`, when there is no single map for the model, or when the map
        falls.
        """
        if self.name.endswith(SCOPES[1:]) or (model, 0) not in self.maps:
            return None
        mapped = self.maps[model, 0]

        def reaches(value: float) -> bool:
            return bool(mapped(np.array([value]))[0] >= commit)

        if not reaches(1.0) or mapped(np.array([1.0]))[0] < mapped(np.array([0.0]))[0]:
            return None
        if reaches(0.0):
            return 0.0
        low, high = 0.0, 1.0
        while high - low > 1e-9:
            middle = (low + high) / 2
            low, high = (low, middle) if reaches(middle) else (middle, high)
        return high


def fit_calibrator(name: str, calibration: Calibration) -> Calibrator:
    """Fit the calibrator `name` (see above) on the scored calibration states.

    A model, depth or dataset without one scored calibration state gets no map.

    Raises:
        UserError: there is no calibrator of this name.
        TypeError: handed anything but calibration traces.
    """
    kind, scope = _parse(name)
    grid = calibration_of(calibration)
    maps: dict[tuple[int, int], ConfidenceMap] = {}
    for model in np.unique(grid.model).tolist():
        rows = grid.model == model
        for key, states in _parts(grid, rows, scope):
            use = states & grid.scored
            if use.any():
                maps[model, key] = fit_map(kind, grid.confidence[use], grid.correct[use])
    return Calibrator(name, maps)


def _parse(name: str) -> tuple[str, str]:
    for scope in SCOPES:
        kind = name.removesuffix(scope)
        if kind in KINDS and name == kind + scope:
            return kind, scope
    known = ", ".join(kind + scope for kind in KINDS[:-1] for scope in SCOPES)
    raise UserError(f"there is no calibrator '{name}'; known: {known}, identity")


def _parts(grid: Grid, rows: BoolArray, scope: str) -> list[tuple[int, BoolArray]]:
    """The states, shape (n, d), that each map of a model is fitted on."""
    at_depth = np.arange(grid.depths)
    if scope == "_per_depth":
        return [(depth, rows[:, None] & (at_depth == depth)) for depth in range(grid.depths)]
    if scope == "_per_dataset":
        datasets = np.unique(grid.dataset[rows]).tolist()
        return [(code, (rows & (grid.dataset == code))[:, None] & (at_depth == 0)) for code in datasets]
    return [(0, rows[:, None] & (at_depth == 0))]


def fit_map(kind: str, confidence: FloatArray, correct: BoolArray) -> ConfidenceMap:
    """Fit one map of `kind` on n >= 1 scored states, shape (n,) each."""
    if kind == "isotonic":
        return _fit_isotonic(confidence, correct)
    if kind == "platt":
        return _fit_platt(confidence, correct)
    if kind == "temperature":
        return _fit_temperature(confidence, correct)
    return Identity()


def _fit_isotonic(confidence: FloatArray, correct: BoolArray) -> Isotonic:
    from sklearn.isotonic import IsotonicRegression

    fitted = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip").fit(confidence, correct.astype(np.float64))
    return Isotonic(np.array(fitted.X_thresholds_), np.array(fitted.y_thresholds_))


def _fit_platt(confidence: FloatArray, correct: BoolArray) -> Platt:
    """Newton's method on the likelihood of Platt's smoothed targets, (N+ + 1) / (N+ + 2) and 1 / (N- + 2).

    The smoothing keeps the curve finite where right and wrong are perfectly separated (Platt, 1999; Lin, Lin and Weng,
    2007). A tiny ridge settles the slope when all confidences are equal.
    """
    right = int(correct.sum())
    target = np.where(correct, (right + 1) / (right + 2), 1 / (len(correct) - right + 2))
    values, index = np.unique(confidence, return_inverse=True)
    weight, wanted = np.bincount(index).astype(np.float64), np.bincount(index, weights=target)
    design = np.stack([values, np.ones(len(values))], axis=1)
    ridge = 1e-9 * np.eye(2)
    start = wanted.sum() / weight.sum()
    beta = np.array([0.0, math.log(start / (1 - start))])

    def loss(at: FloatArray) -> float:
        z = design @ at
        return float((weight * np.logaddexp(0, z) - wanted * z).sum() + at @ ridge @ at / 2)

    for _ in range(100):
        chance = sigmoid(design @ beta)
        gradient = design.T @ (wanted - weight * chance) - ridge @ beta
        curvature = (design * (weight * chance * (1 - chance))[:, None]).T @ design + ridge
        step = np.linalg.solve(curvature, gradient)
        scale = 1.0
        while loss(beta + scale * step) > loss(beta) and scale > 1e-10:
            scale /= 2
        beta = beta + scale * step
        if float(np.abs(scale * step).max()) < 1e-10:
            break
    return Platt(float(beta[0]), float(beta[1]))


def _fit_temperature(confidence: FloatArray, correct: BoolArray) -> Temperature:
    """Least log loss over log T in [-5, 5]."""
    from scipy.optimize import minimize_scalar

    z = np.where(correct, 1.0, -1.0) * log_odds(confidence)
    best = minimize_scalar(lambda log_t: float(np.logaddexp(0, -z / math.exp(log_t)).mean()), bounds=(-5.0, 5.0))
    return Temperature(math.exp(float(best.x)))


def log_odds(confidence: FloatArray) -> FloatArray:
    """log(c / (1 - c)), with c kept in [EDGE, 1 - EDGE]; nan stays nan."""
    inside = np.clip(confidence, EDGE, 1 - EDGE)
    return np.asarray(np.log(inside / (1 - inside)), dtype=np.float64)


def sigmoid(z: FloatArray) -> FloatArray:
    """1 / (1 + exp(-z)), without overflow; nan stays nan."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.exp(-np.logaddexp(0, -z)), dtype=np.float64)
