"""GRACE (Sung et al. 2025): quiz questions whose clues get easier, with the buzzes of people and models.

Read from the published encrypted zip, a folder of its packets, or one packet (`packet3_buzzpoints.json`). A question is
known by its packet and its index, since indices repeat between packets. It is one text; where its clues end is for the
splitter to find.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hinterguesser.adapters.archives import MAX_MEMBER_BYTES, read_members
from hinterguesser.adapters.base import Adapter, AdaptOptions
from hinterguesser.adapters.buzzes import Buzz, read_buzzes
from hinterguesser.adapters.clues import cut_characters, cut_sentences, step_of
from hinterguesser.adapters.files import decode, existing, parse_json, read_bytes
from hinterguesser.adapters.grace_answers import AnswerLine, read_answer_line
from hinterguesser.adapters.records import Shelf, spaced, valid
from hinterguesser.domain.dialogue import Dialogue
from hinterguesser.domain.entity import Entity
from hinterguesser.errors import UserError

NAME = "grace"

_PACKET = re.compile(r"packet[_ -]?(\d{1,4})(?:[^0-9].*)?\.json", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Tossup:
    """One record of a packet, as far as it could be read."""

    packet: int
    index: str
    """The source's `tossup_index`, which is a text in some packets and a number in others."""
    category: str | None
    question: str
    answer: AnswerLine
    positions: object
    is_record: bool = True

    @property
    def key(self) -> str:
        """What the question is known by."""
        return f"{self.packet}-{self.index}"


@dataclass(frozen=True, slots=True)
class _Read:
    tossup: Tossup
    dialogue: Dialogue


def read_tossups(path: Path, password: str | None = None) -> Iterator[Tossup]:
    """Every record of every packet, by packet number and then as they stand.

    Raises:
        UserError: no packets there, one packet twice, a packet that is no JSON list, or an archive that cannot be read.
    """
    for number, (name, raw) in sorted(_packets(path, password).items()):
        records = parse_json(decode(raw, name), name)
        if not isinstance(records, list):
            raise UserError(f"{name}:1: a packet is a JSON list of questions, got {type(records).__name__}")
        for place, record in enumerate(records, start=1):
            yield _tossup(number, place, record)


def read(path: Path, options: AdaptOptions) -> Iterator[Dialogue]:
    """A dialogue of each record, kept or rejected."""
    return (item.dialogue for item in _read(path, options))


def annotations(path: Path, options: AdaptOptions) -> Iterator[Mapping[str, Any]]:
    """Packet, index, category, the answer line in parts, and the buzzes, for each kept dialogue."""
    for item in _read(path, options):
        if item.dialogue.kept:
            buzzes, unread = buzzes_of(item.tossup, item.dialogue)
            yield {
                "dialogue_id": item.dialogue.id,
                "packet": item.tossup.packet,
                "index": item.tossup.index,
                "category": item.tossup.category,
                "answer_line": item.tossup.answer.to_dict(),
                "buzzes": [buzz.to_dict() for buzz in buzzes],
                "buzzes_unread": unread,
            }


def buzzes_of(tossup: Tossup, dialogue: Dialogue) -> tuple[tuple[Buzz, ...], int]:
    """The buzzes on a question, placed in the turns of its dialogue, and how many could not be read."""
    return read_buzzes(tossup.positions, [turn.hint.answer for turn in dialogue.turns])


def _read(path: Path, options: AdaptOptions) -> Iterator[_Read]:
    step = step_of(options.granularity)
    shelf = Shelf(NAME, options.instruction)
    for tossup in read_tossups(path, options.password):
        yield _Read(tossup, _dialogue(tossup, shelf, step))


def _dialogue(tossup: Tossup, shelf: Shelf, step: int | None) -> Dialogue:
    gold = tossup.answer.gold
    if not tossup.is_record:
        return shelf.rejected(tossup.key, gold, "not_a_record")
    if not gold:
        return shelf.rejected(tossup.key, gold, "no_answer")
    fault = shelf.fault(tossup.key, tossup.question)
    if fault is not None:
        return shelf.rejected(tossup.key, gold, fault)
    clues = cut_sentences(tossup.question) if step is None else cut_characters(tossup.question, step)
    return shelf.kept(tossup.key, Entity(gold, tossup.answer.aliases), clues)


def _tossup(packet: int, place: int, record: object) -> Tossup:
    if not isinstance(record, dict):
        return Tossup(packet, f"record-{place}", None, "", AnswerLine(""), None, is_record=False)
    index = record.get("tossup_index")
    has_index = isinstance(index, str | int) and not isinstance(index, bool) and str(index).strip()
    return Tossup(
        packet=packet,
        index=valid(str(index).strip()) if has_index else f"record-{place}",
        category=_text(record.get("category")) or None,
        question=_text(record.get("question")),
        answer=read_answer_line(_text(record.get("answer"))),
        positions=record.get("position"),
    )


def _text(value: object) -> str:
    return spaced(valid(value)) if isinstance(value, str) else ""


def _packets(path: Path, password: str | None) -> dict[int, tuple[str, bytes]]:
    """Packet number to its file's name (for messages) and content."""
    wanted = "the published zip, or a folder with its files packet1_buzzpoints.json, packet2_buzzpoints.json, ..."
    existing(path, wanted)
    if path.is_dir():
        named = {str(file): file for file in sorted(path.rglob("*.json")) if _PACKET.fullmatch(file.name)}
        files = {name: read_bytes(file, MAX_MEMBER_BYTES) for name, file in named.items()}
    elif path.suffix.lower() == ".zip":
        members = read_members(path, lambda name: _PACKET.fullmatch(name) is not None, password)
        files = {f"{path}/{name}": raw for name, raw in members.items()}
    elif _PACKET.fullmatch(path.name):
        files = {str(path): read_bytes(path, MAX_MEMBER_BYTES)}
    else:
        raise UserError(f"{path}: neither a .zip nor a packet file; give {wanted}")
    if not files:
        raise UserError(f"{path}: no question packets in it; give {wanted}")
    packets: dict[int, tuple[str, bytes]] = {}
    for name, raw in files.items():
        match = _PACKET.fullmatch(name.rsplit("/", 1)[-1])
        assert match is not None
        number = int(match[1])
        if number in packets:
            raise UserError(f"{name}: packet {number} is there twice, also as {packets[number][0]}; take one out")
        packets[number] = name, raw
    return packets


PLUGIN = Adapter(
    name=NAME,
    licence=None,
    source="GRACE (Sung et al., ACL 2025), github.com/yysung/advcalibration; the authors ship it encrypted",
    read=read,
    annotations=annotations,
)
