"""Does a hint give the secret away: as a word, a stem, a plural, one word of several, an alias, spelled out?

Secret is what stands before the first comma (and outside parentheses) of the name and of each alias: in
"Bogor, Indonesia" the country is no secret. A missed leak spoils a dialogue, a false alarm costs one more
try, so in doubt a hint leaks. Not seen: translations, rhymes that are not called so, letters swapped for
digits ("P4ris").
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from hinterguesser.domain.spelling import fold, normalise, word_forms


def _words_of(text: str) -> frozenset[str]:
    return frozenset(text.split())


GENERIC = _words_of(
    "the a an of and or for from with without in on at by to de del della des di do dos da das du la le les "
    "el los las al am an der die das den van von auf upon under over near sur sous new old great greater "
    "grand big little small upper lower north south east west northern southern eastern western central "
    "middle san santa santo sao saint sainte st city town village river lake sea ocean bay gulf port harbor "
    "harbour fort mount mountain mountains hill hills valley island islands isle beach cape coast park "
    "garden square street road avenue bridge tower castle palace church cathedral temple museum university "
    "college school station airport building state states united republic kingdom king queen prince "
    "president county district province region country capital machine device tool set thing object item"
)
"""Words that alone do not point at a name of several words: "tower" may be said of the Eiffel Tower."""

_FUNCTION_WORDS = _words_of(
    "a i an as at be by do go he if in is it me my no of on or so to up us we all and any are but can did "
    "for get had has her him his how its may not now off one our out she the they too two was who why yes you"
)
_ORDINARY_WORDS = _words_of(
    "nice reading bath mobile orange split cork lens tours male deal sandwich hull derby wells most sale "
    "order march corner enterprise independence normal surprise truth hope battle rugby buffalo flint rock "
    "bend"
)
"""Towns that are English words: as "Nice, France" they are looked for with a capital only."""

_LOOK_ALIKES = r"(?!parish|essen(?:ce|ti)|hearth|breadth|turing|perpet|cloth\b)"
"""Ordinary words that begin like a name or its stem and have nothing to do with it."""

_ENDINGS = re.compile("(?:ations?|ions?|ings?|ers?|ors?|ies|es|[syeaoi]|[аяоеыиьй])$")
_DEMONYMS = _words_of("n an ian ans ians ese nese ish er ers ite ites ic ist ists i vian")
_SEPARATED = re.compile(r"(?<![^\W_])[^\W\d_](?:[\W_]{1,3}[^\W\d_](?![^\W_]))+")
_WORD_START = r"(?<![^\W_])"
_WORD_END = r"(?![^\W_])"
_NUMBER = r"(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen)"

_SPELLING_HINTS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (needle, re.compile(pattern))
    for needle, pattern in (
        ("letter", r"\b(?:first|last|initial|final|starting|ending) letters?\b"),
        ("letter", r"\b(?:second|third|fourth|fifth|middle|same) letters?\b"),
        ("letter", r"\bletters? [\"'\u201c\u2018]?[^\W\d_](?![^\W_])"),
        ("letter", rf"\b{_NUMBER}[ -]letters?\b"),
        ("letter", r"\b(?:how many|number of|double|repeated|silent) letters?\b"),
        ("letter", r"\bletters? (?:long|in (?:its|the|his|her|their) name)\b"),
        ("rhym", r"\brhym(?:e|es|ed|ing)\b"),
        ("anagram", r"\banagrams?\b"),
        ("syllab", r"\b(?:mono)?syllab(?:le|les|ic)\b"),
        ("vowel", r"\bvowels?\b"),
        ("consonant", r"\bconsonants?\b"),
        ("palindrom", r"\bpalindrom(?:e|es|ic)\b"),
        ("initials", r"\binitials\b"),
        ("alphabetical", r"\balphabetical(?:ly)?\b"),
        ("of the alphabet", r"\b(?:half|part|start|beginning|end|middle) of the alphabet\b"),
        ("spel", r"\bspel(?:led|ling|lings)\b|\bspelt (?:with|as|like)\b"),
        ("spell", r"\bhow (?:do|would|to) (?:you |i )?spell\b"),
        ("homophone", r"\bhomophones?\b"),
        ("scrambl", r"\b(?:un)?scrambl(?:e|ed|ing) (?:the )?(?:letters|word|name)\b"),
    )
)
_EDGE_VERBS = ("start", "begin", "ends", "ending", "end with", "end in", "finish")
_EDGE_LETTER = re.compile(
    r"\b(?:[Ss]tart|[Bb]egin|[Ee]nd|[Bb]eginn|[Ff]inish)(?:s|es|ing)?\s+(?:with|in|on)\s+"
    r"(?:an?\s+)?(?:[\"'\u201c\u2018]?[A-Z](?![^\W_]|\.\w)[\"'\u201d\u2019]?"
    r"|[\"'\u201c\u2018][a-z][\"'\u201d\u2019])"
)


@dataclass(frozen=True, slots=True)
class _Needle:
    """A pattern, and a text that must be there for it to match: most hints need only that quick look."""

    text: str
    pattern: str
    """Compiled when first needed: most never are, and compiling is the dearest part of a secret."""

    def search(self, text: str) -> re.Match[str] | None:
        return re.search(self.pattern, text) if self.text in text else None


@dataclass(frozen=True, slots=True)
class _Text:
    """What of a text does not depend on the secret."""

    folded: str
    separated: tuple[re.Match[str], ...]
    """Letters that stand one by one."""
    spelling_hint: str | None


@lru_cache(maxsize=4096)
def _read(text: str) -> _Text:
    """Read `text` once: the hints of a fact table come again and again."""
    folded = fold(text).replace("_", " ")
    return _Text(folded, tuple(_SEPARATED.finditer(folded)), _spelling_hint(text, folded))


class Secret:
    """An entity's names, compiled to look for them in many hints."""

    __slots__ = ("_as_written", "_folded", "_spelled")

    def __init__(self, name: str, aliases: Iterable[str] = ()) -> None:
        """Compile the heads of `name` and `aliases`; blank ones are left out."""
        texts = [text for text in dict.fromkeys((name, *aliases)) if text.strip()]
        places = {normalise(_head(text)) for text in texts if "," in text}
        folded: dict[tuple[str, str], None] = {}
        as_written: dict[tuple[str, str], None] = {}
        self._spelled: frozenset[str] = frozenset()
        for text in texts:
            head = _head(text)
            if _looked_for_as_written(head, places):
                as_written |= dict.fromkeys(_written(head))
            else:
                folded |= dict.fromkeys(_patterns(head))
            self._spelled |= _spellable(head)
        self._folded = tuple(_Needle(needle, pattern) for needle, pattern in folded)
        self._as_written = tuple(_Needle(needle, pattern) for needle, pattern in as_written)

    def leak_in(self, text: str) -> str | None:
        """Return the words of `text` that give the secret away, as written there; None if none does."""
        read = _read(text)
        for needle in self._folded:
            if needle.text in read.folded and (found := needle.search(read.folded)):
                return _as_written(text, read.folded, found)
        for needle in self._as_written:
            if found := needle.search(text):
                return found[0]
        return self._spelled_out(text, read) or read.spelling_hint

    def _spelled_out(self, text: str, read: _Text) -> str | None:
        folded = read.folded
        for found in read.separated:
            letters = "".join(mark for mark in found[0] if mark.isalpha())
            if letters in self._spelled or any(len(word) > 2 and word in letters for word in self._spelled):
                return _as_written(text, folded, found)
        return None


@lru_cache(maxsize=256)
def secret(name: str, aliases: tuple[str, ...] = ()) -> Secret:
    """Return the compiled names of an entity; a dialogue's players, filters and derivations share one."""
    return Secret(name, aliases)


def leak(text: str, name: str, aliases: Sequence[str] = ()) -> str | None:
    """Return the words of a hint that give the secret away, or None.

    A hint leaks when it has, in any case and with or without diacritics: the whole name; its only word (in
    any number); of several words one with four letters or more that is not `GENERIC`; a word that starts with
    the stem of such a word, if the stem has five letters ("Parisian"), or a demonym or plural of a shorter
    one ("Roman", "cars", never "carpet"); a longer word around a word of six letters; the word split or
    joined ("tooth brush"); or its letters one by one ("P-A-R-I-S"). Talk about letters, rhymes, syllables and
    anagrams leaks whatever the secret. A name of one or two letters ("LA") counts only as written, and so
    does a town such as "Nice, France" that is an English word.
    """
    return Secret(name, aliases).leak_in(text)


# --- what to look for ---


def _head(text: str) -> str:
    """Return the part that is secret: before the first comma, without parentheses."""
    plain = re.sub(r"[(\uff08][^()\uff08\uff09]*[)\uff09]", " ", text)
    head = re.split(r"[,\uff0c\u060c]", plain, maxsplit=1)[0]
    return head if head.strip(" _") else text


def _looked_for_as_written(head: str, places: set[str]) -> bool:
    normal = normalise(head)
    capital = head.strip()[:1].isupper()
    return (
        (len(normal) <= 2 and normal.isascii() and normal.isalpha())
        or normal in _FUNCTION_WORDS
        or (normal in _ORDINARY_WORDS and normal in places and capital)
    )


def _written(head: str) -> list[tuple[str, str]]:
    """Return patterns for a name that counts only in its own letters, perhaps with "s" or "'s"."""
    head = head.strip()
    if fold(head) in _FUNCTION_WORDS and not (head.isupper() and len(head) > 1):
        return []
    forms = dict.fromkeys((head, head.upper()) if len(head) > 2 else (head,))
    return [(form, f"{_WORD_START}{re.escape(form)}(?:'?s)?{_WORD_END}") for form in forms]


def _patterns(head: str) -> list[tuple[str, str]]:
    words = normalise(head).split()
    found = [_phrase(words)]
    wanted = [word for word in words if word not in GENERIC and len(word) >= 4] if len(words) > 1 else words
    for word in wanted:
        found += _word(word)
    return found


def _phrase(words: list[str]) -> tuple[str, str]:
    """Return a pattern for all words in order, however they are separated."""
    *front, last = words
    lasts = sorted(word_forms(last), key=len, reverse=True)
    alternatives = "|".join(re.escape(form) for form in lasts)
    start, end = ("", "") if _without_spaces(words[0]) else (_WORD_START, _WORD_END)
    pattern = r"[\W_]*".join([*(re.escape(word) for word in front), f"(?:{alternatives})"])
    return words[0][:3] if front else _common_start(lasts), f"{start}{pattern}{end}"


def _word(word: str) -> list[tuple[str, str]]:
    """Return patterns for one telling word: its stem, its forms, the word inside others, the word split."""
    if _without_spaces(word):
        return [(word, re.escape(word))]
    found: list[tuple[str, str]] = []
    stems = {_stem(form) for form in word_forms(word) if len(form) >= len(word) - 1}
    others = _LOOK_ALIKES if re.match(_LOOK_ALIKES, word) else ""
    for stem in sorted(stem for stem in stems if len(stem) >= 5):
        found.append((stem, f"{_WORD_START}{others}{re.escape(stem)}[^\\W_]*"))
    forms = set(word_forms(word))
    if len(word) >= 4:
        bases = [base for base in (word, word.rstrip("aeioyu")) if len(base) > 2]
        forms |= {base + ending for base in bases for ending in _DEMONYMS}
    if word.endswith("ing") and len(word) >= 7:
        forms |= {word[:-3] + ending for ending in ("", "e", "s", "es", "ed", "er", "ers")}
    short = sorted(forms, key=len, reverse=True)
    found.append((_common_start(short), f"{_WORD_START}(?:{'|'.join(map(re.escape, short))}){_WORD_END}"))
    if len(word) >= 6:
        found.append((word, f"[^\\W_]*{re.escape(word)}[^\\W_]*"))
        halves = [(re.escape(word[:at]), re.escape(word[at:])) for at in range(3, len(word) - 2)]
        splits = "|".join(f"{left}[\\s-]+{right}" for left, right in halves)
        found.append((word[:3], f"{_WORD_START}(?:{splits})"))
    return found


def _common_start(forms: Sequence[str]) -> str:
    low, high = min(forms), max(forms)
    for at, mark in enumerate(low):
        if at >= len(high) or mark != high[at]:
            return low[:at]
    return low


def _without_spaces(word: str) -> bool:
    """Tell scripts without capitals (Chinese, Thai, Arabic): their words join, so a name counts anywhere."""
    return any(map(str.isalpha, word)) and word.lower() == word.upper()


def _stem(word: str) -> str:
    """Return `word` without the longest ending that leaves five letters or more."""
    ending = None if word.endswith("ss") else _ENDINGS.search(word, 5)
    return word[: ending.start()] if ending else word


def _spellable(head: str) -> frozenset[str]:
    """Return the letter runs that spell the name out: the whole head, and each telling word."""
    words = normalise(head).split()
    whole = "".join(words)
    telling = {word for word in words if len(word) >= 4 and word not in GENERIC}
    return frozenset(word for word in {whole, *telling} if len(word) > 1)


# --- what was found ---


def _spelling_hint(text: str, folded: str) -> str | None:
    for needle, pattern in _SPELLING_HINTS:
        if needle in folded and (found := pattern.search(folded)):
            return _as_written(text, folded, found)
    edge = _EDGE_LETTER.search(text) if any(verb in folded for verb in _EDGE_VERBS) else None
    return edge[0] if edge else None


def _as_written(text: str, folded: str, found: re.Match[str]) -> str:
    """Return what was found as it stands in `text`, where folding kept the length; else as folded."""
    source = text if len(text) == len(folded) else folded
    return source[found.start() : found.end()].strip()
