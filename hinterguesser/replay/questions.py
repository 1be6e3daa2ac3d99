"""A question with its answers and its passages: what evidence plans and `collect` start from."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Passage:
    """One paragraph that came with a question."""

    title: str
    text: str
    is_support: bool
    """Whether the dataset names it as needed for the answer."""
    index: int
    """Its position in the source record, from 0. Titles repeat; the index does not."""


@dataclass(frozen=True, slots=True)
class Question:
    """One record of a question-answering dataset."""

    id: str
    question: str
    answers: tuple[str, ...]
    """The reference answer first, then its aliases; at least one."""
    passages: tuple[Passage, ...]
    """In source order."""


@dataclass(frozen=True, slots=True)
class QuestionSource:
    """A dataset of questions, as its adapter's `PLUGIN`."""

    name: str
    read: Callable[..., Iterator[Question]]
    """Takes the path of a file; yields its questions in source order."""
    licence: str
    source: str
    """Where the data comes from: an address to cite."""


def source_order_split(total: int, calibration_share: float) -> list[str]:
    """Return the split of each of `total` questions: the first share 'calibration', the rest 'test'.

    Deterministic: it depends on nothing but the order of the source. The number of calibration questions is
    `total * calibration_share` rounded to the nearest integer, halves up.

    Raises:
        ValueError: `calibration_share` is not in [0, 1].
    """
    if not 0 <= calibration_share <= 1:
        raise ValueError(f"the calibration share must lie in [0, 1], got {calibration_share}")
    first = int(total * calibration_share + 0.5)
    return ["calibration"] * first + ["test"] * (total - first)


def in_source_order(passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """The passages by index."""
    return tuple(sorted(passages, key=lambda passage: passage.index))
