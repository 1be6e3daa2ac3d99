"""compare: two evaluations of the same dialogues, turn by turn. No model is asked for anything."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from hinterguesser.domain.predictions import REFERENCES, FloatArray, IntArray, Predictions
from hinterguesser.flow.pairing import Pairing, Side, paired
from hinterguesser.stats.comparisons import LEAST_PERMUTATIONS, PERMUTATIONS_PER_TEST, matched
from hinterguesser.stats.contrasts import Contrast, contrast_confidence, contrast_mean, tested_changes
from hinterguesser.stats.grouping import Group, groups_of, rows_of, turn_keys
from hinterguesser.stats.intervals import Interval
from hinterguesser.stats.paired import entity_means
from hinterguesser.stats.resamples import Draws
from hinterguesser.stats.significance import holm, sign_flip_tests


@dataclass(frozen=True, slots=True)
class CompareSettings:
    """How to compare."""

    first_model: str | None = None
    """Whose rows of the first evaluation are meant; None: it has one model."""
    second_model: str | None = None
    resamples: int = 1000
    """Of the bootstrap over entities; 0 leaves the intervals out."""
    seed: int = 0
    """Of the resamples and sign patterns."""
    bins: int = 10
    """Information levels."""
    percent: bool = False
    """Whether confidences are written in percent."""


@dataclass(frozen=True, slots=True)
class Compared:
    """All differences, second less first, as plain data: fractions, None for what does not exist."""

    first: Side
    second: Side
    rows: tuple[dict[str, Any], ...]
    """One a measure of a group: `by`, `measure`, `n` (turns that both sides have, scored and judged), `dialogues`,
    `entities`, `first`, `second`, `difference`, `intervals`, `p_sign_flip` and `p_holm` (None where not tested), and
    the share of common turns that each side left unscored (for accuracy: unanswered)."""
    coverage: tuple[dict[str, Any], ...]
    """One a group: what both sides have and what only one has or scored."""
    settings: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """As `compare --json` prints it."""
        sides = {
            name: {"path": str(side.path), "model": side.model}
            for name, side in (("first", self.first), ("second", self.second))
        }
        return {**sides, "rows": list(self.rows), "coverage": list(self.coverage), "settings": self.settings}


def compare(first: Path, second: Path, settings: CompareSettings = CompareSettings()) -> Compared:
    """Compare two evaluations (folders that `evaluate` filled, or predictions files) on the turns that both have.

    Turns are the same if dataset, dialogue, turn, condition, method and target are. The exact references are left
    out: no model makes them.

    Raises:
        UserError: a file is at fault, a side has several models and none was chosen, both sides are one and the same,
            they have no turn in common, or a dialogue is not the same on both.
    """
    pairing = paired(Side(first, settings.first_model), Side(second, settings.second_model), percent=settings.percent)
    rng = np.random.default_rng(settings.seed)
    work = _Work(pairing, Draws(rng, settings.resamples), settings.bins)
    # Products of small matrices: one thread a group is far faster than several threads a product.
    with threadpool_limits(1, "blas"), ThreadPoolExecutor(os.cpu_count()) as pool:
        done = list(pool.map(lambda task: task(), work.tasks()))
    tests = [(row, each.means[row["measure"]]) for each in done for row in each.rows if row["measure"] in each.means]
    permutations = max(LEAST_PERMUTATIONS, PERMUTATIONS_PER_TEST * len(tests))
    raw = sign_flip_tests([means for _, means in tests], rng, permutations=permutations)
    for (row, _), p, adjusted in zip(tests, raw, holm(raw), strict=True):
        row |= {"p_sign_flip": p, "p_holm": adjusted}
    return Compared(
        pairing.first,
        pairing.second,
        rows=tuple(row for each in done for row in each.rows),
        coverage=tuple(each.coverage for each in done),
        settings=asdict(settings) | {"tests": len(tests), "permutations": permutations if tests else 0},
    )


@dataclass(frozen=True, slots=True)
class _Done:
    """One group."""

    rows: list[dict[str, Any]]
    means: dict[str, FloatArray]
    """By measure that is tested: the mean change of each entity."""
    coverage: dict[str, Any]


class _Work:
    """What is compared, group by group."""

    def __init__(self, pairing: Pairing, draws: Draws, bins: int) -> None:
        self.pairing, self.draws, self.bins = pairing, draws, bins
        self.predictions: Predictions = pairing.predictions
        self.keys = turn_keys(self.predictions.dialogue, self.predictions.turn)

    def tasks(self) -> list[Callable[[], _Done]]:
        """Accuracy of each dataset and condition, then the confidences of each group."""
        predictions, by, own = self.predictions, self.pairing.by, self.pairing.rows
        whole = tuple(name for name in ("dataset", "condition") if name in by)
        known = own[~np.isnan(predictions.correct[own])]
        accuracy = groups_of(predictions, whole, own)
        confidence = [g for g in groups_of(predictions, by, own) if g.by.get("method") not in REFERENCES]
        return [
            *(partial(self.accuracy, group, known) for group in accuracy),
            *(partial(self.confidence, group) for group in confidence),
        ]

    def accuracy(self, group: Group, known: IntArray) -> _Done:
        """The models' own answers; a turn counts once, whatever methods judged its answer."""
        answered = np.intersect1d(group.rows, known, assume_unique=True)
        one, other = self._common(answered)
        coverage = self._coverage(group, answered, one, "accuracy")
        if len(one) == 0:
            return _Done([], {}, coverage)
        first, second = self.predictions.correct[one], self.predictions.correct[other]
        dialogue, entity = self.predictions.dialogue[one], self.predictions.entity[one]
        row = _row(contrast_mean("accuracy", first, second, entity, self.draws), coverage)
        return _Done([row], {"accuracy": entity_means(second - first, dialogue, entity)}, coverage)

    def confidence(self, group: Group) -> _Done:
        """Everything about the confidences of one dataset, condition, method and target."""
        predictions = self.predictions
        scored = group.rows[predictions.scored[group.rows]]
        one, other = self._common(scored[~np.isnan(predictions.correct[scored])])
        coverage = self._coverage(group, scored, one, "confidence")
        if len(one) == 0:
            return _Done([], {}, coverage)
        first, second = rows_of(predictions, one), rows_of(predictions, other)
        rows = contrast_confidence(first, second, self.draws, bins=self.bins)
        return _Done([_row(each, coverage) for each in rows], tested_changes(first, second), coverage)

    def _common(self, rows: IntArray) -> list[IntArray]:
        return matched([(side, self.keys[side]) for side in self.pairing.split(rows)])

    def _coverage(self, group: Group, usable: IntArray, used: IntArray, quantity: str) -> dict[str, Any]:
        """What both sides have of a group, what is `usable` (scored, or answered) on which side, and what is used."""
        has = [np.unique(self.keys[side]) for side in self.pairing.split(group.rows)]
        can = [np.unique(self.keys[side]) for side in self.pairing.split(usable)]
        common = np.intersect1d(has[0], has[1], assume_unique=True)
        first, second = (np.isin(common, each, assume_unique=True) for each in can)
        return {
            "by": group.by,
            "quantity": quantity,
            "n": len(used),
            "dialogues": len(np.unique(self.predictions.dialogue[used])),
            "entities": len(np.unique(self.predictions.entity[used])),
            "common": len(common),
            "only_first_has": len(has[0]) - len(common),
            "only_second_has": len(has[1]) - len(common),
            "only_first_scored": int(np.count_nonzero(first & ~second)),
            "only_second_scored": int(np.count_nonzero(second & ~first)),
            "neither_scored": int(np.count_nonzero(~first & ~second)),
            "first_unscored_share": float(1 - first.mean()) if len(common) else None,
            "second_unscored_share": float(1 - second.mean()) if len(common) else None,
        }


def _row(contrast: Contrast, coverage: dict[str, Any]) -> dict[str, Any]:
    return {
        "by": coverage["by"],
        "measure": contrast.measure,
        **{name: coverage[name] for name in ("n", "dialogues", "entities")},
        "first": contrast.first,
        "second": contrast.second,
        "difference": contrast.difference,
        "intervals": {
            "first": _ends(contrast.first_interval),
            "second": _ends(contrast.second_interval),
            "difference": _ends(contrast.interval),
        },
        "p_sign_flip": None,
        "p_holm": None,
        "first_unscored_share": coverage["first_unscored_share"],
        "second_unscored_share": coverage["second_unscored_share"],
    }


def _ends(interval: Interval | None) -> list[float] | None:
    return None if interval is None else [interval.lo, interval.hi]
