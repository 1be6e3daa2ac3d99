"""An answer, or a label, that a reply gives. What is ambiguous is `Unscored`, with the reason."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from hinterguesser.confidence.boxes import boxes_in, split_reasoning
from hinterguesser.confidence.statements import KEY, LATEX
from hinterguesser.domain.estimate import Unscored
from hinterguesser.domain.matching import unwrap

_LONGEST_ANSWER = 100
_ANSWER_LINE = re.compile(
    r"^[\s>#*_-]*(?:my |the )?(?:final |best )?(?:answer|guess)[\s*_]*(?::|\bis\b:?)[\s*_]*(.*)$",
    re.IGNORECASE,
)
_CONFIDENCE_TAIL = re.compile(rf"\b{KEY}\b(?:\s+(?:level|score))?[\s*_\"']*[:=]", re.IGNORECASE)


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
    boxes = boxes_in(text)
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
    boxes = boxes_in(text)
    if boxes:
        if boxes[-1].content is None:
            return Unscored("cut off inside \\boxed{}")
        text = boxes[-1].content
    text = unicodedata.normalize("NFKC", re.sub(r"[_{}]", " ", LATEX.sub("", text)))
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
