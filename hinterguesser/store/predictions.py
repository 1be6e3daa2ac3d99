"""Predictions as files: JSONL, and Parquet with an explicit schema."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import orjson

from hinterguesser.confidence.judge import Verdict
from hinterguesser.domain.prediction import Prediction
from hinterguesser.store.files import replacing, write_lines

if TYPE_CHECKING:
    import pyarrow as pa

JSONL_FILE = "predictions.jsonl"
PARQUET_FILE = "predictions.parquet"


def prediction_schema() -> "pa.Schema":
    """One row an estimate; columns in the order of the design."""
    import pyarrow as pa

    text, whole, real = pa.string(), pa.int64(), pa.float64()
    kinds = {"turn": whole, "length": whole, "correct": pa.bool_()}
    kinds |= dict.fromkeys(("confidence", "p_raw", "p_normalised", "label_mass"), real)
    return pa.schema([(name, kinds.get(name, text)) for name in Prediction.__dataclass_fields__])


def write_predictions(folder: Path, predictions: Sequence[Prediction]) -> None:
    """Write both files into `folder`, each whole or not at all."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = [prediction.to_dict() for prediction in predictions]
    write_lines(folder / JSONL_FILE, _lines(rows))
    with replacing(folder / PARQUET_FILE) as file:
        pq.write_table(pa.Table.from_pylist(rows, schema=prediction_schema()), file, compression="zstd")


VERDICTS_FILE = "verdicts.jsonl"


def write_verdicts(folder: Path, verdicts: Iterable[Verdict]) -> None:
    """Write what a judge said into `folder`, one verdict a line."""
    write_lines(folder / VERDICTS_FILE, (orjson.dumps(verdict) for verdict in verdicts))


def _lines(rows: Iterable[dict[str, object]]) -> Iterable[bytes]:
    return map(orjson.dumps, rows)
