"""Random trace sets with everything that makes accounting hard: ties, short traces, unscored states, unknown costs."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hinterguesser.replay.traces import Traces, build_traces


def place(row: int) -> str:
    return f"traces.jsonl:{row + 1}"


def as_columns(rows: list[dict[str, Any]]) -> dict[str, list[Any]]:
    return {name: [row[name] for row in rows] for name in rows[0]}


def random_rows(seed: int) -> list[dict[str, Any]]:
    rng = np.random.default_rng(seed)
    levels = rng.choice([3, 5, 101])
    unscored, deepest = rng.choice([0.0, 0.2, 0.9]), int(rng.integers(1, 5))
    rows = []
    for q in range(int(rng.integers(2, 25))):
        split = "calibration" if rng.random() < 0.4 else "test"
        for model in ["m", "n"][: int(rng.integers(1, 3))]:
            for depth in range(int(rng.integers(1, deepest + 1))):
                confidence = None if rng.random() < unscored else float(rng.integers(0, levels) / (levels - 1))
                rows.append(
                    {
                        "question_id": f"q{q}",
                        "depth": depth,
                        "confidence": confidence,
                        "correct": bool(rng.random() < 0.5),
                        "dataset": "a" if q % 3 else "b",
                        "model": model,
                        "split": split,
                        "answer": rng.choice(["Paris", "the paris", "Rome", None]),
                        "cost": None if rng.random() < 0.02 else float(rng.integers(1, 5)) / 4,
                        "duplicate": bool(depth > 0 and rng.random() < 0.1),
                    }
                )
    if not any(row["split"] == "test" for row in rows):
        rows = [{**row, "split": "test"} for row in rows]
    shuffled = [rows[at] for at in rng.permutation(len(rows))]
    return shuffled


@pytest.fixture
def make_traces() -> Callable[[list[dict[str, Any]]], Traces]:
    return lambda rows: build_traces(as_columns(rows), place)


@pytest.fixture
def make_rows() -> Callable[[int], list[dict[str, Any]]]:
    return random_rows
