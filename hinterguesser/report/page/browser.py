"""The dialogues of a page as data: an index of all, and chunks that are unpacked when one of them is opened."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from hinterguesser.domain.course import Course
from hinterguesser.domain.dialogue import Dialogue, Turn
from hinterguesser.domain.predictions import REFERENCES
from hinterguesser.report.page.markup import visible
from hinterguesser.report.page.packing import packed as packed_bytes

DIALOGUES_IN_CHUNK = 200
UNSCORED = "vv"
_DIGITS = "0123456789abcdefghijklmnopqrstuv"


@dataclass(frozen=True, slots=True)
class Packed:
    """Index and chunks, each JSON, gzip, base64."""

    index: str
    chunks: Sequence[str]


def packed(dialogues: Sequence[tuple[Dialogue, Sequence[Course]]]) -> Packed:
    """The dialogues with what models did in them, ready to be put into a page."""
    columns: dict[str, list[Any]] = {
        "id": [_text(each.id) for each, _ in dialogues],
        "game": [_text(each.game) for each, _ in dialogues],
        "entity": [_text(each.entity.name) for each, _ in dialogues],
        "outcome": [_text(each.outcome) for each, _ in dialogues],
        "reason": [_text(each.reason) for each, _ in dialogues],
        "kept": [int(each.kept) for each, _ in dialogues],
        "length": [each.length for each, _ in dialogues],
        "disagreement": [_per_mille(disagreement(courses)) for _, courses in dialogues],
    }
    models = list(dict.fromkeys(course.model for _, courses in dialogues for course in courses))
    apart = [[_of_model(courses, model) for _, courses in dialogues] for model in models]
    parts = [dialogues[at : at + DIALOGUES_IN_CHUNK] for at in range(0, len(dialogues), DIALOGUES_IN_CHUNK)]
    return Packed(
        index=_pack(
            {"size": DIALOGUES_IN_CHUNK, "columns": columns, "models": list(map(_text, models)), "apart": apart}
        ),
        chunks=[_pack([_dialogue(*each) for each in part]) for part in parts],
    )


def disagreement(courses: Sequence[Course]) -> float | None:
    """How far two methods are apart at most, at one turn, in their confidence in a model's own answer in the dialogue.

    The exact references are no methods of a model. None where no turn has two methods' confidences.
    """
    widest = None
    for course in courses:
        if course.condition not in ("", "multi"):
            continue
        own = [
            values
            for (method, target), values in course.confidences.items()
            if target in ("", "answer") and method not in REFERENCES
        ]
        for at_turn in zip(*own, strict=True):
            known = [value for value in at_turn if value is not None]
            if len(known) > 1:
                widest = max(widest or 0.0, max(known) - min(known))
    return widest


def _of_model(courses: Sequence[Course], model: str) -> int | None:
    """The model's disagreement; -1 where it saw nothing of the dialogue."""
    own = [course for course in courses if course.model == model]
    return _per_mille(disagreement(own)) if own else -1


def _dialogue(dialogue: Dialogue, courses: Sequence[Course]) -> dict[str, Any]:
    failure = dialogue.failure
    return {
        "id": _text(dialogue.id),
        "game": _text(dialogue.game),
        "entity": _text(dialogue.entity.name),
        "aliases": [_text(alias) for alias in dialogue.entity.aliases],
        "instruction": _text(dialogue.instruction),
        "outcome": _text(dialogue.outcome),
        "kept": dialogue.kept,
        "reason": _text(dialogue.reason),
        "hinter": _text(dialogue.hinter),
        "guesser": _text(dialogue.guesser),
        "failure": None
        if failure is None
        else [failure.turn, *map(_text, (failure.stage, failure.error, failure.text))],
        "turns": [_turn(turn) for turn in dialogue.turns],
        "courses": [_course(course) for course in courses],
    }


def _turn(turn: Turn) -> list[Any]:
    guess, placebo = turn.guess, turn.placebo
    return [
        _text(turn.hint.question),
        _text(turn.hint.answer),
        None if guess is None else _text(guess.guess),
        turn.guess_correct,
        None if guess is None else guess.unique,
        [] if guess is None else [_text(other) for other in guess.alternatives],
        turn.n_candidates,
        None if placebo is None else [_text(placebo.hint.question), _text(placebo.hint.answer), _text(placebo.kind)],
        _text(turn.summary),
    ]


def _course(course: Course) -> list[Any]:
    columns = [[_text(method), _text(target)] for method, target in course.confidences]
    confidences = "".join(_two_digits(value) for values in course.confidences.values() for value in values)
    answers = [_text(answer) for answer in course.answers]
    return [_text(course.model), _text(course.condition), answers, list(course.correct), columns, confidences]


def _two_digits(confidence: float | None) -> str:
    """Per mille in base 32, 'vv' where unscored: packs a quarter smaller than a list of numbers."""
    mille = _per_mille(confidence)
    return UNSCORED if mille is None else _DIGITS[mille >> 5] + _DIGITS[mille & 31]


def _text(text: str | None) -> str | None:
    return None if text is None else visible(text)


def _per_mille(share: float | None) -> int | None:
    return None if share is None else round(1000 * share)


def _pack(value: Mapping[str, Any] | Sequence[Any]) -> str:
    return packed_bytes(orjson.dumps(value))


def files(made: Packed) -> Iterator[tuple[str, bytes]]:
    """Chunks as files beside the page: scripts, since a page that was opened from a disk can load nothing else."""
    for number, chunk in enumerate(made.chunks):
        yield f"dialogues/{number:04}.js", f'hinterguesserChunk({number},"{chunk}");\n'.encode("ascii")
