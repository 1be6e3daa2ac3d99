"""Paired comparisons by entity: informative hints against placebos, dialogues against summaries."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from hinterguesser.stats.arrays import FloatArray, IntArray, integers, probabilities, same_length
from hinterguesser.stats.by_entity import mean_by_entity
from hinterguesser.stats.intervals import Interval
from hinterguesser.stats.resamples import Draws, bootstrap_intervals
from hinterguesser.stats.significance import group_means, sign_flip_test, wilcoxon_test


@dataclass(frozen=True, slots=True)
class MeanChange:
    """A mean difference: rows averaged in each dialogue, dialogues in each entity, entities alike."""

    mean: float | None
    """In [-1, 1]; None without rows."""
    interval: Interval | None
    """From a bootstrap over entities; None with fewer than two."""
    dialogues: int
    """Dialogues that entered."""
    entities: int
    """Entities that entered."""
    p_sign_flip: float | None
    """Two-sided sign-flip permutation test over entities (primary); None without rows, or left to a family."""
    p_wilcoxon: float | None
    """Two-sided Wilcoxon signed-rank test over entities (secondary); None if no entity changed."""


@dataclass(frozen=True, slots=True)
class PlaceboTest:
    """Does confidence follow information, or only the number of turns? (arXiv 2601.02179, section 5.2)."""

    rows: int
    """Turns that entered."""
    previous_mean: float | None
    """Mean confidence at turn i - 1, averaged as `MeanChange` is, in [0, 1]."""
    informative_mean: float | None
    """Mean confidence at turn i, after the real hint."""
    placebo_mean: float | None
    """Mean confidence after the placebo in its place."""
    informative: MeanChange
    """From turn i - 1 to turn i."""
    placebo: MeanChange
    """From turn i - 1 to the placebo."""
    difference: MeanChange
    """The informative change less the placebo's: turn i less placebo."""


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """One quantity under two conditions on the same turns."""

    rows: int
    """Turns that entered."""
    first_mean: float | None
    """Mean under the first condition, averaged as `MeanChange` is, in [0, 1]."""
    second_mean: float | None
    """Mean under the second condition."""
    change: MeanChange
    """First less second."""


def placebo_test(
    previous: ArrayLike,
    informative: ArrayLike,
    placebo: ArrayLike,
    dialogue: ArrayLike,
    entity: ArrayLike,
    rng: np.random.Generator,
    *,
    permutations: int = 10_000,
    resamples: int = 1000,
    draws: Draws | None = None,
) -> PlaceboTest:
    """Compare the change of confidence after a real hint with that after a placebo (section 5.2, table 3).

    A row is a turn i >= 2 at which all three confidences were scored; a turn where one is missing is dropped
    by the caller. Differences are averaged in each dialogue, then in each entity, and tested over entities.

    Args:
        previous: Shape (n,), confidence at turn i - 1, in [0, 1].
        informative: Shape (n,), confidence at turn i.
        placebo: Shape (n,), confidence after turns 1..i-1 and the placebo of turn i.
        dialogue: Shape (n,), any integer codes.
        entity: Shape (n,), any integer codes; one entity a dialogue.
        rng: Where randomness comes from.
        permutations: Sign patterns per test; 0 leaves the sign-flip tests out (`significance.sign_flip_tests`
            does many at once).
        resamples: Bootstrap resamples per interval.
        draws: Resamples to take instead, shared with other comparisons.

    Raises:
        ValueError: Lengths that differ, a value out of range, or a dialogue with two entities.
    """
    before, after = probabilities(previous, "previous"), probabilities(informative, "informative")
    instead = probabilities(placebo, "placebo")
    codes, owners = integers(dialogue, "dialogue"), integers(entity, "entity")
    shared = draws or Draws(rng, resamples)
    rows = same_length(previous=before, informative=after, placebo=instead, dialogue=codes, entity=owners)

    def change(differences: FloatArray) -> MeanChange:
        return mean_change(differences, codes, owners, rng, permutations=permutations, draws=shared)

    return PlaceboTest(
        rows=rows,
        previous_mean=mean_of_entities(before, codes, owners),
        informative_mean=mean_of_entities(after, codes, owners),
        placebo_mean=mean_of_entities(instead, codes, owners),
        informative=change(after - before),
        placebo=change(instead - before),
        difference=change(after - instead),
    )


def paired_difference(
    first: ArrayLike,
    second: ArrayLike,
    dialogue: ArrayLike,
    entity: ArrayLike,
    rng: np.random.Generator,
    *,
    permutations: int = 10_000,
    resamples: int = 1000,
    draws: Draws | None = None,
) -> PairedDifference:
    """Compare the same turns under two conditions, such as multi and single (section 5.3).

    Works for confidence and for correctness.

    Args:
        first: Shape (n,), in [0, 1] (correctness as 0 and 1).
        second: Shape (n,), the same turns under the other condition.
        dialogue: Shape (n,), any integer codes.
        entity: Shape (n,), any integer codes; one entity a dialogue.
        rng: Where randomness comes from.
        permutations: Sign patterns to draw; 0 leaves the sign-flip test out.
        resamples: Bootstrap resamples.
        draws: Resamples to take instead, shared with other comparisons.

    Raises:
        ValueError: Lengths that differ, a value out of range, or a dialogue with two entities.
    """
    one, other = probabilities(first, "first"), probabilities(second, "second")
    codes, owners = integers(dialogue, "dialogue"), integers(entity, "entity")
    rows = same_length(first=one, second=other, dialogue=codes, entity=owners)
    return PairedDifference(
        rows=rows,
        first_mean=mean_of_entities(one, codes, owners),
        second_mean=mean_of_entities(other, codes, owners),
        change=mean_change(
            one - other, codes, owners, rng, permutations=permutations, resamples=resamples, draws=draws
        ),
    )


def mean_change(
    differences: ArrayLike,
    dialogue: ArrayLike,
    entity: ArrayLike,
    rng: np.random.Generator,
    *,
    permutations: int = 10_000,
    resamples: int = 1000,
    draws: Draws | None = None,
) -> MeanChange:
    """Return the mean of differences by dialogue and entity, its interval and its two p-values.

    Args:
        differences: Shape (n,), finite, one a turn.
        dialogue: Shape (n,), any integer codes.
        entity: Shape (n,), any integer codes; one entity a dialogue.
        rng: Where randomness comes from.
        permutations: Sign patterns to draw; 0 leaves the sign-flip test out.
        resamples: Bootstrap resamples.
        draws: Resamples to take instead, shared with other comparisons.

    Raises:
        ValueError: Lengths that differ, a missing value, or a dialogue with two entities.
    """
    means, owner = _dialogue_means(differences, integers(dialogue, "dialogue"), integers(entity, "entity"))
    entities, by_entity = group_means(means, owner)
    draws = draws or Draws(rng, resamples)
    return MeanChange(
        mean=float(by_entity.mean()) if len(by_entity) else None,
        interval=bootstrap_intervals({"mean": mean_by_entity(by_entity, entities)}, draws)["mean"],
        dialogues=len(means),
        entities=len(entities),
        p_sign_flip=sign_flip_test(means, owner, rng, permutations=permutations) if permutations else None,
        p_wilcoxon=wilcoxon_test(means, owner),
    )


def mean_of_entities(values: ArrayLike, dialogue: ArrayLike, entity: ArrayLike) -> float | None:
    """Return the mean of values: rows averaged in each dialogue, dialogues in each entity, then entities.

    Raises:
        ValueError: Lengths that differ, a missing value, or a dialogue with two entities.
    """
    means = entity_means(values, dialogue, entity)
    return float(means.mean()) if len(means) else None


def entity_means(values: ArrayLike, dialogue: ArrayLike, entity: ArrayLike) -> FloatArray:
    """Return the mean of each entity, shape (entities,): rows averaged in each dialogue, then dialogues.

    Raises:
        ValueError: Lengths that differ, a missing value, or a dialogue with two entities.
    """
    means, owner = _dialogue_means(values, integers(dialogue, "dialogue"), integers(entity, "entity"))
    return group_means(means, owner)[1]


def _dialogue_means(values: ArrayLike, dialogue: IntArray, entity: IntArray) -> tuple[FloatArray, IntArray]:
    """Return the mean of each dialogue and its entity."""
    same_length(dialogue=dialogue, entity=entity)
    _, means = group_means(values, dialogue)
    _, first, index = np.unique(dialogue, return_index=True, return_inverse=True)
    owner = entity[first]
    if np.any(owner[index] != entity):
        where = int(np.argmax(owner[index] != entity))
        raise ValueError(f"dialogue {dialogue[where]} has rows of two entities; each dialogue is about one")
    return means, owner
