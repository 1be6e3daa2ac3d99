r"""Is this guess that entity? The one matcher behind accuracy, self-consistency and stopping.

A guess matches only as a whole: "racecar" is not "car", "Paris or London" is not "Paris". What may differ is
how the same answer is written: case, diacritics, articles, punctuation, Wikipedia underscores, hyphens,
English plurals, `\boxed{}` and markdown around it, a short lead-in ("I think it is"), a disambiguation in
parentheses and a trailing ", Country". Whatever stays unclear is no match.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from hinterguesser.domain.places import COUNTRIES, COUNTRY_OF, agree, is_place, qualifier
from hinterguesser.domain.spelling import ARTICLES, HYPHENATED_A, fold, joined, normalise, word_forms, words_in

_LONGEST_READ = 1000
"""Characters; a longer guess is an essay and matches only a name that is the very same text."""


@dataclass(frozen=True, slots=True)
class _Reading:
    """One way to read a text: as a whole, and as a head with qualifiers where it has that form."""

    whole: str
    with_articles: str
    head: str | None = None
    commas: tuple[str, ...] = ()
    aside: str | None = None

    @property
    def qualifiers(self) -> tuple[str, ...]:
        return self.commas if self.aside is None else (*self.commas, self.aside)


_ASIDE = re.compile(r"^(?P<head>[^()]*[^()\s_])[\s_]*\((?P<aside>[^()]+)\)[\s.?!]*$")
_ENUMERATES = re.compile(r"\b(?:and|or|not|no|maybe|possibly|nor)\b|[&/;|]|n't\b", re.IGNORECASE)
_COMMA = re.compile(r"\s*[,\uff0c\u060c]\s*")


def _split(text: str) -> tuple[str, tuple[str, ...], str | None] | None:
    """Return head, comma parts and parenthesis, as of "Paris, Texas (city)"; None if there are none."""
    text = text.replace("\uff08", "(").replace("\uff09", ")").strip()
    aside: str | None = None
    if found := _ASIDE.match(text):
        text, aside = found["head"], found["aside"]
        if _ENUMERATES.search(aside):
            return None
        if _COMMA.search(aside):
            text, aside = f"{text}, {aside}", None
        else:
            aside = qualifier(aside) or None
    head, *parts = _COMMA.split(text.strip(" .,?!"))
    commas: list[str] = []
    for part in parts:
        place = qualifier(part)
        if place in ARTICLES or not place:
            continue
        if place not in COUNTRIES and place not in COUNTRY_OF and _ENUMERATES.search(part):
            return None
        commas.append(place)
    if not normalise(head) or len(commas) > 3 or not (commas or aside):
        return None
    return head, tuple(commas), aside


def _reading(text: str) -> _Reading:
    normal = normalise(text)
    every = " ".join(words_in(fold(text)))
    whole = _Reading(joined(normal), joined(every or normal))
    split = _split(text)
    if split is None:
        return whole
    head, commas, aside = split
    return _Reading(whole.whole, whole.with_articles, joined(normalise(head)), commas, aside)


_COMMAND = re.compile(
    r"\\(?:boxed|fbox|text(?:bf|it|rm|sf|tt)?|math(?:bf|it|rm|sf|tt)|emph|underline)"
    r"\s*\{([^{}]*)\}"
)
_SPACING = re.compile(r"\\[,;:! ]")
_LINK = re.compile(r"\[([^\[\]]*)\]\([^()]*\)")
_TAG = re.compile(r"</?(?:b|i|em|strong|answer|guess)>", re.IGNORECASE)
_EDGES = " \t\r\n\"'`*_~#>$\u201c\u201d\u2018\u2019\u201e\u201a\u00ab\u00bb.!?:;-"
_ANSWER = r"(?:final |best |current |next )?(?:guess|answer)"
_CLAUSE = rf"(?:it is|it's|it would be|it must be|this is|that is|that's|(?:the|my) {_ANSWER} is)"
_LEAD_IN = re.compile(
    rf"(?:i(?:'d| would| will|'ll)? (?:think|believe|guess|say|suspect)(?: that)?(?: {_CLAUSE})?"
    rf"|{_CLAUSE}|is it|(?:the |my )?{_ANSWER}(?: is|(?=\s*:))"
    r"|the (?:secret |hidden )?(?:entity|object|city|place|word|thing|item) is|(?:a )?pair of)"
    r"(?:\s*:|(?=[\s*_\"'`\u201c\u2018]))",
    re.IGNORECASE,
)


def unwrap(text: str) -> str:
    r"""Return `text` without LaTeX commands (`\boxed{}`, `\text{}`), markdown and quotes around it."""
    text = _SPACING.sub(" ", text)
    for _ in range(4):
        text, count = _COMMAND.subn(r"\1", text)
        if not count:
            break
    text = _TAG.sub("", _LINK.sub(r"\1", text)).replace("**", "").replace("__", "")
    return text.strip(_EDGES)


def _without_lead_ins(text: str) -> Iterator[str]:
    """Yield `text` with one, then two, then three lead-ins taken off its front."""
    for _ in range(3):
        found = _LEAD_IN.match(text.replace("\u2019", "'"))
        text = text[found.end() :].strip(_EDGES) if found else ""
        if not text:
            return
        yield text


@lru_cache(maxsize=8192)
def _readings(guess: str) -> tuple[_Reading, ...]:
    plain = unwrap(guess)
    texts = dict.fromkeys([guess, plain, *_without_lead_ins(plain)])
    return tuple(_reading(text) for text in texts if text.strip())


class Names:
    """All the ways to name one entity, compiled: build once, ask often."""

    __slots__ = ("_asides", "_exact", "_heads", "_qualifiers", "_whole", "_with_articles")

    def __init__(self, name: str, aliases: Iterable[str] = ()) -> None:
        """Compile `name` and `aliases`; blank ones are left out."""
        self._exact = frozenset(text for text in (name, *aliases) if text.strip())
        self._whole: set[str] = set()
        self._with_articles: set[str] = set()
        self._heads: dict[str, list[tuple[str, ...]]] = {}
        for text in self._exact:
            self._add(text)
        self._qualifiers = [one for variants in self._heads.values() for one in variants]

    def _add(self, text: str) -> None:
        reading = _reading(text)
        whole = _spellings(text)
        self._whole |= whole
        if HYPHENATED_A.match(fold(text)):
            self._with_articles.add(reading.with_articles)
        for key in whole:
            self._heads.setdefault(key, [])
        split = _split(text)
        if split is None or (len(reading.commas) > 1 and not is_place(reading.commas[-1])):
            return
        for key in _spellings(split[0]):
            self._whole.add(key)
            self._heads.setdefault(key, []).append(reading.qualifiers)
            if reading.aside and not reading.commas:
                self._whole.add(reading.aside + key)

    def accepts(self, guess: str) -> bool:
        """Return whether `guess` is this entity; False for blank, several options, a negation, or doubt."""
        if guess in self._exact:
            return True
        if len(guess) > _LONGEST_READ:
            return False
        for reading in _readings(guess):
            if reading.whole in self._whole or reading.with_articles in self._with_articles:
                return True
            if reading.head is not None and reading.head in self._heads and self._fits(reading.head, reading):
                return True
        return False

    def _fits(self, head: str, reading: _Reading) -> bool:
        if reading.aside in self._whole and not reading.commas:
            return True
        known = self._heads[head] or self._qualifiers
        if known:
            return any(agree(reading.qualifiers, one) for one in known)
        if not reading.commas:
            return True
        last = reading.commas[-1]
        if head in COUNTRIES:
            return last == head or COUNTRY_OF.get(head) == last
        return is_place(last)


def _spellings(text: str) -> set[str]:
    """Return the keys of `text` with its last word in singular and plural."""
    *front, last = normalise(text).split(" ")
    forms = word_forms(last, alone=not front)
    capitals = re.findall(r"\w+", text)[-1:]
    if capitals and len(capitals[0]) > 1 and capitals[0].isupper() and last.endswith("s"):
        forms = frozenset({last})  # AIDS is not the plural of aid
    return {joined(" ".join([*front, form])) for form in forms}


@lru_cache(maxsize=1024)
def _compiled(name: str, aliases: tuple[str, ...]) -> Names:
    return Names(name, aliases)


def names(name: str, aliases: Iterable[str] = ()) -> Names:
    """Return the compiled names of an entity, from a cache of the most recent thousand."""
    return _compiled(name, tuple(aliases))


def matches(guess: str, name: str, aliases: Iterable[str] = ()) -> bool:
    """Return whether `guess` names the entity that is called `name` or one of `aliases`.

    Equal but for the way of writing (see the module), and with these rules for qualifiers: a bare guess
    matches a qualified name ("Bogor", "Bogor, Indonesia") and the other way round when the qualifier is a
    country or a large region; two qualified texts match when one says no more than the other ("Bogor, West
    Java, Indonesia"), never when they differ ("Paris, Texas", "Paris, France"), also if a bare alias exists.
    Parentheses work alike: "Mercury" is "Mercury (planet)", "Mercury (element)" is not. A guess of several
    options, a negation, a sentence beyond the known lead-ins, and a blank guess do not match.
    """
    return names(name, aliases).accepts(guess)


def same_answer(a: str, b: str) -> bool:
    """Return whether two free answers name the same thing, by the rules of `matches` with either as the name.

    Symmetric, but not transitive: "Paris" is the same as "Paris, Texas" and as "Paris, France". Blank is the
    same as nothing.
    """
    if not a.strip() or not b.strip():
        return False
    return _answer_names(a).accepts(b) or _answer_names(b).accepts(a)


@lru_cache(maxsize=8192)
def _answer_names(answer: str) -> Names:
    plain = unwrap(answer)
    *_, bare = [answer, *([plain] if plain else []), *_without_lead_ins(plain)]
    return names(bare, () if bare == answer else (answer,))
