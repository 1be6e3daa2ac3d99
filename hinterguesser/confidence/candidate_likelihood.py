"""candidate_likelihood: the candidate's likelihood, normalised over the likeliest names of a closed list.

Beyond the paper, for models that continue a plain text and give full top lists, in games with a closed entity list.
What the model would write as its answer is searched best first along the list's names: a step asks for the likeliest
next tokens after the best beginning so far, and keeps those that some name goes on with. The search ends with the
`LIKELIEST` most likely names; the candidate's own likelihood is followed to its end if it is not among them.
"""

import heapq
from bisect import bisect_left
from collections.abc import Sequence
from math import exp

from hinterguesser.confidence.base import Candidate, Context, Method
from hinterguesser.domain.estimate import Confidence, Estimate, Unscored
from hinterguesser.domain.script import Call, Reply, Sampling, Script

LIKELIEST = 5
"""Names that the candidate is weighed against; the rest of a list hardly matters."""
NEGLIGIBLE = 0.01
"""A beginning that is less likely than this share of what was found already is not followed any more."""
MOST_CALLS = 40
"""Per turn; a search that needs more is going nowhere."""
ENDS = ("<|im_end|>", "<|endoftext|>", "<end_of_turn>", "<eos>", "</s>", "<|eot_id|>")
"""How models write that a text is over."""


def estimate(context: Context, candidate: Candidate) -> Script[Estimate]:
    """The candidate's share of the likelihood of the likeliest names."""
    subject = context.subject
    names = sorted({f" {_bare(name)}" for name in subject.names.get(context.game, ())})
    if not names:
        return Unscored("no closed list of names for this game")
    if subject.rendering != "plain":
        return Unscored("the model is asked in chat messages, so what it would write cannot be followed")
    wanted = {name for name in names if candidate.accepts(name.strip())}
    if not wanted:
        return Unscored("the answer is not on the list of names")
    search = _Search(context)
    found = yield from search.likeliest(names, LIKELIEST)
    if not wanted & found.keys():
        found |= yield from search.likeliest(sorted(wanted), len(wanted))
    total = sum(found.values())
    if not wanted & found.keys() or total <= 0:
        return Unscored(
            f"the candidate cannot be written with the {subject.top_logprobs} likeliest tokens of each step"
        )
    return Confidence(min(1.0, sum(found[name] for name in wanted & found.keys()) / total))


def _bare(name: str) -> str:
    """A name as the model is shown to write it: without what is after a comma."""
    return name.partition(",")[0].strip()


class _Search:
    """Beginnings of names with their likelihoods, and what is known to follow them."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._follow: dict[str, Reply] = {}
        self._calls = 0

    def likeliest(self, names: Sequence[str], count: int) -> Script[dict[str, float]]:
        """The `count` likeliest of `names` (sorted) with their likelihoods, as far as the top lists reach."""
        finished: dict[str, float] = {}
        heap: list[tuple[float, str, bool]] = [(0.0, "", False)]
        while heap and len(finished) < count:
            cost, text, over = heapq.heappop(heap)
            if exp(-cost) < NEGLIGIBLE * sum(finished.values()):
                break
            if over:
                finished[text] = finished.get(text, 0.0) + exp(-cost)
                continue
            if text not in self._follow:
                if self._calls == MOST_CALLS:
                    break
                self._calls += 1
                [self._follow[text]] = yield [self._call(text)]
            for choice in self._follow[text].first_token:
                if _is_end(choice.token):
                    if _is_name(names, text):
                        heapq.heappush(heap, (cost - choice.logprob, text, True))
                elif choice.token and _begins_one(names, text + choice.token):
                    heapq.heappush(heap, (cost - choice.logprob, text + choice.token, False))
        return finished

    def _call(self, text: str) -> Call:
        sampling = Sampling(max_tokens=1, top_logprobs=self._context.subject.top_logprobs)
        return self._context.ask("answer", sampling, continued=text)


def _is_end(token: str) -> bool:
    return token.startswith("\n") or token in ENDS


def _is_name(names: Sequence[str], text: str) -> bool:
    at = bisect_left(names, text)
    return at < len(names) and names[at] == text


def _begins_one(names: Sequence[str], text: str) -> bool:
    at = bisect_left(names, text)
    return at < len(names) and names[at].startswith(text)


PLUGIN = Method(name="candidate_likelihood", estimate=estimate, needs_logprobs=True, needs_names=True)
