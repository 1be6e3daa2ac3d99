"""The configs of a release: what each holds, and how its rows are written."""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median_low
from typing import TYPE_CHECKING, Any

from hinterguesser.store.rows import dialogue_schema, rejected_schema

if TYPE_CHECKING:
    import pyarrow as pa

REJECTED = "_rejected"


@dataclass(slots=True)
class Split:
    """What one split of a config holds."""

    lengths: Counter[int] = field(default_factory=Counter)
    """Dialogues by their number of turns."""
    entities: set[str] = field(default_factory=set)

    @property
    def dialogues(self) -> int:
        """How many there are."""
        return self.lengths.total()

    def to_dict(self) -> dict[str, Any]:
        """As a release's provenance has it."""
        return {"dialogues": self.dialogues, "entities": len(self.entities), "turns": _turns(self.lengths)}


@dataclass(slots=True)
class Config:
    """What one config of a release holds."""

    name: str
    licence: str | None = None
    """None: its source states none, so its rows are not to be shared."""
    splits: dict[str, Split] = field(default_factory=dict)
    reasons: Counter[str] = field(default_factory=Counter)
    """Why dialogues were filtered out; empty for a config of kept ones."""

    @property
    def lengths(self) -> Counter[int]:
        """Dialogues by their number of turns."""
        return sum((split.lengths for split in self.splits.values()), Counter())

    @property
    def dialogues(self) -> int:
        """How many there are."""
        return self.lengths.total()

    @property
    def turns(self) -> int:
        """How many there are in all dialogues."""
        return _turns(self.lengths)

    def to_dict(self) -> dict[str, Any]:
        """As a release's provenance has it."""
        lengths = sorted(self.lengths.elements())
        return {
            "dialogues": self.dialogues,
            "turns": self.turns,
            "entities": len(set().union(*(split.entities for split in self.splits.values()))),
            "lengths": {"least": lengths[0], "median": median_low(lengths), "most": lengths[-1]},
            "licence": self.licence,
            "splits": {name: split.to_dict() for name, split in sorted(self.splits.items())},
            "reasons": dict(sorted(self.reasons.items())),
        }


def _turns(lengths: Counter[int]) -> int:
    return sum(length * count for length, count in lengths.items())


def family(config: str) -> str:
    """The config of kept dialogues that `config` goes with: itself, or the one whose rejects it holds."""
    return config.removesuffix(REJECTED)


def data_file(config: str, split: str) -> str:
    """Where the rows of a split of `config` stand inside a release."""
    return f"data/{config}/{split}-00000-of-00001.parquet"


class Writer:
    """Writes one config, one file a split."""

    def __init__(self, folder: Path, name: str, licence: str | None) -> None:
        """Write below `folder`; a file is begun when its first rows come."""
        self.config = Config(name, licence)
        self._folder = folder
        self._schema: pa.Schema = rejected_schema() if name.endswith(REJECTED) else dialogue_schema()
        self._files: dict[str, Any] = {}

    def add(self, split: str, table: "pa.Table") -> None:
        """Add the rows of `table`, which has the columns of `rejected_schema`."""
        import pyarrow.compute as pc
        import pyarrow.parquet as pq

        counts = self.config.splits.setdefault(split, Split())
        counts.lengths.update(pc.list_value_length(table["turns"]).to_pylist())
        counts.entities.update(pc.struct_field(table["entity"], "name").to_pylist())
        self.config.reasons.update(reason for reason in table["reason"].to_pylist() if reason)
        if split not in self._files:
            path = self._folder / data_file(self.config.name, split)
            path.parent.mkdir(parents=True, exist_ok=True)
            self._files[split] = pq.ParquetWriter(path, self._schema, compression="zstd")
        self._files[split].write_table(table.select(self._schema.names).combine_chunks())

    def close(self) -> None:
        """End the files."""
        for file in self._files.values():
            file.close()
