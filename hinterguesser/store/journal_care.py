"""Looking after journals: what is in one, taking it out as JSON lines, dropping what is no longer needed."""

import sqlite3
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from hinterguesser.store.journal_file import open_for_writing, open_journal, trouble, unpack

_CALL_FIELDS = (
    "prompt",
    "temperature",
    "top_p",
    "max_tokens",
    "stop",
    "top_logprobs",
    "seed",
    "json_object",
    "sample",
    "reuse_prompt",
)


@dataclass(frozen=True, slots=True)
class ModelUse:
    """What the journal holds of one model at one endpoint."""

    model: str
    endpoint: str
    replies: int
    requests: int
    """Requests that these replies took."""
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    cost_usd: float
    unpriced: int
    """Replies whose price is not known."""


@dataclass(frozen=True, slots=True)
class JournalStats:
    """What is in a journal."""

    models: tuple[ModelUse, ...]
    failed_attempts: tuple[tuple[str, int], ...]
    """Reasons and how often each occurred, most frequent first."""
    first_at: float | None
    """Seconds since the epoch; None for an empty journal."""
    last_at: float | None
    size_bytes: int


def journal_stats(path: Path) -> JournalStats:
    """Count what is in the journal at `path`.

    Raises:
        UserError: there is none, or it cannot be read.
    """
    reading = open_journal(path)
    try:
        models = reading.execute(
            """SELECT model, endpoint, count(*), sum(attempts), ifnull(sum(input_tokens), 0),
            ifnull(sum(output_tokens), 0), ifnull(sum(cached_tokens), 0), total(cost_usd), sum(cost_usd IS NULL)
            FROM replies GROUP BY model, endpoint ORDER BY model, endpoint"""
        ).fetchall()
        failures = reading.execute(
            "SELECT reason, count(*) AS times FROM attempts GROUP BY reason ORDER BY times DESC, reason LIMIT 50"
        ).fetchall()
        [first, last] = reading.execute("SELECT min(at), max(at) FROM replies").fetchone()
    except sqlite3.Error as error:
        raise trouble(path, error) from error
    finally:
        reading.close()
    size = sum(part.stat().st_size for part in (path, path.with_name(path.name + "-wal")) if part.exists())
    return JournalStats(tuple(ModelUse(*row) for row in models), tuple(failures), first, last, size)


def export_journal(path: Path) -> Iterator[dict[str, Any]]:
    """Every reply with its call, and every failed attempt, as plain dicts; replies first, in the order they came.

    Raises:
        UserError: there is no journal, or it cannot be read.
    """
    reading = open_journal(path)
    try:
        rows = reading.execute("SELECT key, at, endpoint, model, attempts, call, reply FROM replies ORDER BY id")
        for key, at, endpoint, model, attempts, call, reply in rows:
            fields = dict(zip(_CALL_FIELDS, orjson.loads(unpack(call)), strict=True))
            if isinstance(fields["prompt"], list):
                fields["prompt"] = [{"role": role, "content": content} for role, content in fields["prompt"]]
            yield {
                "kind": "reply",
                "key": key.hex(),
                "at": at,
                "endpoint": endpoint,
                "model": model,
                "attempts": attempts,
                "call": fields,
                "reply": orjson.loads(unpack(reply)),
            }
        rows = reading.execute("SELECT key, at, model, status, reason, text, finish_reason FROM attempts ORDER BY id")
        for key, at, model, status, reason, text, finish_reason in rows:
            yield {
                "kind": "failed_attempt",
                "key": key.hex(),
                "at": at,
                "model": model,
                "status": status,
                "reason": reason,
                "text": text,
                "finish_reason": finish_reason,
            }
    except sqlite3.Error as error:
        raise trouble(path, error) from error
    finally:
        reading.close()


def prune_journal(path: Path, *, keep: Collection[bytes] | None = None, attempts: bool = True) -> tuple[int, int]:
    """Drop replies whose key is not in `keep` (None keeps all) and, unless told not to, all failed attempts.

    The file shrinks by what was dropped. Returns how many replies and how many failed attempts went.

    Raises:
        UserError: there is no journal, it is in use, or it cannot be written.
    """
    open_journal(path).close()
    writing = open_for_writing(path)
    try:
        writing.execute("BEGIN IMMEDIATE")
        replies = 0
        if keep is not None:
            writing.execute("CREATE TEMP TABLE keep (key BLOB PRIMARY KEY) WITHOUT ROWID")
            writing.executemany("INSERT OR IGNORE INTO keep VALUES (?)", ((key,) for key in keep))
            replies = writing.execute("DELETE FROM replies WHERE key NOT IN (SELECT key FROM keep)").rowcount
        failed = writing.execute("DELETE FROM attempts").rowcount if attempts else 0
        writing.execute("COMMIT")
        writing.execute("VACUUM")
        writing.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except sqlite3.Error as error:
        raise trouble(path, error) from error
    finally:
        writing.close()
    return replies, failed
