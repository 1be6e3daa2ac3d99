"""Answer lines of quiz packets, such as `Ox [or Oxen; accept bull until "castrated"; prompt on cow; reject Yak]`.

The grammar is a habit, not a standard. What this reads: a gold answer; then, in brackets (or in parentheses that open
with one of its verbs), instructions split by `;`, each a verb and forms joined by "or". An instruction that opens with
"or" goes on with the verb before it. A bracket that is never closed ends with the line. Anything else in parentheses
or outside brackets after the gold answer is a note, e.g. a pronunciation.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

ACCEPT, PROMPT, REJECT = "accept", "prompt", "reject"


@dataclass(frozen=True, slots=True)
class Form:
    """One way to answer."""

    text: str
    condition: str | None = None
    """When it counts ('before mention', 'until "castrated"') or how to ask back ('by asking ...'); None: always."""


@dataclass(frozen=True, slots=True)
class AnswerLine:
    """An answer line, read."""

    gold: str
    accepted: tuple[Form, ...] = ()
    prompted: tuple[Form, ...] = ()
    """Answers that are not wrong but not enough: the moderator asks for more."""
    rejected: tuple[Form, ...] = ()
    notes: tuple[str, ...] = ()
    """Pronunciations, remarks, and instructions that name no form ('word forms')."""

    @property
    def aliases(self) -> tuple[str, ...]:
        """What is right whenever it is said: accepted forms without a condition, and not rejected elsewhere."""
        wrong = {form.text.casefold() for form in self.rejected} | {self.gold.casefold()}
        texts = [form.text for form in self.accepted if form.condition is None]
        return tuple(text for text in dict.fromkeys(texts) if text.casefold() not in wrong)

    def to_dict(self) -> dict[str, object]:
        """As a plain dict."""
        kinds = {"accepted": self.accepted, "prompted": self.prompted, "rejected": self.rejected}
        forms = {
            kind: [{"text": form.text, "condition": form.condition} for form in found] for kind, found in kinds.items()
        }
        return {"gold": self.gold, **forms, "notes": list(self.notes)}


_TAG = re.compile(r"</?(?:b|i|u|em|strong|span|p)\b[^<>]{0,60}>", re.IGNORECASE)
_QUOTES = '"“”„‟'
_LEADING_NOT = re.compile(r"(?:but )?(?:do not|don[’']t) accept(?: or prompt(?: on)?)?\b[:,]?", re.IGNORECASE)
_VERBS = (
    (REJECT, _LEADING_NOT),
    (REJECT, re.compile(r"(?:but )?(?:reject|do not prompt(?: on)?|don[’']t prompt(?: on)?)\b[:,]?", re.IGNORECASE)),
    (PROMPT, re.compile(r"(?:but )?(?:anti-?)?prompt(?: on)?\b[:,]?", re.IGNORECASE)),
    (ACCEPT, re.compile(r"(?:also |but )?accept(?: either| just| only)?\b[:,]?", re.IGNORECASE)),
)
_OR = re.compile(r"or\b[:,]?", re.IGNORECASE)
_OPENS_WITH_VERB = re.compile(r"\s*(?:or|(?:also )?accept|(?:anti-?)?prompt|reject|do not|don[’']t)\b", re.IGNORECASE)
_NEXT_VERB = re.compile(
    r"(?:[.,]|,?\s(?:but|and))\s+(?=(?:do not |don[’']t |anti-?)?(?:accept|prompt|reject)\b)", re.IGNORECASE
)
# Lower case only: "The Day After Tomorrow" is a form.
_CONDITION = re.compile(
    r"(?:^|\s)(?P<condition>(?:(?:only )?(?:before|until|after|if|when|unless|as long as)\b|by asking\b|with\s+[\"“]"
    r"|at any point\b|alone$).*)$",
    re.DOTALL,
)
_EXAMPLE = re.compile(r"(?:[a-z-]+ ){0,4}answers (?:like|such as) ", re.IGNORECASE)
_NO_FORM = re.compile(
    r"(?:(?:any |other |clear |obvious |reasonable |all )*(?:word forms?|equivalents?|equivalent answers?|synonyms?"
    r"|(?:similar|descriptive|partial|incomplete|less specific|more specific|specific|related|clear-knowledge) answers?"
    r"|underlined (?:portion|part|answer)s?|(?:last|first) names?)\b.*|etc\.?|the like"
    r"|any\b.*|either\b.*)",
    re.IGNORECASE | re.DOTALL,
)


def read_answer_line(line: str) -> AnswerLine:
    """Read one answer line; `gold` is empty when there is none."""
    text = _tidy(line)
    outside, groups, notes = _split_groups(text)
    forms: dict[str, list[Form]] = {ACCEPT: [], PROMPT: [], REJECT: []}
    for group in groups:
        verb = ACCEPT
        for instruction in _split_outside_quotes(_NEXT_VERB.sub("; ", group), ";"):
            verb, rest = _verb_of(instruction.strip(), verb)
            found, remark = _forms(rest)
            forms[verb].extend(found)
            if remark:
                notes.append(f"{verb} {remark}")
    gold, *remarks = outside or [""]
    return AnswerLine(
        gold=_bare(gold),
        accepted=tuple(dict.fromkeys(forms[ACCEPT])),
        prompted=tuple(dict.fromkeys(forms[PROMPT])),
        rejected=tuple(dict.fromkeys(forms[REJECT])),
        notes=tuple(note for note in (*remarks, *notes) if note),
    )


def _tidy(line: str) -> str:
    """Without markup, with single blanks, and with `;` and `,` outside the quotes that American usage puts them in."""
    text = " ".join(_TAG.sub("", line).split())
    return re.sub(rf"([;,])([{_QUOTES}])(?=[\s\]]|$)", r"\2\1", text)


def _split_groups(text: str) -> tuple[list[str], list[str], list[str]]:
    """Texts outside of all brackets, instruction groups, and notes in parentheses."""
    outside, groups, notes = [""], [], []
    position = 0
    while position < len(text):
        character = text[position]
        if character in "[(":
            inner, position = _inside(text, position)
            if character == "[" or _OPENS_WITH_VERB.match(inner):
                groups.append(inner)
                outside.append("")
            elif inner.strip():
                notes.append(inner.strip())
            continue
        if character not in "])":
            outside[-1] += character
        position += 1
    first, *rest = (" ".join(part.split()) for part in outside)
    return [first, *(part.strip(" .;,") for part in rest)], groups, notes


def _inside(text: str, start: int) -> tuple[str, int]:
    """What stands in the bracket that opens at `start` (to the end, if it is never closed), and where it ends."""
    opening = text[start]
    closing = "]" if opening == "[" else ")"
    depth = 0
    for position in range(start, len(text)):
        depth += (text[position] == opening) - (text[position] == closing)
        if depth == 0:
            return text[start + 1 : position], position + 1
    return text[start + 1 :], len(text)


def _split_outside_quotes(text: str, separator: str) -> list[str]:
    """`text` at each `separator` outside of quotes and parentheses; those that are never closed do not count."""
    protected = [match.span() for match in re.finditer(r"“[^“”]*”|(?<!\w)\"[^\"]*\"(?!\w)|\([^()]*\)", text)]
    found, start = [], 0
    for match in re.finditer(re.escape(separator), text, re.IGNORECASE):
        if not any(left < match.start() < right for left, right in protected):
            found.append(text[start : match.start()])
            start = match.end()
    return [*found, text[start:]]


def _verb_of(instruction: str, before: str) -> tuple[str, str]:
    """The verb of an instruction (`before`, if it has none of its own), and what follows it."""
    rest = instruction
    joined = _OR.match(rest)
    if joined:
        rest = rest[joined.end() :].lstrip()
    for verb, pattern in _VERBS:
        found = pattern.match(rest)
        if found:
            return verb, rest[found.end() :].strip()
    return before, rest.strip()


def _forms(rest: str) -> tuple[list[Form], str | None]:
    """The forms that an instruction names, all under its condition; and a remark for what names no form."""
    condition = None
    match = _condition_in(rest)
    if match:
        rest, condition = rest[: match.start()], match["condition"].strip(" .,")
        if condition.startswith("at any point"):
            condition = None
    found, remarks = [], []
    for part in _parts(rest):
        text = _bare(_EXAMPLE.sub("", part.strip()))
        if _NO_FORM.fullmatch(text) or not re.search(r"\w", text):
            remarks.append(text)
        else:
            found.append(Form(text, condition))
    remark = " or ".join(text for text in remarks if re.search(r"\w", text))
    if condition and not found:
        remark = f"{remark} {condition}".strip()
    return found, remark or None


def _condition_in(rest: str) -> re.Match[str] | None:
    """The condition at the end of `rest`, if it does not open inside quotes."""
    for position in (match.start() for match in re.finditer(r"^|\s", rest)):
        match = _CONDITION.match(rest, position)
        before = rest[:position]
        if match and before.count('"') % 2 == 0 and before.count("“") <= before.count("”"):
            return match
    return None


def _parts(rest: str) -> Iterator[str]:
    """The forms of a list: joined by "or", or quoted and joined by commas."""
    for part in _split_outside_quotes(rest, " or "):
        if part.strip()[:1] in tuple(_QUOTES):
            yield from _split_outside_quotes(part, ",")
        else:
            yield part


def _bare(text: str) -> str:
    """`text` without pronunciations and other parentheses, and without quotes around it."""
    text = " ".join(re.sub(r"\([^()]*\)|\[[^\[\]]*\]", " ", text).split()).strip(" ;,")
    quoted = re.fullmatch(rf"[{_QUOTES}]([^{_QUOTES}]*)[{_QUOTES}]", text)
    return (quoted[1] if quoted else text).strip(" ;,")
