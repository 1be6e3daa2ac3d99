"""metrics: every number of a set of predictions, put together. No model is asked for anything."""

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from hinterguesser.domain.predictions import Predictions
from hinterguesser.stats.binning import Binning
from hinterguesser.stats.by_entity import mean_by_entity
from hinterguesser.stats.comparisons import Comparisons, compare_conditions
from hinterguesser.stats.grouping import Group, columns_of, groups_of, rows_of, turn_keys, unscored_reasons
from hinterguesser.stats.intervals import Interval
from hinterguesser.stats.measures import measure
from hinterguesser.stats.paired import MeanChange
from hinterguesser.stats.references import against_references, gold_monotonicity
from hinterguesser.stats.resamples import Draws, bootstrap_intervals
from hinterguesser.store.prediction_columns import Reading
from hinterguesser.store.prediction_files import read_predictions


@dataclass(frozen=True, slots=True)
class MetricsSettings:
    """How to measure."""

    by: tuple[str, ...] | None = None
    """Columns that tell groups apart; None: dataset, model, condition, method and target, where they are there. With
    columns of one's own, only the groups are measured: conditions, targets and references are not compared."""
    bins: int = 10
    """Information levels."""
    binning: Binning = "width"
    """How levels are cut."""
    resamples: int = 1000
    """Of the bootstrap over entities; 0 leaves the intervals out."""
    seed: int = 0
    """Of the resamples and sign patterns."""


@dataclass(frozen=True, slots=True)
class Summary:
    """All numbers of an evaluation, as plain data: fractions, None for what does not exist."""

    groups: tuple[dict[str, Any], ...]
    """One a group, as `stats.measures.measure` gives them, with `by` and `unscored_reasons`."""
    accuracy: tuple[dict[str, Any], ...]
    """Of the model's own answers, by dataset, model and condition; a turn counts once, whatever methods judged it."""
    placebo_tests: tuple[dict[str, Any], ...]
    """By dataset, model, method and target: confidence at turn i - 1, after the placebo, and at turn i."""
    multi_single: tuple[dict[str, Any], ...]
    """The dialogue less its summary on the same turns: accuracy, and each method's confidence."""
    references: tuple[dict[str, Any], ...]
    """Calibration against correctness and against true uniqueness, and the regret to exact references."""
    gold_tau: tuple[dict[str, Any], ...]
    """Tau of the confidence in the gold answer beside that in the model's own."""
    settings: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """As `metrics --json` prints it."""
        return {name: list(v) if isinstance(v := getattr(self, name), tuple) else v for name in self.__slots__}


def metrics(path: Path, settings: MetricsSettings = MetricsSettings(), *, percent: bool = False) -> Summary:
    """Measure the predictions in a file (JSONL, CSV, Parquet) or in a folder that `evaluate` filled.

    Raises:
        UserError: the file or rows of it are at fault.
    """
    return summarise(read_predictions(path, Reading(settings.by, percent)), settings)


def summarise(predictions: Predictions, settings: MetricsSettings = MetricsSettings()) -> Summary:
    """Measure `predictions`; at most one row for a turn of a dialogue in a group.

    Intervals of a group depend on that group and the seed only.
    """
    by = columns_of(predictions) if settings.by is None else settings.by
    rng = np.random.default_rng(settings.seed)
    draws = Draws(rng, settings.resamples)
    # Products of small matrices: one thread a group is far faster than several threads a product.
    with threadpool_limits(1, "blas"):
        groups = _groups(predictions, by, draws, settings)
        compared = Comparisons((), (), 0, 0)
        others: dict[str, tuple[dict[str, Any], ...]] = dict.fromkeys(("accuracy", "references", "gold_tau"), ())
        if settings.by is None:
            compared = compare_conditions(predictions, rng, draws)
            others["accuracy"] = tuple(_accuracy(predictions, draws))
            others["gold_tau"] = tuple(gold_monotonicity(predictions, draws))
            others["references"] = tuple(
                against_references(predictions, draws, bins=settings.bins, binning=settings.binning)
            )
    asked = asdict(settings) | {"by": list(by), "tests": compared.tests, "permutations": compared.permutations}
    return Summary(
        groups=groups,
        placebo_tests=_placebo(compared),
        multi_single=_formats(compared),
        settings=asked,
        **others,
    )


def _groups(
    predictions: Predictions, by: tuple[str, ...], draws: Draws, settings: MetricsSettings
) -> tuple[dict[str, Any], ...]:
    def measured(group: Group) -> dict[str, Any]:
        rows = rows_of(predictions, group.rows)
        numbers = measure(rows, draws, bins=settings.bins, binning=settings.binning)
        return {"by": group.by, **numbers, "unscored_reasons": unscored_reasons(predictions, group.rows)}

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return tuple(pool.map(measured, groups_of(predictions, by)))


def _accuracy(predictions: Predictions, draws: Draws) -> list[dict[str, Any]]:
    by = tuple(name for name in ("dataset", "model", "condition") if name in predictions.labels)
    dialogue, entity = predictions.dialogue, predictions.entity
    keys = turn_keys(dialogue, predictions.turn)
    found = []
    for group in groups_of(predictions, by):
        rows = group.rows[np.unique(keys[group.rows], return_index=True)[1]]
        known = group.rows[~np.isnan(predictions.correct[group.rows])]
        judged = known[np.unique(keys[known], return_index=True)[1]]
        right = predictions.correct[judged]
        interval = bootstrap_intervals({"accuracy": mean_by_entity(right, entity[judged])}, draws)["accuracy"]
        found.append(
            {
                "by": group.by,
                "n": len(judged),
                "dialogues": len(np.unique(dialogue[judged])),
                "no_answer_share": 1 - len(judged) / len(rows),
                "accuracy": float(right.mean()) if len(judged) else None,
                "interval": _ends(interval),
            }
        )
    return found


def _placebo(compared: Comparisons) -> tuple[dict[str, Any], ...]:
    return tuple(
        {
            "by": row.by,
            "n": row.test.rows,
            "dialogues": row.test.informative.dialogues,
            "entities": row.test.informative.entities,
            "previous": row.test.previous_mean,
            "placebo": row.test.placebo_mean,
            "informative": row.test.informative_mean,
            "placebo_change": _change(row.test.placebo, row.adjusted[1]),
            "informative_change": _change(row.test.informative, row.adjusted[0]),
            "difference": _change(row.test.difference, row.adjusted[2]),
        }
        for row in compared.placebo
    )


def _formats(compared: Comparisons) -> tuple[dict[str, Any], ...]:
    return tuple(
        {
            "by": row.by,
            "quantity": row.quantity,
            "n": row.difference.rows,
            "dialogues": row.difference.change.dialogues,
            "entities": row.difference.change.entities,
            "multi": row.difference.first_mean,
            "single": row.difference.second_mean,
            "difference": _change(row.difference.change, row.adjusted),
        }
        for row in compared.formats
    )


def _change(change: MeanChange, adjusted: float | None) -> dict[str, Any]:
    return {
        "mean": change.mean,
        "interval": _ends(change.interval),
        "p_sign_flip": change.p_sign_flip,
        "p_wilcoxon": change.p_wilcoxon,
        "p_holm": adjusted,
    }


def _ends(interval: Interval | None) -> list[float] | None:
    return None if interval is None else [interval.lo, interval.hi]
