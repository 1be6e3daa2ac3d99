"""GRACE's own scores: MCE, and CalScore, which counts only what a model knows before people do (Sung et al., 2025).

Both are 1 less an expected confidence in right answers, so 0 is best and 1 is worst.
"""

from numpy.typing import ArrayLike

from hinterguesser.stats.arrays import FloatArray, integers, probabilities, same_length, scored_rows
from hinterguesser.stats.significance import group_means


def mce(confidence: ArrayLike, correct: ArrayLike, dialogue: ArrayLike) -> float | None:
    """Return 1 - E[g c]: the mean over dialogues of 1 less the mean over turns of confidence in right answers.

    Args:
        confidence: Shape (n,), c in [0, 1].
        correct: Shape (n,), g: 1 where the answer is right, else 0.
        dialogue: Shape (n,), integer codes.

    Returns:
        In [0, 1]; None without rows.

    Raises:
        ValueError: Lengths that differ or a value out of range.
    """
    per_dialogue = mce_of_dialogues(confidence, correct, dialogue)
    return float(per_dialogue.mean()) if len(per_dialogue) else None


def calscore(confidence: ArrayLike, correct: ArrayLike, humans: ArrayLike, dialogue: ArrayLike) -> float | None:
    """Return 1 - E[(1 - h) g c]: as `mce`, but a right answer counts only for the share of people who lack it yet.

    Args:
        confidence: Shape (n,), c in [0, 1].
        correct: Shape (n,), g.
        humans: Shape (n,), h in [0, 1]: the share of human teams that were right by this turn.
        dialogue: Shape (n,), integer codes.

    Returns:
        In [0, 1], never below `mce`; None without rows.

    Raises:
        ValueError: Lengths that differ or a value out of range.
    """
    known = probabilities(humans, "humans")
    same_length(confidence=probabilities(confidence), humans=known)
    per_dialogue = mce_of_dialogues(probabilities(confidence) * (1 - known), correct, dialogue)
    return float(per_dialogue.mean()) if len(per_dialogue) else None


def mce_of_dialogues(confidence: ArrayLike, correct: ArrayLike, dialogue: ArrayLike) -> FloatArray:
    """Return 1 less the mean of g c over turns, one value a dialogue, by ascending code; see `mce`."""
    chances, right = scored_rows(confidence, correct)
    codes = integers(dialogue, "dialogue")
    same_length(confidence=chances, dialogue=codes)
    if len(codes) == 0:
        return chances
    _, means = group_means(chances * right, codes)
    return 1 - means
