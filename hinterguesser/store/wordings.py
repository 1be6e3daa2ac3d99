"""How the attributes of an entity list are put into words: its wording file, or a plain default."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from hinterguesser.domain.entity import Attribute, Entity, Wording
from hinterguesser.errors import UserError
from hinterguesser.store.textfiles import Place, checked_text, json_objects, shown

WORDING_SUFFIX = ".attributes.jsonl"

_KEYS = {"name", "question", "answer", "statement", "closing"}
_PLACEHOLDER = re.compile(r"\{\w*\}")
_YES_NO = {"yes", "no"}


def wording_path(path: Path) -> Path:
    """Where the wording file of the list `path` stands, whether it is there or not."""
    return path.with_name(path.stem + WORDING_SUFFIX)


def attributes_of(entities: Iterable[Entity], path: Path) -> tuple[Attribute, ...]:
    """Every attribute of the wording file beside the list `path`, then those that have only a default wording.

    Raises:
        UserError: the file is at fault, a value that occurs has no words, or two values have the same words.
    """
    values = _values(entities)
    source = wording_path(path)
    worded: dict[str, tuple[str, Attribute]] = {}
    if source.exists():
        for place, row in json_objects(source):
            attribute = _attribute(row, place)
            if attribute.name in worded:
                place.fail(f"{shown(attribute.name)} is worded twice; take one of the two out")
            _check_values(attribute, values.get(attribute.name, ()), place)
            worded[attribute.name] = (f"{source}:{place.line}", attribute)
    for name, occurring in values.items():
        worded.setdefault(name, (str(path), _default(name, occurring)))
    _refuse_clashes(worded.values(), values)
    return tuple(attribute for _, attribute in worded.values())


def wording_to_dict(attribute: Attribute) -> dict[str, object]:
    """As one line of a wording file."""
    return {
        "name": attribute.name,
        "question": attribute.question,
        "answer": _wording_to_plain(attribute.answer),
        "statement": _wording_to_plain(attribute.statement),
        "closing": attribute.closing,
    }


def _wording_to_plain(wording: Wording) -> str | dict[str, str]:
    return dict(wording.by_value) if wording.template is None else wording.template


def _values(entities: Iterable[Entity]) -> dict[str, dict[str, None]]:
    """Attribute to its values, both in the order of first appearance."""
    values: dict[str, dict[str, None]] = {}
    for entity in entities:
        for name, value in entity.facts.items():
            values.setdefault(name, {})[value] = None
    return values


def _attribute(row: Mapping[str, object], place: Place) -> Attribute:
    unknown, missing = sorted(row.keys() - _KEYS), sorted(_KEYS - {"closing"} - row.keys())
    if unknown or missing:
        place.fail(
            f"unknown keys {shown(unknown)}, missing keys {shown(missing)}; "
            'write {"name", "question", "answer", "statement"} and, if wanted, "closing"'
        )
    closing = row.get("closing", False)
    if not isinstance(closing, bool):
        place.fail(f'"closing" must be true or false, got {shown(closing)}')
    return Attribute(
        name=checked_text(row["name"], '"name"', place),
        question=_template(row["question"], '"question"', place),
        answer=_wording(row["answer"], '"answer"', place),
        statement=_wording(row["statement"], '"statement"', place),
        closing=closing,
    )


def _template(raw: object, what: str, place: Place, *, allowed: str = "{value}") -> str:
    text = checked_text(raw, what, place)
    for placeholder in _PLACEHOLDER.findall(text):
        if placeholder != allowed:
            place.fail(f"{what} holds {placeholder}, which nothing fills in; only a template's {{value}} is filled")
    return text


def _wording(raw: object, what: str, place: Place) -> Wording:
    if not isinstance(raw, dict):
        if not isinstance(raw, str):
            place.fail(f"{what} must be a text with {{value}}, or an object from value to text; got {shown(raw)}")
        return Wording(_template(raw, what, place))
    return Wording(
        by_value={
            checked_text(value, f"a value in {what}", place): _template(
                text, f"{what} for {shown(value)}", place, allowed=""
            )
            for value, text in raw.items()
        }
    )


def _check_values(attribute: Attribute, values: Iterable[str], place: Place) -> None:
    for what, wording in (("answer", attribute.answer), ("statement", attribute.statement)):
        missing = [value for value in values if wording.template is None and value not in wording.by_value]
        if missing:
            place.fail(
                f'"{what}" of {shown(attribute.name)} has no text for {shown(missing)}, which the list uses; '
                "add it, or write one text with {value} for all"
            )


def _default(name: str, values: Iterable[str]) -> Attribute:
    words = " ".join(name.replace("_", " ").split())
    by_lower = {value: value.lower() for value in values}
    if set(by_lower.values()) <= _YES_NO:
        words = words.removeprefix("is ")
        return Attribute(
            name,
            question=f"Is it {words}?",
            answer=Wording(by_value={value: f"{lower.capitalize()}." for value, lower in by_lower.items()}),
            statement=Wording(
                by_value={
                    value: f"It is {words}." if lower == "yes" else f"It is not {words}."
                    for value, lower in by_lower.items()
                }
            ),
        )
    return Attribute(
        name,
        question=f"What is its {words}?",
        answer=Wording("{value}."),
        statement=Wording(f"Its {words} is {{value}}."),
    )


def _refuse_clashes(worded: Iterable[tuple[str, Attribute]], values: Mapping[str, Iterable[str]]) -> None:
    """Two facts with the same question and answer, or the same statement, could not be told apart by what is said."""
    said: dict[str, tuple[str, str]] = {}
    for where, attribute in worded:
        for value in values.get(attribute.name, ()):
            hint = f"{attribute.ask(value)} {attribute.answer.render(value)}"
            for words in (hint, attribute.statement.render(value)):
                name, other = said.setdefault(words, (attribute.name, value))
                if (name, other) != (attribute.name, value):
                    raise UserError(
                        f"{where}: {shown(attribute.name)} = {shown(value)} and {shown(name)} = {shown(other)} are "
                        f"both said as {shown(words)}; write the values alike, or word them apart"
                    )
