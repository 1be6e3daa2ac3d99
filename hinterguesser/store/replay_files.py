"""A replay's results as files: JSON, one CSV a table (numbers, not percentages), and the tables as text."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson

from hinterguesser.store.files import new_folder, write_whole

RESULT_FILE, DETAILS_FILE, TEXT_FILE = "replay.json", "details.json", "tables.txt"


def write_replay(
    folder: Path,
    result: Mapping[str, Any],
    details: Mapping[str, Any],
    rows: Mapping[str, Sequence[Mapping[str, Any]]],
    text: str,
) -> list[Path]:
    """Write `replay.json`, `details.json`, `tables.txt`, and `NAME.csv` for each list of `rows`; return the paths.

    Each file appears whole or not at all. A list without a row gets no file, and that of an earlier replay is removed.

    Raises:
        UserError: the folder cannot be written to.
    """
    new_folder(folder)
    contents = {
        RESULT_FILE: orjson.dumps(result, option=orjson.OPT_INDENT_2) + b"\n",
        DETAILS_FILE: orjson.dumps(details, option=orjson.OPT_INDENT_2) + b"\n",
        TEXT_FILE: text.encode() + b"\n",
    }
    for name, some in rows.items():
        if some:
            contents[f"{name}.csv"] = as_csv(some)
        else:
            (folder / f"{name}.csv").unlink(missing_ok=True)
    for name, content in contents.items():
        write_whole(folder / name, content)
    return [folder / name for name in contents]


def as_csv(rows: Iterable[Mapping[str, Any]]) -> bytes:
    """Rows as CSV; nested numbers become columns of their own (`raw.coverage`, `interval.low`), null an empty cell."""
    flat = [dict(_flattened(row)) for row in rows]
    heads = list(dict.fromkeys(name for row in flat for name in row))
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, heads, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(flat)
    return text.getvalue().encode()


def _flattened(row: Mapping[str, Any], before: str = "") -> Iterable[tuple[str, Any]]:
    for name, value in row.items():
        if isinstance(value, Mapping):
            yield from _flattened(value, f"{before}{name}.")
        elif isinstance(value, list | tuple):
            yield from zip((f"{before}{name}.low", f"{before}{name}.high"), value, strict=True)
        elif isinstance(value, bool):
            yield f"{before}{name}", "true" if value else "false"
        else:
            yield f"{before}{name}", "" if value is None else value
