"""The model's own answer, drawn greedily once per turn and condition; every method then judges it."""

from hinterguesser.confidence.answers import answer
from hinterguesser.confidence.base import Context
from hinterguesser.domain.estimate import Unscored
from hinterguesser.domain.script import Sampling, Script

CHAT = Sampling(max_tokens=96)
PLAIN = Sampling(max_tokens=24, stop=("\n",))


def own_answer(context: Context) -> Script[str | Unscored]:
    """The name that the model gives, or why none could be read."""
    [reply] = yield [context.ask("answer", context.sampling(CHAT, PLAIN))]
    return answer(reply.text)
