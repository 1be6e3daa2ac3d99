"""oracle_correct: what one may believe of a best guess, 1 / n_candidates; exact, from the fact table's certificate."""

from hinterguesser.confidence.base import Candidate, Context, Method
from hinterguesser.domain.estimate import Confidence, Estimate, Unscored
from hinterguesser.domain.script import Script


def estimate(context: Context, candidate: Candidate) -> Script[Estimate]:
    """The chance that a guess among the entities that still fit is right, if none is likelier than another."""
    yield from ()
    if not context.n_candidates:
        return Unscored("no certificate for this turn")
    return Confidence(1 / context.n_candidates)


PLUGIN = Method(name="oracle_correct", estimate=estimate, judges_answer=False)
