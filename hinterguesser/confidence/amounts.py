"""One number as replies write it, with its scale: "85", "0.9", "85/100", "80-90", "eighty percent"."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace
from typing import Literal

from hinterguesser.domain.estimate import Unscored

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
UNIT = (
    rf"(?:{_PERCENT}(?:\s*/\s*100\b\s*%?)?"
    r"|(?:\(\s*)?(?:/|out of)\s*(?:a )?(?P<{0}>\d+|hundred|ten)\b%?\s*\)?)"
)
_NUMBER = rf"(?P<{{0}}>{_DIGITS}|{_WORDS})(?P<{{0}}_unit>\s*{UNIT.replace('{0}', '{0}_of')})?"


def _named(pattern: str, name: str) -> str:
    return pattern.replace("{0}", name)


BOUND = (
    r"(?:[<>]=?|=<|[\u2264\u2265\u2a7d\u2a7e]|\\[lg]eq?\b|at least|at most|more than|less than|greater than"
    r"|higher than|lower than|over|under|above|below|up to|no more than|no less than|minimum|maximum)"
)
ABOUT = (
    r"(?:~|\u2248|\\approx|\\sim|about|around|approximately|approx\.?|roughly|circa|ca\.|maybe|perhaps"
    r"|probably|exactly|only|just)"
)
VALUE = (
    rf"(?P<bound>{BOUND}\s*)?(?:{ABOUT}\s*)?(?P<between>between\s+|from\s+)?"
    rf"{_named(_NUMBER, 'low')}"
    r"(?:\s*(?P<joint>-|\u2013|\u2014|\u2010|\u2011|~|\bto\b|\band\b|\u00b1|\+/-|\\pm)"
    rf"\s*{_named(_NUMBER, 'high')})?"
    r"(?P<more>\s*\+(?!\w))?"
)
WHOLE_VALUE = re.compile(rf"\s*{VALUE}\s*[.!]?\s*", re.IGNORECASE)
_VALUE_AT = re.compile(VALUE, re.IGNORECASE)


def plain_digits(text: str) -> str:
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


def value_of(found: re.Match[str], stated_scale: int | None) -> Verbalized | Unscored:
    """Read a match of `VALUE`. `stated_scale` is 1 or 10 when the reply itself says so for bare numbers."""
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
