r"""What a reply says: a confidence, an answer, a label. What is ambiguous is `Unscored`, with the reason.

`verbalized` reads a confidence that was asked for on 0..100 as `### Confidence: \boxed{NN}`, in this order:

1. The last complete `\boxed{}` with a number in it, after the last word such as "confidence" (anywhere, if
   there is none outside the boxes).
2. The last "confidence: 85"; without one, the last other statement: "my confidence is 85", "85% sure", a last
   (or else a first) line that is nothing but the number.

A later "Confidence: high" or a cut-off last box voids what stood before it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from hinterguesser.domain.estimate import Unscored
from hinterguesser.domain.matching import unwrap

Scale = Literal["percent", "fraction", "out_of_100", "out_of_10", "range", "words"]


@dataclass(frozen=True, slots=True)
class Verbalized:
    """A confidence that a reply states in words or digits."""

    value: float
    """In [0, 1]."""
    scale: Scale
    """How it was said; all but "percent" differ from what was asked: "fraction" ("0.9"), "out_of_100"
    ("85/100"), "out_of_10" ("8/10"), "range" (the midpoint of "80-90" or of "85 ± 5"), "words" ("eighty").
    """
    snippet: str
    """The part of the reply it was read from."""


# --- boxes and reasoning ---

_BOX = re.compile(r"\\f?boxed\s*\{")
_THINK = re.compile(r"<(think|thinking)>", re.IGNORECASE)
_QUOTES = "`'\"\u2018\u2019\u201c\u201d"


@dataclass(frozen=True, slots=True)
class _Box:
    start: int
    end: int
    content: str | None
    """None when the closing brace is missing."""


def _boxes(text: str) -> list[_Box]:
    return [_box(text, found.start(), found.end()) for found in [*_BOX.finditer(text)][-40:]]


def _box(text: str, start: int, inside: int) -> _Box:
    depth = 1
    for at in range(inside, min(len(text), inside + 20_000)):
        if text[at] in "{}" and text[at - 1] != "\\":
            depth += 1 if text[at] == "{" else -1
            if depth == 0:
                return _Box(start, at + 1, text[inside:at])
    return _Box(start, len(text), None)


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


# --- one number and its scale ---

_NUMBER_WORDS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety"
)
_UNITS = {word: number for number, word in enumerate(_NUMBER_WORDS.split()[:20])}
_TENS = {word: 10 * tens for tens, word in enumerate(_NUMBER_WORDS.split()[20:], start=2)}
_DIGIT_WORDS = "one|two|three|four|five|six|seven|eight|nine"
_WORDS = (
    rf"(?:(?:one|a) hundred|hundred|(?:{'|'.join(_TENS)})(?:[ -](?:{_DIGIT_WORDS}))?"
    rf"|{'|'.join(_UNITS)})\b"
)
_DIGITS = r"[-+]?(?:\d+(?:[.,]\d+)*|\.\d+)(?:e[-+]?\d+)?(?![\w])"
_PERCENT = r"(?:%|percent\b|per cent\b|pct\b)"
_UNIT = (
    rf"(?:{_PERCENT}(?:\s*/\s*100\b\s*%?)?"
    r"|(?:\(\s*)?(?:/|out of)\s*(?:a )?(?P<{0}>\d+|hundred|ten)\b%?\s*\)?)"
)
_NUMBER = rf"(?P<{{0}}>{_DIGITS}|{_WORDS})(?P<{{0}}_unit>\s*{_UNIT.replace('{0}', '{0}_of')})?"


def _named(pattern: str, name: str) -> str:
    return pattern.replace("{0}", name)


_BOUND = (
    r"(?:[<>]=?|=<|[\u2264\u2265\u2a7d\u2a7e]|\\[lg]eq?\b|at least|at most|more than|less than|greater than"
    r"|higher than|lower than|over|under|above|below|up to|no more than|no less than|minimum|maximum)"
)
_ABOUT = (
    r"(?:~|\u2248|\\approx|\\sim|about|around|approximately|approx\.?|roughly|circa|ca\.|maybe|perhaps"
    r"|probably|exactly|only|just)"
)
_VALUE = (
    rf"(?P<bound>{_BOUND}\s*)?(?:{_ABOUT}\s*)?(?P<between>between\s+|from\s+)?"
    rf"{_named(_NUMBER, 'low')}"
    r"(?:\s*(?P<joint>-|\u2013|\u2014|\u2010|\u2011|~|\bto\b|\band\b|\u00b1|\+/-|\\pm)"
    rf"\s*{_named(_NUMBER, 'high')})?"
    r"(?P<more>\s*\+(?!\w))?"
)
_WHOLE_VALUE = re.compile(rf"\s*{_VALUE}\s*[.!]?\s*", re.IGNORECASE)
_VALUE_AT = re.compile(_VALUE, re.IGNORECASE)


def _plain_digits(text: str) -> str:
    """Write decimal digits of every script, full-width forms and percent signs in ASCII."""
    if text.isascii():
        return text
    out = []
    for mark in text:
        if mark.isdecimal():
            mark = str(unicodedata.decimal(mark))
        elif "\uff01" <= mark <= "\uff5e":
            mark = chr(ord(mark) - 0xFEE0)
        out.append(_SIGNS.get(mark, mark))
    return "".join(out)


_SIGNS = {"\u066a": "%", "\ufe6a": "%", "\u066b": ".", "\u2212": "-", "\xa0": " ", "\u202f": " "}


def _value(found: re.Match[str], stated_scale: int | None) -> Verbalized | Unscored:
    """Read a match of `_VALUE`. `stated_scale` is 1 or 10 when the reply itself says so for bare numbers."""
    snippet = found[0].strip()
    if found["bound"] or found["more"]:
        return Unscored(f"a bound, not a number: {snippet!r}")
    if found["joint"] and found["joint"].lower() == "and" and not found["between"]:
        return Unscored(f"several numbers: {snippet!r}")
    if found["joint"]:
        return _range(found, snippet, stated_scale)
    return _scaled(found["low"], found["low_unit"], found["low_of"], snippet, stated_scale)


def _range(found: re.Match[str], snippet: str, stated_scale: int | None) -> Verbalized | Unscored:
    unit, of = found["high_unit"] or found["low_unit"], found["high_of"] or found["low_of"]
    high = _scaled(found["high"], unit, of, snippet, stated_scale)
    low = _scaled(found["low"], found["low_unit"] or unit, found["low_of"] or of, snippet, stated_scale)
    if isinstance(low, Unscored):
        return low
    if found["joint"] in ("\u00b1", "+/-", "\\pm"):
        return replace(low, scale="range")
    if isinstance(high, Unscored):
        return high
    if low.value == 0 and high.value == 1:
        return Unscored(f"the whole scale, not a confidence: {snippet!r}")
    if low.value > high.value or low.scale != high.scale:
        return Unscored(f"no clear range: {snippet!r}")
    return Verbalized(round((low.value + high.value) / 2, 9), "range", snippet)


def _scaled(
    number: str,
    unit: str | None,
    of: str | None,
    said: str,
    stated: int | None,
) -> Verbalized | Unscored:
    """Put one number on its scale: `unit` as written after it, `of` the number after "/" or "out of"."""
    in_words = number[-1].isalpha()
    amount = _word_number(number) if in_words else _decimal(number)
    if amount is None:
        return Unscored(f"not clearly a number: {said!r}")
    scale: Scale = "percent"
    divisor = 100
    if of is not None:
        divisor = {"hundred": 100, "ten": 10}.get(of.lower()) or (int(of) if len(of) < 4 else 0)
        if divisor not in (1, 10, 100):
            return Unscored(f"not on a scale of 100: {said!r}")
        scale = {1: "fraction", 10: "out_of_10", 100: "out_of_100"}[divisor]  # type: ignore[assignment]
    elif unit is not None:
        scale = "out_of_100" if "/" in unit else "percent"
    elif stated is not None and 0 <= amount <= stated:
        divisor, scale = stated, "fraction" if stated == 1 else "out_of_10"
    elif amount == 1:
        return Unscored("1 could be 1 % or certainty")
    elif 0 < amount < 1:
        divisor, scale = 1, "fraction"
    if not 0 <= amount <= divisor:
        return Unscored(f"outside 0 to {divisor}: {said!r}")
    return Verbalized(round(abs(amount) / divisor, 12), "words" if in_words else scale, said)


def _word_number(words: str) -> int | None:
    words = re.sub(r"\s+", " ", words.lower())
    if words.endswith("hundred"):
        return 100
    tens, _, units = words.replace("-", " ").partition(" ")
    return _UNITS[tens] if tens in _UNITS else _TENS[tens] + (_UNITS[units] if units else 0)


def _decimal(digits: str) -> float | None:
    """Read "85", "85.5", "85,5", "1,000", "1e9"; None for what is none of these, such as "85.5.5"."""
    digits = digits.lower()
    marks = re.findall(r"[.,]", digits)
    if len(set(marks)) > 1 or (len(marks) > 1 and not re.fullmatch(r"[-+]?\d{1,3}(?:,\d{3})+", digits)):
        return None
    if len(marks) > 1 or re.fullmatch(r"[-+]?[1-9]\d{0,2},\d{3}", digits):
        return float(digits.replace(",", ""))
    return float(digits.replace(",", "."))


# --- the statement ---

_KEY = r"(?:confidence|certainty|probability|likelihood)"
_KEYWORD = re.compile(rf"\b(?:{_KEY}|confident|certain|sure)\b", re.IGNORECASE)
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
    rf"\b{_KEY}\b(?P<gap>{_FILLER}{{1,12}}"
    r"|\s+(?:that|in|about|for|of)\b[^.!?;\n\d]{0,80}?(?:\bis|\bat|\bto be|[:=])\s+)"
    rf"{_VALUE}",
    re.IGNORECASE,
)
_BEFORE_KEY = re.compile(
    rf"(?<![\w.,])(?P<value>{_VALUE})\s*-?\s*"
    r"(?:likely|sure\b|certain\b|certainty|confident|confidence|chance|probability|likelihood)",
    re.IGNORECASE,
)
_ALONE = re.compile(
    r"^[\s>#\"'(\[-]*?(?:(?:i(?:'d| would) say|i(?:'d| would) estimate|it is|it's|answer:)\s+)?"
    rf"(?P<value>{_VALUE})[\s.!\"'\])]*$",
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
_LATEX = re.compile(r"\\(?=[%()\[\]$])|\\text(?:bf|it|rm)?\b|\\math(?:bf|rm)\b|\\[,;:! ]|[*`$]")


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
    text = _plain_digits(text)
    said = _SCALE_SAID.search(text)
    stated = int(said[1]) if said else None
    boxed = _boxed_confidence(text, stated)
    return _stated_confidence(text, stated) if boxed is None else boxed


def _boxed_confidence(text: str, stated: int | None) -> Verbalized | Unscored | None:
    """Return what the box of the confidence says; None when there is no such box."""
    boxes = _boxes(text)
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


def _read_box(text: str, box: _Box, stated: int | None) -> Verbalized | Unscored | None:
    """Return the number in a box, with a unit that follows it; None when the box holds something else."""
    content = _bare(box.content or "")
    unit = re.match(rf"[ \t$]*\\?(?:{_UNIT.replace('?P<{0}>', '')})", text[box.end :], re.IGNORECASE)
    if unit and not re.search(r"[%/]", content):
        content += " " + _bare(unit[0]).strip()
    content = content.strip(" \"'()[]")
    found = _WHOLE_VALUE.fullmatch(content)
    if found:
        return _value(found, stated)
    if _KEYWORD.search(content):
        inner = _stated_confidence(content, stated)
        return inner if isinstance(inner, Verbalized) else None
    starts = re.match(rf"\s*(?:{_BOUND}|{_ABOUT})?\s*[-+]?\.?\d", content, re.IGNORECASE)
    return Unscored(f"not clearly a number: {content.strip()[:60]!r}") if starts else None


def _bare(text: str) -> str:
    return _LATEX.sub("", text).replace("{", "").replace("}", "")


def _stated_confidence(text: str, stated: int | None) -> Verbalized | Unscored:
    plain = re.sub(r"[_{}]", " ", _LATEX.sub("", text))
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
    return _value(found, stated)


def _before_key(plain: str, found: re.Match[str], stated: int | None) -> Verbalized | Unscored | None:
    """Return what a statement such as "85% sure" says; None when it is negated."""
    *_, clause = _CLAUSE_END.split(plain[max(0, found.start() - 120) : found.start()])
    if _NEGATION.search(clause) or _OF_ANOTHER.match(plain, found.end()):
        return None
    return _value(found, stated)


def _lines_alone(plain: str, stated: int | None) -> list[tuple[int, Verbalized | Unscored]]:
    """Return the first and the last line, where they are nothing but a number; the first weighs least."""
    first, *rest = plain.strip().split("\n")
    found = [(-1, _ALONE.match(first))]
    if rest:
        found.append((len(plain) - len(rest[-1]), _ALONE.match(rest[-1])))
    return [(at, _value(line, stated)) for at, line in found if line]


# --- answers and labels ---

_LONGEST_ANSWER = 100
_ANSWER_LINE = re.compile(
    r"^[\s>#*_-]*(?:my |the )?(?:final |best )?(?:answer|guess)[\s*_]*(?::|\bis\b:?)[\s*_]*(.*)$",
    re.IGNORECASE,
)
_CONFIDENCE_TAIL = re.compile(rf"\b{_KEY}\b(?:\s+(?:level|score))?[\s*_\"']*[:=]", re.IGNORECASE)


def answer(text: str) -> str | Unscored:
    r"""Return the answer that a reply gives, unwrapped, or why there is none.

    The last complete `\boxed{}`; else the last "Answer: ..." line; else the reply itself if it is one line of
    at most 100 characters. A "Confidence: ..." at the end of a line is no part of the answer. "I don't know"
    is an answer (a wrong one), since it is what the model says. Reasoning in a leading `<think>` block is not
    read.
    """
    _, text, cut = split_reasoning(text)
    if cut:
        return Unscored("cut off inside its reasoning")
    if not text.strip():
        return Unscored("empty reply")
    boxes = _boxes(text)
    complete = [box.content for box in boxes if box.content is not None]
    if complete:
        return _clean_answer(complete[-1])
    if boxes:
        return Unscored("cut off inside \\boxed{}")
    lines = [line for line in map(_without_confidence, text.splitlines()) if _says_something(line)]
    stated: str | None = None
    for line, following in zip(lines, [*lines[1:], ""], strict=False):
        if found := _ANSWER_LINE.match(line):
            stated = found[1] if _says_something(found[1]) else following
    if stated is None and len(lines) == 1:
        stated = lines[0]
    if stated is None or len(stated.strip()) > _LONGEST_ANSWER:
        return Unscored("no answer in reply")
    return _clean_answer(stated)


def _without_confidence(line: str) -> str:
    found = _CONFIDENCE_TAIL.search(line)
    return line[: found.start()].rstrip(" .,;|#*_(>-") if found else line


def _says_something(line: str) -> bool:
    return any(mark.isalnum() for mark in line)


_ABBREVIATION = re.compile(r"(?:\.\w|\b\w|\b(?:jr|sr|st|mt|inc|co|ltd|dr))$", re.IGNORECASE)


def _clean_answer(text: str) -> str | Unscored:
    text = " ".join(text.split())
    bare = re.sub(r"\s+", " ", unwrap(text)).replace("\\&", "&").replace("\\_", "_").strip()
    if text.rstrip("*_\"'` ").endswith(".") and _ABBREVIATION.search(bare):
        bare += "."
    if not _says_something(bare):
        return (
            bare or text
            if any(not mark.isspace() and mark not in ".…-_?" for mark in text)
            else Unscored("empty answer")
        )
    return bare


_LABEL_LEAD = (
    r"(?:(?:so|therefore|thus|hence)[,:]?\s+)?(?:(?:my|the)\s+)?(?:(?:final|correct|best|right)\s+)?"
    r"(?:(?:answer|option|choice|label|verdict)(?:\s+is)?\s*[:=]?"
    r"|i(?:'d| would)?\s+(?:choose|pick|select|say))\s*"
    r"(?:option\s+|choice\s+)?"
)


_LIST_MARK = re.compile(
    r"[\s\"'#>-]*(?:\(\s*(?P<round>[^()]{1,40}?)\s*\)|\[\s*(?P<square>[^\[\]]{1,40}?)\s*\]"
    r"|(?P<bare>[^\s.):]+)\s*[.):]|(?P<dash>[^\s.):]+)\s+[-\u2013\u2014](?=\s))"
)


def label(text: str, labels: Sequence[str]) -> str | Unscored:
    """Return the one of `labels` that a reply gives, in the caller's spelling, or why none can be read.

    A label counts only where it stands alone on its line ("A", "(b).", "**A**"), opens a line as a list mark
    ("A. True", at most four words) or follows "Answer:". Never a letter out of a word or sentence ("CORRECT",
    "A city in ...", "Yes, because ..."). "Answer:" lines and boxes go before other lines; two different
    labels are `Unscored`. Case and width are ignored.
    """
    _, text, cut = split_reasoning(text)
    if cut:
        return Unscored("cut off inside its reasoning")
    if not text.strip():
        return Unscored("empty reply")
    boxes = _boxes(text)
    if boxes:
        if boxes[-1].content is None:
            return Unscored("cut off inside \\boxed{}")
        text = boxes[-1].content
    text = unicodedata.normalize("NFKC", re.sub(r"[_{}]", " ", _LATEX.sub("", text)))
    spelled = {unicodedata.normalize("NFKC", one).strip().casefold(): one for one in labels if one.strip()}
    if not spelled:
        return Unscored("no labels to look for")
    found_by_lead: set[str] = set()
    found_alone: set[str] = set()
    for line in text.splitlines():
        if lead := re.match(rf"[\s>#-]*{_LABEL_LEAD}", line, re.IGNORECASE):
            found_by_lead |= _label_in(line[lead.end() :], spelled)
        else:
            found_alone |= _label_in(line, spelled)
    found = found_by_lead or found_alone
    if len(found) > 1:
        return Unscored(f"several labels: {', '.join(sorted(found))}")
    return found.pop() if found else Unscored("no label stands alone in reply")


def _label_in(line: str, spelled: dict[str, str]) -> set[str]:
    """Return the label that is all of `line`, or its list mark; a set of none or one."""
    bare = line.strip(" \t\"'.,:;!?()[]<>#-\u201c\u201d\u2018\u2019").casefold()
    if bare in spelled:
        return {spelled[bare]}
    mark = _LIST_MARK.match(line)
    if mark is None:
        return set()
    name = next(part for part in mark.group("round", "square", "bare", "dash") if part).casefold()
    rest = line[mark.end() :].split()
    if name not in spelled or len(rest) > 4:
        return set()
    if any(word.strip("().:,").casefold() in spelled and len(word.strip("().:,")) == 1 for word in rest):
        return set()
    return {spelled[name]}
