"""The parts of a reply: reasoning that stands before the answer, and what is boxed."""

from __future__ import annotations

import re
from dataclasses import dataclass

_BOX = re.compile(r"\\f?boxed\s*\{")
_THINK = re.compile(r"<(think|thinking)>", re.IGNORECASE)
_QUOTES = "`'\"\u2018\u2019\u201c\u201d"


@dataclass(frozen=True, slots=True)
class Box:
    r"""One `\boxed{}` in a reply: where it stands, and what is in it."""

    start: int
    end: int
    content: str | None
    """None when the closing brace is missing."""


def boxes_in(text: str) -> list[Box]:
    """The last 40 boxes of `text`, in order."""
    return [_box(text, found.start(), found.end()) for found in [*_BOX.finditer(text)][-40:]]


def _box(text: str, start: int, inside: int) -> Box:
    depth = 1
    for at in range(inside, min(len(text), inside + 20_000)):
        if text[at] in "{}" and text[at - 1] != "\\":
            depth += 1 if text[at] == "{" else -1
            if depth == 0:
                return Box(start, at + 1, text[inside:at])
    return Box(start, len(text), None)


def split_reasoning(text: str) -> tuple[str | None, str, bool]:
    """Split a reply into its reasoning (None if none), its answer text, and whether it was cut off inside.

    Only a `<think>` (or `<thinking>`) block at the very start counts, or a closing tag without an opening
    one, as from templates that pre-fill it. A tag in quotes or backticks is a mention, not a tag. An unclosed
    block has no answer: ("...", "", True). Without reasoning the text comes back as it is. A reply that was
    cut inside reasoning whose opening tag the template had pre-filled cannot be told from a plain one.
    """
    found = _THINK.match(text, len(text) - len(text.lstrip()))
    if found is None:
        close = _closing(text, "think(?:ing)?", 0)
        opening = next((tag for tag in _THINK.finditer(text) if not _is_mention(text, tag)), None)
        if close is None or (opening is not None and opening.start() < close.start()):
            return None, text, False
        return text[: close.start()].strip(), text[close.end() :].lstrip(), False
    thoughts: list[str] = []
    rest = text
    while found is not None:
        close = _closing(rest, found[1], found.end())
        if close is None:
            thoughts.append(rest[found.end() :].strip())
            return "\n\n".join(thoughts), "", True
        thoughts.append(rest[found.end() : close.start()].strip())
        rest = rest[close.end() :].lstrip()
        found = _THINK.match(rest)
    return "\n\n".join(thoughts), rest, False


def _closing(text: str, tag: str, start: int) -> re.Match[str] | None:
    tags = re.compile(rf"</{tag}>", re.IGNORECASE).finditer(text, start)
    return next((found for found in tags if not _is_mention(text, found)), None)


def _is_mention(text: str, tag: re.Match[str]) -> bool:
    before, after = text[: tag.start()][-1:], text[tag.end() :][:1]
    return bool(before) and before in _QUOTES and bool(after) and after in _QUOTES
