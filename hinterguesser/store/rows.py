"""Dialogues as Arrow rows: the explicit schema of a release, columns always in the same order."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hinterguesser.domain.dialogue import Dialogue

if TYPE_CHECKING:
    import pyarrow as pa


def dialogue_schema() -> "pa.Schema":
    """One row a dialogue, the fields of a dialogue's line."""
    import pyarrow as pa

    text, flag, whole = pa.string(), pa.bool_(), pa.int64()
    turn = pa.struct(
        [
            ("turn", whole),
            ("question", text),
            ("answer", text),
            ("guess", text),
            ("guess_correct", flag),
            ("unique", flag),
            ("alternatives", pa.list_(text)),
            ("n_candidates", whole),
            ("placebo_question", text),
            ("placebo_answer", text),
            ("placebo_kind", text),
            ("summary", text),
        ]
    )
    return pa.schema(
        [
            ("schema", whole),
            ("id", text),
            ("game", text),
            ("regime", text),
            ("entity", pa.struct([("name", text), ("aliases", pa.list_(text))])),
            ("instruction", text),
            ("outcome", text),
            ("kept", flag),
            ("reason", text),
            ("turns", pa.list_(turn)),
            ("hinter", text),
            ("guesser", text),
            ("seed", whole),
            ("cost_usd", pa.float64()),
        ]
    )


def rejected_schema() -> "pa.Schema":
    """The same, with the move that ended the dialogue before its time."""
    import pyarrow as pa

    text = pa.string()
    failure = pa.struct([("turn", pa.int64()), ("stage", text), ("error", text), ("text", text)])
    return dialogue_schema().append(pa.field("failure", failure))


def to_batch(dialogues: Sequence[Dialogue], schema: "pa.Schema") -> "pa.RecordBatch":
    """The dialogues as one batch of `schema`."""
    import pyarrow as pa

    return pa.RecordBatch.from_pylist([dialogue.to_dict() for dialogue in dialogues], schema=schema)
