"""One spelling for one text: case, diacritics, articles, punctuation, English plurals."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

ARTICLES = frozenset({"the", "a", "an"})

_LETTERS = str.maketrans("łøđħŧıð", "lodhtid") | {ord("æ"): "ae", ord("œ"): "oe", ord("þ"): "th"}
# Marks that only decorate: general combining, Hebrew points, Arabic vowels; and invisible characters. Marks
# that are letters of their script (Devanagari vowels, Japanese voicing, the breve of й) stay.
_MARKS = re.compile(
    "[\u0300-\u0305\u0307-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
    "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670"
    "\u00ad\u200b-\u200f\u202a-\u202e\u2060\ufeff]|(?<!и)\u0306"
)
_APOSTROPHES = re.compile(r"(?<=[^\W_])['\u2019\u2018\u02bc\u02bb`](?=[^\W_])")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_SIGNS = re.compile(r"(?<![\w+#])[+#]+|[+#]+(?=\w)")
HYPHENATED_A = re.compile(r"^[\W_]*(?:the\s+)?a[-\u2010](?=[^\W_])")
_INVERTED = re.compile(r"[,\u060c]\s*(?:the|an|a)[\W_]*$")


class _Characters(dict[int, int | str | None]):
    """Letters, marks and digits stay, format characters go, everything else becomes a space."""

    def __missing__(self, code: int) -> int | str | None:
        category = unicodedata.category(chr(code))
        kept: int | str | None = " "
        if category[0] in "LMN" or chr(code) in "+#":
            kept = code
        elif category == "Cf":
            kept = None
        self[code] = kept
        return kept


_CHARACTERS = _Characters()


def fold(text: str) -> str:
    """Return `text` without case, width variants and decorating marks: "Łódź" and "LODZ" are both "lodz".

    Invisible characters such as the soft hyphen go too. Punctuation and spaces stay. The result can be longer
    or shorter than `text`.
    """
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return unicodedata.normalize("NFC", _MARKS.sub("", plain).translate(_LETTERS))


@lru_cache(maxsize=16384)
def normalise(text: str) -> str:
    """Return the one spelling that all ways to write the same short text share.

    Case and diacritics are folded (letters of every script stay), "&" becomes "and", an apostrophe inside a
    word goes, other punctuation becomes a space, spaces collapse. Leading articles (the, a, an), a trailing
    "the" and an inverted ", A" are dropped, unless nothing else is left: "The The" stays "the the", "Vitamin
    A" keeps its A, "A-Team" is "ateam". "C++" and "C#" keep their signs. A text without any letter or digit
    ("!!!") keeps its punctuation. Idempotent; empty only for blank text.
    """
    folded = HYPHENATED_A.sub("a", fold(text))
    words = words_in(folded)
    if not words:
        return " ".join(folded.split()) or " ".join(text.split())
    core = words
    if len(core) > 1 and core[-1] in ARTICLES and _INVERTED.search(folded):
        core = core[:-1]
    while core and core[-1] == "the":
        core = core[:-1]
    while core and core[0] in ARTICLES:
        core = core[1:]
    return unicodedata.normalize("NFC", " ".join(core or words))


def words_in(folded: str) -> list[str]:
    """Return the words of a folded text, articles included, without punctuation."""
    spaced = _THOUSANDS.sub("", _APOSTROPHES.sub("", folded)).replace("&", " and ")
    return _SIGNS.sub(" ", spaced.translate(_CHARACTERS)).split()


_SHORT_FORMS = {"st": "saint", "ste": "sainte", "mt": "mount", "ft": "fort"}
_JOINABLE = re.compile(r" (?!\d)|(?<!\d) ")


def joined(normal: str) -> str:
    """Return what two normalised texts share: short forms written out, words joined unless digits meet."""
    words = normal.split(" ")
    spelled = [_SHORT_FORMS.get(word, word) for word in words[:-1]]
    spelled.append("street" if words[-1] == "st" and spelled else words[-1])
    return _JOINABLE.sub("", " ".join(spelled))


def _words_of(text: str) -> frozenset[str]:
    return frozenset(text.split())


_IRREGULAR = tuple(
    (one, many)
    for pair in _words_of(
        "man/men child/children foot/feet tooth/teeth goose/geese mouse/mice louse/lice knife/knives "
        "wife/wives life/lives leaf/leaves wolf/wolves half/halves calf/calves loaf/loaves thief/thieves "
        "elf/elves scarf/scarves hoof/hooves person/people ox/oxen die/dice cactus/cacti fungus/fungi "
        "quiz/quizzes"
    )
    for one, _, many in [pair.partition("/")]
)
# Words in -s that are not the plural of the word without it, wherever they stand ...
_NOT_PLURAL = _words_of(
    "adams andrews daniels edwards jacobs matthews michaels peters phillips richards roberts rogers samuels "
    "stevens williams news"
)
# ... and those that name another thing only when they are the whole answer ("wine glasses" is a plural).
_NOT_PLURAL_ALONE = _words_of("glasses arms customs goods spectacles scales")


def _plurals(word: str) -> set[str]:
    found = {word[: -len(one)] + many for one, many in _IRREGULAR if word.endswith(one)}
    if re.search(r"[^aeiou]y$", word):
        found.add(word[:-1] + "ies")
    elif re.search(r"(?:s|x|z|ch|sh)$", word):
        found.add(word + "es")
    else:
        found.add(word + "s")
        if re.search(r"[^aeiou]o$", word):
            found.add(word + "es")
    return found


def _singulars(word: str) -> set[str]:
    guesses = {word[: -len(many)] + one for one, many in _IRREGULAR if word.endswith(many)}
    if word.endswith("s") and not word.endswith("ss"):
        guesses |= {word[:-1], word[:-2], word[:-3] + "y"}
    return {guess for guess in guesses if len(guess) >= 3 and word in _plurals(guess)}


def word_forms(word: str, *, alone: bool = False) -> frozenset[str]:
    """Return `word` with its English singular and plural spellings, all lower case.

    Made by rule, so some forms are no words ("pari" for "paris"). Pairs that name two things are kept apart:
    "adams" is not "adam", and with `alone` (the word is the whole answer) "glasses" is not "glass". Words
    under three letters and words with other than a-z have one form, themselves.
    """
    if len(word) < 3 or not (word.isascii() and word.isalpha()):
        return frozenset({word})
    apart = _NOT_PLURAL | _NOT_PLURAL_ALONE if alone else _NOT_PLURAL
    if word in apart:
        return frozenset({word})
    return frozenset({word} | ((_plurals(word) | _singulars(word)) - apart))
