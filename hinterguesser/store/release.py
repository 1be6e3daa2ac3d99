"""A release: the dialogues of one or more runs as a dataset that `datasets` loads.

One config a dataset with what was kept, `<config>_rejected` with what was filtered out and why; Parquet with an
explicit schema; a card that names the configs; `provenance.json`, which says what went in; and Croissant metadata.
Nothing in it depends on the day or the machine: the same runs give the same rows, and with the same pyarrow the same
bytes.
"""

import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from hashlib import file_digest
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

import hinterguesser
from hinterguesser.domain.dialogue import SCHEMA as DIALOGUE_SCHEMA
from hinterguesser.domain.dialogue import Dialogue
from hinterguesser.errors import UserError
from hinterguesser.store import licences
from hinterguesser.store.card import render_card
from hinterguesser.store.configs import REJECTED, Config, Writer, data_file
from hinterguesser.store.croissant import describe
from hinterguesser.store.files import new_folder, saying_why
from hinterguesser.store.rows import to_table
from hinterguesser.store.run import RunFolder
from hinterguesser.store.splits import TEST, Splits

if TYPE_CHECKING:
    import pyarrow as pa

PROVENANCE_FILE = "provenance.json"
CARD_FILE = "README.md"
CROISSANT_FILE = "croissant.json"
SCHEMA = 1
ROWS_AT_ONCE = 1000
FILLED_BY = ("generate", "adapt", "merge")
"""Commands whose folders hold dialogues."""

_VERSION = re.compile(r"(0|[1-9]\d{0,8})(\.(0|[1-9]\d{0,8})){2}")
_CONFIG_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,60}")


def build(
    runs: Sequence[RunFolder],
    out: Path,
    version: str,
    splits: Splits = Splits(),
    licence: str = licences.DEFAULT,
) -> list[Config]:
    """Make a release of `runs` in the folder `out`; one that is there is replaced, whole.

    Args:
        runs: run folders of `generate` and `adapt`.
        out: the release folder.
        version: three numbers, e.g. '1.0.0'.
        splits: which entities go to which split.
        licence: of the rows that were generated; rows of a source dataset keep the licence that it states, if any.

    Returns:
        What each config holds, in the order of their names.

    Raises:
        UserError: a bad version, an id that occurs twice, a run that does not fit the schema, nothing kept, or a folder
            that holds something else.
    """
    if not _VERSION.fullmatch(version):
        raise UserError(f"--version must be three numbers like 1.0.0, got {version!r}")
    licences.checked(licence)
    for run in runs:
        if run.record["command"] not in FILLED_BY:
            raise UserError(f"{run.path}: made by `hinterguesser {run.record['command']}`, so no dialogues are in it")
    if out.exists() and not (out.is_dir() and ((out / PROVENANCE_FILE).exists() or not any(out.iterdir()))):
        raise UserError(f"{out}: this is not a release, so it is left alone; name a new folder with --out")
    new_folder(out.parent)
    with saying_why(out):
        fresh = Path(tempfile.mkdtemp(dir=out.parent, prefix=f".{out.name}."))
    try:
        with saying_why(out):
            filled = _Builder(fresh, splits, licence).fill(runs)
            _describe(fresh, runs, version, splits, licence, filled)
            fresh.chmod(0o755)
            if out.exists():
                shutil.rmtree(out)
            fresh.rename(out)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return filled


class _Builder:
    """Distributes the dialogues of runs over the files of a release, a block of lines at a time."""

    def __init__(self, folder: Path, splits: Splits, licence: str) -> None:
        self._folder = folder
        self._splits = splits
        self._licence = licence
        self._writers: dict[str, Writer] = {}
        self._homes: dict[str, Path] = {}
        self._split_by_entity: dict[str, str] = {}

    def fill(self, runs: Sequence[RunFolder]) -> list[Config]:
        try:
            for run in runs:
                for block in run.blocks(ROWS_AT_ONCE):
                    self._add(run, _checked_table(run, block))
        finally:
            for writer in self._writers.values():
                writer.close()
        configs = [self._writers[name].config for name in sorted(self._writers)]
        if all(config.name.endswith(REJECTED) for config in configs):
            raise UserError("none of the runs kept a dialogue, so there is nothing to release")
        return configs

    def _add(self, run: RunFolder, table: "pa.Table") -> None:
        import pyarrow.compute as pc

        for dialogue_id in table["id"].to_pylist():
            home = self._homes.setdefault(dialogue_id, run.path)
            if home is not run.path or not dialogue_id:
                raise UserError(f"{run.path}: dialogue {dialogue_id} is also in {home}; build from one")
        entities = pc.struct_field(table["entity"], "name").to_pylist()
        columns = zip(table["game"].to_pylist(), table["kept"].to_pylist(), entities, strict=True)
        rows: dict[tuple[str, str], list[int]] = {}
        for row, (game, kept, entity) in enumerate(columns):
            split = self._split_by_entity.get(entity)
            if split is None:
                split = self._split_by_entity[entity] = self._splits.of(entity)
            rows.setdefault((game + ("" if kept else REJECTED), split), []).append(row)
        for (name, split), chosen in rows.items():
            part = table if len(chosen) == table.num_rows else table.take(chosen)
            self._writer(name, run).add(split, part)

    def _writer(self, name: str, run: RunFolder) -> Writer:
        licence = self._licence if run.record["command"] != "adapt" else run.record["asked"].get("licence")
        if name not in self._writers:
            if not _CONFIG_NAME.fullmatch(name):
                raise UserError(f"{run.path}: the game {name!r} cannot be the name of a folder; rename it")
            self._writers[name] = Writer(self._folder, name, licence)
        config = self._writers[name].config
        if config.licence != licence:
            raise UserError(
                f"{run.path}: rows of {name!r} under the licence {licence!r} cannot be mixed with rows under "
                f"{config.licence!r}; build them apart"
            )
        return self._writers[name]


def _checked_table(run: RunFolder, block: bytes) -> "pa.Table":
    import pyarrow.compute as pc

    try:
        block.decode()
        table = to_table(block)
        if pc.all(pc.equal(table["schema"], DIALOGUE_SCHEMA)).as_py():
            return table
        problem = f"its dialogues are not all of schema version {DIALOGUE_SCHEMA}"
    except ValueError as error:
        problem = str(error).splitlines()[0]
    for _ in run.dialogues():
        pass  # finds the line at fault, if Python sees a fault too
    raise UserError(
        f"{run.dialogues_path}: does not fit the schema of a release ({problem}); make the run again with this version"
    )


def _describe(
    folder: Path, runs: Sequence[RunFolder], version: str, splits: Splits, licence: str, filled: Sequence[Config]
) -> None:
    """Write the provenance, the card and the Croissant metadata."""
    import pyarrow as pa

    names = [data_file(config.name, split) for config in filled for split in sorted(config.splits)]
    provenance = {
        "schema": SCHEMA,
        "version": version,
        "hinterguesser": hinterguesser.__version__,
        "pyarrow": pa.__version__,
        "licence": licence,
        "splits": splits.to_dict(),
        "runs": [{"command": run.record["command"], "asked": run.record["asked"], **_derived(run)} for run in runs],
        "configs": {config.name: config.to_dict() for config in filled},
        "sha256": {name: _sha256(folder / name) for name in names},
    }
    write_description(folder, provenance)


def write_description(folder: Path, provenance: Mapping[str, Any]) -> None:
    """Write all that a release says about itself; everything is made from the provenance."""
    for name, content in description(provenance).items():
        (folder / name).write_bytes(content)


def description(provenance: Mapping[str, Any], other_configs: Sequence[Mapping[str, Any]] = ()) -> dict[str, bytes]:
    """The files that `write_description` writes, by name; the card also names `other_configs`."""
    return {
        PROVENANCE_FILE: orjson.dumps(provenance, option=orjson.OPT_INDENT_2) + b"\n",
        CARD_FILE: render_card(provenance, other_configs).encode(),
        CROISSANT_FILE: orjson.dumps(describe(provenance), option=orjson.OPT_INDENT_2) + b"\n",
    }


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def _derived(run: RunFolder) -> dict[str, Any]:
    derived = run.record.get("derived")
    if derived is None:
        return {}
    asked = {key: value for key, value in derived.items() if key != "pool"}
    return {"derived": asked, "derived_made": run.record.get("derived_made", {})}


def read_provenance(release: Path) -> dict[str, Any]:
    """What a release says about itself.

    Raises:
        UserError: the folder holds no release, or a broken one.
    """
    file = release / PROVENANCE_FILE
    if not file.exists():
        raise UserError(f"{release}: no {PROVENANCE_FILE} in it, so this is no release; name a folder made by `build`")
    with saying_why(file):
        raw = file.read_bytes()
    try:
        provenance: dict[str, Any] = orjson.loads(raw)
        if provenance["schema"] != SCHEMA:
            raise UserError(f"{file}: schema {provenance['schema']!r} is not known; this program reads {SCHEMA}")
        for config in provenance["configs"].values():
            config["splits"].keys()
        return provenance
    except (ValueError, KeyError, TypeError, AttributeError):
        raise UserError(f"{file}: this file is broken; build the release again") from None


def configs_of(release: Path) -> list[str]:
    """Names of the configs of a release.

    Raises:
        UserError: the folder holds no release.
    """
    return sorted(read_provenance(release)["configs"])


def splits_of(release: Path, config: str) -> list[str]:
    """Names of the splits of one config.

    Raises:
        UserError: there is no such config.
    """
    configs = read_provenance(release)["configs"]
    if config not in configs:
        raise UserError(f"{release}: no config {config!r}; there are: {', '.join(sorted(configs))}")
    return sorted(configs[config]["splits"])


def read_config(release: Path, config: str, split: str = TEST) -> Iterator[Dialogue]:
    """The dialogues of one split of one config of a release folder, in order.

    Raises:
        UserError: there is no such config or split, or its file cannot be read.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    known = splits_of(release, config)
    if split not in known:
        raise UserError(f"{release}: no split {split!r} in {config!r}; there are: {', '.join(known)}")
    path = release / data_file(config, split)
    try:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=ROWS_AT_ONCE):
                yield from map(Dialogue.from_dict, batch.to_pylist())
    except (OSError, pa.ArrowException, KeyError, ValueError) as error:
        raise UserError(f"{path}: cannot be read: {error}; build the release again") from error
