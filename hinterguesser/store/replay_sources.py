"""What can be replayed, by where it is: traces, or an evaluation's predictions; a file or a command's folder."""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hinterguesser.errors import UserError
from hinterguesser.replay.columns import Place
from hinterguesser.replay.dialogue_traces import traces_from_predictions
from hinterguesser.replay.traces import Traces
from hinterguesser.store.traces import read_traces

_HOW = "name a traces file (.jsonl, .csv or .parquet), or a folder that `collect` or `evaluate` filled"
_FILES = ("traces.parquet", "traces.jsonl", "predictions.parquet", "predictions.jsonl")


@dataclass(frozen=True, slots=True)
class Choice:
    """Which of an evaluation's predictions are meant."""

    method: str | None = None
    """None when there is only one."""
    condition: str | None = None
    """None is 'multi'."""
    target: str | None = None
    """None is 'answer'."""

    @property
    def is_made(self) -> bool:
        """Whether anything was chosen."""
        return any((self.method, self.condition, self.target))


def read_source(path: Path, choice: Choice) -> tuple[Traces, bool]:
    """The traces of `path`, and whether they are dialogues (a turn is a depth).

    Raises:
        UserError: there are none, they are at fault (the line is named), or a choice among predictions was made and
            these are none.
    """
    file = _file_of(path)
    if not _holds_predictions(file):
        if choice.is_made:
            raise UserError(
                f"{file}: --method, --condition and --target choose among predictions, and these are traces; "
                "leave them out"
            )
        return read_traces(file), False
    rows, place = read_rows(file)
    traces = traces_from_predictions(
        rows, place, method=choice.method, condition=choice.condition or "multi", target=choice.target or "answer"
    )
    return traces, True


def is_evaluation(path: Path) -> bool:
    """Whether a file, or what `evaluate` left in a folder, has the columns of predictions; False if there is none."""
    file = _found(path)
    return file is not None and _holds_predictions(file)


def is_traces(path: Path) -> bool:
    """Whether a file, or what `collect` left in a folder, has the columns of traces; False if there is none."""
    file = _found(path)
    return file is not None and "question_id" in _columns(file)


def read_evaluation_rows(path: Path) -> tuple[list[Mapping[str, Any]], Place]:
    """The rows of an evaluation's folder or of a predictions file, and where each stands.

    Raises:
        UserError: there are none, or a line cannot be read.
    """
    if not is_evaluation(path):
        raise UserError(f"{path}: no predictions there; name a folder that `hinterguesser evaluate` filled, or a file")
    return read_rows(_file_of(path))


def _found(path: Path) -> Path | None:
    if not path.is_dir():
        return path if path.is_file() else None
    return next((path / name for name in _FILES if (path / name).is_file()), None)


def _file_of(path: Path) -> Path:
    if not path.exists():
        raise UserError(f"{path}: there is no such file or folder; {_HOW}")
    file = _found(path)
    if file is not None:
        return file
    if (path / "run.json").is_file():
        raise UserError(f"{path}: neither traces nor predictions in it yet; run the command that fills it to its end")
    raise UserError(f"{path}: neither traces nor predictions in it; {_HOW}")


def _holds_predictions(path: Path) -> bool:
    """Whether the columns are those of predictions; False for what cannot be read, which is found out later."""
    names = _columns(path)
    return "dialogue_id" in names and "question_id" not in names


def _columns(path: Path) -> set[str]:
    try:
        if path.suffix.lower() == ".parquet":
            import pyarrow.parquet as pq

            return set(pq.read_schema(path).names)
        with path.open(encoding="utf-8-sig") as file:
            first = next((line for line in file if line.strip()), "")
        if path.suffix.lower() == ".csv":
            return {head.strip() for head in next(csv.reader([first]), [])}
        import orjson

        row = orjson.loads(first)
        return set(row) if isinstance(row, dict) else set()
    except (OSError, ValueError, csv.Error):
        return set()


def read_rows(path: Path) -> tuple[list[Mapping[str, Any]], Place]:
    """The rows of a predictions file, and where each stands.

    Raises:
        UserError: another ending, or a line that cannot be read.
    """
    readers = {".parquet": _parquet_rows, ".csv": _csv_rows}
    try:
        return readers.get(path.suffix.lower(), _jsonl_rows)(path)
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: not UTF-8 ({error.reason}); save it as UTF-8") from None
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror or error}; check the path") from None


def _parquet_rows(path: Path) -> tuple[list[Mapping[str, Any]], Place]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return pq.read_table(path).to_pylist(), lambda row: f"{path}: row {row + 1}"
    except pa.ArrowException as error:
        raise UserError(f"{path}: not a readable Parquet file: {error}") from None


def _jsonl_rows(path: Path) -> tuple[list[Mapping[str, Any]], Place]:
    import orjson

    rows: list[Mapping[str, Any]] = []
    lines: list[int] = []
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            text = line.removeprefix(b"\xef\xbb\xbf").strip()
            if not text:
                continue
            try:
                row = orjson.loads(text)
            except orjson.JSONDecodeError as error:
                raise UserError(f"{path}:{number}: not JSON: {error.msg}; write one JSON object a line") from None
            if not isinstance(row, dict):
                raise UserError(f"{path}:{number}: expected a JSON object, got {str(row)[:60]}; one object a line")
            rows.append(row)
            lines.append(number)
    return rows, _at(path, lines)


_TRUTHS = {"true": True, "1": True, "false": False, "0": False}


def _csv_rows(path: Path) -> tuple[list[Mapping[str, Any]], Place]:
    rows: list[Mapping[str, Any]] = []
    lines: list[int] = []
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file)
        try:
            for row in reader:
                rows.append({name.strip(): _cell(name.strip(), text) for name, text in row.items() if name and text})
                lines.append(reader.line_num)
        except csv.Error as error:
            raise UserError(f"{path}:{reader.line_num}: not CSV: {error}") from None
    return [{"confidence": None, "correct": None, **row} for row in rows], _at(path, lines)


def _at(path: Path, lines: list[int]) -> Place:
    return lambda row: f"{path}:{lines[row] if row < len(lines) else 1}"


def _cell(name: str, text: str) -> Any:
    """The value as its column's type; what does not read as that stays text, and is refused where it is used."""
    try:
        if name in ("turn", "length"):
            return int(text)
        if name == "confidence":
            return float(text)
    except ValueError:
        return text
    return _TRUTHS.get(text.strip().lower(), text) if name == "correct" else text
