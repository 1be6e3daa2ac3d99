"""The journal as a file: its tables, how it is opened, and what a failing one is called."""

import sqlite3
import zlib
from pathlib import Path

from hinterguesser.errors import UserError

SCHEMA_VERSION = 1
APPLICATION_ID = 0x48474A31
"""Stands in the file's header ('HGJ1'), so that another program's database is never written into."""

PACK_ABOVE_BYTES = 1024
_BUSY_SECONDS = 30.0

_TABLES = """
CREATE TABLE replies (
    id INTEGER PRIMARY KEY,
    key BLOB NOT NULL UNIQUE,
    at REAL NOT NULL,
    endpoint TEXT NOT NULL,
    model TEXT NOT NULL,
    call BLOB NOT NULL,
    reply BLOB NOT NULL,
    attempts INTEGER NOT NULL,
    finish_reason TEXT,
    input_tokens INTEGER,
    output_tokens INTEGER,
    cached_tokens INTEGER,
    cost_usd REAL
);
CREATE TABLE attempts (
    id INTEGER PRIMARY KEY,
    key BLOB NOT NULL,
    at REAL NOT NULL,
    model TEXT NOT NULL,
    status INTEGER,
    reason TEXT NOT NULL,
    text TEXT NOT NULL,
    finish_reason TEXT
);
CREATE INDEX attempts_by_key ON attempts (key);
"""


def pack(plain: bytes) -> bytes:
    """JSON bytes as they are stored: compressed when that pays."""
    return zlib.compress(plain, 1) if len(plain) > PACK_ABOVE_BYTES else plain


def unpack(stored: bytes) -> bytes:
    """What `pack` was given. JSON never begins with the byte that zlib begins with."""
    return zlib.decompress(stored) if stored[:1] == b"\x78" else stored


def open_for_writing(path: Path) -> sqlite3.Connection:
    """A connection that commits with an fsync, to a journal that is made when it is not there.

    Raises:
        UserError: the file cannot be read or written, is no journal, or comes from a newer version.
    """
    try:
        connection = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    except sqlite3.Error as error:
        raise trouble(path, error) from error
    try:
        _check_version(path, connection)
        # Write-ahead logging lets others read while we write; FULL makes each commit an fsync.
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA cache_size = -8192")
        _begin(connection)
    except sqlite3.Error as error:
        connection.close()
        raise trouble(path, error) from error
    except UserError:
        connection.close()
        raise
    return connection


def open_journal(path: Path) -> sqlite3.Connection:
    """A connection for reading.

    Raises:
        UserError: there is no such file, it cannot be read, is no journal, or comes from a newer version.
    """
    if not path.is_file():
        raise UserError(f"{path}: no such journal; give a run folder's journal.sqlite")
    connection: sqlite3.Connection | None = None
    try:
        connection = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        connection.execute("PRAGMA cache_size = -8192")
        _check_version(path, connection)
        connection.execute("PRAGMA query_only = ON")
    except sqlite3.Error as error:
        if connection is not None:
            connection.close()
        raise trouble(path, error) from error
    except UserError:
        if connection is not None:
            connection.close()
        raise
    return connection


def trouble(path: Path, error: Exception) -> UserError:
    """What went wrong with the file, and the way out."""
    code = getattr(error, "sqlite_errorcode", None)
    kind = None if code is None else code & 0xFF
    if kind in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
        return UserError(
            f"{path}: the journal cannot be written: {error} (is the disk full?). All replies filed before are kept; "
            "make room and run the same command again."
        )
    if kind == sqlite3.SQLITE_NOTADB:
        return UserError(f"{path}: this is not a journal (no SQLite database); move it away or choose another --out")
    if kind == sqlite3.SQLITE_CORRUPT:
        return UserError(
            f"{path}: the journal is damaged: {error}. Save what can be read with `sqlite3 {path.name} .recover`, "
            "or move it away; then its calls are made again."
        )
    if kind in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return UserError(f"{path}: another program has held the journal for {_BUSY_SECONDS:.0f} s; end it, then go on")
    if kind in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM):
        return UserError(f"{path}: the journal cannot be opened for writing: {error}; check the folder and its rights")
    return UserError(f"{path}: the journal cannot be used: {error}")


def _check_version(path: Path, connection: sqlite3.Connection) -> None:
    # In this order: another process may be making the tables now, and it sets all three in one transaction.
    [tables] = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    [application] = connection.execute("PRAGMA application_id").fetchone()
    [version] = connection.execute("PRAGMA user_version").fetchone()
    if tables and application != APPLICATION_ID:
        raise UserError(f"{path}: this database belongs to another program; choose another file")
    if version > SCHEMA_VERSION:
        raise UserError(
            f"{path}: written by a newer hinterguesser (journal version {version}, this one knows up to "
            f"{SCHEMA_VERSION}); upgrade with `pip install -U hinterguesser`"
        )


def _begin(connection: sqlite3.Connection) -> None:
    """Make the tables, unless another process was quicker."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        [tables] = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if not tables:
            for statement in _TABLES.split(";"):
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
