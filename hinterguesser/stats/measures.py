"""Every headline number of one group of predictions, with intervals: what `metrics` prints."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hinterguesser.stats.arrays import FloatArray, IntArray
from hinterguesser.stats.binning import Binning
from hinterguesser.stats.by_entity import (
    aurc_by_entity,
    auroc_by_entity,
    ece_by_entity,
    info_ece_by_entity,
    mean_by_entity,
)
from hinterguesser.stats.calibration import brier, ece
from hinterguesser.stats.information import info_ece
from hinterguesser.stats.intervals import EntityStatistic, bootstrap_interval
from hinterguesser.stats.monotonicity import Tau, kendall_tau
from hinterguesser.stats.selective import aurc, auroc


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Scored predictions of one group as columns, each of shape (n,)."""

    dialogue: IntArray
    """Any integer codes."""
    entity: IntArray
    """Any integer codes; the dialogue's own code where entities are not known."""
    turn: IntArray
    length: IntArray
    confidence: FloatArray
    """In [0, 1], none missing: unscored rows are counted in `unscored`, not held."""
    correct: FloatArray
    """0 or 1."""
    unscored: int
    """Rows of the group without a confidence."""


def measure(
    rows: Rows,
    rng: np.random.Generator,
    *,
    bins: int = 10,
    binning: Binning = "width",
    resamples: int = 1000,
) -> dict[str, Any]:
    """The numbers of one group, by the names that `metrics --json` uses; None where one does not exist.

    All are over scored rows only, so an unscored row changes nothing but `unscored_share`.

    Args:
        rows: The group's predictions.
        rng: For the bootstrap over entities.
        bins: Information levels.
        binning: How levels are cut.
        resamples: Of the bootstrap; 0 leaves the intervals out.
    """
    levels = info_ece(rows.confidence, rows.correct, rows.turn, rows.length, bins=bins, binning=binning)
    tau = kendall_tau(rows.dialogue, rows.turn, rows.confidence)
    count = len(rows.confidence)
    numbers: dict[str, Any] = {
        "n": count,
        "dialogues": len(np.unique(rows.dialogue)),
        "unscored_share": rows.unscored / (count + rows.unscored) if count + rows.unscored else None,
        "accuracy": float(rows.correct.mean()) if count else None,
        "info_ece": levels.value,
        "info_ece_over_all_bins": levels.over_all_bins,
        "empty_bins": levels.empty_bins,
        "tau": tau.mean,
        "tau_dialogues": tau.entered,
        "tie_share": tau.tie_share,
        "ece": ece(rows.confidence, rows.correct),
        "brier": brier(rows.confidence, rows.correct),
        "auroc": auroc(rows.confidence, rows.correct),
        "aurc": aurc(rows.confidence, rows.correct),
    }
    statistics = _statistics(rows, tau, bins, binning) if resamples and count else {}
    numbers["intervals"] = {
        name: _ends(make(), rng, resamples) for name, make in statistics.items() if numbers[name] is not None
    }
    return numbers


def _statistics(rows: Rows, tau: Tau, bins: int, binning: Binning) -> dict[str, Callable[[], EntityStatistic]]:
    confidence, correct, entity = rows.confidence, rows.correct, rows.entity
    return {
        "accuracy": lambda: mean_by_entity(correct, entity),
        "info_ece": lambda: info_ece_by_entity(
            confidence, correct, rows.turn, rows.length, entity, bins=bins, binning=binning
        ),
        "tau": lambda: mean_by_entity(tau.tau, _entity_of(tau.dialogues, rows)),
        "ece": lambda: ece_by_entity(confidence, correct, entity),
        "brier": lambda: mean_by_entity((confidence - correct) ** 2, entity),
        "auroc": lambda: auroc_by_entity(confidence, correct, entity),
        "aurc": lambda: aurc_by_entity(confidence, correct, entity),
    }


def _entity_of(dialogues: IntArray, rows: Rows) -> IntArray:
    codes, first = np.unique(rows.dialogue, return_index=True)
    return np.asarray(rows.entity[first[np.searchsorted(codes, dialogues)]])


def _ends(statistic: EntityStatistic, rng: np.random.Generator, resamples: int) -> list[float] | None:
    interval = bootstrap_interval(statistic, rng, resamples=resamples)
    return None if interval is None else [interval.lo, interval.hi]


def codes(values: Sequence[str]) -> IntArray:
    """Integer codes of labels, in order of first appearance."""
    known: dict[str, int] = {}
    return np.fromiter((known.setdefault(value, len(known)) for value in values), dtype=np.int64, count=len(values))
