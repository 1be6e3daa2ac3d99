r"""A confidence that a reply states. What is ambiguous is `Unscored`, with the reason.

`verbalized` reads a confidence that was asked for on 0..100 as `### Confidence: \boxed{NN}`, in this order:

1. The last complete `\boxed{}` with a number in it, after the last word such as "confidence" (anywhere, if
   there is none outside the boxes).
2. The last "confidence: 85"; without one, the last other statement: "my confidence is 85", "85% sure", a last
   (or else a first) line that is nothing but the number.

A later "Confidence: high" or a cut-off last box voids what stood before it.
"""

from __future__ import annotations

import re

from hinterguesser.confidence.amounts import ABOUT, BOUND, UNIT, VALUE, WHOLE_VALUE, Verbalized, plain_digits, value_of
from hinterguesser.confidence.boxes import Box, boxes_in, split_reasoning
from hinterguesser.domain.estimate import Unscored

KEY = r"(?:confidence|certainty|probability|likelihood)"
_KEYWORD = re.compile(rf"\b(?:{KEY}|confident|certain|sure)\b", re.IGNORECASE)
_HEADER = re.compile(
    r"\bconfidence\b(?:\s+(?:level|score|rating|estimate|value))?[\s\"']*[:=]",
    re.IGNORECASE,
)
_FILLER = (
    r"(?:[\s:=|\"'\[<\u2013\u2014\u2192#>]|-(?!\d)|\([^()\n]{0,40}\)|\("
    r"|(?:level|score|rating|value|estimate|percentage|number|is|are|be|would|as|of|at|my|in"
    r"|this|that|the|it|guess|answer|correct|right|being|set|current|final|overall|still|now"
    r"|currently|stands|remains|i'd say|i would say)\b)"
)
_AFTER_KEY = re.compile(
    rf"\b{KEY}\b(?P<gap>{_FILLER}{{1,12}}"
    r"|\s+(?:that|in|about|for|of)\b[^.!?;\n\d]{0,80}?(?:\bis|\bat|\bto be|[:=])\s+)"
    rf"{VALUE}",
    re.IGNORECASE,
)
_BEFORE_KEY = re.compile(
    rf"(?<![\w.,])(?P<value>{VALUE})\s*-?\s*"
    r"(?:likely|sure\b|certain\b|certainty|confident|confidence|chance|probability|likelihood)",
    re.IGNORECASE,
)
_ALONE = re.compile(
    r"^[\s>#\"'(\[-]*?(?:(?:i(?:'d| would) say|i(?:'d| would) estimate|it is|it's|answer:)\s+)?"
    rf"(?P<value>{VALUE})[\s.!\"'\])]*$",
    re.IGNORECASE,
)
_NEGATION = re.compile(r"\b(?:not|never|hardly|cannot|neither|nor|no)\b|n't\b", re.IGNORECASE)
_OF_ANOTHER = re.compile(
    r"\s*(?:that\s+)?(?:(?:it|this|that|the answer)(?:\s+is|'s)\s+not|it\s+isn't)\b", re.IGNORECASE
)
_CLAUSE_END = re.compile(r"[.!?;,\n](?!\d)|\bbut\b", re.IGNORECASE)
_ANOTHER = re.compile(
    r"[ \t]*(?:,|;|/|\||->|=>|\u2192|\bor maybe\b|\bor\b|\band\b|\bthen\b|\bto\b)?"
    r"[ \t]*[\"'\])]?[ \t]*[-+]?\.?\d",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    r"\s*(?:(?:of|hints?|clues?|turns?|questions?|options?|candidates?|cities|answers?|out of)\b|possib\w*)",
    re.IGNORECASE,
)
_SCALE_SAID = re.compile(
    r"(?:scale\s+(?:of|from)?\s*|\(\s*|between\s+)[01](?:\.0)?\s*(?:-|\u2013|to|and)\s*"
    r"(10|1)(?:\.0)?(?![\d.]*\d)",
    re.IGNORECASE,
)
LATEX = re.compile(r"\\(?=[%()\[\]$])|\\text(?:bf|it|rm)?\b|\\math(?:bf|rm)\b|\\[,;:! ]|[*`$]")


def verbalized(text: str) -> Verbalized | Unscored:
    r"""Return the confidence that a reply states, or why none can be read.

    Asked for on 0..100. Without a unit, 0 and 2..100 are percent, a number strictly between 0 and 1 is a
    fraction, and 1 (or "1.0") is `Unscored`: it could be 1 % or certainty. With a unit ("1%", "85/100",
    "8/10") it means what it says; a reply that states its own scale ("on a scale of 1 to 10") is read on it.
    A range or margin gives its midpoint, flagged. `Unscored`: bounds (">= 90", "90+"), two numbers ("85 or
    90"), other scales ("4/5"), negated statements ("not 90% sure"), words ("high"), numbers that nothing ties
    to the confidence, numbers out of range, a last `\boxed{` without its end, refusals and blank text. An
    unreadable last statement voids earlier ones. Reasoning in a leading `<think>` block is not read.
    """
    _, text, cut = split_reasoning(text)
    if cut:
        return Unscored("cut off inside its reasoning")
    if not text.strip():
        return Unscored("empty reply")
    text = plain_digits(text)
    said = _SCALE_SAID.search(text)
    stated = int(said[1]) if said else None
    boxed = _boxed_confidence(text, stated)
    return _stated_confidence(text, stated) if boxed is None else boxed


def _boxed_confidence(text: str, stated: int | None) -> Verbalized | Unscored | None:
    """Return what the box of the confidence says; None when there is no such box."""
    boxes = boxes_in(text)
    if not boxes:
        return None
    if boxes[-1].content is None:
        return Unscored("cut off inside \\boxed{}")
    keys = [key.start() for key in _KEYWORD.finditer(text)]
    last_key = max((at for at in keys if not any(box.start < at < box.end for box in boxes)), default=-1)
    asked = [box for box in boxes if box.content is not None and box.start > last_key]
    read = [(box, found) for box in asked if (found := _read_box(text, box, stated)) is not None]
    if not read:
        return None
    (last, value) = read[-1]
    between = text[read[-2][0].end : last.start] if len(read) > 1 else ""
    if re.fullmatch(r"[\s$]*(?:or|to|and|-|\u2013|/|,)[\s$]*", between):
        return Unscored("two boxed numbers")
    return value


def _read_box(text: str, box: Box, stated: int | None) -> Verbalized | Unscored | None:
    """Return the number in a box, with a unit that follows it; None when the box holds something else."""
    content = _bare(box.content or "")
    unit = re.match(rf"[ \t$]*\\?(?:{UNIT.replace('?P<{0}>', '')})", text[box.end :], re.IGNORECASE)
    if unit and not re.search(r"[%/]", content):
        content += " " + _bare(unit[0]).strip()
    content = content.strip(" \"'()[]")
    found = WHOLE_VALUE.fullmatch(content)
    if found:
        return value_of(found, stated)
    if _KEYWORD.search(content):
        inner = _stated_confidence(content, stated)
        return inner if isinstance(inner, Verbalized) else None
    starts = re.match(rf"\s*(?:{BOUND}|{ABOUT})?\s*[-+]?\.?\d", content, re.IGNORECASE)
    return Unscored(f"not clearly a number: {content.strip()[:60]!r}") if starts else None


def _bare(text: str) -> str:
    return LATEX.sub("", text).replace("{", "").replace("}", "")


def _stated_confidence(text: str, stated: int | None) -> Verbalized | Unscored:
    plain = re.sub(r"[_{}]", " ", LATEX.sub("", text))
    negated = Unscored("a negated statement")
    headers = [found.start() for found in _HEADER.finditer(plain)]
    before = [found for found in _BEFORE_KEY.finditer(plain) if found["low_unit"] or found["high_unit"]]
    statements = [
        *((found.start(), _after_key(plain, found, stated)) for found in _AFTER_KEY.finditer(plain)),
        *((found.start("low"), _before_key(plain, found, stated)) for found in before),
        *_lines_alone(plain, stated),
    ]
    kept = [(at, said) for at, said in statements if said is not None]
    if headers and headers[-1] > max((at for at, _ in kept), default=-1):
        return Unscored(f"no number stated: {plain[headers[-1] :].splitlines()[0][:60]!r}")
    if not kept:
        return negated if statements else Unscored("no explicit statement of confidence")
    return max(kept, key=lambda statement: (statement[0] in headers, statement[0]))[1]


def _after_key(plain: str, found: re.Match[str], stated: int | None) -> Verbalized | Unscored | None:
    """Return what a statement such as "confidence: 85" says; None when it is negated."""
    if _NEGATION.search(found["gap"]):
        return None
    if _ANOTHER.match(plain, found.end()):
        return Unscored(f"several numbers: {plain[found.start() : found.end() + 12]!r}")
    if _COUNTED.match(plain, found.end()):
        return Unscored(f"a count, not a confidence: {plain[found.start() : found.end() + 12]!r}")
    return value_of(found, stated)


def _before_key(plain: str, found: re.Match[str], stated: int | None) -> Verbalized | Unscored | None:
    """Return what a statement such as "85% sure" says; None when it is negated."""
    *_, clause = _CLAUSE_END.split(plain[max(0, found.start() - 120) : found.start()])
    if _NEGATION.search(clause) or _OF_ANOTHER.match(plain, found.end()):
        return None
    return value_of(found, stated)


def _lines_alone(plain: str, stated: int | None) -> list[tuple[int, Verbalized | Unscored]]:
    """Return the first and the last line, where they are nothing but a number; the first weighs least."""
    first, *rest = plain.strip().split("\n")
    found = [(-1, _ALONE.match(first))]
    if rest:
        found.append((len(plain) - len(rest[-1]), _ALONE.match(rest[-1])))
    return [(at, value_of(line, stated)) for at, line in found if line]
