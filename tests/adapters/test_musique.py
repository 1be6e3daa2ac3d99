import json
from pathlib import Path

import pytest

from hinterguesser.adapters.musique import PLUGIN, read
from hinterguesser.errors import UserError
from hinterguesser.replay.plans import plan_evidence

SAMPLES = Path(__file__).parents[3] / "shared" / "data" / "musique"
with_samples = pytest.mark.skipif(not SAMPLES.is_dir(), reason="the sample records are not part of the repository")


def paragraph(idx, title="Pond", support=False, **changed):
    base = {"idx": idx, "title": title, "paragraph_text": f"text {idx} ", "is_supporting": support}
    return {name: value for name, value in {**base, **changed}.items() if value is not ...}


def record(**changed):
    base = {
        "id": "2hop__1_2",
        "question": "Who dug the pond behind the mill?",
        "answer": "Ada",
        "answer_aliases": ["A. Miller", "Ada", ""],
        "answerable": True,
        "paragraphs": [paragraph(2, support=True), paragraph(0), paragraph(1, support=True)],
    }
    return {name: value for name, value in {**base, **changed}.items() if value is not ...}


def written(tmp_path, records, name="musique_ans_v1.0_dev.jsonl"):
    path = tmp_path / name
    path.write_text("".join(json.dumps(line) + "\n" for line in records))
    return path


def test_passages_are_ordered_and_told_apart_by_idx(tmp_path):
    [question] = read(written(tmp_path, [record()]))
    assert [(p.index, p.title, p.is_support, p.text) for p in question.passages] == [
        (0, "Pond", False, "text 0"), (1, "Pond", True, "text 1"), (2, "Pond", True, "text 2"),
    ]  # fmt: skip
    assert [[p.index for p in passages] for passages in plan_evidence(question).slices] == [[1], [0], [2]]


def test_aliases_follow_the_answer_without_repeats_and_blanks(tmp_path):
    [question] = read(written(tmp_path, [record()]))
    assert question.answers == ("Ada", "A. Miller")


def test_a_json_list_and_paragraphs_in_columns_are_read_alike(tmp_path):
    plain = list(read(written(tmp_path, [record()])))
    (tmp_path / "list.json").write_text(json.dumps([record()]))
    assert list(read(tmp_path / "list.json")) == plain
    rows = record()["paragraphs"]
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    assert list(read(written(tmp_path, [record(paragraphs=columns)], "c.jsonl"))) == plain


def test_of_a_pair_in_the_full_files_the_unanswerable_one_is_left_out(tmp_path):
    pair = [record(), record(answerable=False, paragraphs=[paragraph(0)])]
    assert [question.id for question in read(written(tmp_path, pair, "musique_full_v1.0_dev.jsonl"))] == ["2hop__1_2"]


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ([record(answer=...)], ":1: no 'answer': test files have none"),
        (
            [record(paragraphs=[paragraph(0, is_supporting=...)])],
            "paragraph 0: no 'is_supporting': test files have none",
        ),
        ([record(paragraphs=[paragraph(0)])], "no paragraph has 'is_supporting'"),
        ([record(), record()], r":2: the id '2hop__1_2' stands there twice \(first in .*:1\)"),
        ([record(paragraphs=[paragraph(0, support=True), paragraph(0)])], "two paragraphs have the same 'idx'"),
        ([record(paragraphs=[paragraph("0", support=True)])], "'idx' must be an integer, got '0'"),
        ([record(paragraphs=[paragraph(0, support=True, title=None)])], "paragraph 0: 'title' and 'paragraph_text'"),
        ([record(paragraphs=[])], "'paragraphs' must be a list of objects"),
        ([record(paragraphs=...)], "no 'paragraphs'; is this a MuSiQue file"),
        ([record(answer_aliases=[1])], "'answer_aliases' must be a list of texts"),
        ([record(id=None)], "'id' must be a text"),
    ],
)
def test_what_is_no_usable_record_is_refused(tmp_path, records, message):
    with pytest.raises(UserError, match=message):
        list(read(written(tmp_path, records)))


def test_the_plugin_says_what_the_data_may_be_used_for():
    assert (PLUGIN.name, PLUGIN.licence) == ("musique", "CC BY 4.0")


@with_samples
@pytest.mark.parametrize("path", sorted(SAMPLES.glob("*.jsonl")), ids=lambda path: path.name)
def test_real_records_are_read(path):
    questions = list(PLUGIN.read(path))
    assert len(questions) >= 10
    for question in questions:
        assert len(question.passages) == 20
        assert sum(passage.is_support for passage in question.passages) == int(question.id[0])
        assert not any(plan_evidence(question).adds_nothing(depth) for depth in range(4))
