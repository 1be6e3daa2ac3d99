"""self_consistency: the share of sampled answers that are the candidate (the paper's section 3.4).

The m samples (20 at temperature 1) are drawn once per turn and condition and serve every target. A sample in which no
answer can be read is left out of the share; with fewer than half of the samples readable the estimate is unscored.
"""

from dataclasses import replace

from hinterguesser.confidence.answering import CHAT, PLAIN
from hinterguesser.confidence.answers import answer
from hinterguesser.confidence.base import Candidate, Context, Method
from hinterguesser.domain.estimate import Confidence, Estimate, Unscored
from hinterguesser.domain.script import Script


def estimate(context: Context, candidate: Candidate) -> Script[Estimate]:
    """The share of readable sampled answers that match the candidate."""
    subject = context.subject
    sampling = replace(context.sampling(CHAT, PLAIN), temperature=1.0, top_p=1.0, seed=subject.seed)
    call = context.ask("answer", sampling)
    replies = yield [replace(call, sample=number) for number in range(subject.samples)]
    answers = [read for read in (answer(reply.text) for reply in replies) if not isinstance(read, Unscored)]
    if 2 * len(answers) < len(replies):
        return Unscored(f"no answer in {len(replies) - len(answers)} of {len(replies)} samples")
    return Confidence(sum(map(candidate.accepts, answers)) / len(answers))


PLUGIN = Method(name="self_consistency", estimate=estimate, samples=True)
