"""Conditions against each other: placebo tests and dialogues against summaries, corrected together.

A turn under one condition is compared with the same turn of the same dialogue under another, for the same dataset,
model, method and target.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from hinterguesser.domain.predictions import REFERENCES, Predictions
from hinterguesser.stats.arrays import FloatArray, IntArray
from hinterguesser.stats.grouping import Group, groups_of, turn_keys
from hinterguesser.stats.paired import (
    MeanChange,
    PairedDifference,
    PlaceboTest,
    entity_means,
    paired_difference,
    placebo_test,
)
from hinterguesser.stats.resamples import Draws
from hinterguesser.stats.significance import holm, sign_flip_tests

LEAST_PERMUTATIONS = 10_000
PERMUTATIONS_PER_TEST = 40
"""So many sign patterns for each test of the family, that Holm's correction can still find p below 0.05."""

COMPARED = ("dataset", "model", "method", "target")


@dataclass(frozen=True, slots=True)
class PlaceboComparison:
    """One cell of table 3 (arXiv 2601.02179, section 5.2)."""

    by: dict[str, str | None]
    test: PlaceboTest
    adjusted: tuple[float | None, ...]
    """Holm-adjusted sign-flip p-values of the informative change, the placebo's change, and their difference."""


@dataclass(frozen=True, slots=True)
class FormatComparison:
    """The dialogue (`multi`) against its summary (`single`), for one quantity (section 5.3)."""

    by: dict[str, str | None]
    quantity: str
    """'accuracy' of the model's own answers, or 'confidence'."""
    difference: PairedDifference
    """Multi less single."""
    adjusted: float | None
    """Holm-adjusted sign-flip p-value."""


@dataclass(frozen=True, slots=True)
class Comparisons:
    """All comparisons of a report; their p-values are one family."""

    placebo: tuple[PlaceboComparison, ...]
    formats: tuple[FormatComparison, ...]
    tests: int
    """Tests in the family."""
    permutations: int
    """Sign patterns that each was given."""


def compare_conditions(predictions: Predictions, rng: np.random.Generator, draws: Draws) -> Comparisons:
    """Make every comparison for which there are rows; Holm over all of their sign-flip tests.

    The placebo test's baseline for turn i is the confidence at turn i - 1 of `multi`, so i starts from 2; a turn
    enters if all its confidences were scored.

    Args:
        predictions: At most one row for a turn of a dialogue in a condition, dataset, model, method and target.
        rng: For the sign patterns.
        draws: Resamples of entities for the intervals.
    """
    if "condition" not in predictions.labels:
        return Comparisons((), (), 0, 0)
    paired = _Pairs(predictions, rng, draws)
    by = tuple(name for name in COMPARED if name in predictions.labels)
    for group in groups_of(predictions, by, np.flatnonzero(predictions.scored)):
        if group.by.get("method") in REFERENCES:
            continue  # exact, not measured: testing them would only make the correction harder on the others
        paired.compare_placebo(group)
        paired.compare_formats(group, "confidence", predictions.confidence)
    whole = tuple(name for name in ("dataset", "model") if name in by)
    for group in groups_of(predictions, whole, np.flatnonzero(~np.isnan(predictions.correct))):
        paired.compare_formats(group, "accuracy", predictions.correct)
    return paired.corrected()


class _Pairs:
    """Comparisons while they are made: each with the entity means that its tests will be about."""

    def __init__(self, predictions: Predictions, rng: np.random.Generator, draws: Draws) -> None:
        self.predictions, self.rng, self.draws = predictions, rng, draws
        self.dialogue, self.entity = predictions.dialogue, predictions.entity
        self.keys = turn_keys(self.dialogue, predictions.turn)
        self.placebo: list[PlaceboComparison] = []
        self.formats: list[FormatComparison] = []
        self.placebo_means: list[FloatArray] = []
        self.format_means: list[FloatArray] = []

    def compare_placebo(self, group: Group) -> None:
        """Add the placebo test of a group, if it has rows for one."""
        multi, placebo = self._under(group.rows, "multi"), self._under(group.rows, "placebo")
        before, after, instead = matched(
            [(multi, self.keys[multi] + 1), (multi, self.keys[multi]), (placebo, self.keys[placebo])]
        )
        if len(after) == 0:
            return
        confidence, place = self.predictions.confidence, (self.dialogue[after], self.entity[after])
        values = confidence[before], confidence[after], confidence[instead]
        test = placebo_test(*values, *place, self.rng, permutations=0, draws=self.draws)
        for change in (values[1] - values[0], values[2] - values[0], values[1] - values[2]):
            self.placebo_means.append(entity_means(change, *place))
        self.placebo.append(PlaceboComparison(group.by, test, ()))

    def compare_formats(self, group: Group, quantity: str, values: FloatArray) -> None:
        """Add multi against single for a group; of several rows for one turn (one a method) the first counts."""
        multi, single = self._under(group.rows, "multi"), self._under(group.rows, "single")
        one, other = matched([(multi, self.keys[multi]), (single, self.keys[single])])
        if len(one) == 0:
            return
        place = self.dialogue[one], self.entity[one]
        difference = paired_difference(values[one], values[other], *place, self.rng, permutations=0, draws=self.draws)
        self.format_means.append(entity_means(values[one] - values[other], *place))
        self.formats.append(FormatComparison(group.by, quantity, difference, None))

    def corrected(self) -> Comparisons:
        """All comparisons, with their sign-flip tests done and corrected as one family."""
        means = [*self.placebo_means, *self.format_means]
        permutations = max(LEAST_PERMUTATIONS, PERMUTATIONS_PER_TEST * len(means))
        raw = sign_flip_tests(means, self.rng, permutations=permutations)
        adjusted = holm(raw)
        placebo = []
        for number, row in enumerate(self.placebo):
            three = slice(3 * number, 3 * number + 3)
            informative, instead, between = raw[three]
            test = replace(
                row.test,
                informative=_with_p(row.test.informative, informative),
                placebo=_with_p(row.test.placebo, instead),
                difference=_with_p(row.test.difference, between),
            )
            placebo.append(replace(row, test=test, adjusted=tuple(adjusted[three])))
        formats = []
        for number, pair in enumerate(self.formats, start=len(self.placebo_means)):
            change = _with_p(pair.difference.change, raw[number])
            formats.append(replace(pair, difference=replace(pair.difference, change=change), adjusted=adjusted[number]))
        return Comparisons(tuple(placebo), tuple(formats), len(means), permutations if means else 0)

    def _under(self, rows: IntArray, condition: str) -> IntArray:
        labels = self.predictions.labels["condition"]
        return np.asarray(rows[labels.codes[rows] == labels.code(condition)])


def matched(sides: Sequence[tuple[IntArray, IntArray]]) -> list[IntArray]:
    """Return the rows of each side whose keys occur on every side, in the same order; the first row of a key counts.

    Args:
        sides: Per side row numbers and their keys, both of shape (rows of that side,).
    """
    found = [np.unique(keys, return_index=True) for _, keys in sides]
    common = found[0][0]
    for keys, _ in found[1:]:
        common = np.intersect1d(common, keys, assume_unique=True)
    return [rows[first[np.searchsorted(keys, common)]] for (rows, _), (keys, first) in zip(sides, found, strict=True)]


def _with_p(change: MeanChange, p: float | None) -> MeanChange:
    return replace(change, p_sign_flip=p)
