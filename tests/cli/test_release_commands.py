"""adapt, build, push and entities as they are typed."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from quiz_packets import PASSWORD, published_zip, tossup

SHIPPED = Path(__file__).parents[2] / "release" / "small"


def hinterguesser(*arguments, cwd=None, **environment):
    return subprocess.run(
        [sys.executable, "-m", "hinterguesser", *map(str, arguments)],
        capture_output=True, text=True, timeout=120, cwd=cwd, stdin=subprocess.DEVNULL,
        env={**os.environ, "HF_HUB_OFFLINE": "1", **environment},
    )  # fmt: skip


def fails(*arguments, **other):
    done = hinterguesser(*arguments, **other)
    assert done.returncode == 2, (done.stdout, done.stderr)
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert done.stderr.count("hinterguesser: ") == 1, done.stderr
    return done.stderr


def test_adapt_says_how_many_records_became_what(tmp_path):
    path = published_zip(tmp_path / "grace.zip", {"packet1_x.json": [tossup(1), tossup(1), tossup(2, answer="")]})
    done = hinterguesser("adapt", "grace", path, "--out", tmp_path / "run", "--json", HINTERGUESSER_PASSWORD=PASSWORD)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["records"], told["kept"], told["rejected"]) == (3, 1, {"no_answer": 1, "repeated": 1})
    assert told["licence"] is None
    done = hinterguesser("adapt", "grace", path, "--out", tmp_path / "run", "--password", PASSWORD)
    assert "kept 1 of 3 records of grace" in done.stdout
    assert "1 rejected: no_answer" in done.stdout
    assert PASSWORD not in done.stdout + done.stderr


def traversal(path):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("../packet1_x.json", "[]")


def bomb(path):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("packet1_x.json", b" " * 20_000_000)


def cut(path):
    published_zip(path)
    path.write_bytes(path.read_bytes()[:-40])


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (traversal, "leads outside of the archive"),
        (bomb, "too much to be a question packet"),
        (cut, "no zip archive, or cut off"),
        (published_zip, "the password is wrong"),
        (lambda path: path.write_text("a,b\n1,2\n"), "no zip archive"),
    ],
)
def test_an_archive_at_fault_gets_one_message_and_nothing_is_written(tmp_path, make, said):
    (tmp_path / "inside").mkdir()
    path = tmp_path / "inside" / "grace.zip"
    make(path)
    message = fails("adapt", "grace", path, "--out", tmp_path / "inside" / "run", "--password", "wr0ng")
    assert said in message
    assert "wr0ng" not in message
    assert sorted(tmp_path.rglob("*")) == [path.parent, path]


def test_a_csv_as_json_gets_one_message_with_its_line(tmp_path):
    (tmp_path / "questions.json").write_text("text,page\nA clue,Answer\n")
    message = fails("adapt", "trickme", tmp_path / "questions.json", "--out", tmp_path / "run")
    assert "questions.json:1: not JSON" in message
    assert not (tmp_path / "run").exists()


def test_build_splits_and_push_lists_what_it_would_send(tmp_path):
    assert hinterguesser("generate", "guess", "--limit", 20, "--out", tmp_path / "run").returncode == 0
    asked = ("build", tmp_path / "run", "--out", tmp_path / "release", "--splits", "calibration=0.4,test=0.6", "--json")
    done = hinterguesser(*asked, "--licence", "CC0-1.0")
    assert done.returncode == 0, done.stderr
    splits = json.loads(done.stdout)["configs"]["guess"]["splits"]
    assert sum(splits.values()) == 20
    assert min(splits.values()) > 0
    done = hinterguesser("push", tmp_path / "release", "--repo", "ada/hints", "--dry-run", "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["tag"], told["commit"]) == ("v1.0.0", None)
    assert {file["path"] for file in told["files"]} == {
        "README.md", "croissant.json", "provenance.json",
        *(f"data/guess/{split}-00000-of-00001.parquet" for split in splits),
    }  # fmt: skip
    for file in told["files"]:
        if file["path"].startswith("data/"):
            assert file["bytes"] == (tmp_path / "release" / file["path"]).stat().st_size


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("push", SHIPPED, "--repo", "hints", "--dry-run"), "--repo is written USER/NAME"),
        (("push", "nowhere", "--repo", "ada/hints"), "no provenance.json in it"),
        (("push", SHIPPED, "--repo", "ada/hints", "--include", "grace"), "has no such dataset; there are: 20q, guess"),
        (("build", "nowhere", "--out", "x", "--splits", "test=2"), "--splits: "),
        (("adapt", "squad", "x", "--out", "y"), "there are: grace, trickme"),
        (("adapt", "trickme", "nowhere.json", "--out", "y"), "no such file or folder"),
        (("entities", "show", SHIPPED / "README.md"), "ends in .txt, .csv or .jsonl"),
        (("entities", "import", "kaggle", "x.py", "--limit", "3", "--out", "y.jsonl"), "--limit is for geonames"),
        (("entities", "enrich", "x.txt", "--game", "20q", "--model", "m", "--out", "y"), "no such file"),
    ],
)
def test_a_mistake_gets_one_message_and_leaves_nothing_behind(tmp_path, arguments, said):
    assert said in fails(*arguments, cwd=tmp_path)
    assert not list(tmp_path.iterdir())


def test_push_refuses_a_release_whose_rows_were_changed(tmp_path):
    assert hinterguesser("generate", "20q", "--limit", 3, "--out", tmp_path / "run").returncode == 0
    assert hinterguesser("build", tmp_path / "run", "--out", tmp_path / "release").returncode == 0
    [file] = (tmp_path / "release" / "data" / "20q").iterdir()
    file.write_bytes(file.read_bytes() + b"x")
    assert "not as `build` wrote it" in fails("push", tmp_path / "release", "--repo", "ada/hints", "--dry-run")


def test_entities_check_says_notes_with_status_0_and_what_is_unusable_with_2(tmp_path):
    (tmp_path / "fine.csv").write_text("name,legs\ncat,4\ncat flap,0\n")
    done = hinterguesser("entities", "check", tmp_path / "fine.csv", "--json")
    assert done.returncode == 0
    told = json.loads(done.stdout)
    assert told["usable"]
    assert "contained_name" in {finding["kind"] for finding in told["findings"]}
    (tmp_path / "bad.txt").write_text("cat\ndog\nCat\n")
    done = hinterguesser("entities", "check", tmp_path / "bad.txt")
    assert done.returncode == 2
    assert "duplicate_name" in done.stdout
    assert "bad.txt:3: 'Cat' is there already" in done.stderr


def test_entities_import_reports_every_change_and_show_reads_it(tmp_path):
    words = [{"keyword": "Cat", "alts": ["Kitty"]}, {"keyword": "cat", "alts": []}]
    (tmp_path / "keywords.json").write_text(json.dumps([{"category": "things", "words": words}]))
    asked = ("entities", "import", "kaggle", tmp_path / "keywords.json", "--out", tmp_path / "list.jsonl")
    done = hinterguesser(*asked)
    assert done.returncode == 0, done.stderr
    assert "case_collision (1)" in done.stdout
    assert "is there already" in fails(*asked)
    done = hinterguesser("entities", "show", tmp_path / "list.jsonl", "kitty")
    assert done.stdout == "Cat (also: Kitty)\n  category: things\n"
    assert "no entity is called dog" in fails("entities", "show", tmp_path / "list.jsonl", "dog")
