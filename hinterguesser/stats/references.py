"""Methods against what is exactly known: when a certificate says how many entities still fit all hints.

Two references appear in predictions as methods. `oracle_correct` is 1 / n_candidates, the chance to be right of one who
guesses at random among the entities that still fit; `oracle_sufficient` is 1 where one entity fits and 0 elsewhere, so
it is true uniqueness itself. Both belong to a turn of a dialogue under a condition, whatever model is asked.
"""

from typing import Any

import numpy as np

from hinterguesser.domain.predictions import ORACLE_CORRECT, ORACLE_SUFFICIENT, REFERENCES, Predictions
from hinterguesser.stats.arrays import FloatArray, IntArray
from hinterguesser.stats.binning import Binning
from hinterguesser.stats.by_entity import mean_by_entity
from hinterguesser.stats.grouping import Group, columns_of, groups_of, turn_keys
from hinterguesser.stats.measures import Rows, scored_against
from hinterguesser.stats.monotonicity import kendall_tau
from hinterguesser.stats.resamples import Draws, bootstrap_intervals

CALIBRATION = ("info_ece", "ece", "brier", "auroc")


def against_references(
    predictions: Predictions, draws: Draws, *, bins: int = 10, binning: Binning = "width"
) -> list[dict[str, Any]]:
    """Each group's calibration against correctness and against true uniqueness, and its regret to the references.

    Regret is a difference of Brier scores on the same rows. Against correctness z and `oracle_correct` q it is the
    mean of (c - z)^2 - (q - z)^2; it can be below 0, since a model may know more than the fact table says (or guess
    what the hints rule out), so the mean of (c - q)^2 stands beside it as `distance`. Against uniqueness u the
    reference makes no error, and regret is the mean of (c - u)^2.

    Args:
        predictions: Those of the methods, with rows of the references among them; joined by dataset, dialogue, turn
            and condition.
        draws: Resamples of entities.
        bins: Information levels.
        binning: How levels are cut.

    Returns:
        Per group (of the target `gold` only uniqueness: whether the gold answer is right is no question) `by`, and
        `correctness` and `uniqueness`, each None without rows that could be joined.
    """
    if "method" not in predictions.labels:
        return []
    chance, unique = _Lookup(predictions, ORACLE_CORRECT), _Lookup(predictions, ORACLE_SUFFICIENT)
    if not len(chance.values) and not len(unique.values):
        return []
    found = []
    for group in groups_of(predictions, columns_of(predictions), np.flatnonzero(predictions.scored)):
        if group.by["method"] in REFERENCES:
            continue
        of_answer = group.by.get("target") in (None, "answer")
        settings = {"bins": bins, "binning": binning}
        right = _correctness(predictions, group, chance, draws, **settings) if of_answer else None
        alone = _uniqueness(predictions, group, unique, draws, **settings)
        if right or alone:
            found.append({"by": group.by, "correctness": right, "uniqueness": alone})
    return found


def gold_monotonicity(predictions: Predictions, draws: Draws) -> list[dict[str, Any]]:
    """Tau of the confidence in the gold answer beside that in the model's own (figure 3), and their difference.

    The difference is over dialogues that have both.
    """
    if "target" not in predictions.labels:
        return []
    by = tuple(name for name in columns_of(predictions) if name != "target")
    targets = predictions.labels["target"]
    dialogue, entity = predictions.dialogue, predictions.entity
    found = []
    for group in groups_of(predictions, by, np.flatnonzero(predictions.scored)):
        sides = [group.rows[targets.codes[group.rows] == targets.code(name)] for name in ("gold", "answer")]
        if len(sides[0]) == 0:
            continue
        gold, own = (kendall_tau(dialogue[r], predictions.turn[r], predictions.confidence[r]) for r in sides)
        if gold.mean is None:
            continue
        first = np.unique(dialogue[group.rows], return_index=True)
        both, at_gold, at_own = np.intersect1d(gold.dialogues, own.dialogues, return_indices=True)

        def owners(dialogues: IntArray, first: tuple[IntArray, IntArray] = first, rows: IntArray = group.rows) -> Any:
            return entity[rows[first[1][np.searchsorted(first[0], dialogues)]]]

        difference = gold.tau[at_gold] - own.tau[at_own]
        intervals = bootstrap_intervals(
            {
                "tau_gold": mean_by_entity(gold.tau, owners(gold.dialogues)),
                "tau_answer": mean_by_entity(own.tau, owners(own.dialogues)),
                "difference": mean_by_entity(difference, owners(both)),
            },
            draws,
        )
        found.append(
            {
                "by": group.by,
                "tau_gold": gold.mean,
                "tau_answer": own.mean,
                "difference": float(difference.mean()) if len(both) else None,
                "dialogues_gold": gold.entered,
                "dialogues_answer": own.entered,
                "tie_share_gold": gold.tie_share,
                "intervals": {name: i and [i.lo, i.hi] for name, i in intervals.items()} if draws.resamples else {},
            }
        )
    return found


class _Lookup:
    """The values of one reference by dataset, dialogue, turn and condition."""

    def __init__(self, predictions: Predictions, method: str) -> None:
        methods = predictions.labels["method"]
        rows = np.flatnonzero((methods.codes == methods.code(method)) & predictions.scored)
        self._conditions = predictions.labels.get("condition")
        self._predictions = predictions
        self.keys, first = np.unique(self._keys(rows), return_index=True)
        self.values: FloatArray = predictions.confidence[rows[first]]

    def of(self, rows: IntArray) -> FloatArray:
        """The reference's value for each row; nan where it has none."""
        if len(self.keys) == 0:
            return np.full(len(rows), np.nan)
        keys = self._keys(rows)
        place = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[place] == keys, self.values[place], np.nan)

    def _keys(self, rows: IntArray) -> IntArray:
        dialogue = self._predictions.dialogue[rows]
        if self._conditions is not None:
            dialogue = dialogue * (len(self._conditions.names) + 1) + self._conditions.codes[rows] + 1
        return turn_keys(dialogue, self._predictions.turn[rows])


def _correctness(
    predictions: Predictions, group: Group, chance: _Lookup, draws: Draws, **settings: Any
) -> dict[str, Any] | None:
    reference = chance.of(group.rows)
    rows, reference = _known(predictions, group.rows, predictions.correct[group.rows], reference)
    if len(reference) == 0:
        return None
    c, z = rows.confidence, rows.correct
    means = {
        "reference_brier": (reference - z) ** 2,
        "regret": (c - z) ** 2 - (reference - z) ** 2,
        "distance": (c - reference) ** 2,
    }
    return _joined(rows, means, draws, settings)


def _uniqueness(
    predictions: Predictions, group: Group, unique: _Lookup, draws: Draws, **settings: Any
) -> dict[str, Any] | None:
    truth = unique.of(group.rows)
    rows, truth = _known(predictions, group.rows, truth, truth)
    if len(truth) == 0:
        return None
    numbers = _joined(rows, {"regret": (rows.confidence - truth) ** 2}, draws, settings)
    return numbers | {"unique_share": float(truth.mean())}


def _known(
    predictions: Predictions, chosen: IntArray, truth: FloatArray, reference: FloatArray
) -> tuple[Rows, FloatArray]:
    """The rows whose truth and reference are known, with that truth as `correct`."""
    there = ~np.isnan(truth) & ~np.isnan(reference)
    kept = chosen[there]
    rows = Rows(
        dialogue=predictions.dialogue[kept],
        entity=predictions.entity[kept],
        turn=predictions.turn[kept],
        length=predictions.length[kept],
        confidence=predictions.confidence[kept],
        correct=truth[there],
        unscored=0,
    )
    return rows, reference[there]


def _joined(rows: Rows, means: dict[str, FloatArray], draws: Draws, settings: dict[str, Any]) -> dict[str, Any]:
    numbers = scored_against(rows, draws, names=CALIBRATION, **settings)
    intervals = numbers.pop("intervals")
    if draws.resamples:
        drawn = bootstrap_intervals({name: mean_by_entity(v, rows.entity) for name, v in means.items()}, draws)
        intervals |= {name: i and [i.lo, i.hi] for name, i in drawn.items()}
    own = {name: float(values.mean()) for name, values in means.items()}
    return {"n": len(rows.confidence), **numbers, **own, "intervals": intervals}
