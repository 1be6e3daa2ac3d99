import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from samples import dialogue

from hinterguesser.domain.dialogue import Dialogue, Failure, Guess, Hint, Placebo, Turn
from hinterguesser.domain.entity import Entity
from hinterguesser.errors import UserError
from hinterguesser.flow.quickstart import make_release
from hinterguesser.store.release import build, configs_of, read_config
from hinterguesser.store.run import RunFolder
from hinterguesser.store.splits import read_splits

HINT = Hint("Is it furry?", "Yes.")


def a_run(path, *told):
    with RunFolder.begin(path, "generate", {"game": "20q", "hinter": "h", "guesser": "g", "seed": 0}, {}).held() as run:
        run.finished(lambda _: False)
        for one in told:
            run.add(one)
        run.settle([one.id for one in told])
    return RunFolder.open(path)


@pytest.fixture
def run(tmp_path):
    return a_run(
        tmp_path / "run",
        dialogue(HINT, name="wolf", id="a"),
        dialogue(HINT, name="owl", id="b", kept=False, outcome="leak", failure=Failure(2, "hint", "it leaks", "owl!")),
        dialogue(HINT, HINT, name="eel", id="c"),
    )


def test_kept_and_rejected_dialogues_are_kept_apart(run, tmp_path):
    configs = build([run], tmp_path / "release", "1.2.3")
    assert [(config.name, config.dialogues) for config in configs] == [("20q", 2), ("20q_rejected", 1)]
    assert configs_of(tmp_path / "release") == ["20q", "20q_rejected"]
    assert [told.id for told in read_config(tmp_path / "release", "20q")] == ["a", "c"]
    [rejected] = read_config(tmp_path / "release", "20q_rejected")
    assert rejected.failure == Failure(2, "hint", "it leaks", "owl!")


def test_the_same_runs_give_the_same_bytes(run, tmp_path):
    build([run], tmp_path / "one", "1.0.0")
    build([run], tmp_path / "two", "1.0.0")
    files = [file.relative_to(tmp_path / "one") for file in (tmp_path / "one").rglob("*") if file.is_file()]
    assert len(files) == 5
    for file in files:
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()


def test_a_release_is_replaced_whole_and_anything_else_left_alone(run, tmp_path):
    out = tmp_path / "release"
    build([run], out, "1.0.0")
    (out / "stale.txt").write_text("")
    build([run], out, "1.0.1")
    assert not (out / "stale.txt").exists()
    assert json.loads((out / "provenance.json").read_text())["version"] == "1.0.1"
    other = tmp_path / "thesis"
    other.mkdir()
    (other / "chapter1.tex").write_text("mine")
    with pytest.raises(UserError, match="not a release"):
        build([run], other, "1.0.0")
    assert (other / "chapter1.tex").exists()


def test_what_cannot_be_released_leaves_nothing_behind(run, tmp_path):
    twice = a_run(tmp_path / "again", dialogue(HINT, name="wolf", id="a"))
    with pytest.raises(UserError, match="dialogue a is also in"):
        build([run, twice], tmp_path / "release", "1.0.0")
    with pytest.raises(UserError, match="three numbers"):
        build([run], tmp_path / "release", "1.0")
    none = a_run(tmp_path / "none", dialogue(HINT, id="x", kept=False, outcome="leak"))
    with pytest.raises(UserError, match="nothing to release"):
        build([none], tmp_path / "release", "1.0.0")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["again", "none", "run"]


def test_the_card_and_its_configs_are_read_by_the_hubs_own_loader(run, tmp_path):
    from huggingface_hub import DatasetCard

    build([run], tmp_path / "release", "1.0.0")
    card = DatasetCard.load(tmp_path / "release" / "README.md")
    names = [config["config_name"] for config in card.data.to_dict()["configs"]]
    assert names == ["20q", "20q_rejected"]
    assert card.data.license == "cc-by-4.0"
    assert "{{" not in card.content


def test_the_columns_are_those_of_a_dialogue_in_the_same_order(run, tmp_path):
    build([run], tmp_path / "release", "1.0.0")
    schema = pq.read_schema(tmp_path / "release" / "data" / "20q" / "test-00000-of-00001.parquet")
    assert schema.names == list(dialogue(HINT).to_dict())
    turn = schema.field("turns").type.value_type
    assert [turn.field(n).name for n in range(turn.num_fields)] == list(dialogue(HINT).turns[0].to_dict())
    assert schema.field("seed").type == pa.int64()


text = st.text(st.characters(codec="utf-8"), max_size=15)
hints = st.builds(Hint, text, text)
turns = st.builds(
    Turn,
    turn=st.integers(1, 200),
    hint=hints,
    guess=st.none() | st.builds(Guess, text, st.booleans(), st.lists(text, max_size=3).map(tuple)),
    guess_correct=st.none() | st.booleans(),
    n_candidates=st.none() | st.integers(0, 10**9),
    placebo=st.none() | st.builds(Placebo, hints, st.sampled_from(["pool", "redundant", "model"])),
    summary=st.none() | text,
)
dialogues = st.builds(
    lambda name, aliases, told, cost: dialogue(id="x", entity=Entity(name, aliases), turns=told, cost_usd=cost),
    text,
    st.lists(text, max_size=3).map(tuple),
    st.lists(turns, min_size=1, max_size=5).map(tuple),
    st.none() | st.floats(0, 100),
)


@given(dialogues)
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_any_dialogue_goes_through_run_and_release_and_comes_back_equal(tmp_path, told: Dialogue):
    for name in ("any", "release"):
        shutil.rmtree(tmp_path / name, ignore_errors=True)
    build([a_run(tmp_path / "any", told)], tmp_path / "release", "1.0.0")
    assert list(read_config(tmp_path / "release", "20q")) == [told]


AWKWARD = dialogue(
    Hint("\u202eזאב 🐺 \u2028 \x00 \ufeff", ""),
    name="ذئب",
    entity=Entity("ذئب 🐺", ("волк", "")),
    id="awkward",
)
LONG = dialogue(*[Hint(f"Is it {number}?", "No.") for number in range(200)], name="crab", id="long")


@given(st.lists(dialogues, min_size=1, max_size=12))
@settings(max_examples=6, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_any_dialogues_come_back_equal_through_datasets(tmp_path, several: list[Dialogue]):
    import datasets

    for name in ("any", "release", "cache"):
        shutil.rmtree(tmp_path / name, ignore_errors=True)
    told = [*(replace(one, id=f"d{number}") for number, one in enumerate(several)), AWKWARD, LONG]
    build([a_run(tmp_path / "any", *told)], tmp_path / "release", "1.0.0")
    datasets.disable_progress_bars()
    rows = datasets.load_dataset(
        str(tmp_path / "release"), "20q", split="test", cache_dir=str(tmp_path / "cache"), keep_in_memory=True
    )
    assert [Dialogue.from_dict(row) for row in rows] == told


def test_splits_are_drawn_by_entity_and_never_change_sides(tmp_path):
    drawn = read_splits("calibration=0.3,test=0.7")
    names = [f"thing {number}" for number in range(60)]
    first = [dialogue(HINT, name=name, id=f"a-{name}") for name in names]
    again = [dialogue(HINT, name=name.upper(), id=f"b-{name}", game="guess") for name in reversed(names[:40])]
    build([a_run(tmp_path / "a", *first)], tmp_path / "one", "1.0.0", drawn)
    build([a_run(tmp_path / "b", *again)], tmp_path / "two", "2.0.0", drawn)
    side = {
        one.entity.name: split
        for split in ("calibration", "test")
        for one in read_config(tmp_path / "one", "20q", split)
    }
    assert len(side) == 60
    assert 8 <= sum(split == "calibration" for split in side.values()) <= 28
    for split in ("calibration", "test"):
        assert all(side[one.entity.name.lower()] == split for one in read_config(tmp_path / "two", "guess", split))
    with pytest.raises(UserError, match="no split 'validation' in '20q'; there are: calibration, test"):
        list(read_config(tmp_path / "one", "20q", "validation"))


def test_the_card_says_splits_licences_filters_and_prompts(run, tmp_path):
    from huggingface_hub import DatasetCard

    build([run], tmp_path / "release", "1.0.0", read_splits("calibration=0.5,test=0.5"), "My-Own 1.0")
    card = DatasetCard.load(tmp_path / "release" / "README.md", ignore_metadata_errors=False)
    assert (card.data.license, card.data.license_name) == ("other", "my-own-1-0")
    assert "| `20q` | `leak` | 1 | a hint gives the secret away |" in card.text
    assert "My-Own 1.0" in card.text
    assert "`calibration` 0.5, `test` 0.5" in card.text
    assert "hinterguesser adapt grace" in card.text


def test_datasets_reads_the_configs_of_the_card_offline(run, tmp_path):
    import datasets

    build([run], tmp_path / "release", "1.0.0")
    assert datasets.get_dataset_config_names(str(tmp_path / "release")) == ["20q", "20q_rejected"]


def test_croissant_metadata_names_every_file_with_its_checksum_and_every_column(run, tmp_path):
    build([run], tmp_path / "release", "1.0.0")
    croissant = json.loads((tmp_path / "release" / "croissant.json").read_text())
    for file in croissant["distribution"]:
        content = (tmp_path / "release" / file["contentUrl"]).read_bytes()
        assert file["sha256"] == sha256(content).hexdigest()
    records = {one["name"]: [field["name"] for field in one["field"]] for one in croissant["recordSet"]}
    assert records["20q-test"] == list(dialogue(HINT).to_dict())
    assert records["20q_rejected-test"] == [*dialogue(HINT).to_dict(), "failure"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"schema": 2}, r"dialogues.jsonl:1: .*schema version 2 is not known"),
        ({"seed": "zero"}, "does not fit the schema"),
        ({"turns": None}, "dialogues.jsonl:1: this line is no dialogue"),
        ({"colour": "red"}, "does not fit the schema"),
        ({"game": "../outside"}, "cannot be the name of a folder"),
    ],
)
def test_a_run_that_does_not_fit_the_schema_is_refused_and_nothing_is_left(tmp_path, change, said):
    path = a_run(tmp_path / "odd", dialogue(HINT)).dialogues_path
    path.write_text(json.dumps(json.loads(path.read_text()) | change) + "\n")
    with pytest.raises(UserError, match=said):
        build([RunFolder.open(tmp_path / "odd")], tmp_path / "release", "1.0.0")
    assert [entry.name for entry in tmp_path.iterdir()] == ["odd"]


def test_a_folder_that_holds_no_dialogues_is_refused_by_the_command_that_made_it(tmp_path):
    with RunFolder.begin(tmp_path / "eval", "evaluate", {}, {}).held():
        pass
    with pytest.raises(UserError, match="made by `hinterguesser evaluate`"):
        build([RunFolder.open(tmp_path / "eval")], tmp_path / "release", "1.0.0")


@pytest.mark.parametrize("licence", ["", "a: b", "x\ny", "y" * 80])
def test_a_licence_that_is_no_name_is_refused(run, tmp_path, licence):
    with pytest.raises(UserError, match="--licence"):
        build([run], tmp_path / "release", "1.0.0", licence=licence)


@pytest.mark.parametrize(
    "text", ["", "test", "test=2", "test=0.5", "test=0.5,test=0.5", "train=1", "a=-1,test=2", "Test=1", "test=1,a=0"]
)
def test_shares_that_are_none_are_refused(text):
    with pytest.raises(UserError, match="--splits"):
        read_splits(text)


LOAD = """
import socket, sys
def refuse(*_, **__): raise OSError("no network in this test")
socket.create_connection = socket.socket.connect = refuse
import datasets
rows = datasets.load_dataset(sys.argv[1], sys.argv[2], split="test")
print(len(rows), rows[0]["entity"]["name"], rows[0]["turns"][0]["turn"], sep="|")
"""


def loaded(release, config, home):
    done = subprocess.run(
        [sys.executable, "-c", LOAD, str(release), config],
        capture_output=True, text=True, timeout=120, env={**os.environ, "HF_HOME": str(home)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_datasets_loads_a_release_without_a_network(run, tmp_path):
    build([run], tmp_path / "release", "1.0.0")
    assert loaded(tmp_path / "release", "20q", tmp_path) == "2|wolf|1"
    assert loaded(tmp_path / "release", "20q_rejected", tmp_path) == "1|owl|1"


SHIPPED = Path(__file__).parents[2] / "release" / "small"


@pytest.mark.parametrize("config", ["20q", "guess"])
def test_datasets_loads_the_checked_in_release_without_a_network(config, tmp_path):
    count, _, first = loaded(SHIPPED, config, tmp_path).split("|")
    assert int(count) == 8
    assert first == "1"


def test_the_checked_in_release_is_what_the_code_makes(tmp_path):
    """The commands that made it are in release/README.md; with the same pyarrow it is the same to the byte."""
    make_release(tmp_path / "work", tmp_path / "again", entities=8)
    for config in configs_of(SHIPPED):
        assert list(read_config(tmp_path / "again", config)) == list(read_config(SHIPPED, config))
    before, now = (json.loads((path / "provenance.json").read_text()) for path in (SHIPPED, tmp_path / "again"))
    if before["pyarrow"] == now["pyarrow"]:
        assert now == before
        assert (SHIPPED / "README.md").read_bytes() == (tmp_path / "again" / "README.md").read_bytes()
