"""cot_verb: the model thinks step by step, then says how sure it is from 0 to 100 (the paper's section 3.4)."""

from hinterguesser.confidence.base import Candidate, Context, Method
from hinterguesser.confidence.saying import stated
from hinterguesser.domain.estimate import Estimate
from hinterguesser.domain.script import Sampling, Script

CHAT = Sampling(max_tokens=1024)
PLAIN = Sampling(max_tokens=64, stop=("\n\n",))


def estimate(context: Context, candidate: Candidate) -> Script[Estimate]:
    """The last number stated in the reply, over 100."""
    [reply] = yield [context.ask("cot_verb", context.sampling(CHAT, PLAIN), candidate=candidate.text)]
    return stated(reply)


PLUGIN = Method(name="cot_verb", estimate=estimate)
