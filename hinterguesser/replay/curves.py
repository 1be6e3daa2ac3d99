"""Curves for figures: every threshold and budget of every controller, and risk against coverage at each depth."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from hinterguesser.replay.calibrators import fit_calibrator
from hinterguesser.replay.columns import FloatArray
from hinterguesser.replay.depths import risk_coverage_at
from hinterguesser.replay.grid import Calibration, Grid, held_out
from hinterguesser.replay.result import ReplaySettings
from hinterguesser.replay.sweep import sweep_controllers
from hinterguesser.replay.traces import Traces
from hinterguesser.replay.value import fit_value

THRESHOLDS = np.arange(101) / 100
MOST_POINTS = 1001
"""Of one risk-coverage curve; of more, that many are kept, evenly spaced, the last among them."""

Row = dict[str, Any]


def sweep_rows(traces: Traces, settings: ReplaySettings) -> Iterator[Row]:
    """What every controller does on the test traces at 101 thresholds and every budget up to that of the settings."""
    calibration, test = Calibration(traces), held_out(traces)
    calibrator = fit_calibrator(settings.calibrator, calibration)
    budgets = tuple(range(settings.gate.budget + 1))
    value = fit_value(calibration, range(len(budgets)), settings.value_price)
    for model, dataset, part in _groups(test):
        calibrated = calibrator.apply(part) if calibrator.covers(model, dataset) else None
        fitted = value if value.covers(model) else None
        swept = sweep_controllers(part, calibrated, fitted, THRESHOLDS, budgets, settings.gate.low)
        who = {"model": traces.models[model], "dataset": traces.datasets[dataset]}
        for controller, sweep in swept.items():
            for row in sweep.rows(settings.retrieval_price):
                yield {**who, "controller": controller, **row}


def risk_coverage_rows(traces: Traces, settings: ReplaySettings) -> Iterator[Row]:
    """Risk against coverage of the test states of each model and dataset, by depth, raw and calibrated."""
    test = held_out(traces)
    calibrator = fit_calibrator(settings.calibrator, Calibration(traces))
    for model, dataset, part in _groups(test):
        who = {"model": traces.models[model], "dataset": traces.datasets[dataset]}
        kinds = {"raw": part.confidence}
        if calibrator.covers(model, dataset):
            kinds["calibrated"] = calibrator.apply(part)
        for kind, confidence in kinds.items():
            for depth in range(part.depths):
                yield from ({**who, "confidence": kind, "depth": depth, **at} for at in _curve(part, confidence, depth))


def _curve(grid: Grid, confidence: FloatArray, depth: int) -> Iterator[Row]:
    curve = risk_coverage_at(grid, confidence, depth)
    if curve is None:
        return
    points = len(curve.threshold)
    kept = np.unique(np.linspace(0, points - 1, min(points, MOST_POINTS)).round().astype(np.int64))
    for at in kept.tolist():
        yield {
            "threshold": float(curve.threshold[at]),
            "coverage": float(curve.coverage[at]),
            "risk": float(curve.risk[at]),
        }


def _groups(grid: Grid) -> Iterator[tuple[int, int, Grid]]:
    for model in np.unique(grid.model).tolist():
        of_model = grid.select(grid.model == model)
        for dataset in np.unique(of_model.dataset).tolist():
            yield model, dataset, of_model.select(of_model.dataset == dataset)
