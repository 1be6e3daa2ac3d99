"""Writing files so that nobody ever sees half of one."""

import contextlib
import errno
import os
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from hinterguesser.errors import UserError


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A new file that takes the place of `path` when the block ends well, and is gone when it does not.

    Raises:
        UserError: the disk is full, or the folder cannot be written to.
    """
    with saying_why(path):
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    fresh = Path(name)
    try:
        with saying_why(path), os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        with saying_why(path):
            fresh.chmod(0o666 & ~_umask())
            fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)


def write_whole(path: Path, content: bytes) -> None:
    """Write `content` to `path`, whole or not at all."""
    with replacing(path) as file:
        file.write(content)


def write_lines(path: Path, lines: Iterable[bytes]) -> None:
    """Write `lines`, each with a newline, whole or not at all."""
    with replacing(path) as file:
        for line in lines:
            file.write(line + b"\n")


@contextlib.contextmanager
def saying_why(path: Path) -> Iterator[None]:
    """Turn what the operating system refuses into a `UserError` that names `path` and the way out."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise UserError(f"{path}: the disk is full; make room and run the same command again") from error
        raise UserError(f"{path}: {error.strerror or error}; check the path and its permissions") from error


def new_folder(path: Path) -> None:
    """Make the folder `path` and its parents; one that is there is fine."""
    if path.exists() and not path.is_dir():
        raise UserError(f"{path}: this is a file; name a folder")
    with saying_why(path):
        path.mkdir(parents=True, exist_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
