"""QANTA records from JSON, JSONL or Parquet files, or a folder of them."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hinterguesser.adapters.files import decode, parse_json, read_bytes
from hinterguesser.errors import UserError

_ENDINGS = (".json", ".jsonl", ".ndjson", ".parquet")
_BATCH_ROWS = 1_000
# What is read of a Parquet file; whatever else it holds stays there.
_COLUMNS = frozenset(
    {
        *("id", "qanta_id", "qid", "text", "full_question", "question", "tokenizations"),
        *("answer", "page", "raw_answer"),
        *("category", "subcategory", "tournament", "difficulty", "year", "fold", "dataset"),
    }
)


def read_questions(path: Path) -> Iterator[Any]:
    """Every record, as it stands; a folder's files come in the order of their names.

    Raises:
        UserError: a file that cannot be read, is of another kind, is damaged, or holds no list of questions.
    """
    if path.is_dir():
        files = sorted(file for file in path.rglob("*") if file.suffix.lower() in _ENDINGS and file.is_file())
        if not files:
            raise UserError(f"{path}: no .json, .jsonl or .parquet file in it; give a QANTA file")
    else:
        files = [path]
    for file in files:
        yield from _read_file(file)


def _read_file(path: Path) -> Iterator[Any]:
    ending = path.suffix.lower()
    if ending == ".parquet":
        return _read_parquet(path)
    if ending in (".gz", ".zip", ".xz", ".bz2", ".zst"):
        raise UserError(f"{path}: a packed file; unpack it first and give the .json file")
    text = decode(read_bytes(path), str(path))
    if not text.strip():
        raise UserError(f"{path}:1: the file is empty; give a QANTA file")
    if ending in (".jsonl", ".ndjson") or _is_lines(text):
        return _read_lines(text, path)
    return _read_json(text, path)


def _is_lines(text: str) -> bool:
    """Whether the text is one JSON object a line, whatever its file is called."""
    first, _, rest = text.lstrip().partition("\n")
    if not (first.startswith("{") and rest.lstrip().startswith("{")):
        return False
    try:
        json.loads(first)
    except (ValueError, RecursionError):
        return False
    return True


def _read_json(text: str, path: Path) -> Iterator[Any]:
    value = parse_json(text, str(path))
    questions = value.get("questions") if isinstance(value, dict) else value
    if not isinstance(questions, list):
        raise UserError(f"{path}:1: neither a list of questions nor an object with a list 'questions'")
    if not questions:
        raise UserError(f"{path}:1: the list of questions is empty")
    yield from questions


def _read_lines(text: str, path: Path) -> Iterator[Any]:
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                yield json.loads(line)
            except json.JSONDecodeError as error:
                message = f"{path}:{number}: not JSON: {error.msg} at column {error.colno}"
                raise UserError(f"{message}; is the file whole?") from None
            except (ValueError, RecursionError) as error:
                raise UserError(f"{path}:{number}: not usable JSON: {error}; is the file whole?") from None


def _read_parquet(path: Path) -> Iterator[Any]:
    import pyarrow
    import pyarrow.parquet

    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            columns = [name for name in file.schema_arrow.names if name in _COLUMNS]
            if not {"text", "full_question", "question"} & set(columns):
                raise UserError(f"{path}: no column 'text', 'full_question' or 'question'; give a QANTA file")
            for batch in file.iter_batches(batch_size=_BATCH_ROWS, columns=columns):
                yield from batch.to_pylist()
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        first = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise UserError(f"{path}: not a Parquet file, or damaged ({first}); download it again") from None
