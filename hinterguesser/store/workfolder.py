"""A folder that one command fills: the record of what was asked for, the journal, and a lock.

A command goes on in a folder only when it asks for the same; so a run that was stopped, or killed, is continued by
giving the same command again.
"""

import contextlib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Self

import orjson

from hinterguesser.errors import UserError
from hinterguesser.store.files import new_folder, saying_why, write_whole

RECORD_FILE = "run.json"
JOURNAL_FILE = "journal.sqlite"
SCHEMA = 1


class WorkFolder:
    """One such folder, held by one process at a time."""

    def __init__(self, path: Path, record: dict[str, Any]) -> None:
        """Use `begin` or `open`; this takes what they found."""
        self.path = path
        self.record = record
        self._lock = _lock(path)

    @classmethod
    def begin(cls, path: Path, command: str, asked: Mapping[str, Any], noted: Mapping[str, Any]) -> Self:
        """Begin a run in `path`, or go on with the one that is there.

        Args:
            path: the folder; made when it is not there.
            command: which command fills it, e.g. 'generate'.
            asked: everything that decides what comes out; a run goes on only with the same.
            noted: what is worth knowing but decides nothing, such as versions.

        Raises:
            UserError: the folder holds something else, belongs to another command, was asked for with other settings
                (each that differs is named), or another process is at work in it.
        """
        file = path / RECORD_FILE
        if not file.exists() and path.is_dir() and any(not entry.name.startswith(".") for entry in path.iterdir()):
            raise UserError(f"{path}: the folder is not empty and holds no run; name a new one with --out")
        new_folder(path)
        wanted = orjson.loads(orjson.dumps(dict(asked)))
        if file.exists():
            record = read_record(path)
            if record.get("command") != command:
                raise UserError(
                    f"{path}: this folder belongs to `hinterguesser {record.get('command')}`; name another with --out"
                )
            _refuse_differences(path, record.get("asked", {}), wanted)
        else:
            record = {"schema": SCHEMA, "command": command, "asked": wanted, "noted": dict(noted)}
        run = cls(path, record)
        run._hold()
        if not file.exists():
            run.save_record()
        return run

    @classmethod
    def open(cls, path: Path) -> Self:
        """The run that is in `path`, to be read or added to.

        Raises:
            UserError: there is none, or its files are at fault.
        """
        return cls(path, read_record(path))

    def let_go(self) -> None:
        """Close what is open; called when the folder is no longer held."""

    @property
    def journal_path(self) -> Path:
        """Where the journal stands."""
        return self.path / JOURNAL_FILE

    def save_record(self) -> None:
        """Write run.json anew, with what was added to `record`."""
        write_whole(self.path / RECORD_FILE, orjson.dumps(self.record, option=orjson.OPT_INDENT_2) + b"\n")

    def _hold(self) -> None:
        from filelock import Timeout

        with saying_why(self.path):
            try:
                self._lock.acquire(blocking=False)
            except Timeout:
                raise UserError(
                    f"{self.path}: another process is at work in this folder; wait for it or stop it"
                ) from None

    def refuse_if_busy(self) -> None:
        """Refuse to read what another process is still writing; a folder that cannot be written to is read as it is.

        Raises:
            UserError: another process is at work in this folder.
        """
        if os.access(self.path, os.W_OK):
            with self.held():
                pass

    @contextlib.contextmanager
    def held(self) -> Iterator[Self]:
        """Keep other processes out while the block runs."""
        if not self._lock.is_locked:
            self._hold()
        try:
            yield self
        finally:
            self.let_go()
            self._lock.release()


def read_record(path: Path) -> dict[str, Any]:
    """What `run.json` in the folder `path` says.

    Raises:
        UserError: there is none, or it cannot be read.
    """
    file = path / RECORD_FILE
    if not path.is_dir():
        raise UserError(f"{path}: there is no such folder; name one that `hinterguesser generate` filled")
    if not file.exists():
        raise UserError(f"{path}: no {RECORD_FILE} in it, so this is no run folder; name one that `generate` filled")
    with saying_why(file):
        raw = file.read_bytes()
    try:
        record = orjson.loads(raw)
        schema = record["schema"]
    except (ValueError, KeyError, TypeError):
        raise UserError(f"{file}: this is no run's record; name another folder") from None
    if schema != SCHEMA:
        raise UserError(f"{file}: schema version {schema!r} is not known; this program reads {SCHEMA}")
    return dict(record)


def _refuse_differences(path: Path, before: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    differing = [
        f"{key}: {_short(before.get(key))} in the folder, {_short(now.get(key))} now"
        for key in sorted(before.keys() | now.keys())
        if before.get(key) != now.get(key)
    ]
    if differing:
        raise UserError(
            f"{path}: this run was begun with other settings ({'; '.join(differing)}); "
            "use the same settings to go on, or name a new folder with --out"
        )


def _short(value: Any) -> str:
    text = orjson.dumps(value).decode()
    return text if len(text) <= 70 else f"{text[:67]}..."


def _lock(path: Path) -> Any:
    from filelock import FileLock

    return FileLock(path / ".lock")
