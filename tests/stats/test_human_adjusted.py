import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterguesser.stats.human_adjusted import calscore, mce


def test_worked_by_hand():
    confidence, correct, dialogue = [0.5, 0.8, 0.9], [0, 1, 1], [0, 0, 1]
    assert mce(confidence, correct, dialogue) == pytest.approx(1 - (0.4 + 0.9) / 2)
    assert calscore(confidence, correct, [0, 0.5, 1], dialogue) == pytest.approx(1 - (0.2 + 0.0) / 2)


def test_certain_and_right_before_everybody_is_best():
    assert mce([1, 1], [1, 1], [0, 0]) == calscore([1, 1], [1, 1], [0, 0], [0, 0]) == 0


def test_without_rows_there_is_none():
    assert mce([], [], []) is None
    assert calscore([], [], [], []) is None


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans(), st.floats(0, 1), st.integers(0, 4)), min_size=1))
def test_against_a_plain_loop_and_never_below_what_is_not_adjusted(rows):
    by_dialogue = {}
    for confidence, correct, humans, dialogue in rows:
        by_dialogue.setdefault(dialogue, []).append((1 - humans) * correct * confidence)
    loop = 1 - np.mean([np.mean(values) for values in by_dialogue.values()])
    columns = [list(column) for column in zip(*rows, strict=True)]
    adjusted = calscore(columns[0], columns[1], columns[2], columns[3])
    assert adjusted == pytest.approx(loop, abs=1e-12)
    assert adjusted >= mce(columns[0], columns[1], columns[3]) - 1e-12


def test_a_share_of_people_outside_zero_to_one_is_refused():
    with pytest.raises(ValueError, match="humans"):
        calscore([0.5], [1], [1.5], [0])
