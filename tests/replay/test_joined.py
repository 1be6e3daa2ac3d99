import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hinterguesser.errors import UserError
from hinterguesser.replay.joined import join, split_anew
from hinterguesser.replay.traces import build_traces

NAMES = ("a", "b", "c")


def traces_of(rows):
    columns = {name: [row.get(name) for row in rows] for name in {name: None for row in rows for name in row}}
    return build_traces(columns, lambda row: f"line {row + 1}")


def state(question, model="m", dataset="d", depth=0, **more):
    return {"question_id": question, "depth": depth, "confidence": 0.5, "correct": True, "model": model,
            "dataset": dataset, **more}  # fmt: skip


def sides(traces):
    return dict(zip(traces.question_id, traces.is_test.tolist(), strict=True))


@pytest.mark.parametrize("seed", range(30))
def test_parts_that_are_joined_are_what_they_would_be_in_one_file(make_rows, seed):
    rows = sorted(make_rows(seed), key=lambda row: (row["question_id"], row["model"], row["depth"]))
    cuts = [{f"q{q}" for q in range(0, 7)}, {f"q{q}" for q in range(7, 25)}]
    parts = [[row for row in rows if row["question_id"] in some] for some in cuts]
    parts = [part for part in parts if part]
    whole = traces_of([row for part in parts for row in part])
    joined = join([traces_of(part) for part in parts], NAMES[: len(parts)])
    assert joined.question_id == whole.question_id
    for name in ("trace", "depth", "correct", "duplicate", "is_test"):
        assert getattr(joined, name).tolist() == getattr(whole, name).tolist(), name
    for name in ("confidence", "cost"):
        assert np.array_equal(getattr(joined, name), getattr(whole, name), equal_nan=True)
    assert [joined.models[code] for code in joined.model] == [whole.models[code] for code in whole.model]
    assert [joined.datasets[code] for code in joined.dataset] == [whole.datasets[code] for code in whole.dataset]
    same = whole.cluster[:, None] == whole.cluster[None, :]
    assert ((joined.cluster[:, None] == joined.cluster[None, :]) == same).all()
    for trace in range(len(whole)):
        one, two = (each.answer[each.trace == trace] for each in (joined, whole))
        assert ((one[:, None] == one[None, :]) == (two[:, None] == two[None, :])).all()
        assert ((one < 0) == (two < 0)).all()


def test_two_models_in_two_files_share_the_questions_they_were_asked():
    joined = join([traces_of([state("q"), state("r")]), traces_of([state("r", "n"), state("s", "n")])], "ab")
    assert joined.cluster[1] == joined.cluster[2]
    assert len(set(joined.cluster.tolist())) == 3
    assert joined.models == ("m", "n")


def test_a_new_split_takes_the_first_share_of_each_dataset_and_keeps_models_together():
    rows = [state(f"q{n}", model, dataset) for dataset in "de" for model in "mn" for n in range(4)]
    split = split_anew(traces_of(rows), 0.5)
    assert split.is_test.tolist() == [False, False, True, True] * 4


def test_a_new_split_is_the_same_for_one_file_and_for_several():
    rows = [state(f"q{n}", model) for model in "mn" for n in range(5)]
    whole = split_anew(traces_of(rows), 0.4)
    joined = join([traces_of(rows[:5]), traces_of(rows[5:])], "ab", 0.4)
    assert joined.is_test.tolist() == whole.is_test.tolist() == [False, False, True, True, True] * 2


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("de")), min_size=1, max_size=20), st.floats(0, 1))
@settings(deadline=None)
def test_an_entity_never_changes_sides(of, share):
    rows = [state(f"q{n}", dataset=dataset, entity=entity) for n, (entity, dataset) in enumerate(of)]
    split = sides(split_anew(traces_of(rows), share))
    for entity in "abc":
        assert len({split[f"q{n}"] for n, (name, _) in enumerate(of) if name == entity}) <= 1


@pytest.mark.parametrize("share", [-0.1, 1.1])
def test_a_share_out_of_range_is_refused(share):
    with pytest.raises(ValueError, match="calibration share"):
        split_anew(traces_of([state("q")]), share)


def test_what_does_not_go_together_is_refused_with_the_name_of_the_part():
    one = traces_of([state("q", split="test")])
    with pytest.raises(UserError, match="b: question 'q' of the same model stands in a too"):
        join([one, one], "ab")
    other = traces_of([state("q", "n", split="calibration")])
    with pytest.raises(UserError, match="b: question 'q' is for calibration here and for test in a"):
        join([one, other], "ab")
    assert len(join([one, other], "ab", 0.0)) == 2
