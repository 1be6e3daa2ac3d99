"""vanilla_verb: the model says how sure it is, as a number from 0 to 100 (the paper's section 3.4)."""

from hinterguesser.confidence.base import Context, Method
from hinterguesser.confidence.parsing import verbalized
from hinterguesser.domain.estimate import Confidence, Estimate, Unscored
from hinterguesser.domain.script import Sampling, Script

SAMPLING = Sampling(max_tokens=48)


def estimate(context: Context, candidate: str) -> Script[Estimate]:
    """The number in the reply, over 100."""
    [reply] = yield [context.ask("vanilla_verb", SAMPLING, candidate=candidate)]
    read = verbalized(reply.text)
    return read if isinstance(read, Unscored) else Confidence(read.value)


PLUGIN = Method(name="vanilla_verb", estimate=estimate)
