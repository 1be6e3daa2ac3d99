"""Monotonicity: does confidence rise from turn to turn? Kendall's tau-a of each dialogue."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hinterguesser.stats.arrays import FloatArray, IntArray, finite, integers, same_length

CELLS_AT_ONCE = 1 << 16
"""Confidences compared in one step: small enough to stay in a processor's cache."""


@dataclass(frozen=True, slots=True, eq=False)
class Tau:
    """Kendall's tau-a between turn and confidence, over dialogues."""

    mean: float | None
    """Mean over dialogues with at least two scored turns, in [-1, 1]; None if there is none."""
    entered: int
    """Dialogues with at least two scored turns."""
    left_out: int
    """Dialogues with one scored turn, for which tau is undefined."""
    tie_share: float | None
    """Pairs of turns with equal confidence among all pairs, in [0, 1]; None without pairs."""
    attainable: float | None
    """The greatest mean these ties allow: mean over dialogues of 1 - tied pairs / pairs, in [0, 1]."""
    dialogues: IntArray
    """Shape (entered,): codes of the dialogues that entered, ascending."""
    tau: FloatArray
    """Shape (entered,): tau of each, in the order of `dialogues`."""


def kendall_tau(dialogue: ArrayLike, turn: ArrayLike, confidence: ArrayLike) -> Tau:
    """Return Kendall's tau-a of each dialogue and its mean (arXiv 2601.02179, section 3.3).

    Of a dialogue with L scored turns: (concordant - discordant) / (L choose 2), where a pair of turns is
    concordant if the later one has more confidence, discordant if less; a tie counts for neither but stays in
    the denominator. Rows may come in any order. Memory grows with the rows, never with the pairs.

    Args:
        dialogue: Shape (n,), any integer codes.
        turn: Shape (n,), integers; only their order inside a dialogue matters.
        confidence: Shape (n,), finite.

    Raises:
        ValueError: Lengths that differ, no integers, a missing confidence, or two rows for one turn of a
            dialogue.
    """
    codes, turns = integers(dialogue, "dialogue"), integers(turn, "turn")
    scores = finite(confidence, "confidence")
    same_length(dialogue=codes, turn=turns, confidence=scores)
    codes, turns, scores = _in_order(codes, turns, scores)
    starts = np.flatnonzero(np.diff(codes, prepend=codes[:1] - 1))
    lengths = np.diff(starts, append=len(codes))
    rising, falling = _count_pairs(scores, starts, lengths)
    several = lengths >= 2
    pairs = (lengths * (lengths - 1) // 2)[several]
    concordant, discordant = rising[several], falling[several]
    tau = (concordant - discordant) / pairs
    entered = len(tau)
    untied = concordant + discordant
    return Tau(
        mean=float(tau.mean()) if entered else None,
        entered=entered,
        left_out=len(lengths) - entered,
        tie_share=float(1 - untied.sum() / pairs.sum()) if entered else None,
        attainable=float((untied / pairs).mean()) if entered else None,
        dialogues=codes[starts[several]],
        tau=tau,
    )


def _in_order(codes: IntArray, turns: IntArray, scores: FloatArray) -> tuple[IntArray, IntArray, FloatArray]:
    """Return the rows sorted by dialogue, then turn."""
    if not np.all(_ascends(codes, turns)):
        order = np.lexsort((turns, codes))
        codes, turns, scores = codes[order], turns[order], scores[order]
        later = _ascends(codes, turns)
        if not np.all(later):
            where = int(np.argmin(later))
            raise ValueError(f"dialogue {codes[where]} has two rows for turn {turns[where]}")
    return codes, turns, scores


def _ascends(codes: IntArray, turns: IntArray) -> NDArray[np.bool_]:
    """Return, for each row but the last, whether the next one stands after it by dialogue, then turn."""
    return np.where(codes[1:] == codes[:-1], turns[1:] > turns[:-1], codes[1:] > codes[:-1])


def _count_pairs(scores: FloatArray, starts: IntArray, lengths: IntArray) -> tuple[IntArray, IntArray]:
    """Return rising and falling pairs of each dialogue; dialogues of one length are counted together."""
    rising, falling = np.zeros(len(starts), dtype=np.int64), np.zeros(len(starts), dtype=np.int64)
    by_length = np.argsort(lengths, kind="stable")
    for group in np.split(by_length, np.flatnonzero(np.diff(lengths[by_length])) + 1):
        length = int(lengths[group[0]]) if len(group) else 0
        if length < 2:
            continue
        width = max(1, CELLS_AT_ONCE // length)
        for first in range(0, len(group), width):
            part = group[first : first + width]
            table = scores[starts[part][None, :] + np.arange(length)[:, None]]
            for i in range(length - 1):
                rising[part] += np.count_nonzero(table[i + 1 :] > table[i], axis=0)
                falling[part] += np.count_nonzero(table[i + 1 :] < table[i], axis=0)
    return rising, falling
