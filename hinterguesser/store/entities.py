"""Entity lists: read from a text, CSV or JSONL file, and written as JSONL.

A list may have a wording file beside it, `STEM.attributes.jsonl`, that says how its facts are put into words.
"""

import csv
import hashlib
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from hinterguesser.domain.entity import Entity, EntityList
from hinterguesser.domain.spelling import normalise
from hinterguesser.errors import UserError
from hinterguesser.store.assets import asset_folder
from hinterguesser.store.textfiles import (
    Place,
    checked_text,
    json_objects,
    numbered_lines,
    read_bytes,
    read_text,
    shown,
)
from hinterguesser.store.wordings import WORDING_SUFFIX, attributes_of, wording_path, wording_to_dict

_KEYS = {"name", "aliases", "facts"}

_NO_LETTERS = {code: None for code in range(128) if not chr(code).isalnum()}

Placed = tuple[Place, Entity]


def builtin_list(game: str) -> Path:
    """The entity list that ships for `game`.

    Raises:
        UserError: none ships under this name.
    """
    folder = asset_folder("entity_lists")
    known = {path.stem: path for path in sorted(folder.glob("*.jsonl")) if not path.name.endswith(WORDING_SUFFIX)}
    if game not in known:
        names = ", ".join(known) or "none"
        raise UserError(f"no entity list ships for {game!r} (there are: {names}); give one with --entities FILE")
    return known[game]


def file_sha256(path: Path) -> str:
    """Fingerprint of the file's bytes, as hex."""
    return hashlib.sha256(read_bytes(path)).hexdigest()


def list_sha256(path: Path) -> dict[str, str]:
    """Fingerprints of a list and, where it has one, its wording file, by file name: what run.json keeps."""
    files = [path, *([wording] if (wording := wording_path(path)).exists() else [])]
    return {file.name: file_sha256(file) for file in files}


def read_entities(path: Path, *, allow_collisions: bool = False) -> EntityList:
    """The entities of `path`, in its order, with the wording of every attribute that occurs.

    * `.txt`: a name a line.
    * `.csv`: a header with `name`, optionally `aliases` (split by `|`); every other column is a fact, an empty cell
      an unknown one.
    * `.jsonl`: `{"name": ..., "aliases": [...], "facts": {...}}` a line; a fact that is null is unknown.

    Args:
        path: the list; `STEM.attributes.jsonl` beside it is its wording file.
        allow_collisions: keep names and aliases that two entities share, for `check` to find.

    Raises:
        UserError: anything wrong with either file, naming file, line and the way out.
    """
    if path.name.endswith(WORDING_SUFFIX):
        stem = path.name.removesuffix(WORDING_SUFFIX)
        raise UserError(f"{path}: this file words the attributes of a list; give the list itself: {stem}.jsonl")
    readers = {".txt": _read_txt, ".csv": _read_csv, ".jsonl": _read_jsonl}
    reader = readers.get(path.suffix.lower())
    if reader is None:
        read_bytes(path)  # a folder or a missing file is the better thing to complain about
        raise UserError(f"{path}: a list ends in .txt, .csv or .jsonl, got {path.suffix or 'no ending'!r}; rename it")
    placed = list(reader(path))
    if not placed:
        raise UserError(f"{path}:1: the list is empty; give at least one name")
    if not allow_collisions:
        _refuse_collisions(placed)
    entities = tuple(entity for _, entity in placed)
    return EntityList(entities, attributes_of(entities, path))


def write_entities(listed: EntityList, path: Path) -> None:
    """Write `listed` as JSONL, and its attributes to the wording file beside it when it has any."""
    if path.suffix.lower() != ".jsonl":
        raise UserError(f"{path}: entity lists are written as .jsonl; name such a file")
    rows = (_to_dict(entity) for entity in listed.entities)
    _write_lines(path, rows)
    if listed.attributes:
        _write_lines(wording_path(path), (wording_to_dict(attribute) for attribute in listed.attributes))


def _to_dict(entity: Entity) -> dict[str, object]:
    optional = {"aliases": list(entity.aliases), "facts": dict(entity.facts)}
    return {"name": entity.name, **{key: value for key, value in optional.items() if value}}


def _write_lines(path: Path, rows: Iterable[Mapping[str, object]]) -> None:
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    try:
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise UserError(f"{path}: cannot be written: {error.strerror or error}; choose another place") from None


def _read_txt(path: Path) -> Iterator[Placed]:
    for number, line in numbered_lines(read_text(path)):
        place = Place(path, number)
        yield place, Entity(checked_text(line, "the name", place))


def _read_jsonl(path: Path) -> Iterator[Placed]:
    checked: dict[tuple[str, str], tuple[str, str]] = {}
    for place, row in json_objects(path):
        unknown = sorted(row.keys() - _KEYS)
        if unknown:
            place.fail(f"unknown keys {shown(unknown)}; allowed are name, aliases and facts (an object of texts)")
        if "name" not in row:
            place.fail('"name" is missing; every line needs one')
        name = checked_text(row["name"], '"name"', place)
        listed = [] if row.get("aliases") is None else row["aliases"]
        if not isinstance(listed, list):
            place.fail(f'"aliases" must be a list of texts, got {shown(row["aliases"])}; write ["..."]')
        aliases = [checked_text(alias, f"an alias of {shown(name)}", place) for alias in listed]
        yield place, Entity(name, _distinct(aliases, name), _facts(row.get("facts"), place, checked))


def _facts(raw: object, place: Place, checked: dict[tuple[str, str], tuple[str, str]]) -> dict[str, str]:
    """`raw` as facts; `checked` remembers facts of earlier lines, since most of them come again and again."""
    if raw is None:
        return {}
    if not isinstance(raw, dict):
        place.fail(f'"facts" must be an object, got {shown(raw)}; write {{"attribute": "value"}}')
    facts: dict[str, str] = {}
    for attribute, value in raw.items():
        if value is None:
            continue
        fact = checked.get((attribute, value)) if isinstance(value, str) else None
        if fact is None:
            name = checked_text(attribute, "the name of an attribute", place)
            fact = name, checked_text(value, f"the value of {shown(name)}", place)
            checked[attribute, value] = fact
        if fact[0] in facts:
            place.fail(f"the attribute {shown(fact[0])} stands there twice; take one of the two out")
        facts[fact[0]] = fact[1]
    return facts


def _read_csv(path: Path) -> Iterator[Placed]:
    rows = _csv_rows(path)
    place, header = next(rows, (Place(path, 1), []))
    columns = [column.strip() for column in header]
    _check_header(columns, place)
    for place, row in rows:
        if len(row) != len(columns):
            place.fail(f"{len(row)} cells where the header has {len(columns)}; put cells with commas in double quotes")
        cells = dict(zip(columns, row, strict=True))
        name = checked_text(cells.pop("name"), "the name", place)
        split = [alias for alias in cells.pop("aliases", "").split("|") if alias.strip()]
        aliases = [checked_text(alias, f"an alias of {shown(name)}", place) for alias in split]
        facts = {
            column: checked_text(cell, f"the value of {shown(column)}", place)
            for column, cell in cells.items()
            if cell.strip()
        }
        yield place, Entity(name, _distinct(aliases, name), facts)


def _csv_rows(path: Path) -> Iterator[tuple[Place, list[str]]]:
    reader = csv.reader(io.StringIO(read_text(path)), strict=True)
    while True:
        start = reader.line_num + 1
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            Place(path, start).fail(f"not CSV: {error}; check the double quotes")
        if row:
            yield Place(path, start), row


def _check_header(columns: list[str], place: Place) -> None:
    if not any(columns):
        place.fail("the list is empty; the first line of a CSV names its columns, one of them 'name'")
    if "name" not in columns:
        place.fail(f"no column 'name' in the header {shown(columns)}; columns are separated by commas")
    for column in columns:
        checked_text(column, "the name of a column", place)
        if columns.count(column) > 1:
            place.fail(f"two columns are called {shown(column)}; rename one")


def _distinct(aliases: list[str], name: str) -> tuple[str, ...]:
    return tuple(alias for alias in dict.fromkeys(aliases) if alias != name)


def _refuse_collisions(placed: list[Placed]) -> None:
    """Refuse names and aliases that the matcher, or a dialogue's id, cannot tell apart."""
    owners: dict[str, Placed] = {}
    for place, entity in placed:
        for label in (entity.name, *entity.aliases):
            first_place, first = owners.setdefault(normalise(label), (place, entity))
            if first is entity:
                continue
            if label == entity.name and normalise(first.name) == normalise(label):
                place.fail(f"{shown(label)} is there already, line {first_place.line}; take one of the two out")
            place.fail(
                f"{shown(label)} also stands for {shown(first.name)}, line {first_place.line}: a guess of it could "
                "mean either; take it out of one"
            )
    _refuse_shared_ids(placed)


def _refuse_shared_ids(placed: list[Placed]) -> None:
    alike: dict[str, Placed] = {}
    slugs: dict[str, Placed] = {}
    for place, entity in placed:
        _, other = alike.setdefault(_before_slug(entity), (place, entity))
        if other is entity:
            continue
        slugs.setdefault(other.slug, alike[_before_slug(entity)])
        first_place, first = slugs.setdefault(entity.slug, (place, entity))
        if first is not entity:
            place.fail(
                f"{shown(entity.name)} and {shown(first.name)}, line {first_place.line}, give the same id "
                f"'{entity.slug}'; rename one"
            )


def _before_slug(entity: Entity) -> str:
    """What two entities with one slug have in common: for most names much faster to tell than the slug."""
    return entity.name.lower().translate(_NO_LETTERS)[:40] if entity.name.isascii() else entity.slug
