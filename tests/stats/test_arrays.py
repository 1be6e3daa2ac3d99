"""What the statistics accept, and what they say to what they do not."""

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from hinterguesser.stats.arrays import finite, integers, outcomes, probabilities
from hinterguesser.stats.binning import mass_bins, width_bins
from hinterguesser.stats.calibration import ece


@pytest.mark.parametrize(
    ("check", "values", "message"),
    [
        (probabilities, [0.5, 85], r"confidence\[1\] is 85.0, outside \[0, 1\]; divide percentages by 100"),
        (probabilities, [-0.1], r"confidence\[0\] is -0.1, outside \[0, 1\]$"),
        (probabilities, [0.5, None], r"confidence\[1\] is nan; drop rows without a value"),
        (probabilities, [float("inf")], "is inf"),
        (probabilities, ["high"], "confidence must be numbers"),
        (probabilities, [[0.5]], r"1-dimensional, got shape \(1, 1\)"),
        (outcomes, [1, 0, 2], r"correct\[2\] is 2.0"),
        (outcomes, [None], r"correct\[0\] is nan"),
    ],
)
def test_a_value_at_fault_is_named_with_its_place(check: Any, values: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        check(values)


@pytest.mark.parametrize("values", [[1.0], ["a"], [True], [None]])
def test_codes_must_be_integers(values: Any) -> None:
    with pytest.raises(ValueError, match="turn must be integers"):
        integers(values, "turn")


def test_lengths_that_differ_are_listed() -> None:
    with pytest.raises(ValueError, match="confidence 2, correct 1"):
        ece([0.1, 0.2], [1])


@pytest.mark.parametrize("cut", [width_bins, mass_bins])
def test_there_is_at_least_one_bin(cut: Any) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        cut([0.5], 0)
    assert cut([], 3).tolist() == []


def test_inputs_are_left_as_they_were() -> None:
    values = np.array([0.3, 0.1, 0.2])
    finite(values, "x")
    ece(values, [1, 0, 1])
    assert values.tolist() == [0.3, 0.1, 0.2]


def test_importing_the_statistics_imports_neither_scipy_nor_scikit_learn() -> None:
    code = (
        "import sys, hinterguesser.stats.paired, hinterguesser.stats.information, hinterguesser.stats.monotonicity\n"
        "sys.exit(any(name.split('.')[0] in ('scipy', 'sklearn') for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
