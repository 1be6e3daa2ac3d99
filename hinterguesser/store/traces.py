"""Traces files: JSONL, CSV or Parquet, read into columns and written from rows. Errors name file and line."""

import csv
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from hinterguesser.errors import UserError
from hinterguesser.replay.columns import Coded, Column
from hinterguesser.replay.traces import OPTIONAL, REQUIRED, Traces, build_traces

KNOWN = (*REQUIRED, *OPTIONAL)
TEXTS = ("question_id", "dataset", "model", "split", "answer", "entity")


def read_traces(path: Path) -> Traces:
    """Read a traces file; the ending says the format: .jsonl (or .json, .ndjson), .csv, .parquet.

    Raises:
        UserError: no such file, another ending, a line that cannot be read, or what `build_traces` refuses.
    """
    readers = {
        ".jsonl": _read_jsonl,
        ".ndjson": _read_jsonl,
        ".json": _read_jsonl,
        ".csv": _read_csv,
        ".parquet": _read_parquet,
    }
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise UserError(f"{path}: traces are read from .jsonl, .csv or .parquet files; rename or convert it")
    try:
        return reader(path)
    except FileNotFoundError:
        raise UserError(f"{path}: there is no such file; check the path") from None
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: not UTF-8 ({error.reason}); save it as UTF-8") from None
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror or error}; check the path") from None


def _read_jsonl(path: Path) -> Traces:
    import orjson

    columns: dict[str, list[Any]] = {name: [] for name in REQUIRED}
    lines: list[int] = []
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            text = line.lstrip(b"\xef\xbb\xbf") if number == 1 else line
            if not text.strip():
                continue
            try:
                row = orjson.loads(text)
            except orjson.JSONDecodeError as error:
                raise UserError(f"{path}:{number}: not JSON: {error.msg}; write one JSON object a line") from None
            if not isinstance(row, dict):
                raise UserError(f"{path}:{number}: expected a JSON object, got {str(row)[:60]}; one object a line")
            _append(columns, row, len(lines), f"{path}:{number}")
            lines.append(number)
    return build_traces(columns, _places(path, lines))


def _append(columns: dict[str, list[Any]], row: Mapping[str, Any], rows_before: int, where: str) -> None:
    """Add a row: one value to each column, and new columns with None for the rows before."""
    for name in REQUIRED:
        if name not in row:
            raise UserError(f"{where}: no '{name}'; every row needs {', '.join(REQUIRED)}")
    for name in row:
        if name not in columns and name in KNOWN:
            columns[name] = [_default(name)] * rows_before
    for name, column in columns.items():
        value = row.get(name)
        column.append(_default(name) if value is None else value)


def _default(name: str) -> bool | None:
    return False if name == "duplicate" else None


def _read_csv(path: Path) -> Traces:
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file)
        try:
            heads = [head.strip() for head in next(reader, [])]
            missing = [name for name in REQUIRED if name not in heads]
            if missing:
                raise UserError(f"{path}:1: no column {', '.join(missing)}; the first line must name the columns")
            kept = [(at, name) for at, name in enumerate(heads) if name in KNOWN]
            twice = [name for _, name in kept if heads.count(name) > 1]
            if twice:
                raise UserError(f"{path}:1: the column '{twice[0]}' stands there twice; take one out")
            columns: dict[str, list[Any]] = {name: [] for _, name in kept}
            lines: list[int] = []
            for cells in reader:
                if not cells:
                    continue
                line = reader.line_num
                if len(cells) != len(heads):
                    raise UserError(f"{path}:{line}: {len(cells)} cells, but the first line names {len(heads)} columns")
                for at, name in kept:
                    columns[name].append(_cell(cells[at], name, path, line))
                lines.append(line)
        except csv.Error as error:
            raise UserError(f"{path}:{reader.line_num}: not CSV: {error}") from None
    return build_traces(columns, _places(path, lines))


_TRUTHS = {"true": True, "false": False, "1": True, "0": False}


def _cell(text: str, name: str, path: Path, line: int) -> Any:
    """The value of a cell; an empty one is null."""
    if text == "":
        return _default(name)
    if name in TEXTS:
        return text
    if name in ("correct", "duplicate"):
        truth = _TRUTHS.get(text.strip().lower())
        if truth is None:
            raise UserError(f"{path}:{line}: '{name}' must be true or false (or 1 or 0), got {text!r}")
        return truth
    try:
        return float(text)
    except ValueError:
        hint = "; write a fraction without the sign" if "%" in text else ""
        raise UserError(f"{path}:{line}: '{name}' must be a number, got {text!r}{hint}") from None


def _places(path: Path, lines: list[int]) -> Any:
    return lambda row: f"{path}:{lines[row]}" if row < len(lines) else f"{path}:1"


def _read_parquet(path: Path) -> Traces:
    import pyarrow as pa
    import pyarrow.parquet as pq

    if not path.is_file():
        raise UserError(f"{path}: there is no such file; check the path")
    try:
        with pq.ParquetFile(path) as file:
            names = [name for name in file.schema_arrow.names if name in KNOWN]
            table = file.read(columns=names)
    except pa.ArrowException as error:
        raise UserError(f"{path}: not a readable Parquet file: {error}") from None
    columns = {name: _from_arrow(table[name], name) for name in names}
    return build_traces(columns, lambda row: f"{path}: row {row + 1}")


def _from_arrow(column: Any, name: str) -> Column:
    """A column for `build_traces`, without Python objects where the type allows it."""
    import pyarrow as pa

    kind = column.type
    if isinstance(kind, pa.DictionaryType):
        column, kind = column.cast(kind.value_type), kind.value_type
    if name in TEXTS and (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        coded = column.combine_chunks().dictionary_encode()
        if isinstance(coded, pa.ChunkedArray):
            coded = coded.combine_chunks() if coded.num_chunks != 1 else coded.chunk(0)
        codes = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        return Coded(codes.astype(np.int64), tuple(coded.dictionary.to_pylist()))
    if name not in TEXTS and (pa.types.is_floating(kind) or pa.types.is_integer(kind)) and name not in _BOOLEANS:
        masked = column.is_null().to_numpy(zero_copy_only=False)
        filled = column.fill_null(0).to_numpy(zero_copy_only=False)
        return np.ma.MaskedArray(filled, mask=masked)
    if name in _BOOLEANS and pa.types.is_boolean(kind) and (column.null_count == 0 or name == "duplicate"):
        return np.asarray(column.fill_null(False).to_numpy(zero_copy_only=False), dtype=np.bool_)
    values: list[Any] = column.to_pylist()
    return [False if value is None else value for value in values] if name == "duplicate" else values


_BOOLEANS = ("correct", "duplicate")


def write_traces(rows: Iterable[Mapping[str, Any]], path: Path) -> int:
    """Write rows of traces (see `replay.collect.Trajectory.rows`); the ending says the format. Returns their number.

    The file appears whole or not at all.

    Raises:
        UserError: another ending than .jsonl, .csv or .parquet, or the folder cannot be written to.
    """
    writers = {".jsonl": _write_jsonl, ".csv": _write_csv, ".parquet": _write_parquet}
    writer = writers.get(path.suffix.lower())
    if writer is None:
        raise UserError(f"{path}: traces are written to .jsonl, .csv or .parquet files; choose another name")
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        count = writer(rows, unfinished)
        unfinished.replace(path)
    except OSError as error:
        raise UserError(f"{path}: cannot be written: {error.strerror or error}; choose another place") from None
    finally:
        unfinished.unlink(missing_ok=True)
    return count


COLUMNS = (*REQUIRED, "dataset", "model", "split", "answer", "cost", "duplicate", "unscored_reason", "plan_sha256")


def _write_jsonl(rows: Iterable[Mapping[str, Any]], path: Path) -> int:
    import orjson

    count = 0
    with path.open("wb") as file:
        for row in rows:
            file.write(orjson.dumps({name: row.get(name) for name in COLUMNS}) + b"\n")
            count += 1
    return count


def _write_csv(rows: Iterable[Mapping[str, Any]], path: Path) -> int:
    count = 0
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for row in rows:
            writer.writerow([_as_cell(row.get(name)) for name in COLUMNS])
            count += 1
    return count


def _as_cell(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else value


def _write_parquet(rows: Iterable[Mapping[str, Any]], path: Path) -> int:
    import pyarrow as pa
    import pyarrow.parquet as pq

    kinds = {"depth": pa.int32(), "confidence": pa.float64(), "correct": pa.bool_(), "cost": pa.float64()}
    kinds["duplicate"] = pa.bool_()
    schema = pa.schema([(name, kinds.get(name, pa.string())) for name in COLUMNS])
    count = 0
    with pq.ParquetWriter(path, schema) as writer:
        for some in _in_batches(rows, 50_000):
            writer.write_table(pa.Table.from_pylist([{n: row.get(n) for n in COLUMNS} for row in some], schema=schema))
            count += len(some)
    return count


def _in_batches(rows: Iterable[Mapping[str, Any]], size: int) -> Iterator[list[Mapping[str, Any]]]:
    batch: list[Mapping[str, Any]] = []
    for row in rows:
        batch.append(row)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch
