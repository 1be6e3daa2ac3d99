"""The batches of a run that are open at a provider: written down before they are waited for.

A batch may take a day, and is paid for once it is submitted. So which calls are in which batch stands in the run's
folder from the moment before it is submitted until all its replies are in the journal: a run that was stopped or killed
in between waits for the same batches again, and submits no call twice.
"""

import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

import orjson

from hinterguesser.errors import UserError
from hinterguesser.store.files import saying_why, write_whole
from hinterguesser.store.journal import Journal

BATCHES_FILE = "batches.json"
SCHEMA = 1


@dataclass(slots=True)
class OpenBatch:
    """One batch that was, or was about to be, submitted."""

    endpoint: str
    model: str
    file_id: str
    """The file of requests, as the provider calls it."""
    calls: dict[str, int]
    """The journal's key of each call, in hexadecimal, and how many samples were asked for."""
    batch_id: str | None = None
    """None: it was about to be submitted, and whether it was must be looked up."""
    tokens: int = 0
    """What its replies may come to at most."""
    cost_usd: float = 0.0
    """Likewise."""
    at: float = field(default_factory=time.time)
    """Seconds since the epoch."""


class BatchBook:
    """The open batches of one folder, which one process holds at a time."""

    def __init__(self, folder: Path, journal: Journal) -> None:
        """Read what is open in `folder`; batches whose replies are all in `journal` are struck out.

        Raises:
            UserError: the file is there and is no list of batches.
        """
        self._path = folder / BATCHES_FILE
        self._journal = journal
        self._landed: list[OpenBatch] = []
        self._batches = read_batches(folder)
        self._strike(self._batches)

    def open(self, endpoint: str | None = None, model: str | None = None) -> list[OpenBatch]:
        """The open batches; of one model at one endpoint, if named."""
        return [
            batch
            for batch in self._batches
            if (endpoint is None or batch.endpoint == endpoint) and (model is None or batch.model == model)
        ]

    def add(self, batch: OpenBatch) -> None:
        """Write down one more; it is on disk when this returns."""
        self._batches.append(batch)
        self.save()

    def drop(self, batch: OpenBatch) -> None:
        """Strike out a batch that brings nothing: its calls are to be made again."""
        self._batches = [other for other in self._batches if other is not batch]
        self.save()

    def landed(self, batch: OpenBatch) -> None:
        """Its replies are here; `tidy` strikes it out once they are in the journal."""
        self._landed.append(batch)
        self.save()

    def save(self) -> None:
        """Write down what was changed in a batch."""
        if not self._batches:
            self._path.unlink(missing_ok=True)
        else:
            plain = {"schema": SCHEMA, "batches": [asdict(batch) for batch in self._batches]}
            write_whole(self._path, orjson.dumps(plain, option=orjson.OPT_INDENT_2) + b"\n")

    async def tidy(self) -> None:
        """Strike out the batches whose replies are all on disk."""
        if self._landed:
            landed, self._landed = self._landed, []
            left = self._strike(landed, on_disk=False)
            if len(left) < len(landed):
                await self._journal.committed()
                self.save()
            self._landed += left

    def _strike(self, batches: list[OpenBatch], *, on_disk: bool = True) -> list[OpenBatch]:
        """Take out those of `batches` that the journal knows whole; the others are returned."""
        left = [batch for batch in batches if not self._is_known(batch)]
        gone = {id(batch) for batch in batches} - {id(batch) for batch in left}
        if gone:
            self._batches = [batch for batch in self._batches if id(batch) not in gone]
            if on_disk:
                self.save()
        return left

    def _is_known(self, batch: OpenBatch) -> bool:
        return all(self._journal.get(bytes.fromhex(key)) is not None for key in batch.calls)


def read_batches(folder: Path) -> list[OpenBatch]:
    """The open batches that are written down in `folder`.

    Raises:
        UserError: the file is there and is no list of batches.
    """
    path = folder / BATCHES_FILE
    if not path.exists():
        return []
    with saying_why(path):
        raw = path.read_bytes()
    try:
        plain = orjson.loads(raw)
        if plain["schema"] != SCHEMA:
            raise UserError(f"{path}: schema version {plain['schema']!r} is not known; this program reads {SCHEMA}")
        return list(_batches(plain["batches"]))
    except (ValueError, KeyError, TypeError):
        raise UserError(
            f"{path}: this is no list of batches; put it right, or delete it to make the calls of open batches again"
        ) from None


def _batches(plain: list[dict[str, object]]) -> Iterator[OpenBatch]:
    for each in plain:
        batch = OpenBatch(**each)  # type: ignore[arg-type]
        for key in batch.calls:
            bytes.fromhex(key)
        yield batch
