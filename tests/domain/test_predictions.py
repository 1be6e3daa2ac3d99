import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterguesser.domain.prediction import Prediction
from hinterguesser.domain.predictions import Labels, Predictions


def prediction(number, model="m", entity="wolf", mass=None):
    return Prediction(
        "20q", f"d{number}", entity, 1, 2, "multi", "p_true", "answer", model, "wolf", True, 0.5, None, None, None, mass
    )


@given(st.lists(st.lists(st.sampled_from(["a", "b", "c", None])), min_size=1))
def test_joined_labels_are_the_labels_of_all_texts(parts):
    joined = Labels.joined([Labels.of(part) for part in parts], [len(part) for part in parts])
    texts = [text for part in parts for text in part]
    assert [joined.name(code) for code in joined.codes.tolist()] == texts


def test_joined_predictions_are_the_predictions_of_all_rows():
    first = [prediction(1, mass=0.75), prediction(2, entity="fox")]
    second = [prediction(1, model="n"), prediction(3, model="n", entity="fox", mass=0.5)]
    joined, whole = Predictions.joined([Predictions.of(first), Predictions.of(second)]), Predictions.of(first + second)
    for name in ("turn", "length", "confidence", "correct", "dialogue", "entity", "label_mass"):
        np.testing.assert_array_equal(getattr(joined, name), getattr(whole, name))
    assert {name: list(column.names) for name, column in joined.labels.items()} == {
        name: list(column.names) for name, column in whole.labels.items()
    }


def test_a_part_without_names_of_entities_or_labels_takes_each_dialogue_as_one():
    bare = Predictions(
        Labels.of(["x", "x", "y"]), np.array([1, 2, 1]), np.array([2, 2, 1]), np.array([0.1, np.nan, 0.2]), np.ones(3)
    )
    joined = Predictions.joined([Predictions.of([prediction(1), prediction(2)]), bare])
    assert joined.entity[0] == joined.entity[1]
    assert joined.entity[2] == joined.entity[3] != joined.entity[4]
    assert joined.labels["model"].name(int(joined.labels["model"].codes[2])) is None
    assert np.isnan(joined.label_mass[2:]).all()


@pytest.mark.parametrize("count", [1, 3])
def test_one_part_is_itself(count):
    part = Predictions.of([prediction(number) for number in range(count)])
    assert Predictions.joined([part]) is part
