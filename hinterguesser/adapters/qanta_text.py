"""Where the sentences of a QANTA question end, when the offsets that say so have drifted away from its text.

`tokenizations` holds pairs of character offsets. They were computed on a repaired text, while `text` may still hold
letters that were read in a wrong encoding ("Ã©" for "é"): each of them shifts all later offsets by one or two.
"""

import re
from bisect import bisect_left

_REACH = 4
"""How far an end may be moved to reach the end of a sentence."""

# One UTF-8 letter of two, three or four bytes, read as Windows-1252 or Latin-1.
_LEAD_2, _LEAD_3, _LEAD_4 = "\u00c2-\u00df", "\u00e0-\u00ef", "\u00f0-\u00f4"
_CONTINUED = (
    "\u0080-\u00bf\u20ac\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u017d"
    "\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u017e\u0178"
)
_MISREAD = re.compile(f"[{_LEAD_2}][{_CONTINUED}]|[{_LEAD_3}][{_CONTINUED}]{{2}}|[{_LEAD_4}][{_CONTINUED}]{{3}}")

_SENTENCE_END = re.compile(r"[.?!…][\"'”’)\]]*(?=\s|$)")


def sentence_ends(text: str, tokenizations: object) -> list[int] | None:
    """The offset in `text` at which each sentence but the last ends; None when `tokenizations` cannot be used.

    Each end is first shifted by the misread letters before it, then moved to the end of a sentence within four
    characters, or else to the end of the word that it would cut.
    """
    pairs = _pairs(tokenizations)
    if pairs is None:
        return None
    if pairs[-1][1] > 2 * len(text) + _REACH:
        return None
    marks = [match.end() for match in _SENTENCE_END.finditer(text)]
    shift = _shifts(text)
    moved = (_snapped(text, min(_shifted(end, shift), len(text)), marks) for _, end in pairs[:-1])
    return sorted(set(moved))


def _pairs(tokenizations: object) -> list[tuple[int, int]] | None:
    """The pairs, if they are whole numbers that never go back."""
    if not isinstance(tokenizations, list | tuple) or not tokenizations:
        return None
    pairs: list[tuple[int, int]] = []
    before = 0
    for pair in tokenizations:
        if not isinstance(pair, list | tuple) or len(pair) != 2:
            return None
        start, end = pair
        if not (type(start) is int and type(end) is int and before <= start <= end):
            return None
        before = end
        pairs.append((start, end))
    return pairs


def _shifts(text: str) -> list[tuple[int, int]]:
    """(offset in the repaired text, how far `text` is ahead from there on), for each misread letter."""
    found: list[tuple[int, int]] = []
    ahead = 0
    for match in _MISREAD.finditer(text):
        repaired_end = match.start() - ahead + 1
        ahead += len(match[0]) - 1
        found.append((repaired_end, ahead))
    return found


def _shifted(end: int, shifts: list[tuple[int, int]]) -> int:
    ahead = 0
    for offset, total in shifts:
        if offset > end:
            break
        ahead = total
    return end + ahead


def _snapped(text: str, end: int, marks: list[int]) -> int:
    """`end`, moved to the nearest of `marks` if one is in reach, or else to the end of the word it stands in."""
    place = bisect_left(marks, end)
    near = [mark for mark in marks[max(place - 1, 0) : place + 1] if abs(mark - end) <= _REACH]
    if near:
        return min(near, key=lambda mark: (abs(mark - end), -mark))
    while end < len(text) and not text[end].isspace() and not text[end - 1].isspace():
        end += 1
    return end
