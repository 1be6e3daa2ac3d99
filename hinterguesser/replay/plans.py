"""Evidence plans: which passages of a question are shown at which depth, fixed before any model is asked.

Supports in source order and distractors in ranked order are interleaved, support first (arXiv 2608.26846, appendix
A.2). Passage i of that sequence, counted from 0, goes to slice i mod `slices`; depth k shows slices 1..k whole, depth 0
shows nothing.

Why dealt in turns and not cut into runs: the appendix assigns "each zero-based passage" to a slice, which reads as
i mod 3; and with runs the first slice of a ten-passage record would hold both supports of a two-hop question, so that
there would be nothing left to find at depths 2 and 3. Dealt in turns, the second support arrives with the third slice.
A record with two passages leaves the third slice empty either way.
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from hinterguesser.replay.exact_match import tokens
from hinterguesser.replay.questions import Passage, Question, in_source_order

Similarity: TypeAlias = Callable[[str, Sequence[str]], Sequence[float]]
"""Takes a question and n texts; returns n similarities, higher is closer (a cosine, say)."""


@dataclass(frozen=True, slots=True)
class PlanSettings:
    """What a plan depends on besides the record."""

    slices: int = 3
    """Into how many slices the passages are dealt; the deepest depth."""
    distractors: int | None = None
    """How many of the best ranked distractors are kept; None keeps all."""
    ranker: str = "overlap"
    """The ranker's name; with a similarity, say which ('embedding:all-MiniLM-L6-v2'). Part of the hash."""

    def __post_init__(self) -> None:
        """Refuse what makes no plan."""
        if self.slices < 1:
            raise ValueError(f"a plan has at least 1 slice, got {self.slices}")
        if self.distractors is not None and self.distractors < 0:
            raise ValueError(f"the number of distractors cannot be negative, got {self.distractors}")


@dataclass(frozen=True, slots=True)
class EvidencePlan:
    """The passages of one question, slice by slice."""

    question_id: str
    slices: tuple[tuple[Passage, ...], ...]
    sha256: str
    """Fingerprint of the record, the settings and the order that came out; stored in each trace."""

    @property
    def indexes(self) -> list[list[int]]:
        """The passages of each slice by their indexes; see `plan_as_before`."""
        return [[passage.index for passage in passages] for passages in self.slices]

    @property
    def deepest(self) -> int:
        """The deepest depth: the number of slices."""
        return len(self.slices)

    def shown(self, depth: int) -> tuple[Passage, ...]:
        """The passages that are visible at `depth` (0-based): slices 1..depth, in order.

        Raises:
            ValueError: `depth` is not in 0..deepest.
        """
        if not 0 <= depth <= self.deepest:
            raise ValueError(f"depth must lie in 0..{self.deepest}, got {depth}")
        return tuple(passage for passages in self.slices[:depth] for passage in passages)

    def adds_nothing(self, depth: int) -> bool:
        """Whether the retrieval that leads to `depth` brings an empty slice, so that the state repeats the last."""
        return depth > 0 and not self.slices[depth - 1]


def plan_evidence(
    question: Question, settings: PlanSettings | None = None, similarity: Similarity | None = None
) -> EvidencePlan:
    """Return the plan of `question`; the same record and settings give the same plan.

    Args:
        question: The record.
        settings: Slices, distractors, ranker.
        similarity: Ranks by word overlap plus this; None ranks by overlap alone.

    Raises:
        ValueError: `similarity` returns another number of values than it was given texts.
    """
    settings = settings or PlanSettings()
    passages = in_source_order(question.passages)
    supports = [passage for passage in passages if passage.is_support]
    others = [passage for passage in passages if not passage.is_support]
    ranked = rank_distractors(question.question, others, similarity)[: settings.distractors]
    order = _interleave(supports, ranked)
    slices = tuple(tuple(order[first :: settings.slices]) for first in range(settings.slices))
    return EvidencePlan(question.id, slices, _fingerprint(question, settings, slices))


def plan_as_before(
    question: Question, slices: Sequence[Sequence[int]], settings: PlanSettings | None = None
) -> EvidencePlan:
    """The plan of `question` whose passages were dealt to `slices` before, by their indexes; nothing is ranked.

    Raises:
        KeyError: an index that no passage has.
    """
    passages = {passage.index: passage for passage in question.passages}
    dealt = tuple(tuple(passages[index] for index in some) for some in slices)
    return EvidencePlan(question.id, dealt, _fingerprint(question, settings or PlanSettings(), dealt))


def rank_distractors(
    question: str, distractors: Sequence[Passage], similarity: Similarity | None = None
) -> list[Passage]:
    """Return the distractors, the most misleading first: word overlap plus similarity, each min-max normalised.

    Overlap is the share of the question's distinct words that stand in the passage's title or text. Ties keep source
    order. A part in which all distractors score the same counts as 0.

    Raises:
        ValueError: `similarity` returns another number of values than it was given texts.
    """
    texts = [f"{passage.title} {passage.text}" for passage in distractors]
    wanted = tokens(question)
    overlap = [len(wanted & tokens(text)) / max(1, len(wanted)) for text in texts]
    scores = _min_max(overlap)
    if similarity is not None and texts:
        close = [float(value) for value in similarity(question, texts)]
        if len(close) != len(texts):
            raise ValueError(f"the similarity gave {len(close)} values for {len(texts)} texts")
        scores = [first + second for first, second in zip(scores, _min_max(close), strict=True)]
    order = sorted(range(len(distractors)), key=lambda at: (-scores[at], distractors[at].index))
    return [distractors[at] for at in order]


def _min_max(values: Sequence[float]) -> list[float]:
    if not values:
        return []
    low, high = min(values), max(values)
    return [(value - low) / (high - low) if high > low else 0.0 for value in values]


def _interleave(supports: Sequence[Passage], distractors: Sequence[Passage]) -> list[Passage]:
    """Support, distractor, support, ...; what is left of the longer one follows."""
    both = min(len(supports), len(distractors))
    mixed = [passage for pair in zip(supports, distractors, strict=False) for passage in pair]
    return [*mixed, *supports[both:], *distractors[both:]]


def _fingerprint(question: Question, settings: PlanSettings, slices: Sequence[Sequence[Passage]]) -> str:
    content = {
        "id": question.id,
        "question": question.question,
        "answers": question.answers,
        "passages": [(p.index, p.title, p.text, p.is_support) for p in in_source_order(question.passages)],
        "settings": [settings.slices, settings.distractors, settings.ranker],
        "slices": [[passage.index for passage in passages] for passages in slices],
    }
    plain = json.dumps(content, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(plain.encode("ascii")).hexdigest()
