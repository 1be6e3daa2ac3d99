"""adapt: a source dataset as a run folder, every record a dialogue or a rejection with its reason."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import orjson

import hinterguesser
from hinterguesser.adapters.base import Adapter, AdaptOptions
from hinterguesser.domain.dialogue import Dialogue
from hinterguesser.errors import UserError
from hinterguesser.flow import plugins
from hinterguesser.store.files import saying_why, write_lines
from hinterguesser.store.prompts import read_prompts
from hinterguesser.store.run import RunFolder

ANNOTATIONS_FILE = "annotations.jsonl"
INSTRUCTION = "instruction_quiz"
_CHUNK_BYTES = 1_048_576


@dataclass(frozen=True, slots=True)
class Adapted:
    """What a run of `adapt` came to."""

    kept: int
    turns: int
    """Of the dialogues that were kept."""
    rejected: Counter[str]
    """Records that became no dialogue, by reason."""
    annotations: int
    licence: str | None
    """As the source states it; None: its rows are not to be shared."""

    @property
    def records(self) -> int:
        """How many the source holds."""
        return self.kept + self.rejected.total()


def adapt(
    source: str,
    path: Path,
    out: Path,
    *,
    granularity: str = "sentence",
    password: str | None = None,
    prompts: Path | None = None,
) -> Adapted:
    """Read the source dataset at `path` into the run folder `out`, or add what is missing there.

    What the source knows beside the dialogues (buzzes, categories, answer lines) goes to `annotations.jsonl`.

    Args:
        source: the adapter's name, e.g. 'grace'.
        path: the published file or folder.
        out: the run folder.
        granularity: what one clue is: 'sentence' or 'characters:N'.
        password: opens an encrypted archive; it is kept nowhere.
        prompts: a folder with prompts that replace those that ship.

    Raises:
        UserError: the source or the folder is at fault; the folder is not touched then.
    """
    adapter = plugins.adapter(source)
    book = read_prompts(prompts)
    options = AdaptOptions(book.text(INSTRUCTION), granularity, password)
    dialogues = list(adapter.read(path, options))
    if not any(dialogue.kept for dialogue in dialogues):
        reasons = Counter(dialogue.reason for dialogue in dialogues)
        told = ", ".join(f"{count} {reason}" for reason, count in sorted(reasons.items(), key=str)) or "no records"
        raise UserError(f"{path}: no record becomes a dialogue ({told}); is this the published file of {source}?")
    annotations = [orjson.dumps(dict(row)) for row in adapter.annotations(path, options)]
    asked = _asked(adapter, path, granularity) | {f"prompt {INSTRUCTION}": book.sha256()[INSTRUCTION]}
    noted = {"hinterguesser": hinterguesser.__version__, "path": str(path.resolve())}
    with RunFolder.begin(out, "adapt", asked, noted).held() as run:
        done = run.finished(again=lambda _: False)
        for dialogue in dialogues:
            if dialogue.id not in done:
                run.add(dialogue)
        run.settle(dialogue.id for dialogue in dialogues)
        write_lines(run.path / ANNOTATIONS_FILE, annotations)
    return _adapted(dialogues, len(annotations), adapter)


def _asked(adapter: Adapter, path: Path, granularity: str) -> dict[str, Any]:
    """What decides the dialogues, for run.json; never the password."""
    return {
        "source": adapter.name,
        "origin": adapter.source,
        "licence": adapter.licence,
        "granularity": granularity,
        "sha256": _fingerprint(path),
    }


def _adapted(dialogues: Iterable[Dialogue], annotations: int, adapter: Adapter) -> Adapted:
    kept = [dialogue for dialogue in dialogues if dialogue.kept]
    rejected = Counter(dialogue.reason or "" for dialogue in dialogues if not dialogue.kept)
    return Adapted(len(kept), sum(dialogue.length for dialogue in kept), rejected, annotations, adapter.licence)


def _fingerprint(path: Path) -> str:
    """SHA-256 of a file; of a folder, of the names and contents of its files."""
    digest = sha256()
    files = [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.is_file())
    for file in files:
        if file != path:
            digest.update(f"{file.relative_to(path).as_posix()}\0{file.stat().st_size}\0".encode())
        with saying_why(file), file.open("rb") as content:
            while chunk := content.read(_CHUNK_BYTES):
                digest.update(chunk)
    return digest.hexdigest()
