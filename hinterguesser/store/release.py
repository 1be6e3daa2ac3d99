"""A release: the dialogues of one or more runs as a dataset that `datasets` loads.

One config a dataset with what was kept, `<config>_rejected` with what was filtered out and why; Parquet with an
explicit schema; a card that names the configs; and `provenance.json`, which says what went in. Nothing in it depends on
the day or the machine: the same runs give the same rows, and with the same pyarrow the same bytes.
"""

import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

import hinterguesser
from hinterguesser.domain.dialogue import Dialogue
from hinterguesser.domain.prompts import PromptBook
from hinterguesser.errors import UserError
from hinterguesser.store.assets import asset_folder
from hinterguesser.store.files import new_folder, saying_why
from hinterguesser.store.rows import dialogue_schema, rejected_schema, to_batch
from hinterguesser.store.run import RunFolder
from hinterguesser.store.textfiles import read_text

if TYPE_CHECKING:
    import pyarrow as pa

PROVENANCE_FILE = "provenance.json"
CARD_FILE = "README.md"
SPLIT = "test"
SCHEMA = 1
ROWS_AT_ONCE = 1000
REJECTED = "_rejected"

_VERSION = re.compile(r"\d+\.\d+\.\d+")


@dataclass(slots=True)
class Config:
    """What one config of a release holds."""

    name: str
    dialogues: int = 0
    turns: int = 0
    entities: set[str] = field(default_factory=set)
    reasons: Counter[str] = field(default_factory=Counter)
    """Why dialogues were filtered out; empty for a config of kept ones."""


def build(runs: Sequence[RunFolder], out: Path, version: str) -> list[Config]:
    """Make a release of `runs` in the folder `out`; one that is there is replaced, whole.

    Returns:
        What each config holds, in the order of their names.

    Raises:
        UserError: a bad version, an id that occurs twice, nothing kept, or a folder that holds something else.
    """
    if not _VERSION.fullmatch(version):
        raise UserError(f"--version must be three numbers like 1.0.0, got {version!r}")
    if out.exists() and not (out.is_dir() and ((out / PROVENANCE_FILE).exists() or not any(out.iterdir()))):
        raise UserError(f"{out}: this is not a release, so it is left alone; name a new folder with --out")
    new_folder(out.parent)
    with saying_why(out):
        fresh = Path(tempfile.mkdtemp(dir=out.parent, prefix=f".{out.name}."))
    try:
        with saying_why(out):
            configs = _fill(fresh, runs, version)
            fresh.chmod(0o755)
            if out.exists():
                shutil.rmtree(out)
            fresh.rename(out)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return configs


def _fill(folder: Path, runs: Sequence[RunFolder], version: str) -> list[Config]:
    writers: dict[str, _Writer] = {}
    seen: dict[str, Path] = {}
    try:
        for run in runs:
            for dialogue in run.dialogues():
                if seen.setdefault(dialogue.id, run.path) is not run.path or not dialogue.id:
                    raise UserError(
                        f"{run.path}: dialogue {dialogue.id} is also in {seen[dialogue.id]}; build from one"
                    )
                name = dialogue.game + ("" if dialogue.kept else REJECTED)
                if name not in writers:
                    writers[name] = _Writer(folder, name)
                writers[name].add(dialogue)
    finally:
        for writer in writers.values():
            writer.close()
    configs = [writers[name].config for name in sorted(writers)]
    if all(config.name.endswith(REJECTED) for config in configs):
        raise UserError("none of the runs kept a dialogue, so there is nothing to release")
    _describe(folder, runs, version, configs)
    return configs


class _Writer:
    """Writes one config, some rows at a time."""

    def __init__(self, folder: Path, name: str) -> None:
        import pyarrow.parquet as pq

        self.config = Config(name)
        self._schema: pa.Schema = rejected_schema() if name.endswith(REJECTED) else dialogue_schema()
        path = folder / data_file(name)
        path.parent.mkdir(parents=True)
        self._file = pq.ParquetWriter(path, self._schema, compression="zstd")
        self._waiting: list[Dialogue] = []

    def add(self, dialogue: Dialogue) -> None:
        config = self.config
        config.dialogues += 1
        config.turns += dialogue.length
        config.entities.add(dialogue.entity.name)
        if dialogue.reason:
            config.reasons[dialogue.reason] += 1
        self._waiting.append(dialogue)
        if len(self._waiting) == ROWS_AT_ONCE:
            self._write()

    def _write(self) -> None:
        if self._waiting:
            self._file.write_batch(to_batch(self._waiting, self._schema))
            self._waiting = []

    def close(self) -> None:
        self._write()
        self._file.close()


def data_file(config: str) -> str:
    """Where the rows of `config` stand inside a release."""
    return f"data/{config}/{SPLIT}-00000-of-00001.parquet"


def _describe(folder: Path, runs: Sequence[RunFolder], version: str, configs: Sequence[Config]) -> None:
    """Write the card and the provenance."""
    import pyarrow as pa

    records = [{"command": run.record["command"], "asked": run.record["asked"], **_derived(run)} for run in runs]
    files = {data_file(config.name): sha256((folder / data_file(config.name)).read_bytes()) for config in configs}
    provenance = {
        "schema": SCHEMA,
        "version": version,
        "hinterguesser": hinterguesser.__version__,
        "pyarrow": pa.__version__,
        "runs": records,
        "configs": {
            config.name: {
                "dialogues": config.dialogues,
                "turns": config.turns,
                "entities": len(config.entities),
                "reasons": dict(sorted(config.reasons.items())),
            }
            for config in configs
        },
        "sha256": {name: digest.hexdigest() for name, digest in files.items()},
    }
    (folder / PROVENANCE_FILE).write_bytes(orjson.dumps(provenance, option=orjson.OPT_INDENT_2) + b"\n")
    (folder / CARD_FILE).write_text(_card(version, configs, records), encoding="utf-8", newline="\n")


def _derived(run: RunFolder) -> dict[str, Any]:
    derived = run.record.get("derived")
    return {} if derived is None else {"derived": {key: value for key, value in derived.items() if key != "pool"}}


def _card(version: str, configs: Sequence[Config], records: Sequence[dict[str, Any]]) -> str:
    template = PromptBook({"card": read_text(asset_folder("release") / "card.md")})
    kept = [config for config in configs if not config.name.endswith(REJECTED)]
    return template.render(
        "card",
        configs="\n".join(map(_data_files, configs)),
        version=version,
        program=hinterguesser.__version__,
        example=kept[0].name,
        table="\n".join(_row(config) for config in kept),
        rejected="\n".join(_rejections(configs)) or "Nothing was filtered out.",
        made="\n".join(f"- {_made(record)}" for record in records),
    )


def _data_files(config: Config) -> str:
    path = f"data/{config.name}/{SPLIT}-*.parquet"
    return f"- config_name: {config.name}\n  data_files:\n  - split: {SPLIT}\n    path: {path}"


def _row(config: Config) -> str:
    mean = config.turns / config.dialogues
    return f"| `{config.name}` | {config.dialogues} | {len(config.entities)} | {config.turns} | {mean:.1f} |"


def _rejections(configs: Iterable[Config]) -> Iterator[str]:
    for config in configs:
        for reason, count in sorted(config.reasons.items()):
            yield f"- `{config.name}`: {count} for `{reason}`"


def _made(record: dict[str, Any]) -> str:
    asked = record["asked"]
    players = f"Hinter `{asked.get('hinter')}`, Guesser `{asked.get('guesser')}`, seed {asked.get('seed')}"
    derived = record.get("derived")
    sham = (
        f"; placebos of kind `{derived['placebo']}`, summaries by `{derived['model'] or 'template'}`" if derived else ""
    )
    return f"`{asked.get('game')}`: {players}{sham}"


def configs_of(release: Path) -> list[str]:
    """Names of the configs of a release.

    Raises:
        UserError: the folder holds no release.
    """
    file = release / PROVENANCE_FILE
    if not file.exists():
        raise UserError(f"{release}: no {PROVENANCE_FILE} in it, so this is no release; name a folder made by `build`")
    try:
        return sorted(orjson.loads(file.read_bytes())["configs"])
    except (ValueError, KeyError, TypeError):
        raise UserError(f"{file}: this file is broken; build the release again") from None


def read_config(release: Path, config: str) -> Iterator[Dialogue]:
    """The dialogues of one config of a release folder, in order.

    Raises:
        UserError: there is no such config, or its file cannot be read.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    known = configs_of(release)
    if config not in known:
        raise UserError(f"{release}: no config {config!r}; there are: {', '.join(known)}")
    path = release / data_file(config)
    try:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=ROWS_AT_ONCE):
                yield from map(Dialogue.from_dict, batch.to_pylist())
    except (OSError, pa.ArrowException, KeyError) as error:
        raise UserError(f"{path}: cannot be read: {error}; build the release again") from error
