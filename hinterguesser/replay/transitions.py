"""What one more retrieval does to an answer, and whether confidence knows when it will help."""

from dataclasses import dataclass

import numpy as np

from hinterguesser.replay.grid import Grid
from hinterguesser.stats.selective import auroc


@dataclass(frozen=True, slots=True)
class Transition:
    """From depth `depth` to the next: counts over traces that have both, duplicate states left out."""

    depth: int
    """The depth before the retrieval."""
    n: int
    wrong_to_right: int
    right_to_wrong: int
    unchanged: int
    duplicates: int
    """Traces left out because the retrieval brought nothing new."""
    auroc: float | None
    """Whether low confidence points to the retrievals that help (wrong to right) among all: 1 always, 0.5 by chance.

    Over scored states. None unless some help and some do not."""
    auroc_if_wrong: float | None
    """The same among states whose answer is wrong. `auroc` is high already if confidence knows which answers are wrong;
    this one asks whether it knows which of them a retrieval will mend."""


def transitions(grid: Grid) -> list[Transition]:
    """The transitions at each depth at which some trace goes on."""
    present, result = grid.present, []
    for depth in range(grid.depths - 1):
        both = present[:, depth + 1]
        if not both.any():
            break
        repeated = both & grid.duplicate[:, depth + 1]
        use = both & ~repeated
        before, after = grid.correct[use, depth], grid.correct[use, depth + 1]
        confidence, helped = grid.confidence[use, depth], ~before & after
        scored = ~np.isnan(confidence)
        wrong = scored & ~before
        result.append(
            Transition(
                depth=depth,
                n=int(use.sum()),
                wrong_to_right=int(helped.sum()),
                right_to_wrong=int((before & ~after).sum()),
                unchanged=int((before == after).sum()),
                duplicates=int(repeated.sum()),
                auroc=auroc(1 - confidence[scored], helped[scored]),
                auroc_if_wrong=auroc(1 - confidence[wrong], helped[wrong]),
            )
        )
    return result
