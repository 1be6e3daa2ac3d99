"""Traces from an evaluation's predictions: a turn is a depth, a further hint is a retrieval."""

from collections.abc import Iterable, Mapping
from typing import Any

from hinterguesser.errors import UserError
from hinterguesser.replay.columns import Place, fail
from hinterguesser.replay.joined import split_anew
from hinterguesser.replay.traces import OPTIONAL, Traces, build_traces


def traces_from_predictions(
    rows: Iterable[Mapping[str, Any]],
    place: Place,
    *,
    method: str | None = None,
    condition: str = "multi",
    target: str = "answer",
    calibration_share: float | None = None,
) -> Traces:
    """Make traces of an evaluation's predictions: turn i is depth i - 1, and a further hint is a retrieval.

    Rows of other conditions, targets and methods are left out; a row that does not name one belongs to any. A turn
    without an answer counts as not right.

    Args:
        rows: As `domain.prediction` writes them; `dialogue_id, turn, confidence, correct` are enough.
        place: Where a row stands, for errors.
        method: Which method's confidence; None when there is only one.
        condition: What the model saw.
        target: Whose answer the confidence is about.
        calibration_share: Splits the entities (dialogues, where no entity is named) of each dataset in source order,
            over what `split` the rows may name; None keeps that, or takes all for `test`.

    Raises:
        UserError: several methods and none named, nothing left, or what `build_traces` refuses.
        ValueError: `calibration_share` outside [0, 1].
    """
    chosen = {"condition": condition, "target": target, "method": method}
    seen: dict[str, set[str]] = {name: set() for name in chosen}
    kept, where = [], []
    for number, row in enumerate(rows):
        for name, values in seen.items():
            if row.get(name) is not None:
                values.add(str(row[name]))
        if all(wanted is None or row.get(name) in (None, wanted) for name, wanted in chosen.items()):
            kept.append(row)
            where.append(number)
    methods = {str(row["method"]) for row in kept if row.get("method") is not None}
    if len(methods) > 1:
        raise UserError(f"{place(0)}: confidence by several methods: {', '.join(sorted(methods))}; name one (--method)")
    if not kept:
        asked = ", ".join(f"{name} {value!r}" for name, value in chosen.items() if value is not None)
        there = "; ".join(f"{name} {', '.join(sorted(values))}" for name, values in seen.items() if values)
        raise UserError(f"{place(0)}: no prediction has {asked}; there are: {there or 'none'}")
    columns = _prediction_columns(kept, lambda row: place(where[row]))
    if calibration_share is not None:
        columns.pop("split", None)
    traces = build_traces(columns, lambda row: place(where[row]))
    return traces if calibration_share is None else split_anew(traces, calibration_share)


def _prediction_columns(rows: list[Mapping[str, Any]], place: Place) -> dict[str, list[Any]]:
    missing = [name for name in ("dialogue_id", "turn", "confidence", "correct") if name not in rows[0]]
    if missing:
        fail(place, 0, f"no {', '.join(map(repr, missing))}; predictions need dialogue_id, turn, confidence, correct")
    columns = {name: [row.get(name) for row in rows] for name in ("confidence", *OPTIONAL) if name != "duplicate"}
    del columns["cost"]
    columns["question_id"] = [row.get("dialogue_id") for row in rows]
    columns["depth"] = [_depth_of(row.get("turn"), at, place) for at, row in enumerate(rows)]
    columns["correct"] = [
        False if row.get("correct") is None and _has_no_answer(row) else row.get("correct")
        for row in rows
    ]  # fmt: skip
    return columns


def _has_no_answer(row: Mapping[str, Any]) -> bool:
    """Whether none was given; where answers are not told, whether there is no confidence in one either."""
    return row["answer"] is None if "answer" in row else row.get("confidence") is None


def _depth_of(turn: Any, at: int, place: Place) -> int:
    if isinstance(turn, bool) or not isinstance(turn, int) or turn < 1:
        fail(place, at, f"'turn' must be an integer from 1, got {turn!r}")
    return turn - 1
