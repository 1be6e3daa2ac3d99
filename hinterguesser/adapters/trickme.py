"""TrickMe (Wallace et al. 2019) and other questions in QANTA format: one text, and where its sentences end.

Read from the JSON file (an object with `questions`, or a bare list), JSONL, or Parquet as the Hub copy has it, or from
a folder of those. The gold answer is the Wikipedia title in `page`. Fields that are not named here are never kept; the
writer's e-mail address is one of them.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from hinterguesser.adapters.base import Adapter, AdaptOptions
from hinterguesser.adapters.clues import cut_characters, cut_sentences, pieces, step_of
from hinterguesser.adapters.files import existing
from hinterguesser.adapters.grace_answers import read_answer_line
from hinterguesser.adapters.qanta_files import read_questions
from hinterguesser.adapters.qanta_text import sentence_ends
from hinterguesser.adapters.records import Shelf, spaced, valid
from hinterguesser.domain.dialogue import Dialogue
from hinterguesser.domain.entity import Entity

NAME = "trickme"

_POWER_MARK = re.compile(r"\(\s*\*\s*\)")
_MISREAD_BLANK = "\u00c2\u00a0"
"""A no-break space that was read in a wrong encoding."""
_KEPT_FIELDS = ("category", "subcategory", "tournament", "difficulty", "year", "fold", "dataset", "qanta_id", "qid")


def read(path: Path, options: AdaptOptions) -> Iterator[Dialogue]:
    """A dialogue of each record, kept or rejected."""
    return (dialogue for _, dialogue in _read(path, options))


def annotations(path: Path, options: AdaptOptions) -> Iterator[Mapping[str, Any]]:
    """Category, origin and the answer line in parts, for each kept dialogue."""
    for record, dialogue in _read(path, options):
        if dialogue.kept:
            line = _answer_line_of(record)
            yield {
                "dialogue_id": dialogue.id,
                **{name: _plain(record.get(name)) for name in _KEPT_FIELDS},
                "answer_line": read_answer_line(line).to_dict() if line else None,
            }


def _read(path: Path, options: AdaptOptions) -> Iterator[tuple[Mapping[str, Any], Dialogue]]:
    step = step_of(options.granularity)
    shelf = Shelf(NAME, options.instruction)
    existing(path, "a QANTA file (.json, .jsonl or .parquet), or a folder of such files")
    for place, record in enumerate(read_questions(path), start=1):
        if isinstance(record, dict):
            yield record, _dialogue(record, place, shelf, step)
        else:
            yield {}, shelf.rejected(f"record-{place}", "", "not_a_record")


def _dialogue(record: Mapping[str, Any], place: int, shelf: Shelf, step: int | None) -> Dialogue:
    key = _key_of(record, place)
    gold = _gold_of(record)
    text = _text_of(record)
    if not gold:
        return shelf.rejected(key, read_answer_line(_answer_line_of(record)).gold, "no_page")
    fault = shelf.fault(key, text)
    if fault is not None:
        return shelf.rejected(key, gold, fault)
    clues = _clues(text, record.get("tokenizations"), step)
    return shelf.kept(key, Entity(gold), clues) if clues else shelf.rejected(key, gold, "no_text")


def _clues(text: str, tokenizations: object, step: int | None) -> list[str]:
    if step is not None:
        return cut_characters(_cleaned(text), step)
    ends = sentence_ends(text, tokenizations)
    if ends is None:
        return cut_sentences(_cleaned(text))
    # The replacement is as long as what it replaces, so that the ends stay right.
    return [clue for clue in map(_cleaned, pieces(text.replace(_MISREAD_BLANK, "  "), ends)) if clue]


def _cleaned(text: str) -> str:
    return spaced(_POWER_MARK.sub(" ", text.replace(_MISREAD_BLANK, " ")))


def _key_of(record: Mapping[str, Any], place: int) -> str:
    for name in ("qanta_id", "qid", "id"):
        value = record.get(name)
        if isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip():
            return valid(str(value).strip())
    return f"record-{place}"


def _text_of(record: Mapping[str, Any]) -> str:
    """The whole question: the Hub copy's `text` is a piece of it in three of its four modes."""
    for name in ("full_question", "text", "question"):
        value = record.get(name)
        if isinstance(value, str) and value.strip():
            return valid(value)
    return ""


def _gold_of(record: Mapping[str, Any]) -> str:
    """The Wikipedia title. Only where there is no answer line beside it can `answer` be one."""
    value = record.get("page")
    if "page" not in record and ("raw_answer" in record or "text" not in record):
        value = record.get("answer")
    return spaced(valid(value)) if isinstance(value, str) else ""


def _answer_line_of(record: Mapping[str, Any]) -> str:
    """The answer as the packet printed it; the Hub copy calls it `raw_answer`."""
    value = record.get("raw_answer", record.get("answer"))
    return valid(value) if isinstance(value, str) else ""


def _plain(value: object) -> str | int | None:
    if isinstance(value, str):
        return valid(value)
    return value if isinstance(value, int) else None


PLUGIN = Adapter(
    name=NAME,
    licence=None,
    source="TrickMe (Wallace et al., TACL 2019), adversarially written quiz questions in QANTA format",
    read=read,
    annotations=annotations,
)
