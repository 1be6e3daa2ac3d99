"""Anyone's predictions: JSONL, CSV or Parquet files, read into columns. Rows at fault are listed by line.

The fast readers are Arrow's. What they stumble over is read once more, row by row, to say which line is at fault.
"""

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import orjson

from hinterguesser.domain.predictions import Predictions
from hinterguesser.errors import UserError
from hinterguesser.store.files import saying_why
from hinterguesser.store.prediction_columns import (
    LABEL_MASS,
    NUMBERS,
    RawColumn,
    Reading,
    build_predictions,
    check_names,
)
from hinterguesser.store.predictions import JSONL_FILE, PARQUET_FILE
from hinterguesser.store.rows_at_fault import RowsAtFault, shown

BLOCK_BYTES = 1 << 22


def read_predictions(path: Path, reading: Reading | None = None) -> Predictions:
    """Read a predictions file (its ending says the format), or the one in a folder that `evaluate` filled.

    Raises:
        UserError: no such file, another ending, a column is missing, or rows are at fault: the first are listed by
            line, the others counted.
    """
    if path.is_dir():
        path = _in_folder(path)
    readers = {".parquet": _read_parquet, ".csv": _read_csv}
    readers |= dict.fromkeys((".jsonl", ".ndjson", ".json"), _read_jsonl)
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise UserError(f"{path}: predictions are read from .jsonl, .csv or .parquet files; rename or convert it")
    if not path.exists():
        raise UserError(f"{path}: there is no such file; check the path")
    try:
        with saying_why(path):
            return reader(path, reading or Reading())
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: not UTF-8 ({error.reason}); save it as UTF-8") from None


def _in_folder(folder: Path) -> Path:
    for name in (PARQUET_FILE, JSONL_FILE):
        if (folder / name).exists():
            return folder / name
    raise UserError(
        f"{folder}: no {JSONL_FILE} in this folder; name a folder that `hinterguesser evaluate` filled, or a file"
    )


def _read_parquet(path: Path, reading: Reading) -> Predictions:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            schema = file.schema_arrow
        check_names(path, schema.names, reading)
        wanted = [name for name in reading.wanted if name in schema.names]
        nested = [name for name in wanted if pa.types.is_nested(schema.field(name).type)]
        if nested:
            kind = schema.field(nested[0]).type
            raise UserError(f"{path}: the column '{nested[0]}' holds {kind}; texts or numbers are expected")
        texts = [name for name in wanted if pa.types.is_string(schema.field(name).type)]
        with pq.ParquetFile(path, read_dictionary=texts) as file:
            table = file.read(columns=wanted)
        columns = {name: table[name] for name in wanted}
        return build_predictions(
            columns, RowsAtFault(path, len(table)), lambda rows: [f"{path}: row {row + 1}" for row in rows], reading
        )
    except pa.ArrowException as error:
        raise UserError(f"{path}: not a readable Parquet file of predictions: {error}") from None


def _read_jsonl(path: Path, reading: Reading) -> Predictions:
    import pyarrow as pa

    try:
        columns = _arrow_json(path, reading)
    except pa.ArrowException:
        columns = None
    if columns is None:
        return _read_jsonl_slowly(path, reading)

    def places(rows: Sequence[int]) -> list[str]:
        with path.open("rb") as file:
            lines = (number for number, line in enumerate(file, start=1) if line.strip())
            return [f"{path}:{number}" for number in _picked(lines, rows)]

    rows = len(next(iter(columns.values())))
    return build_predictions(columns, RowsAtFault(path, rows), places, reading)


def _arrow_json(path: Path, reading: Reading) -> dict[str, RawColumn] | None:
    """The columns, when the first row tells their types and all rows keep to them; else None."""
    import pyarrow as pa
    import pyarrow.json as arrow_json

    with path.open("rb") as file:
        first = next((line for line in file if line.strip()), b"")
    try:
        row = orjson.loads(first)
    except orjson.JSONDecodeError:
        return None
    if not isinstance(row, dict) or any(name not in row for name in (*NUMBERS, "dialogue_id")):
        return None
    kinds: dict[str, Any] = {"turn": pa.int64(), "length": pa.int64()}
    kinds |= dict.fromkeys(("confidence", LABEL_MASS), pa.float64())
    kinds["correct"] = pa.int64() if type(row["correct"]) is int else pa.bool_()
    kinds["dialogue_id"] = pa.int64() if type(row["dialogue_id"]) is int else pa.string()
    schema = pa.schema([(name, kinds.get(name, pa.string())) for name in reading.wanted])
    table = arrow_json.read_json(
        path,
        read_options=arrow_json.ReadOptions(block_size=BLOCK_BYTES),
        parse_options=arrow_json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore"),
    )
    known = [name for name in reading.wanted if name in row or table[name].null_count < len(table)]
    return {name: table[name] for name in known}


def _read_jsonl_slowly(path: Path, reading: Reading) -> Predictions:
    rows: list[dict[str, Any]] = []
    lines: list[int] = []
    problems: dict[int, str] = {}
    names: dict[str, None] = {}
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            text = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
            if not text.strip():
                continue
            value: Any = {}
            try:
                value = orjson.loads(text)
            except orjson.JSONDecodeError as error:
                problems[len(rows)] = f"not JSON: {error.msg}; write one JSON object a line"
            if not isinstance(value, dict):
                problems[len(rows)] = f"expected a JSON object, got {shown(value)}; write one object a line"
                value = {}
            names |= dict.fromkeys(value)
            rows.append(value)
            lines.append(number)
    columns = {name: [row.get(name) for row in rows] for name in reading.wanted if name in names}
    return _build(path, columns, lines, problems, reading, list(names))


def _build(
    path: Path,
    columns: dict[str, list[Any]],
    lines: list[int],
    problems: dict[int, str],
    reading: Reading,
    names: Sequence[str],
) -> Predictions:
    """Predictions of what was read row by row, `problems` being those of rows that could not be read."""
    import numpy as np

    faults = RowsAtFault(path, len(lines))
    unreadable = np.zeros(len(lines), dtype=np.bool_)
    unreadable[list(problems)] = True
    faults.add(unreadable, lambda row: problems[row])

    def places(rows: Sequence[int]) -> list[str]:
        return [f"{path}:{lines[row]}" for row in rows]

    if len(problems) == len(lines):
        faults.refuse(places)
    if not lines:
        raise UserError(f"{path}: there are no predictions in it; one row an estimate is expected")
    check_names(path, names, reading)
    return build_predictions(columns, faults, places, reading)


def _read_csv(path: Path, reading: Reading) -> Predictions:
    import pyarrow as pa
    import pyarrow.csv as arrow_csv

    with path.open(encoding="utf-8-sig", newline="") as file:
        try:
            heads = next(csv.reader(file), [])
        except csv.Error as error:
            raise UserError(f"{path}:1: not CSV: {error}") from None
    names = [head.strip() for head in heads]
    check_names(path, names, reading)
    twice = [name for name in reading.wanted if names.count(name) > 1]
    if twice:
        raise UserError(f"{path}:1: the column '{twice[0]}' stands there twice; take one out")
    wanted = [name for name in reading.wanted if name in names]
    kinds: dict[str, Any] = dict.fromkeys(("turn", "length", "confidence", LABEL_MASS), pa.float64())
    kinds["correct"] = pa.bool_()
    try:
        table = arrow_csv.read_csv(
            path,
            read_options=arrow_csv.ReadOptions(column_names=names, skip_rows=1, block_size=BLOCK_BYTES),
            parse_options=arrow_csv.ParseOptions(newlines_in_values=True),
            convert_options=arrow_csv.ConvertOptions(
                column_types={name: kinds.get(name, pa.string()) for name in wanted},
                include_columns=wanted,
                null_values=[""],
                strings_can_be_null=True,
                true_values=list(TRUE),
                false_values=list(FALSE),
            ),
        )
    except pa.ArrowException:
        return _read_csv_slowly(path, reading)

    def places(rows: Sequence[int]) -> list[str]:
        return [f"{path}:{number}" for number in _picked((line for line, _ in _csv_rows(path)), rows)]

    return build_predictions({name: table[name] for name in wanted}, RowsAtFault(path, len(table)), places, reading)


TRUE = ("true", "True", "TRUE", "1", "1.0")
FALSE = ("false", "False", "FALSE", "0", "0.0")


def _csv_rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Every row after the first, with the number of its last line."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file)
        next(reader, None)
        try:
            for cells in reader:
                if cells:
                    yield reader.line_num, cells
        except csv.Error as error:
            raise UserError(f"{path}:{reader.line_num}: not CSV: {error}") from None


def _read_csv_slowly(path: Path, reading: Reading) -> Predictions:
    with path.open(encoding="utf-8-sig", newline="") as file:
        names = [head.strip() for head in next(csv.reader(file), [])]
    kept = [(at, name) for at, name in enumerate(names) if name in reading.wanted]
    columns: dict[str, list[Any]] = {name: [] for _, name in kept}
    lines: list[int] = []
    problems: dict[int, str] = {}
    for line, cells in _csv_rows(path):
        if len(cells) != len(names):
            problems[len(lines)] = f"{len(cells)} cells, but the first line names {len(names)} columns"
        for at, name in kept:
            columns[name].append(_cell(cells[at], name) if len(cells) == len(names) else None)
        lines.append(line)
    return _build(path, columns, lines, problems, reading, names)


def _cell(text: str, name: str) -> Any:
    """The value of a cell: null when empty, the text itself where no number or truth can be read."""
    if text == "":
        return None
    if name == "correct" and text in TRUE + FALSE:
        return text in TRUE
    if name in (*NUMBERS, LABEL_MASS):
        try:
            return float(text)
        except ValueError:
            return text
    return text


def _picked(numbers: Iterator[int], places: Sequence[int]) -> list[int]:
    """The numbers at these places, ascending, of a stream."""
    wanted = dict.fromkeys(places)
    found: dict[int, int] = {}
    for place, number in enumerate(numbers):
        if place in wanted:
            found[place] = number
            if len(found) == len(wanted):
                break
    return [found.get(place, 0) for place in places]
