import json
from pathlib import Path

import pytest

from hinterguesser.adapters.hotpotqa import PLUGIN, read
from hinterguesser.errors import UserError
from hinterguesser.replay.plans import plan_evidence

SAMPLES = Path(__file__).parents[3] / "shared" / "data" / "hotpotqa"
with_samples = pytest.mark.skipif(not SAMPLES.is_dir(), reason="the sample records are not part of the repository")


def record(**changed):
    base = {
        "_id": "h1",
        "question": "Which pond is older, Elm or Ash?",
        "answer": "Elm",
        "type": "comparison",
        "level": "easy",
        "supporting_facts": [["Elm pond", 0], ["Ash pond", 1], ["Elm pond", 2]],
        "context": [
            ["Ash pond", ["Ash is a pond.", " It was dug in 1900."]],
            ["Birds", ["Birds swim."]],
            ["Elm pond", ["Dug in 1800."]],
        ],
    }
    return {name: value for name, value in {**base, **changed}.items() if value is not ...}


def hub(**changed):
    base = record(_id=..., id="h1")
    context, facts = base["context"], base["supporting_facts"]
    base["context"] = {"title": [title for title, _ in context], "sentences": [text for _, text in context]}
    base["supporting_facts"] = {"title": [title for title, _ in facts], "sent_id": [at for _, at in facts]}
    return {name: value for name, value in {**base, **changed}.items() if value is not ...}


def written(tmp_path, content, name="hotpot_dev_distractor_v1.json"):
    path = tmp_path / name
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def test_supports_are_marked_by_title_and_stand_in_the_order_of_the_context(tmp_path):
    [question] = read(written(tmp_path, [record()]))
    assert [(p.title, p.is_support, p.index) for p in question.passages] == [
        ("Ash pond", True, 0), ("Birds", False, 1), ("Elm pond", True, 2),
    ]  # fmt: skip
    assert question.passages[0].text == "Ash is a pond. It was dug in 1900."
    assert question.answers == ("Elm",)
    assert [p.title for p in plan_evidence(question).slices[0]] == ["Ash pond"]


def test_the_hubs_rows_and_the_official_file_give_the_same_questions(tmp_path):
    official = list(read(written(tmp_path, [record()])))
    assert list(read(written(tmp_path, [hub()], "hub.json"))) == official
    assert list(read(written(tmp_path, json.dumps(hub()) + "\n", "hub.jsonl"))) == official
    columns = {name: [value] for name, value in hub().items()}
    assert list(read(written(tmp_path, columns, "columns.json"))) == official
    assert list(read(written(tmp_path, json.dumps(columns, indent=1), "indented.json"))) == official


def test_parquet_of_the_hub_is_read(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.Table.from_pylist([hub(), hub(id="h2")]), tmp_path / "v.parquet")
    assert [question.id for question in read(tmp_path / "v.parquet")] == ["h1", "h2"]


def test_jsonl_may_hold_blank_lines_and_further_keys(tmp_path):
    lines = json.dumps(record(extra=[1])) + "\n\n" + json.dumps(record(_id="h2")) + "\n"
    assert [question.id for question in read(written(tmp_path, lines, "x.jsonl"))] == ["h1", "h2"]


def test_a_record_without_an_id_gets_one_that_depends_on_its_content(tmp_path):
    [first] = read(written(tmp_path, [hub(id=...)]))
    [again] = read(written(tmp_path, [record(_id=...)], "other.json"))
    assert first.id == again.id
    assert first.id.startswith("hotpotqa-")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ([record(answer=...)], "record 1: no 'answer' or 'supporting_facts': test files have none"),
        ([record(supporting_facts=...)], "test files have none"),
        ([record(), record()], r"record 2: the id 'h1' stands there twice \(first in .*record 1\)"),
        ([record(supporting_facts=[["Oak pond", 0]])], "'Oak pond' is not in the context; use the distractor files"),
        ([record(supporting_facts=[])], "'supporting_facts' is empty"),
        ([record(context=...)], "no 'context'; is this a HotpotQA file"),
        ([record(context=[["a"]])], "'context' must be pairs"),
        ([record(context=[["Elm pond", "text"], ["Ash pond", ["x"]]])], "must be a list of texts"),
        ([record(question=" ")], "'question' must be a text that is not empty"),
        (["x"], "record 1: expected a record"),
        ("nonsense", "not JSON"),
        ('{"_id": 1}\n{', ":1: no 'context'"),
        ("", "the file is empty"),
        ("3", "expected a list of records"),
    ],
)
def test_what_is_no_usable_record_is_refused(tmp_path, content, message):
    with pytest.raises(UserError, match=message):
        list(read(written(tmp_path, content)))


def test_fullwiki_files_are_refused_by_name_before_they_are_read(tmp_path):
    with pytest.raises(UserError, match="fullwiki"):
        next(read(tmp_path / "hotpot_dev_fullwiki_v1.json"))


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(UserError, match="there is no such file"):
        list(read(tmp_path / "none.json"))


def test_the_plugin_says_what_the_data_may_be_used_for():
    assert (PLUGIN.name, PLUGIN.licence) == ("hotpotqa", "CC BY-SA 4.0")


@with_samples
@pytest.mark.parametrize("path", sorted(SAMPLES.glob("*.json*")), ids=lambda path: path.name)
def test_real_records_are_read(path):
    questions = list(PLUGIN.read(path))
    assert questions
    for question in questions:
        assert sum(passage.is_support for passage in question.passages) == 2
        plan = plan_evidence(question)
        assert sum(map(len, plan.slices)) == len(question.passages)
        assert plan.adds_nothing(3) == (len(question.passages) == 2)


@with_samples
def test_real_records_hold_the_odd_passage_counts():
    counts = {len(question.passages) for path in SAMPLES.glob("*.json*") for question in read(path)}
    assert {2, 4, 10} <= counts
