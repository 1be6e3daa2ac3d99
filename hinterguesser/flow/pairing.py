"""Two evaluations side by side: whose rows are meant, and which turns are the same on both."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from hinterguesser.domain.predictions import LABELS, IntArray, Labels, Predictions
from hinterguesser.errors import UserError
from hinterguesser.stats.grouping import group_codes, turn_keys
from hinterguesser.store.prediction_columns import Reading
from hinterguesser.store.prediction_files import read_predictions
from hinterguesser.store.predictions import JSONL_FILE, PARQUET_FILE

AGREEING = tuple(name for name in LABELS if name != "model")
"""What rows must agree in, beside dialogue and turn, where both sides have it."""


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two."""

    path: Path
    """A predictions file, or a folder that `evaluate` filled."""
    model: str | None = None
    """None: not chosen, or the rows name none."""


@dataclass(frozen=True, slots=True, eq=False)
class Pairing:
    """The rows of both sides in one: those of the first come first."""

    first: Side
    """With the model that was found."""
    second: Side
    predictions: Predictions
    """Both files, with the labels that both have; entities and dialogues have the same codes on both sides."""
    rows: IntArray
    """The rows of the two models, ascending."""
    border: int
    """The first row of the second side."""
    by: tuple[str, ...]
    """The labels that rows of both sides must agree in."""

    def split(self, rows: IntArray) -> tuple[IntArray, IntArray]:
        """Ascending rows as those of the first side and those of the second."""
        at = int(np.searchsorted(rows, self.border))
        return rows[:at], rows[at:]


def paired(first: Side, second: Side, *, percent: bool = False) -> Pairing:
    """Read both sides and put them together.

    Raises:
        UserError: see `flow.compare.compare`.
    """
    reading = Reading(percent=percent)
    read = [read_predictions(side.path, reading) for side in (first, second)]
    chosen = [_of_model(*each) for each in zip(read, (first, second), ("--first-model", "--second-model"), strict=True)]
    first, second = (side for side, _ in chosen)
    if _file(first.path) == _file(second.path) and first.model == second.model:
        whose = f" and the same model, {first.model!r}" if first.model is not None else ""
        raise UserError(f"{second.path}: the same predictions{whose} on both sides; name two evaluations or two models")
    by = _shared_labels(read, [rows for _, rows in chosen], (first, second))
    kept = [replace(part, labels={name: part.labels[name] for name in by}) for part in read]
    border = len(read[0])
    pairing = Pairing(
        first=first,
        second=second,
        predictions=_with_entities(kept),
        rows=np.concatenate([chosen[0][1], border + chosen[1][1]]),
        border=border,
        by=by,
    )
    _check_common(pairing)
    return pairing


def _file(path: Path) -> Path:
    """What stands for one evaluation: its folder, whichever of the two files in it is named."""
    whole = path.resolve()
    return whole.parent if whole.name in (PARQUET_FILE, JSONL_FILE) else whole


def _of_model(predictions: Predictions, side: Side, option: str) -> tuple[Side, IntArray]:
    """The side with its model, and the rows of that model."""
    labels = predictions.labels.get("model")
    if labels is None:
        if side.model is not None:
            raise UserError(f"{side.path}: its rows name no model; leave {option} out")
        return side, np.arange(len(predictions))
    if side.model is None and len(np.unique(labels.codes)) == 1:
        return replace(side, model=labels.names[0]), np.arange(len(predictions))
    there = ", ".join(map(repr, labels.names))
    if side.model is None:
        raise UserError(f"{side.path}: several models ({there}); choose one with {option}")
    rows = np.flatnonzero(labels.codes == labels.code(side.model))
    if len(rows) == 0:
        raise UserError(f"{side.path}: no rows of the model {side.model!r} ({option}); there are: {there}")
    return side, rows


def _shared_labels(read: Sequence[Predictions], rows: Sequence[IntArray], sides: tuple[Side, Side]) -> tuple[str, ...]:
    """The labels that both sides have; one that only one side has must be the same in all its rows."""
    shared = []
    for name in AGREEING:
        has = [name in part.labels for part in read]
        if all(has):
            shared.append(name)
        for number in (0, 1):
            if has[number] and not has[1 - number]:
                labels = read[number].labels[name]
                codes = np.unique(labels.codes[rows[number]])
                if len(codes) > 1:
                    there = ", ".join(repr(labels.name(int(code))) for code in codes)
                    raise UserError(
                        f"{sides[number].path}: several values of '{name}' ({there}), and {sides[1 - number].path} "
                        f"has no such column, so it is not known which belong together; add the column '{name}' there"
                    )
    return tuple(shared)


def _with_entities(parts: Sequence[Predictions]) -> Predictions:
    """Both sides in one; where only one of them names entities, its names hold for the same dialogues of the other."""
    joined = Predictions.joined(parts)
    names = joined.entity_name
    if names is None or all(part.entity_name is not None for part in parts):
        return joined
    _, dialogue = np.unique(joined.dialogue, return_inverse=True)
    code = np.full(dialogue.max(initial=-1) + 1, -1)
    np.maximum.at(code, dialogue, names.codes)
    return replace(joined, entity_name=Labels(code[dialogue], names.names))


def _check_common(pairing: Pairing) -> None:
    """Refuse sides without a common turn, and dialogues that differ in length or entity."""
    predictions = pairing.predictions
    one, other = pairing.split(pairing.rows)
    codes = np.unique(group_codes(predictions, pairing.by), return_inverse=True)[1]
    keys = np.unique(turn_keys(predictions.dialogue, predictions.turn), return_inverse=True)[1]
    whole = codes * (int(keys.max()) + 1) + keys
    _, left, right = np.intersect1d(whole[one], whole[other], assume_unique=True, return_indices=True)
    paths = f"{pairing.first.path} and {pairing.second.path}"
    if len(left) == 0:
        must = ", ".join((*(name for name in pairing.by), "dialogue_id", "turn"))
        raise UserError(f"{paths}: no turn in common ({must} must agree); evaluate both on the same dialogues")
    first, second = one[left], other[right]
    for values, what in ((predictions.length, "length"), (predictions.entity, "entity")):
        odd = np.flatnonzero(values[first] != values[second])
        if len(odd):
            name = predictions.dialogue_id.name(int(predictions.dialogue_id.codes[first[odd[0]]]))
            raise UserError(
                f"{paths}: the dialogue {name!r} differs in {what}, so it is not the same in both; "
                "evaluate both on the same release or run"
            )
