"""Exact match after normalisation, as the official scorers of HotpotQA and MuSiQue define it.

Lower case, no ASCII punctuation, no articles (a, an, the), single blanks. One guard is added: an answer that this would
empty ("The", "A", "?!") keeps what the last step took away, so that two such answers are not the same by accident.
"""

import re
import string
from collections.abc import Iterable

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


def normalised(answer: str) -> str:
    """Return `answer` as it is compared; empty only when there is nothing but blanks."""
    lowered = answer.lower()
    bare = _single_blanks(lowered.translate(_NO_PUNCTUATION))
    return _single_blanks(_ARTICLES.sub(" ", bare)) or bare or _single_blanks(lowered)


def tokens(text: str) -> frozenset[str]:
    """Return the distinct words of `text` after normalisation; empty for nothing but articles and punctuation."""
    bare = _ARTICLES.sub(" ", text.lower().translate(_NO_PUNCTUATION))
    return frozenset(bare.split())


def exact_match(answer: str, references: Iterable[str]) -> bool:
    """Return whether `answer` equals one of `references` (an answer and its aliases) after normalisation."""
    said = normalised(answer)
    return bool(said) and any(said == normalised(reference) for reference in references)


def _single_blanks(text: str) -> str:
    return " ".join(text.split())
