"""Traces of several files as one set, and a new split of a set into calibration and test."""

import dataclasses
from collections.abc import Sequence
from itertools import count

import numpy as np
from numpy.typing import NDArray

from hinterguesser.errors import UserError
from hinterguesser.replay.columns import IntArray
from hinterguesser.replay.questions import source_order_split
from hinterguesser.replay.traces import Traces

QuestionKey = tuple[str | None, str]
"""A dataset and a question's id."""


def split_anew(traces: Traces, calibration_share: float) -> Traces:
    """The traces with the first share of each dataset's questions for calibration and the rest for test.

    In the order in which they stand there; all traces of one question, and of one entity where it is known, stay on
    one side.

    Raises:
        ValueError: `calibration_share` is not in [0, 1].
    """
    side = np.full(int(traces.cluster.max()) + 1, -1, dtype=np.int64)
    for dataset in range(len(traces.datasets)):
        clusters = traces.cluster[traces.dataset == dataset]
        distinct, first = np.unique(clusters, return_index=True)
        in_order = distinct[np.argsort(first)]
        undecided = in_order[side[in_order] < 0]
        splits = source_order_split(len(undecided), calibration_share)
        side[undecided] = [split == "test" for split in splits]
    return dataclasses.replace(traces, is_test=side[traces.cluster] == 1)


def join(parts: Sequence[Traces], names: Sequence[str], calibration_share: float | None = None) -> Traces:
    """All traces of `parts`, in order.

    Args:
        parts: at least one.
        names: where each part comes from, for errors.
        calibration_share: see `split_anew`; None keeps the split that the parts name.

    Raises:
        UserError: a model answers a question in two parts, or a question is for calibration in one and test in another.
    """
    joined = parts[0] if len(parts) == 1 else _concatenated(parts)
    if len(parts) > 1:
        _refuse_answered_twice(parts, names)
        if calibration_share is None:
            _refuse_two_sides(parts, names)
    return joined if calibration_share is None else split_anew(joined, calibration_share)


def _concatenated(parts: Sequence[Traces]) -> Traces:
    models, model_codes = _one_code_each([part.models for part in parts])
    datasets, dataset_codes = _one_code_each([part.datasets for part in parts])
    trace_offsets = np.cumsum([0, *(len(part) for part in parts)])
    answer_offsets = np.cumsum([0, *(int(part.answer.max(initial=-1)) + 1 for part in parts)])
    return Traces(
        trace=np.concatenate([part.trace + offset for part, offset in zip(parts, trace_offsets, strict=False)]),
        depth=np.concatenate([part.depth for part in parts]),
        confidence=np.concatenate([part.confidence for part in parts]),
        correct=np.concatenate([part.correct for part in parts]),
        cost=np.concatenate([part.cost for part in parts]),
        answer=np.concatenate(
            [np.where(part.answer < 0, -1, part.answer + at) for part, at in zip(parts, answer_offsets, strict=False)]
        ),
        duplicate=np.concatenate([part.duplicate for part in parts]),
        question_id=tuple(name for part in parts for name in part.question_id),
        model=np.concatenate([codes[part.model] for part, codes in zip(parts, model_codes, strict=True)]),
        dataset=np.concatenate([codes[part.dataset] for part, codes in zip(parts, dataset_codes, strict=True)]),
        is_test=np.concatenate([part.is_test for part in parts]),
        cluster=_clusters(parts),
        models=models,
        datasets=datasets,
        has_answers=any(part.has_answers for part in parts),
    )


def _one_code_each(
    names: Sequence[tuple[str | None, ...]],
) -> tuple[tuple[str | None, ...], list[IntArray]]:
    """Distinct names, and for each part the new codes of its old ones."""
    codes: dict[str | None, int] = {}
    mapped = [np.array([codes.setdefault(name, len(codes)) for name in part], dtype=np.int64) for part in names]
    return tuple(codes), mapped


def _keys(part: Traces) -> list[QuestionKey]:
    return [(part.datasets[code], name) for code, name in zip(part.dataset.tolist(), part.question_id, strict=True)]


def _refuse_answered_twice(parts: Sequence[Traces], names: Sequence[str]) -> None:
    asked: dict[tuple[str | None, QuestionKey], int] = {}
    for number, part in enumerate(parts):
        for key, model in zip(_keys(part), part.model.tolist(), strict=True):
            other = asked.setdefault((part.models[model], key), number)
            if other != number:
                where = f"{names[number]}: question {key[1]!r} of the same model"
                raise UserError(f"{where} stands in {names[other]} too; leave one out")


def _refuse_two_sides(parts: Sequence[Traces], names: Sequence[str]) -> None:
    """A question that two models were asked must be on one side; inside a part that was seen to."""
    split: dict[QuestionKey, tuple[bool, str]] = {}
    for part, name in zip(parts, names, strict=True):
        for key, is_test in zip(_keys(part), part.is_test.tolist(), strict=True):
            before, where = split.setdefault(key, (is_test, name))
            if before != is_test:
                sides = ("test", "calibration") if is_test else ("calibration", "test")
                raise UserError(
                    f"{name}: question {key[1]!r} is for {sides[0]} here and for {sides[1]} in {where}; "
                    "split all anew with --calibration-share"
                )


def _clusters(parts: Sequence[Traces]) -> IntArray:
    """Clusters of all traces: those that share a question are one, in whichever part they stand."""
    fresh = count()
    by_question: dict[QuestionKey, int] = {}
    joined: list[NDArray[np.int64]] = []
    for part in parts:
        keys, own = _keys(part), part.cluster.tolist()
        numbers: dict[int, int] = {}
        for key, cluster in zip(keys, own, strict=True):
            if key in by_question:
                numbers.setdefault(cluster, by_question[key])
        for key, cluster in zip(keys, own, strict=True):
            if cluster not in numbers:
                numbers[cluster] = next(fresh)
            by_question.setdefault(key, numbers[cluster])
        joined.append(np.array([numbers[cluster] for cluster in own], dtype=np.int64))
    return np.concatenate(joined)
