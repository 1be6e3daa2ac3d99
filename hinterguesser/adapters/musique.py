"""MuSiQue: the official JSONL files, a JSON list of their records, or the Hub's rows.

Passages are told apart and ordered by `idx`; titles repeat in about half the records, and hops come in another order.
The "full" files pair each answerable question with one of the same id whose supports were taken away: the latter is
left out, since no evidence plan can be made for it.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from hinterguesser.adapters.question_records import Record, one_each, read_records, refuse, text_of
from hinterguesser.replay.questions import Passage, Question, QuestionSource, in_source_order


def read(path: str | Path) -> Iterator[Question]:
    """The answerable questions of a file, in its order.

    Raises:
        UserError: not MuSiQue, a test file (no answers), or an answerable id that stands there twice.
    """
    ids: dict[str, str] = {}
    for place, record in read_records(Path(path)):
        if "paragraphs" not in record:
            refuse(place, "no 'paragraphs'; is this a MuSiQue file?")
        if record.get("answerable") is False:
            continue
        question = _question(record, place)
        one_each(ids, question.id, place)
        yield question


def _question(record: Record, place: str) -> Question:
    if record.get("answer") is None:
        refuse(place, "no 'answer': test files have none; use the training or dev file")
    aliases = record.get("answer_aliases") or []
    if not isinstance(aliases, list) or not all(isinstance(alias, str) for alias in aliases):
        refuse(place, "'answer_aliases' must be a list of texts")
    answers = [text_of(record, "answer", place), *(alias.strip() for alias in aliases)]
    passages = in_source_order([_passage(paragraph, place) for paragraph in _paragraphs(record, place)])
    indexes = [passage.index for passage in passages]
    if len(set(indexes)) != len(indexes):
        refuse(place, "two paragraphs have the same 'idx'")
    if not any(passage.is_support for passage in passages):
        refuse(place, "no paragraph has 'is_supporting': test files have none; use the training or dev file")
    return Question(
        text_of(record, "id", place),
        text_of(record, "question", place),
        tuple(dict.fromkeys(answer for answer in answers if answer)),
        passages,
    )


def _paragraphs(record: Record, place: str) -> list[Mapping[str, Any]]:
    """The paragraphs as objects, also from columns."""
    value = record["paragraphs"]
    if isinstance(value, Mapping) and value and all(isinstance(column, list) for column in value.values()):
        sizes = {len(column) for column in value.values()}
        if len(sizes) == 1:
            return [{name: column[at] for name, column in value.items()} for at in range(sizes.pop())]
    if isinstance(value, list) and value and all(isinstance(item, Mapping) for item in value):
        return value
    refuse(place, "'paragraphs' must be a list of objects with idx, title, paragraph_text and is_supporting")


def _passage(paragraph: Mapping[str, Any], place: str) -> Passage:
    index, support = paragraph.get("idx"), paragraph.get("is_supporting")
    if isinstance(index, bool) or not isinstance(index, int):
        refuse(place, f"a paragraph's 'idx' must be an integer, got {index!r}")
    if not isinstance(support, bool):
        refuse(place, f"paragraph {index}: no 'is_supporting': test files have none; use the training or dev file")
    title, text = paragraph.get("title"), paragraph.get("paragraph_text")
    if not isinstance(title, str) or not isinstance(text, str):
        refuse(place, f"paragraph {index}: 'title' and 'paragraph_text' must be texts")
    return Passage(title, text.strip(), support, index)


PLUGIN = QuestionSource(
    name="musique",
    read=read,
    licence="CC BY 4.0",
    source="https://github.com/StonyBrookNLP/musique",
)
