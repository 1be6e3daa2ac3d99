"""HotpotQA, distractor setting: the official files (`_id`, pairs) and the Hub's rows (`id` or none, columns).

Supports are the passages whose title stands in `supporting_facts`, in the order of the *context* (the facts are listed
in another order in about half the records). Most records have ten passages, some two or four. The fullwiki files are
refused: their passages come from a retriever and may lack the supports.
"""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hinterguesser.adapters.question_records import Record, column_pairs, one_each, read_records, refuse, text_of
from hinterguesser.errors import UserError
from hinterguesser.replay.questions import Passage, Question, QuestionSource


def read(path: str | Path) -> Iterator[Question]:
    """The questions of a file, in its order.

    A record without an id gets one from its question and its titles.

    Raises:
        UserError: not HotpotQA, a test file (no answers), a fullwiki file, or an id that stands there twice.
    """
    path = Path(path)
    if "fullwiki" in path.name.lower():
        raise UserError(f"{path}: a fullwiki file; use the distractor setting (hotpot_dev_distractor_v1)")
    ids: dict[str, str] = {}
    for place, record in read_records(path):
        question = _question(record, place)
        one_each(ids, question.id, place)
        yield question


def _question(record: Record, place: str) -> Question:
    if "context" not in record:
        refuse(place, "no 'context'; is this a HotpotQA file?")
    if record.get("answer") is None or record.get("supporting_facts") is None:
        refuse(place, "no 'answer' or 'supporting_facts': test files have none; use the training or dev file")
    context = column_pairs(record["context"], "title", "sentences", place, "context")
    facts = column_pairs(record["supporting_facts"], "title", "sent_id", place, "supporting_facts")
    titles = [title for title, _ in context]
    supports = {title for title, _ in facts}
    lost = sorted(str(title) for title in supports.difference(titles))
    if lost:
        refuse(
            place, f"the supporting passage {lost[0]!r} is not in the context; use the distractor files, not fullwiki"
        )
    if not supports:
        refuse(place, "'supporting_facts' is empty; a record needs at least one supporting passage")
    question = text_of(record, "question", place)
    passages = tuple(
        Passage(str(title), _text(sentences, place), title in supports, index)
        for index, (title, sentences) in enumerate(context)
    )
    return Question(_id(record, question, titles), question, (text_of(record, "answer", place),), passages)


def _text(sentences: Any, place: str) -> str:
    if not isinstance(sentences, list) or not all(isinstance(sentence, str) for sentence in sentences):
        refuse(place, "the sentences of a passage must be a list of texts")
    return " ".join(sentence.strip() for sentence in sentences if sentence.strip())


def _id(record: Record, question: str, titles: list[Any]) -> str:
    for name in ("_id", "id"):
        value = record.get(name)
        if isinstance(value, str) and value:
            return value
    content = "\n".join([question, *map(str, titles)])
    return "hotpotqa-" + hashlib.sha256(content.encode("utf-8", "backslashreplace")).hexdigest()[:16]


PLUGIN = QuestionSource(
    name="hotpotqa",
    read=read,
    licence="CC BY-SA 4.0",
    source="https://hotpotqa.github.io",
)
