"""oracle_sufficient: whether what was said leaves one answer, 1 or 0; exact, from the fact table's certificate."""

from hinterguesser.confidence.base import Candidate, Context, Method
from hinterguesser.domain.estimate import Confidence, Estimate, Unscored
from hinterguesser.domain.script import Script


def estimate(context: Context, candidate: Candidate) -> Script[Estimate]:
    """1 when exactly one entity still fits, else 0."""
    yield from ()
    if not context.n_candidates:
        return Unscored("no certificate for this turn")
    return Confidence(1.0 if context.n_candidates == 1 else 0.0)


PLUGIN = Method(name="oracle_sufficient", estimate=estimate, judges_answer=False)
