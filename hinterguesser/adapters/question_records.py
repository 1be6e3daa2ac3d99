"""Records of question-answering datasets, from whatever the file holds: a JSON list, JSONL, columns, or Parquet."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from hinterguesser.errors import UserError

Record = Mapping[str, Any]


def read_records(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The records of `path` in order, each with its place for an error: 'file:line', or 'file: record n' from 1.

    Raises:
        UserError: no such file, or content that is none of the four.
    """
    try:
        if path.is_dir():
            raise UserError(f"{path}: this is a folder; name a file in it")
        if path.suffix.lower() == ".parquet":
            yield from _from_parquet(path)
        else:
            yield from _from_json(path)
    except FileNotFoundError:
        raise UserError(f"{path}: there is no such file; check the path") from None
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror or error}; check the path") from None


def _from_json(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    import orjson

    with path.open("rb") as file:
        first = b""
        while not first:
            line = file.readline()
            if not line:
                raise UserError(f"{path}: the file is empty")
            first = line.removeprefix(b"\xef\xbb\xbf").strip()
        if first.startswith(b"{") and _is_json(first):
            yield from _from_lines(path)
            return
        file.seek(0)
        try:
            whole = orjson.loads(file.read().removeprefix(b"\xef\xbb\xbf"))
        except orjson.JSONDecodeError as error:
            raise UserError(f"{path}: not JSON: {error}; give a JSON list, JSONL or Parquet") from None
    if isinstance(whole, dict):
        whole = _rows(whole, str(path))
    if not isinstance(whole, list):
        raise UserError(f"{path}: expected a list of records")
    for number, record in enumerate(whole, start=1):
        place = f"{path}: record {number}"
        yield place, _checked(record, place)


def _from_lines(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    import orjson

    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            text = line.removeprefix(b"\xef\xbb\xbf").strip()
            if not text:
                continue
            place = f"{path}:{number}"
            try:
                record = _checked(orjson.loads(text), place)
            except orjson.JSONDecodeError as error:
                raise UserError(f"{place}: not JSON: {error.msg}; one record a line") from None
            if isinstance(record.get("question"), list):
                for at, row in enumerate(_rows(record, place), start=1):
                    yield f"{place}: record {at}", row
            else:
                yield place, record


def _from_parquet(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    number = 0
    try:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=500):
                for record in batch.to_pylist():
                    number += 1
                    yield f"{path}: record {number}", record
    except pa.ArrowException as error:
        raise UserError(f"{path}: not a readable Parquet file: {error}") from None


def _is_json(text: bytes) -> bool:
    import orjson

    try:
        orjson.loads(text)
    except orjson.JSONDecodeError:
        return False
    return True


def _rows(columns: dict[str, Any], place: str) -> list[dict[str, Any]]:
    """Columns of one length as rows; a single record stays one."""
    if not isinstance(columns.get("question"), list):
        return [columns]
    size = len(columns["question"])
    for name, values in columns.items():
        if not isinstance(values, list) or len(values) != size:
            raise UserError(f"{place}: column '{name}' does not hold one value for each of the {size} questions")
    return [{name: values[at] for name, values in columns.items()} for at in range(size)]


def _checked(record: Any, place: str) -> dict[str, Any]:
    if not isinstance(record, dict):
        raise UserError(f"{place}: expected a record (a JSON object), got {str(record)[:60]!r}")
    return record


def refuse(place: str, problem: str) -> NoReturn:
    """Refuse the file because of this record.

    Raises:
        UserError: always.
    """
    raise UserError(f"{place}: {problem}")


def text_of(record: Record, name: str, place: str) -> str:
    """A text of the record, without blanks around it.

    Raises:
        UserError: it is missing, no text, or empty.
    """
    value = record.get(name)
    if not isinstance(value, str) or not value.strip():
        refuse(place, f"'{name}' must be a text that is not empty, got {str(value)[:60]!r}")
    return value.strip()


def one_each(ids: dict[str, str], id: str, place: str) -> None:
    """Note that `id` stands at `place`.

    Raises:
        UserError: it stood elsewhere before.
    """
    if id in ids:
        refuse(place, f"the id {id!r} stands there twice (first in {ids[id]}); keep one")
    ids[id] = place


def column_pairs(value: Any, first: str, second: str, place: str, name: str) -> list[tuple[Any, Any]]:
    """Pairs from [[a, b], ...], from columns {first: [...], second: [...]}, or from [{first: a, second: b}, ...].

    Raises:
        UserError: it is none of these.
    """
    if isinstance(value, Mapping):
        left, right = value.get(first), value.get(second)
        if isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
            return list(zip(left, right, strict=True))
    elif isinstance(value, Sequence) and not isinstance(value, str):
        if all(isinstance(item, Mapping) and first in item and second in item for item in value):
            return [(item[first], item[second]) for item in value]
        if all(isinstance(item, Sequence) and not isinstance(item, str) and len(item) == 2 for item in value):
            return [(item[0], item[1]) for item in value]
    refuse(place, f"'{name}' must be pairs of {first} and {second}, or the two columns")
