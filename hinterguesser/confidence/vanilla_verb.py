"""vanilla_verb: the model says how sure it is, as a number from 0 to 100 (the paper's section 3.4)."""

from hinterguesser.confidence.base import Candidate, Context, Method
from hinterguesser.confidence.saying import stated
from hinterguesser.domain.estimate import Estimate
from hinterguesser.domain.script import Sampling, Script

CHAT = Sampling(max_tokens=64)
PLAIN = Sampling(max_tokens=12, stop=("\n",))


def estimate(context: Context, candidate: Candidate) -> Script[Estimate]:
    """The number in the reply, over 100."""
    [reply] = yield [context.ask("vanilla_verb", context.sampling(CHAT, PLAIN), candidate=candidate.text)]
    return stated(reply)


PLUGIN = Method(name="vanilla_verb", estimate=estimate)
