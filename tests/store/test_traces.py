import csv
import json

import numpy as np
import pytest

from hinterguesser.errors import UserError
from hinterguesser.store.traces import read_traces, write_traces

ROWS = [
    {
        "question_id": f"q{q}",
        "depth": depth,
        "confidence": None if (q, depth) == (1, 1) else 0.25 * depth + 0.1 * q,
        "correct": depth == 1,
        "dataset": "a",
        "model": 'm, "x"',
        "split": "calibration" if q == 0 else "test",
        "answer": None if depth == 0 else "the Ångström\nunit",
        "cost": None if q == 1 else 0.5,
        "duplicate": depth == 2,
        "unscored_reason": "no number" if (q, depth) == (1, 1) else None,
        "plan_sha256": "0" * 64,
    }
    for q in range(3)
    for depth in range(3)
]
ENDINGS = ["jsonl", "csv", "parquet"]


def fields(traces):
    return {
        name: getattr(traces, name).tolist() if isinstance(getattr(traces, name), np.ndarray) else getattr(traces, name)
        for name in traces.__slots__
    }


@pytest.mark.parametrize("ending", ENDINGS)
def test_what_is_written_is_read_again(tmp_path, ending):
    path = tmp_path / f"traces.{ending}"
    assert write_traces(ROWS, path) == 9
    traces = read_traces(path)
    assert traces.question_id == ("q0", "q1", "q2")
    assert traces.confidence[:4].tolist() == [0.0, 0.25, 0.5, 0.1]
    assert np.isnan(traces.confidence[4])
    assert traces.duplicate.tolist() == [False, False, True] * 3
    assert traces.models == ('m, "x"',)
    assert traces.is_test.tolist() == [False, True, True]
    assert np.isnan(traces.cost).tolist() == [False] * 3 + [True] * 3 + [False] * 3
    assert [path.name for path in tmp_path.iterdir()] == [f"traces.{ending}"]


def test_the_three_formats_say_the_same(tmp_path):
    read = []
    for ending in ENDINGS:
        write_traces(ROWS, tmp_path / f"t.{ending}")
        read.append(fields(read_traces(tmp_path / f"t.{ending}")))
    for other in read[1:]:
        for name, value in read[0].items():
            assert np.array_equal(np.array(value), np.array(other[name]), equal_nan=name in ("confidence", "cost")), (
                name
            )


def minimal(path, rows):
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    elif path.suffix == ".csv":
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    else:
        import pyarrow as pa
        import pyarrow.parquet as pq

        pq.write_table(pa.Table.from_pylist(rows), path)
    return path


FOUR = [{"question_id": "q", "depth": depth, "confidence": 0.5, "correct": True} for depth in range(3)]


@pytest.mark.parametrize("ending", ENDINGS)
def test_four_columns_are_enough(tmp_path, ending):
    traces = read_traces(minimal(tmp_path / f"t.{ending}", FOUR))
    assert len(traces) == 1
    assert not traces.has_answers


@pytest.mark.parametrize(
    ("ending", "where"), [("jsonl", "t.jsonl:3"), ("csv", "t.csv:4"), ("parquet", "t.parquet: row 3")]
)
def test_a_bad_row_is_named_with_its_line(tmp_path, ending, where):
    for changed, message in [({"depth": 3}, "no depth 2"), ({"confidence": 50.0}, "divide percentages by 100")]:
        rows = [*FOUR[:2], {**FOUR[2], **changed}]
        with pytest.raises(UserError, match=f"{where}: .*{message}"):
            read_traces(minimal(tmp_path / f"t.{ending}", rows))


def test_blank_lines_and_a_byte_order_mark_do_not_shift_the_line_number(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(FOUR[0]).encode() + b"\n\n\n" + b'{"question_id": "q"}\n')
    with pytest.raises(UserError, match=r"t.jsonl:4: no 'depth'"):
        read_traces(path)


def test_columns_may_come_late_and_in_another_order(tmp_path):
    rows = [FOUR[0], {"answer": "x", "correct": True, "confidence": 0.1, "depth": 1, "question_id": "q"}]
    traces = read_traces(minimal(tmp_path / "t.jsonl", rows))
    assert traces.answer.tolist() == [-1, 0]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "t.jsonl:2: not JSON"),
        ("[1]", "t.jsonl:2: expected a JSON object"),
        ('{"question_id": "q", "depth": 1, "confidence": NaN, "correct": true}', "t.jsonl:2: not JSON"),
        (
            '{"question_id": "q", "depth": 1, "confidence": 0.5, "correct": 1}',
            "t.jsonl:2: 'correct' must be true or false",
        ),
    ],
)
def test_a_line_that_cannot_be_read_is_named(tmp_path, line, message):
    path = tmp_path / "t.jsonl"
    path.write_text(json.dumps(FOUR[0]) + "\n" + line + "\n")
    with pytest.raises(UserError, match=message):
        read_traces(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("question_id,depth,confidence\nq,0,0.5\n", "t.csv:1: no column correct"),
        ("question_id,depth,confidence,correct\nq,0,0.5\n", "t.csv:2: 3 cells, but the first line names 4"),
        ("question_id,depth,confidence,correct\nq,0,85%,true\n", "t.csv:2: 'confidence' must be a number, got '85%'"),
        ("question_id,depth,confidence,correct\nq,0,nan,true\n", "t.csv:2: 'confidence' is nan"),
        ("question_id,depth,confidence,correct\nq,0,0.5,maybe\n", "t.csv:2: 'correct' must be true or false"),
        ("question_id,depth,confidence,correct,depth\n", "t.csv:1: the column 'depth' stands there twice"),
        ("", "t.csv:1: no column"),
        ("question_id,depth,confidence,correct\n", "t.csv:1: there are no traces"),
    ],
)
def test_a_bad_csv_file_is_refused(tmp_path, text, message):
    path = tmp_path / "t.csv"
    path.write_text(text)
    with pytest.raises(UserError, match=message):
        read_traces(path)


def test_an_empty_cell_is_unscored(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("question_id,depth,confidence,correct\n7,0,,TRUE\n")
    traces = read_traces(path)
    assert np.isnan(traces.confidence).tolist() == [True]
    assert traces.question_id == ("7",)


@pytest.mark.parametrize("name", ["t.txt", "t"])
def test_another_ending_is_refused(tmp_path, name):
    with pytest.raises(UserError, match="are read from"):
        read_traces(tmp_path / name)
    with pytest.raises(UserError, match="are written to"):
        write_traces(ROWS, tmp_path / name)


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_missing_file_and_a_folder_are_refused(tmp_path, ending):
    with pytest.raises(UserError, match="there is no such file"):
        read_traces(tmp_path / f"none.{ending}")
    (tmp_path / f"folder.{ending}").mkdir()
    with pytest.raises(UserError):
        read_traces(tmp_path / f"folder.{ending}")


def test_a_file_that_is_no_parquet_is_refused(tmp_path):
    (tmp_path / "t.parquet").write_bytes(b"not parquet at all")
    with pytest.raises(UserError, match="not a readable Parquet file"):
        read_traces(tmp_path / "t.parquet")


def test_a_failed_write_leaves_nothing_behind(tmp_path):
    def rows():
        yield ROWS[0]
        raise RuntimeError("stop")

    with pytest.raises(RuntimeError):
        write_traces(rows(), tmp_path / "t.jsonl")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("ending", ENDINGS)
def test_one_bad_row_in_a_million_is_named(tmp_path, ending):
    n = 1_000_000
    path = tmp_path / f"t.{ending}"
    bad = 765_432
    if ending == "parquet":
        import pyarrow as pa
        import pyarrow.parquet as pq

        confidence = np.full(n, 0.5)
        confidence[bad - 1] = 50
        columns = {"question_id": [f"q{row // 4}" for row in range(n)], "depth": np.arange(n) % 4}
        pq.write_table(pa.table({**columns, "confidence": confidence, "correct": np.ones(n, bool)}), path)
        where = f"row {bad}"
    else:
        with path.open("w") as file:
            if ending == "csv":
                file.write("question_id,depth,confidence,correct\n")
            for row in range(n):
                value = "50" if row == bad - 1 else "0.5"
                if ending == "csv":
                    file.write(f"q{row // 4},{row % 4},{value},true\n")
                else:
                    file.write(
                        f'{{"question_id":"q{row // 4}","depth":{row % 4},"confidence":{value},"correct":true}}\n'
                    )
        where = f"t.{ending}:{bad + (ending == 'csv')}"
    with pytest.raises(UserError, match=f"{where}: 'confidence' is 50"):
        read_traces(path)
