"""Files of source datasets: read whole, within limits, and refused with one message."""

import json
from pathlib import Path
from typing import Any

from hinterguesser.errors import UserError

MAX_FILE_BYTES = 1_000_000_000


def existing(path: Path, what: str) -> Path:
    """`path`, if it is a folder or a regular file.

    Raises:
        UserError: it is neither.
    """
    try:
        if path.is_dir() or path.is_file():
            return path
        there = path.exists()
    except (OSError, ValueError) as error:
        raise UserError(f"{path}: cannot be read: {error}; check the path") from None
    problem = "this is not a regular file" if there else "there is no such file or folder"
    raise UserError(f"{path}: {problem}; give {what}")


def read_bytes(path: Path, limit: int = MAX_FILE_BYTES) -> bytes:
    """The whole file.

    Raises:
        UserError: it cannot be read, or is larger than `limit`.
    """
    try:
        size = path.stat().st_size
        if size > limit:
            raise UserError(f"{path}: {size:,} bytes is more than the {limit:,} allowed; is this the right file?")
        return path.read_bytes()
    except PermissionError:
        raise UserError(f"{path}: no permission to read it; change its permissions or copy it") from None
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror or error}; check the path") from None


def decode(raw: bytes, name: str) -> str:
    """`raw` as UTF-8 text, without a byte order mark.

    Raises:
        UserError: it is something else, naming the line.
    """
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise UserError(f"{name}:{line}: not UTF-8 text; is the file damaged, or packed?") from None


def parse_json(text: str, name: str) -> Any:
    """The JSON value that `text` holds.

    Raises:
        UserError: it holds none, naming the line.
    """
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        message = f"{name}:{error.lineno}: not JSON: {error.msg} at column {error.colno}"
        raise UserError(f"{message}; is this the published file, and whole?") from None
    except (ValueError, RecursionError) as error:
        raise UserError(f"{name}:1: not usable JSON: {error}; is this the published file?") from None
