"""Traces: per depth an answer's correctness and a confidence, as columns; checked once, when they are built.

A trace is one question as one model met it: all states with the same (model, dataset, question_id). Its depths are
0, 1, 2, ... without a gap; traces may end at different depths. A missing confidence stays missing.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from hinterguesser.errors import UserError
from hinterguesser.replay.columns import (
    BoolArray,
    Coded,
    Column,
    FloatArray,
    IntArray,
    Place,
    fail,
    numbers,
    texts,
    truths,
    whole_numbers,
)
from hinterguesser.replay.exact_match import normalised

REQUIRED = ("question_id", "depth", "confidence", "correct")
OPTIONAL = ("dataset", "model", "split", "answer", "cost", "duplicate", "entity")
SPLITS = ("calibration", "test")


@dataclass(frozen=True, slots=True, eq=False)
class Traces:
    """Checked states, ordered by trace (source order) and depth, and what belongs to a trace as a whole."""

    trace: IntArray
    """Shape (states,): which trace, 0..traces-1, ascending."""
    depth: IntArray
    """Shape (states,): 0-based, ascending by 1 inside a trace."""
    confidence: FloatArray
    """Shape (states,): in [0, 1]; nan where unscored."""
    correct: BoolArray
    """Shape (states,)."""
    cost: FloatArray
    """Shape (states,): price of asking at this depth, at least 0; nan where not known."""
    answer: IntArray
    """Shape (states,): equal answers (after normalisation) have equal codes; -1 without an answer."""
    duplicate: BoolArray
    """Shape (states,): whether the state shows nothing that the one before did not."""
    question_id: tuple[str, ...]
    """One per trace."""
    model: IntArray
    """Shape (traces,): codes into `models`."""
    dataset: IntArray
    """Shape (traces,): codes into `datasets`."""
    is_test: BoolArray
    """Shape (traces,): split `test`; else `calibration`."""
    cluster: IntArray
    """Shape (traces,): what a bootstrap draws: the entity where it is known, else the question."""
    models: tuple[str | None, ...]
    datasets: tuple[str | None, ...]
    has_answers: bool
    """Whether the traces say what was answered."""

    def __len__(self) -> int:
        """The number of traces."""
        return len(self.question_id)

    @property
    def deepest(self) -> int:
        """The deepest depth of any trace."""
        return int(self.depth.max(initial=0))


def build_traces(columns: Mapping[str, Column], place: Place) -> Traces:
    """Check columns of equal length and make traces of them. Rows may stand in any order.

    Without a `split` all rows are `test`. Columns beyond `REQUIRED` and `OPTIONAL` are ignored.

    Args:
        columns: By name: sequences, arrays, or coded texts; null is None (a masked array's masked entries).
        place: Where a row stands, for errors.

    Raises:
        UserError: a column is missing, or a row is at fault: its place, what is wrong, and the way out.
    """
    missing = [name for name in REQUIRED if name not in columns]
    if missing:
        raise UserError(
            f"{place(0)}: no column {', '.join(map(repr, missing))}; traces need {', '.join(REQUIRED)} "
            f"and may have {', '.join(OPTIONAL)}"
        )
    question = texts(columns["question_id"], "question_id", place, null=False, integers=True)
    rows = len(question.codes)
    if rows == 0:
        raise UserError(f"{place(0)}: there are no traces; one row a state is expected")
    unsaid = Coded(np.full(rows, -1), ())

    def optional(name: str) -> Column:
        return columns.get(name, unsaid)

    model, models = texts(optional("model"), "model", place).with_none()
    dataset, datasets = texts(optional("dataset"), "dataset", place).with_none()
    split = _splits(optional("split"), place)
    depth = whole_numbers(columns["depth"], "depth", place)
    states = _State(
        confidence=_confidences(columns["confidence"], place),
        correct=truths(columns["correct"], "correct", place),
        cost=_costs(columns["cost"], place) if "cost" in columns else np.full(rows, np.nan),
        answer=_answers(optional("answer"), place),
        duplicate=truths(columns["duplicate"], "duplicate", place) if "duplicate" in columns else np.zeros(rows, bool),
    )
    asked = dataset * len(question.names) + question.codes
    _one_value_each(asked, split.astype(np.int64), "split", place)
    trace, first = _number(model * (len(question.names) * len(datasets)) + asked)
    order = _ordered(trace, depth, place)
    entity = texts(optional("entity"), "entity", place)
    _one_value_each(trace, entity.codes, "entity", place)
    cluster = np.where(entity.known, entity.codes, asked + len(entity.names))
    return Traces(
        trace=trace[order],
        depth=depth[order],
        confidence=states.confidence[order],
        correct=states.correct[order],
        cost=states.cost[order],
        answer=states.answer[order],
        duplicate=states.duplicate[order],
        question_id=tuple(question.names[code] for code in question.codes[first].tolist()),
        model=model[first],
        dataset=dataset[first],
        is_test=split[first],
        cluster=cluster[first],
        models=models,
        datasets=datasets,
        has_answers=bool((states.answer >= 0).any()),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _State:
    confidence: FloatArray
    correct: BoolArray
    cost: FloatArray
    answer: IntArray
    duplicate: BoolArray


def _confidences(column: Column, place: Place) -> FloatArray:
    values = numbers(column, "confidence", place)
    bad = (values < 0) | (values > 1)
    if bad.any():
        row = int(np.argmax(bad))
        hint = "; divide percentages by 100" if 1 < values[row] <= 100 else ""
        fail(place, row, f"'confidence' is {values[row]:g}, outside [0, 1]{hint}")
    return values


def _costs(column: Column, place: Place) -> FloatArray:
    values = numbers(column, "cost", place)
    if (values < 0).any():
        row = int(np.argmax(values < 0))
        fail(place, row, f"'cost' is {values[row]:g}; a cost cannot be negative")
    return values


def _splits(column: Column, place: Place) -> BoolArray:
    coded = texts(column, "split", place)
    for code, name in enumerate(coded.names):
        if name not in SPLITS:
            row = int(np.argmax(coded.codes == code))
            fail(place, row, f"'split' must be 'calibration' or 'test', got {name!r}")
    if coded.known.any() and not coded.known.all():
        fail(place, int(np.argmin(coded.known)), "'split' has no value here, but has one in other rows; fill it in")
    is_test = np.array([*(name == "test" for name in coded.names), True], dtype=np.bool_)
    return is_test[coded.codes]


def _answers(column: Column, place: Place) -> IntArray:
    """Codes of answers that are the same after normalisation."""
    coded = texts(column, "answer", place)
    same: dict[str, int] = {}
    codes = [same.setdefault(normalised(name), len(same)) for name in coded.names]
    return np.array([*codes, -1], dtype=np.int64)[coded.codes]


def _number(keys: IntArray) -> tuple[IntArray, IntArray]:
    """Number distinct keys in order of first appearance; also the first row of each."""
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return rank[inverse], first[order]


def _one_value_each(group: IntArray, value: IntArray, name: str, place: Place) -> None:
    """Refuse a group (a question, a trace) whose rows say different things."""
    if len(value) == 0 or (value == value[0]).all():
        return
    numbered, first = _number(group)
    odd = value != value[first][numbered]
    if odd.any():
        row = int(np.argmax(odd))
        earlier = place(int(first[numbered[row]]))
        fail(place, row, f"another '{name}' than in an earlier row of the same question ({earlier}); use one for both")


def _ordered(trace: IntArray, depth: IntArray, place: Place) -> IntArray:
    """Return row numbers by trace and depth; refuse what stands there twice, and gaps."""
    order = np.lexsort((depth, trace))
    by_trace, by_depth = trace[order], depth[order]
    starts = np.diff(by_trace, prepend=-1) > 0
    step = np.diff(by_depth, prepend=-1)
    step[starts] = by_depth[starts] + 1
    if (step == 0).any():
        at = int(np.argmax(step == 0))
        twice = sorted((int(order[at - 1]), int(order[at])))
        words = f"depth {by_depth[at]} of this question stands there twice (first in {place(twice[0])})"
        fail(place, twice[1], f"{words}; rows are told apart by question_id, depth, dataset and model")
    if (step > 1).any():
        at = int(np.argmax(step > 1))
        wanted = 0 if starts[at] else int(by_depth[at - 1]) + 1
        words = f"depth {by_depth[at]} stands here, but this question has no depth {wanted}"
        fail(place, int(order[at]), f"{words}; depths count 0, 1, 2, ... without a gap")
    return order
