"""Small text files that people write: read whole, checked, and refused with the line at fault."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from hinterguesser.errors import UserError

MAX_FILE_BYTES = 200_000_000
MAX_LINE_BYTES = 1_000_000
MAX_TEXT_LENGTH = 1_000
"""Longest name, alias or value, in characters: what is longer was meant to be something else."""

# Control characters, lone surrogates, and the two Unicode line breaks: nothing that a name needs (joiners of emoji and
# right-to-left marks are not among them).
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029]")


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a file, to be named in an error."""

    path: Path
    line: int

    def fail(self, problem: str) -> NoReturn:
        """Refuse the file because of this line."""
        raise UserError(f"{self.path}:{self.line}: {problem}")


def read_bytes(path: Path) -> bytes:
    """The whole file.

    Raises:
        UserError: it is missing, not a file, not readable, or larger than `MAX_FILE_BYTES`.
    """
    try:
        if path.is_dir():
            raise UserError(f"{path}: this is a folder; name a file")
        if path.exists() and not path.is_file():
            raise UserError(f"{path}: this is not a regular file; save its content to a file first")
        size = path.stat().st_size
        if size > MAX_FILE_BYTES:
            raise UserError(f"{path}: {size:,} bytes is more than the {MAX_FILE_BYTES:,} allowed; split the file")
        return path.read_bytes()
    except FileNotFoundError:
        raise UserError(f"{path}: there is no such file; check the path") from None
    except PermissionError:
        raise UserError(f"{path}: no permission to read it; change its permissions or copy it") from None
    except (OSError, ValueError) as error:
        raise UserError(f"{path}: cannot be read: {error}; check the path") from None


def read_text(path: Path) -> str:
    """The file's text, without a byte order mark, with every line end as a newline.

    Raises:
        UserError: what `read_bytes` refuses, binary content, another encoding than UTF-8, or a line that is too long.
    """
    raw = read_bytes(path)
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise UserError(f"{path}:1: the file is UTF-16; save it as UTF-8")
    null = raw.find(b"\x00")
    if null >= 0:
        raise UserError(f"{path}:{_line_at(raw, null)}: the file is binary (it holds a zero byte); give a text file")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = _line_at(raw, error.start)
        raise UserError(f"{path}:{line}: byte 0x{raw[error.start]:02x} is not UTF-8; save the file as UTF-8") from None
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    for number, line_text in numbered_lines(text):
        if len(line_text) > MAX_LINE_BYTES // 4 and len(line_text.encode()) > MAX_LINE_BYTES:
            raise UserError(f"{path}:{number}: the line is longer than {MAX_LINE_BYTES:,} bytes; one entry a line")
    return text


def _line_at(raw: bytes, offset: int) -> int:
    return raw.count(b"\n", 0, offset) + 1


def numbered_lines(text: str) -> Iterator[tuple[int, str]]:
    """Every line that is not blank, with its number, from 1."""
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield number, line


def json_objects(path: Path) -> Iterator[tuple[Place, dict[str, Any]]]:
    """The objects of a JSONL file, one a line.

    Raises:
        UserError: what `read_text` refuses, a line that is not JSON, not an object, or that says a key twice.
    """
    for number, line in numbered_lines(read_text(path)):
        place = Place(path, number)
        try:
            value = json.loads(line, object_pairs_hook=_once_each)
        except json.JSONDecodeError as error:
            place.fail(f"not JSON: {error.msg} at column {error.colno}; write one JSON object a line")
        except (ValueError, RecursionError) as error:
            place.fail(f"not usable JSON: {error}; write one JSON object a line")
        if not isinstance(value, dict):
            place.fail(f"expected a JSON object, got {shown(value)}; write one object a line")
        yield place, value


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"the key {next(key for key in keys if keys.count(key) > 1)!r} stands there twice")
    return result


def shown(value: object) -> str:
    """`value` for an error message: cut short, always printable."""
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def checked_text(value: object, what: str, place: Place) -> str:
    """`value` as a text without blanks around it.

    Raises:
        UserError: it is no text, blank, too long, or holds characters that nobody can read.
    """
    if not isinstance(value, str):
        place.fail(f"{what} must be a text, got {shown(value)}; write it in double quotes")
    text = value.strip()
    if not text:
        place.fail(f"{what} is empty; fill it in or take it out")
    if len(text) > MAX_TEXT_LENGTH:
        place.fail(f"{what} has {len(text):,} characters, at most {MAX_TEXT_LENGTH:,} are allowed: {shown(text)}")
    bad = _UNPRINTABLE.search(text)
    if bad:
        place.fail(f"{what} holds the unprintable character U+{ord(bad[0]):04X}: {shown(text)}; take it out")
    return text
