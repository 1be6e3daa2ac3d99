"""Every headline number of one group of predictions, with intervals: what `metrics` prints."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
from hinterguesser.stats.information import InfoECE, impossible_info_ece, info_ece, within_level
from hinterguesser.stats.intervals import EntityStatistic
from hinterguesser.stats.monotonicity import Tau, kendall_tau
from hinterguesser.stats.resamples import Draws, bootstrap_intervals
from hinterguesser.stats.selective import aurc, auroc

HEADLINES = ("accuracy", "info_ece", "tau", "ece", "brier", "auroc", "aurc")
"""The numbers that come with an interval."""

FIRST = (
    *("n", "dialogues", "unscored_share", "accuracy", "info_ece", "info_ece_over_all_bins", "empty_bins"),
    *("tau", "tau_dialogues", "tie_share", "ece", "brier", "auroc", "aurc", "intervals"),
)
"""What every reader of `metrics --json` may rely on, in its order; other numbers follow."""


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
    """0 or 1; nan where the row has no answer that could be right: such a row enters tau only."""
    unscored: int
    """Rows of the group without a confidence."""

    def where(self, chosen: NDArray[np.bool_]) -> "Rows":
        """Return the chosen rows."""
        return Rows(
            dialogue=self.dialogue[chosen],
            entity=self.entity[chosen],
            turn=self.turn[chosen],
            length=self.length[chosen],
            confidence=self.confidence[chosen],
            correct=self.correct[chosen],
            unscored=self.unscored,
        )


def measure(
    rows: Rows,
    rng: np.random.Generator | Draws,
    *,
    bins: int = 10,
    binning: Binning = "width",
    resamples: int = 1000,
) -> dict[str, Any]:
    """The numbers of one group, by the names that `metrics --json` uses; None where one does not exist.

    All are over scored rows only, so an unscored row changes nothing but `unscored_share`. Tau is over all scored
    rows; the others are over those that also have a correct or wrong answer (`n` counts these).

    Args:
        rows: The group's predictions.
        rng: For the bootstrap over entities; or resamples to share with other groups.
        bins: Information levels.
        binning: How levels are cut.
        resamples: Of the bootstrap; 0 leaves the intervals out. Of no effect with shared resamples.
    """
    draws = rng if isinstance(rng, Draws) else Draws(rng, resamples)
    known = ~np.isnan(rows.correct)
    judged = rows if known.all() else rows.where(known)
    tau = kendall_tau(rows.dialogue, rows.turn, rows.confidence)
    scored = len(rows.confidence)
    levels = info_ece(judged.confidence, judged.correct, judged.turn, judged.length, bins=bins, binning=binning)
    numbers: dict[str, Any] = {
        "n": len(judged.confidence),
        "dialogues": count_distinct(rows.dialogue),
        "entities": count_distinct(rows.entity),
        "unscored_share": rows.unscored / (scored + rows.unscored) if scored + rows.unscored else None,
        "correct_unknown": scored - len(judged.confidence),
        **_levelled(judged, levels, bins, binning),
        **_ranked(tau),
        **scored_against(judged, draws, bins=bins, binning=binning),
    }
    intervals = numbers.pop("intervals")
    if tau.mean is not None and draws.resamples:
        statistic = mean_by_entity(tau.tau, entity_of(tau.dialogues, rows))
        intervals["tau"] = _ends(bootstrap_intervals({"tau": statistic}, draws)["tau"])
    numbers["intervals"] = {name: intervals[name] for name in HEADLINES if name in intervals}
    return {name: numbers.pop(name) for name in FIRST} | numbers


def scored_against(
    rows: Rows,
    draws: Draws,
    *,
    bins: int = 10,
    binning: Binning = "width",
    names: Sequence[str] = ("accuracy", "info_ece", "ece", "brier", "auroc", "aurc"),
) -> dict[str, Any]:
    """How confidence agrees with the truth in `rows.correct`, whatever that is: the named numbers and their intervals.

    Args:
        rows: Rows whose truth is known.
        draws: Resamples of entities; 0 of them leaves the intervals out.
        bins: Information levels.
        binning: How levels are cut.
        names: Which numbers, of `HEADLINES` without tau.
    """
    confidence, correct, entity = rows.confidence, rows.correct, rows.entity
    at = (rows.turn, rows.length)
    known: dict[str, tuple[Callable[[], float | None], Callable[[], EntityStatistic]]] = {
        "accuracy": (
            lambda: float(correct.mean()) if len(correct) else None,
            lambda: mean_by_entity(correct, entity),
        ),
        "info_ece": (
            lambda: info_ece(confidence, correct, *at, bins=bins, binning=binning).value,
            lambda: info_ece_by_entity(confidence, correct, *at, entity, bins=bins, binning=binning),
        ),
        "ece": (lambda: ece(confidence, correct), lambda: ece_by_entity(confidence, correct, entity)),
        "brier": (
            lambda: brier(confidence, correct),
            lambda: mean_by_entity((confidence - correct) ** 2, entity),
        ),
        "auroc": (lambda: auroc(confidence, correct), lambda: auroc_by_entity(confidence, correct, entity)),
        "aurc": (lambda: aurc(confidence, correct), lambda: aurc_by_entity(confidence, correct, entity)),
    }
    numbers: dict[str, Any] = {name: known[name][0]() for name in names}
    there = [name for name in names if numbers[name] is not None] if draws.resamples else []
    intervals = bootstrap_intervals({name: known[name][1]() for name in there}, draws)
    return numbers | {"intervals": {name: _ends(interval) for name, interval in intervals.items()}}


def _levelled(rows: Rows, levels: InfoECE, bins: int, binning: Binning) -> dict[str, Any]:
    """What is known by information level."""
    inside = within_level(rows.confidence, rows.correct, rows.turn, rows.length, bins=bins, binning=binning)
    impossible = None
    if levels.value is not None:
        impossible = impossible_info_ece(levels.value, levels.accuracy, confidence=levels.confidence)
    columns = (levels.level, levels.upper, levels.n, levels.accuracy, levels.confidence)
    keys = ("level", "upper", "n", "accuracy", "confidence")
    lines = zip(*(column.tolist() for column in columns), strict=True)
    return {
        "info_ece_over_all_bins": levels.over_all_bins,
        "empty_bins": levels.empty_bins,
        "within_level_ece": inside.ece,
        "within_level_brier": inside.brier,
        "within_level_auroc": inside.auroc,
        "accuracy_by_level": [dict(zip(keys, line, strict=True)) for line in lines],
        "warning": impossible,
    }


def _ranked(tau: Tau) -> dict[str, Any]:
    return {
        "tau": tau.mean,
        "tau_dialogues": tau.entered,
        "tau_left_out": tau.left_out,
        "tau_attainable": tau.attainable,
        "tie_share": tau.tie_share,
    }


def entity_of(dialogues: IntArray, rows: Rows) -> IntArray:
    """Return the entity of each of these dialogues."""
    codes, first = np.unique(rows.dialogue, return_index=True)
    return np.asarray(rows.entity[first[np.searchsorted(codes, dialogues)]])


def count_distinct(codes: IntArray) -> int:
    """Return how many distinct codes there are; sorted ones are not sorted again."""
    if len(codes) == 0:
        return 0
    steps = np.diff(codes)
    in_order = codes if (steps >= 0).all() else np.sort(codes)
    return int(np.count_nonzero(np.diff(in_order))) + 1


def _ends(interval: Any) -> list[float] | None:
    return None if interval is None else [interval.lo, interval.hi]
