"""One long question cut into clues: by sentence, by characters, or where its source says."""

import re
import warnings
from bisect import bisect_right
from collections.abc import Iterable
from functools import cache
from typing import Any

from hinterguesser.errors import UserError

TINY = 3
"""A piece of so few characters is no clue: a stray quote, a power mark."""

_CHARACTERS = re.compile(r"characters:(\d+)")
# "For 10 points" opens the last clue; a splitter may miss it behind an abbreviation ("in Washington, D.C. For 10 ...").
_GIVEAWAY = re.compile(r"(?<=[.?!])[\"'”’)]*\s+(?=(?:For|FTP),? (?:10|ten|five|15|20) points\b)")
_CLOSING = re.compile(r"[\"”’)\]]+(?=\s)")
_NOTE = re.compile(r"(?:note|notes|moderator note)\b[^:.]{0,30}:", re.IGNORECASE)


def step_of(granularity: str) -> int | None:
    """Characters a clue, or None for sentences.

    Raises:
        UserError: neither 'sentence' nor 'characters:N' with N from 1 to 100,000.
    """
    if granularity == "sentence":
        return None
    found = _CHARACTERS.fullmatch(granularity)
    if not found or len(found[1]) > 6 or not 1 <= int(found[1]) <= 100_000:
        raise UserError(f"granularity must be 'sentence' or 'characters:N' (N from 1 to 100000), got {granularity!r}")
    return int(found[1])


def cut_sentences(text: str) -> list[str]:
    """The sentences of `text`, none of them blank; joined by blanks they are `text` but for its spacing."""
    ends: list[int] = []
    cursor = 0
    for sentence in _segmenter().segment(text) if text.strip() else []:
        found = text.find(sentence.strip(), cursor)
        if found >= 0:  # else the splitter has changed something: what it could not place stays with its neighbour
            cursor = found + len(sentence.strip())
            ends.append(cursor)
    ends.extend(match.start() + len(match[0].rstrip()) for match in _GIVEAWAY.finditer(text))
    return pieces(text, ends)


@cache
def _segmenter() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)  # its source has escapes that newer Pythons frown upon
        import pysbd
    return pysbd.Segmenter(language="en", clean=False)


def cut_characters(text: str, step: int) -> list[str]:
    """Pieces such that the first i together hold at most `i * step` characters; no word is cut in two.

    A word longer than `step` makes one longer piece, and the pieces it uses up are left out.
    """
    word_ends = [match.end() for match in re.finditer(r"\S+", text)]
    last_words = (bisect_right(word_ends, limit) for limit in range(step, len(text), step))
    return pieces(text, [word_ends[count - 1] for count in last_words if count], tiny=0)


def pieces(text: str, ends: Iterable[int], tiny: int = TINY) -> list[str]:
    """`text` cut at `ends` (in any order), the last piece to its very end, none blank.

    A piece of at most `tiny` characters goes to the one before it; if it is the first, and likewise a note to the
    players, the one after it goes to it. A closing quote that opens a piece goes back to the one before it.
    """
    found: list[str] = []
    start = 0
    opening = True  # nothing but notes and tiny pieces so far
    for end in sorted({end for end in ends if 0 < end < len(text)} | {len(text)}):
        piece = text[start:end].strip()
        blank = " " if text[start : start + 1].isspace() else ""
        closing = _CLOSING.match(piece) if found and tiny else None
        if closing:
            found[-1] += blank + closing[0]
            piece, blank = piece[closing.end() :].strip(), " "
        if not piece:
            continue
        if found and (opening or len(piece) <= tiny):
            found[-1] += blank + piece
        else:
            found.append(piece)
        opening = opening and _is_no_clue(piece, tiny)
        start = end
    return found


def _is_no_clue(piece: str, tiny: int) -> bool:
    return len(piece) <= tiny or (tiny > 0 and len(piece) < 100 and _NOTE.match(piece) is not None)
