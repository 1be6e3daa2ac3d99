r"""Is this guess that entity? The one matcher behind accuracy, self-consistency and stopping.

A guess matches only as a whole: "racecar" is not "car", "Paris or London" is not "Paris". What may differ is
how the same answer is written: case, diacritics, articles, punctuation, Wikipedia underscores, hyphens,
English plurals, `\boxed{}` and markdown around it, a short lead-in ("I think it is"), a disambiguation in
parentheses and a trailing ", Country". Whatever stays unclear is no match.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

_ARTICLES = frozenset({"the", "a", "an"})
_LONGEST_READ = 1000
"""Characters; a longer guess is an essay and matches only a name that is the very same text."""

# --- one spelling for one text ---

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
_HYPHENATED_A = re.compile(r"^[\W_]*(?:the\s+)?a[-\u2010](?=[^\W_])")
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


@lru_cache(maxsize=65536)
def normalise(text: str) -> str:
    """Return the one spelling that all ways to write the same short text share.

    Case and diacritics are folded (letters of every script stay), "&" becomes "and", an apostrophe inside a
    word goes, other punctuation becomes a space, spaces collapse. Leading articles (the, a, an), a trailing
    "the" and an inverted ", A" are dropped, unless nothing else is left: "The The" stays "the the", "Vitamin
    A" keeps its A, "A-Team" is "ateam". "C++" and "C#" keep their signs. A text without any letter or digit
    ("!!!") keeps its punctuation. Idempotent; empty only for blank text.
    """
    folded = _HYPHENATED_A.sub("a", fold(text))
    words = _words(folded)
    if not words:
        return " ".join(folded.split()) or " ".join(text.split())
    core = words
    if len(core) > 1 and core[-1] in _ARTICLES and _INVERTED.search(folded):
        core = core[:-1]
    while core and core[-1] == "the":
        core = core[:-1]
    while core and core[0] in _ARTICLES:
        core = core[1:]
    return unicodedata.normalize("NFC", " ".join(core or words))


def _words(folded: str) -> list[str]:
    spaced = _THOUSANDS.sub("", _APOSTROPHES.sub("", folded)).replace("&", " and ")
    return _SIGNS.sub(" ", spaced.translate(_CHARACTERS)).split()


_SHORT_FORMS = {"st": "saint", "ste": "sainte", "mt": "mount", "ft": "fort"}
_JOINABLE = re.compile(r" (?!\d)|(?<!\d) ")


def _key(normal: str) -> str:
    """Return what two normalised texts share: short forms written out, words joined unless digits meet."""
    words = normal.split(" ")
    spelled = [_SHORT_FORMS.get(word, word) for word in words[:-1]]
    spelled.append("street" if words[-1] == "st" and spelled else words[-1])
    return _JOINABLE.sub("", " ".join(spelled))


# --- English plurals ---


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


# --- qualifiers: ", Country" and "(planet)" ---

_COUNTRY_NAMES = (
    "Afghanistan;Albania;Algeria;Andorra;Angola;Antigua and Barbuda;Argentina;Armenia;Australia;Austria;"
    "Azerbaijan;Bahamas;Bahrain;Bangladesh;Barbados;Belarus;Belgium;Belize;Benin;Bhutan;Bolivia;"
    "Bosnia and Herzegovina;Botswana;Brazil;Brunei;Bulgaria;Burkina Faso;Burundi;Cambodia;Cameroon;Canada;"
    "Cape Verde;Central African Republic;Chad;Chile;China;Colombia;Comoros;Republic of the Congo;"
    "Democratic Republic of the Congo;Congo;Costa Rica;Croatia;Cuba;Cyprus;Czech Republic;Denmark;Djibouti;"
    "Dominica;Dominican Republic;East Timor;Ecuador;Egypt;El Salvador;Equatorial Guinea;Eritrea;Estonia;"
    "Eswatini;Ethiopia;Fiji;Finland;France;Gabon;Gambia;Georgia;Germany;Ghana;Greece;Greenland;Grenada;"
    "Guatemala;Guinea;Guinea-Bissau;Guyana;Haiti;Honduras;Hong Kong;Hungary;Iceland;India;Indonesia;Iran;"
    "Iraq;Ireland;Israel;Italy;Ivory Coast;Jamaica;Japan;Jordan;Kazakhstan;Kenya;Kiribati;Kosovo;Kuwait;"
    "Kyrgyzstan;Laos;Latvia;Lebanon;Lesotho;Liberia;Libya;Liechtenstein;Lithuania;Luxembourg;Macau;"
    "Madagascar;Malawi;Malaysia;Maldives;Mali;Malta;Marshall Islands;Mauritania;Mauritius;Mexico;Micronesia;"
    "Moldova;Monaco;Mongolia;Montenegro;Morocco;Mozambique;Myanmar;Namibia;Nauru;Nepal;Netherlands;"
    "New Zealand;Nicaragua;Niger;Nigeria;North Korea;North Macedonia;Norway;Oman;Pakistan;Palau;Palestine;"
    "Panama;Papua New Guinea;Paraguay;Peru;Philippines;Poland;Portugal;Puerto Rico;Qatar;Romania;Russia;"
    "Rwanda;Saint Kitts and Nevis;Saint Lucia;Saint Vincent and the Grenadines;Samoa;San Marino;"
    "Sao Tome and Principe;Saudi Arabia;Senegal;Serbia;Seychelles;Sierra Leone;Singapore;Slovakia;Slovenia;"
    "Solomon Islands;Somalia;South Africa;South Korea;South Sudan;Spain;Sri Lanka;Sudan;Suriname;Sweden;"
    "Switzerland;Syria;Taiwan;Tajikistan;Tanzania;Thailand;Togo;Tonga;Trinidad and Tobago;Tunisia;Turkey;"
    "Turkmenistan;Tuvalu;Uganda;Ukraine;United Arab Emirates;United Kingdom;United States;Uruguay;Uzbekistan;"
    "Vanuatu;Vatican City;Venezuela;Vietnam;Yemen;Zambia;Zimbabwe"
)
_SAME_PLACE = (
    "USA=United States;US=United States;United States of America=United States;America=United States;"
    "UK=United Kingdom;Great Britain=United Kingdom;Britain=United Kingdom;UAE=United Arab Emirates;"
    "Czechia=Czech Republic;Turkiye=Turkey;Burma=Myanmar;Korea=South Korea;Republic of Korea=South Korea;"
    "Viet Nam=Vietnam;Russian Federation=Russia;Cote d'Ivoire=Ivory Coast;Timor-Leste=East Timor;Macao=Macau;"
    "Swaziland=Eswatini;Holland=Netherlands;DR Congo=Democratic Republic of the Congo;Cabo Verde=Cape Verde;"
    "DRC=Democratic Republic of the Congo;Macedonia=North Macedonia;PRC=China;"
    "People's Republic of China=China"
)
_REGION_NAMES = {
    "United States": (
        "Alabama=AL;Alaska=AK;Arizona=AZ;Arkansas=AR;California=CA;Colorado=CO;Connecticut=CT;Delaware=DE;"
        "Florida=FL;Georgia=GA;Hawaii=HI;Idaho=ID;Illinois=IL;Indiana=IN;Iowa=IA;Kansas=KS;Kentucky=KY;"
        "Louisiana=LA;Maine=ME;Maryland=MD;Massachusetts=MA;Michigan=MI;Minnesota=MN;Mississippi=MS;"
        "Missouri=MO;Montana=MT;Nebraska=NE;Nevada=NV;New Hampshire=NH;New Jersey=NJ;New Mexico=NM;"
        "New York=NY;North Carolina=NC;North Dakota=ND;Ohio=OH;Oklahoma=OK;Oregon=OR;Pennsylvania=PA;"
        "Rhode Island=RI;South Carolina=SC;South Dakota=SD;Tennessee=TN;Texas=TX;Utah=UT;Vermont=VT;"
        "Virginia=VA;Washington=WA;West Virginia=WV;Wisconsin=WI;Wyoming=WY;District of Columbia=DC"
    ),
    "Canada": (
        "Alberta=AB;British Columbia=BC;Manitoba=MB;New Brunswick=NB;Newfoundland and Labrador=NL;"
        "Nova Scotia=NS;Ontario=ON;Prince Edward Island=PEI;Quebec=QC;Saskatchewan=SK"
    ),
    "United Kingdom": "England;Scotland;Wales;Northern Ireland",
    "Australia": "New South Wales=NSW;Queensland=QLD;South Australia;Tasmania;Victoria;Western Australia",
    "India": (
        "Andhra Pradesh;Assam;Bihar;Goa;Gujarat;Haryana;Karnataka;Kerala;Madhya Pradesh;Maharashtra;Odisha;"
        "Punjab;Rajasthan;Tamil Nadu;Telangana;Uttar Pradesh;Uttarakhand;West Bengal"
    ),
}


def _place_key(text: str) -> str:
    return _key(normalise(text))


_COUNTRIES = frozenset(_place_key(country) for country in _COUNTRY_NAMES.split(";"))
_SYNONYMS: dict[str, str] = {}
for _pair in _SAME_PLACE.split(";"):
    _SYNONYMS[_place_key(_pair.partition("=")[0])] = _place_key(_pair.partition("=")[2])
_COUNTRY_OF: dict[str, str] = {}
for _country, _regions in _REGION_NAMES.items():
    for _region, _, _letters in (pair.partition("=") for pair in _regions.split(";")):
        _COUNTRY_OF[_place_key(_region)] = _place_key(_country)
        if _letters:
            _SYNONYMS[_place_key(_letters)] = _place_key(_region)


def _qualifier(text: str) -> str:
    key = _place_key(text)
    return _SYNONYMS.get(key, key)


def _meaning(qualifiers: tuple[str, ...]) -> set[str]:
    """Return the qualifiers and the countries they imply: "oregon" says "unitedstates" too."""
    return {*qualifiers, *(_COUNTRY_OF[one] for one in qualifiers if one in _COUNTRY_OF)}


def _agree(guessed: tuple[str, ...], named: tuple[str, ...]) -> bool:
    """One says no more than the other; and what the guess says more ends in a place the name speaks of."""
    ours, theirs = _meaning(guessed), _meaning(named)
    if ours <= theirs:
        return True
    return theirs <= ours and (guessed[-1] in theirs or _COUNTRY_OF.get(guessed[-1]) in theirs)


# --- reading one text ---


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
            aside = _qualifier(aside) or None
    head, *parts = _COMMA.split(text.strip(" .,?!"))
    commas: list[str] = []
    for part in parts:
        place = _qualifier(part)
        if place in _ARTICLES or not place:
            continue
        if place not in _COUNTRIES and place not in _COUNTRY_OF and _ENUMERATES.search(part):
            return None
        commas.append(place)
    if not normalise(head) or len(commas) > 3 or not (commas or aside):
        return None
    return head, tuple(commas), aside


def _reading(text: str) -> _Reading:
    normal = normalise(text)
    every = " ".join(_words(fold(text)))
    whole = _Reading(_key(normal), _key(every or normal))
    split = _split(text)
    if split is None:
        return whole
    head, commas, aside = split
    return _Reading(whole.whole, whole.with_articles, _key(normalise(head)), commas, aside)


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


@lru_cache(maxsize=65536)
def _readings(guess: str) -> tuple[_Reading, ...]:
    plain = unwrap(guess)
    texts = dict.fromkeys([guess, plain, *_without_lead_ins(plain)])
    return tuple(_reading(text) for text in texts if text.strip())


# --- the matcher ---


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
        if _HYPHENATED_A.match(fold(text)):
            self._with_articles.add(reading.with_articles)
        for key in whole:
            self._heads.setdefault(key, [])
        split = _split(text)
        if split is None or (len(reading.commas) > 1 and not _is_place(reading.commas[-1])):
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
            return any(_agree(reading.qualifiers, one) for one in known)
        if not reading.commas:
            return True
        last = reading.commas[-1]
        if head in _COUNTRIES:
            return last == head or _COUNTRY_OF.get(head) == last
        return _is_place(last)


def _is_place(qualifier: str) -> bool:
    return qualifier in _COUNTRIES or qualifier in _COUNTRY_OF


def _spellings(text: str) -> set[str]:
    """Return the keys of `text` with its last word in singular and plural."""
    *front, last = normalise(text).split(" ")
    forms = word_forms(last, alone=not front)
    capitals = re.findall(r"\w+", text)[-1:]
    if capitals and len(capitals[0]) > 1 and capitals[0].isupper() and last.endswith("s"):
        forms = frozenset({last})  # AIDS is not the plural of aid
    return {_key(" ".join([*front, form])) for form in forms}


@lru_cache(maxsize=8192)
def _compiled(name: str, aliases: tuple[str, ...]) -> Names:
    return Names(name, aliases)


def names(name: str, aliases: Iterable[str] = ()) -> Names:
    """Return the compiled names of an entity, from a cache of the most recent few thousand."""
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


def _answer_names(answer: str) -> Names:
    *_, bare = [answer, *(text for text in (unwrap(answer),) if text), *_without_lead_ins(unwrap(answer))]
    return names(bare, () if bare == answer else (answer,))
