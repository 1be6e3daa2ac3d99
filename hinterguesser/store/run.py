"""A run folder: what was asked for, every call and reply, and the dialogues that came of it.

`dialogues.jsonl` holds one finished dialogue a line. While a run is at work lines are added as dialogues end; when it
is over they are put in the order of the entity list, so that the same run gives the same file whatever the network did.
"""

import contextlib
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from hinterguesser.domain.dialogue import Dialogue
from hinterguesser.errors import UserError
from hinterguesser.store.files import replacing, saying_why, write_lines
from hinterguesser.store.workfolder import WorkFolder

DIALOGUES_FILE = "dialogues.jsonl"


class RunFolder(WorkFolder):
    """One run folder, held by one process at a time."""

    def __init__(self, path: Path, record: dict[str, Any]) -> None:
        """Use `begin` or `open`; this takes what they found."""
        super().__init__(path, record)
        self._lines: dict[str, tuple[int, int]] = {}
        self._file: BinaryIO | None = None
        self._end = 0

    @property
    def dialogues_path(self) -> Path:
        """Where the dialogues stand."""
        return self.path / DIALOGUES_FILE

    def finished(self, again: Callable[[Dialogue], bool]) -> set[str]:
        """Ids of the dialogues that are there, but for those to be played `again`.

        A last line that was cut off by a crash is dropped; its dialogue counts as not finished.
        """
        self._lines, self._end = {}, 0
        if not self.dialogues_path.exists():
            return set()
        for offset, line in _numbered(self.dialogues_path):
            dialogue = parse_dialogue(line, self.dialogues_path, offset)
            if dialogue is None:
                break
            self._end = offset.bytes + len(line)
            if not again(dialogue):
                self._lines[dialogue.id] = (offset.bytes, len(line))
        return set(self._lines)

    def add(self, dialogue: Dialogue) -> None:
        """Add a finished dialogue; it is handed to the operating system at once.

        Raises:
            UserError: the disk is full; nothing half-written stays.
        """
        line = orjson.dumps(dialogue.to_dict()) + b"\n"
        with saying_why(self.dialogues_path):
            if self._file is None:
                self._file = self.dialogues_path.open("r+b" if self.dialogues_path.exists() else "w+b", buffering=0)
                self._file.truncate(self._end)
                self._file.seek(self._end)
            try:
                written = self._file.write(line)
                while written < len(line):
                    written += self._file.write(line[written:])
            except OSError:
                with contextlib.suppress(OSError):
                    self._file.truncate(self._end)
                raise
        self._lines[dialogue.id] = (self._end, len(line))
        self._end += len(line)

    def settle(self, order: Iterable[str]) -> None:
        """Put the dialogues in `order`, each once; ids that are not in it follow as they came."""
        self.let_go()
        if not self._lines:
            return
        ids = [name for name in dict.fromkeys(order) if name in self._lines]
        ordered = set(ids)
        ids += [name for name in self._lines if name not in ordered]
        wanted = [self._lines[name] for name in ids]
        size = self.dialogues_path.stat().st_size
        if wanted == sorted(wanted) and sum(length for _, length in wanted) == size:
            return
        with self.dialogues_path.open("rb") as old, replacing(self.dialogues_path) as new:
            for start, length in wanted:
                old.seek(start)
                new.write(old.read(length))

    def let_go(self) -> None:
        """Close the file that dialogues are added to."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def dialogues(self) -> Iterator[Dialogue]:
        """Every dialogue, in the order of the file.

        Raises:
            UserError: there is none yet, or a line is at fault.
        """
        if not self.dialogues_path.exists():
            raise UserError(f"{self.path}: no dialogues yet; run the command that fills it again")
        for place, line in _numbered(self.dialogues_path):
            dialogue = parse_dialogue(line, self.dialogues_path, place)
            if dialogue is None:
                raise self._cut_off(place.number)
            yield dialogue

    def blocks(self, lines: int) -> Iterator[bytes]:
        """The file in blocks of so many whole lines, as they stand, for whoever reads JSON faster than Python does.

        Raises:
            UserError: there is none yet, or the last line is cut off.
        """
        if not self.dialogues_path.exists():
            raise UserError(f"{self.path}: no dialogues yet; run the command that fills it again")
        with saying_why(self.dialogues_path), self.dialogues_path.open("rb") as file:
            read = 0
            while block := b"".join(islice(file, lines)):
                read += block.count(b"\n")
                if not block.endswith(b"\n"):
                    raise self._cut_off(read + 1)
                yield block

    def _cut_off(self, line: int) -> UserError:
        return UserError(
            f"{self.dialogues_path}:{line}: the line is cut off; "
            f"run the `hinterguesser {self.record.get('command')}` command that fills this folder again"
        )

    def rewrite(self, dialogues: Iterable[Dialogue]) -> None:
        """Write all dialogues anew, whole or not at all."""
        write_lines(self.dialogues_path, (orjson.dumps(dialogue.to_dict()) for dialogue in dialogues))


class _At:
    """Where a line starts: its number, from 1, and its first byte."""

    __slots__ = ("bytes", "number")

    def __init__(self, number: int, start: int) -> None:
        self.number = number
        self.bytes = start


def _numbered(path: Path) -> Iterator[tuple[_At, bytes]]:
    start = 0
    with saying_why(path), path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            yield _At(number, start), line
            start += len(line)


def parse_dialogue(line: bytes, path: Path, place: _At) -> Dialogue | None:
    """The dialogue of a line; None when the line was cut off (only the last one can be).

    Raises:
        UserError: the line is whole, yet no dialogue.
    """
    if not line.endswith(b"\n"):
        return None
    try:
        return Dialogue.from_dict(orjson.loads(line))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UserError(
            f"{path}:{place.number}: this line is no dialogue ({error}); "
            "take it out and run the command that fills this folder again"
        ) from None
