"""Public lists of things and cities, read as entity lists: LMRL-Gym, Kaggle's keywords, GeoNames.

None of them is fit to play as it stands: names that differ only in case, variants that mean two entries, misspelt
names, rows that are cut off. Each importer mends what it can and reports every change.
"""

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from hinterguesser.adapters.archives import read_members
from hinterguesser.adapters.countries import COUNTRIES
from hinterguesser.adapters.files import decode, existing, parse_json, read_bytes
from hinterguesser.adapters.listing import Draft, ImportedList, Note, assemble
from hinterguesser.adapters.records import spaced, valid
from hinterguesser.domain.spelling import normalise
from hinterguesser.errors import UserError

_MAX_SOURCE_BYTES = 20_000_000
_SPELLINGS = {
    "Kinshaha": "Kinshasa",
    "Havanna": "Havana",
    "Taega": "Taegu",
    "Ethopia": "Ethiopia",
    "Cote d’Ivorie": "Cote d’Ivoire",
    "mount saint lias": "mount saint elias",
}
"""Names that these lists are known to misspell."""

# GeoNames, by column number.
_NAME, _ASCII, _ALTERNATES, _LATITUDE, _CODE, _COUNTRY, _POPULATION, _COLUMNS = 1, 2, 3, 4, 7, 8, 14, 19
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f\u1e00-\u1eff'’. -]{4,60}")
_MOST_ALTERNATES = 20


def import_lmrl(path: Path, aliases: Path | None = None) -> ImportedList:
    """LMRL-Gym's objects (`twenty_questions/env/data.py`, or its dict as JSON) or cities (`global_cities.txt`).

    Args:
        path: the objects, by category, with `;` between the variants of one; or the cities, `rank; city; country; ...`.
        aliases: for cities, other names of each (`global_cities_dict.py`, or its dict as JSON).

    Raises:
        UserError: a file that cannot be read, or is no such list.
    """
    existing(path, "data.py, global_cities.txt, or the objects as .json")
    if path.suffix.lower() == ".txt":
        return _lmrl_cities(path, _alias_table(aliases) if aliases else {})
    if aliases is not None:
        raise UserError(f"{aliases}: other names are only read for cities (global_cities.txt); leave them out")
    table = _table_in(path, "DEFAULT_OBJECT_DICT")
    drafts, notes = [], []
    for category, variants in table.items():
        if not isinstance(variants, list) or not all(isinstance(variant, str) for variant in variants):
            raise UserError(f"{path}:1: under {category!r} there must be a list of texts")
        for variant in variants:
            name, *others = [spaced(valid(part)) for part in variant.split(";")]
            drafts.append(Draft(name, others, {"category": category}))
            if others:
                notes.append(Note("variants", name, f"also read as: {', '.join(others)}"))
    return assemble(path, drafts, notes, _SPELLINGS)


def _lmrl_cities(path: Path, aliases: Mapping[str, list[str]]) -> ImportedList:
    drafts, notes = [], []
    used: set[str] = set()
    lines = decode(read_bytes(path, _MAX_SOURCE_BYTES), str(path)).splitlines()
    for number, line in enumerate(lines, start=1):
        cells = [spaced(valid(cell)) for cell in line.split(";")]
        if not line.strip() or (number == 1 and not cells[0].isdigit()):
            continue  # the header
        if len(cells) < 3 or not cells[0].isdigit() or not cells[1] or not cells[2]:
            notes.append(Note("cut_row", line.strip()[:80], f"{path}:{number}: no 'rank; city; country'; left out"))
            continue
        if not re.fullmatch(r"\d{1,3}(,\d{3})*", "".join(cells[3:4])):
            notes.append(Note("cut_row", cells[1], f"{path}:{number}: the population is cut off; it is not taken over"))
        city, country = (_SPELLINGS.get(cell, cell) for cell in cells[1:3])
        for before, after in ((cells[1], city), (cells[2], country)):
            if before != after:
                notes.append(Note("misspelt", before, f"{path}:{number}: written as {after!r}"))
        key = normalise(city)
        used.add(key)
        others = [city, *aliases.get(key, [])]
        if len(others) > 1:
            notes.append(Note("variants", city, f"also known as: {', '.join(others[1:])}"))
        drafts.append(Draft(f"{city}, {country}", others, {"country": country}))
    for key in sorted(aliases.keys() - used):
        notes.append(Note("unused_aliases", key, "other names are given for it, but it is not in the list"))
    return assemble(path, drafts, notes)


def _alias_table(path: Path) -> dict[str, list[str]]:
    existing(path, "global_cities_dict.py, or its names as .json")
    found: dict[str, list[str]] = {}
    for name, others in _table_in(path, "names_dict").items():
        texts = [others] if isinstance(others, str) else others
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise UserError(f"{path}:1: under {name!r} there must be a list of texts")
        found.setdefault(normalise(name), []).extend(spaced(valid(text)) for text in texts)
    return found


def import_kaggle(path: Path) -> ImportedList:
    """The keywords of Kaggle's "LLM 20 Questions" (`keywords.py`, or the JSON inside it).

    Raises:
        UserError: a file that cannot be read, or is no such list.
    """
    existing(path, "keywords.py, or the JSON inside it")
    groups = _literal_in(path, "KEYWORDS_JSON")
    groups = parse_json(groups, str(path)) if isinstance(groups, str) else groups
    if not isinstance(groups, list) or not all(isinstance(group, dict) for group in groups):
        raise UserError(f"{path}:1: no list of categories with their words; give keywords.py or its JSON")
    drafts, notes = [], []
    for group in groups:
        category = spaced(valid(str(group.get("category") or "other")))
        words = group.get("words")
        if not isinstance(words, list):
            raise UserError(f"{path}:1: the category {category!r} has no list 'words'")
        for word in words:
            keyword = word.get("keyword") if isinstance(word, dict) else None
            others = (word.get("alts") or []) if isinstance(word, dict) else []
            if not isinstance(keyword, str) or not isinstance(others, list):
                raise UserError(f"{path}:1: in {category!r} a word is no object with 'keyword' and 'alts'")
            name = spaced(valid(keyword))
            alternatives = [spaced(valid(other)) for other in others if isinstance(other, str)]
            drafts.append(Draft(name, alternatives, {"category": category}))
            if alternatives:
                notes.append(Note("variants", name, f"also accepted: {', '.join(alternatives)}"))
    return assemble(path, drafts, notes, _SPELLINGS)


def import_geonames(path: Path, limit: int | None = None) -> ImportedList:
    """A GeoNames table of cities (`cities15000.txt`, or the zip it comes in), largest first.

    Facts: the country, and whether it is a capital city, north of the equator, and home to more than a million people.

    Args:
        path: the table.
        limit: keep only this many of the largest.

    Raises:
        UserError: a file that cannot be read, or is no such table.
    """
    existing(path, "cities15000.txt or cities15000.zip from GeoNames")
    rows: list[tuple[int, Draft]] = []
    notes: list[Note] = []
    for number, line in enumerate(_geonames_text(path).split("\n"), start=1):
        cells = line.rstrip("\r").split("\t")
        if not line.strip():
            continue
        draft = _city(cells) if len(cells) == _COLUMNS else None
        if draft is None:
            if number == 1:
                raise UserError(f"{path}:1: no GeoNames table ({_COLUMNS} cells separated by tabs)")
            notes.append(Note("cut_row", spaced(valid(line))[:80], f"{path}:{number}: not a whole row; left out"))
            continue
        rows.append((int(cells[_POPULATION] or 0), draft))
    rows.sort(key=lambda row: -row[0])
    return assemble(path, [draft for _, draft in rows[:limit]], notes)


def _geonames_text(path: Path) -> str:
    if path.suffix.lower() != ".zip":
        return decode(read_bytes(path), str(path))
    members = read_members(path, lambda name: name.lower().endswith(".txt") and "readme" not in name.lower())
    if len(members) != 1:
        raise UserError(f"{path}: {len(members)} tables in the archive, one is needed; unpack it and give the .txt")
    [(name, raw)] = members.items()
    return decode(raw, f"{path}/{name}")


def _city(cells: list[str]) -> Draft | None:
    name, plain = spaced(valid(cells[_NAME])), spaced(valid(cells[_ASCII]))
    population = cells[_POPULATION] or "0"
    try:
        latitude = float(cells[_LATITUDE])
    except ValueError:
        return None
    if not name or not population.isdecimal():
        return None
    country = COUNTRIES.get(cells[_COUNTRY], cells[_COUNTRY])
    alternates = [spaced(valid(cell)) for cell in cells[_ALTERNATES].split(",")]
    readable = [text for text in alternates if _LATIN.fullmatch(text) and not text.isupper()]
    facts = {
        **({"country": country} if country else {}),
        "a_capital_city": "yes" if cells[_CODE] == "PPLC" else "no",
        "north_of_the_equator": "yes" if latitude > 0 else "no",
        "home_to_more_than_a_million_people": "yes" if int(population) > 1_000_000 else "no",
    }
    others = list(dict.fromkeys([name, plain, *readable]))[:_MOST_ALTERNATES]
    return Draft(f"{name}, {country}" if country else name, others, facts)


def _table_in(path: Path, variable: str) -> dict[str, Any]:
    table = _literal_in(path, variable)
    if not isinstance(table, dict) or not table:
        raise UserError(f"{path}:1: no object from names to lists of texts; give the published file")
    return table


def _literal_in(path: Path, variable: str) -> Any:
    """The value of `variable` in a Python file, which is parsed and never run; or the value of a JSON file."""
    text = decode(read_bytes(path, _MAX_SOURCE_BYTES), str(path))
    if path.suffix.lower() != ".py":
        return parse_json(text, str(path))
    try:
        for node in _assignments(ast.parse(text)):
            if variable in node[0]:
                return ast.literal_eval(node[1])
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise UserError(f"{path}:1: {variable} cannot be read: {error}; give its value as .json") from None
    raise UserError(f"{path}:1: no {variable} in it; give the published file, or its value as .json")


def _assignments(module: ast.Module) -> Iterator[tuple[set[str], ast.expr]]:
    for node in ast.walk(module):
        if isinstance(node, ast.Assign):
            yield {target.id for target in node.targets if isinstance(target, ast.Name)}, node.value
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
            yield {node.target.id}, node.value


IMPORTERS: Mapping[str, Callable[[Path], ImportedList]] = {
    "lmrl": import_lmrl,
    "kaggle": import_kaggle,
    "geonames": import_geonames,
}
"""What `entities import` offers, by name."""
