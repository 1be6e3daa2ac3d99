import shutil
from pathlib import Path

import pytest

import hinterguesser
from hinterguesser.errors import UserError
from hinterguesser.flow.source import Source
from hinterguesser.store.release import read_config

SHIPPED = Path(__file__).parents[2] / "release" / "small"


def test_load_gives_the_typed_dialogues_of_a_release():
    assert hinterguesser.load(SHIPPED, "guess") == list(read_config(SHIPPED, "guess"))
    assert len(hinterguesser.load(str(SHIPPED))) == 16
    assert len(hinterguesser.load(SHIPPED, split=None)) == 16


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"config": "chess"}, "no config 'chess'; there are: 20q, guess"),
        ({"config": "20q", "split": "train"}, "no split 'train' in '20q'; there are: test"),
        ({"split": "train"}, "no kept dialogue of train"),
        ({"revision": "v1.0.0"}, "a folder has no revisions"),
    ],
)
def test_what_is_not_there_is_said_with_what_is(asked, said):
    with pytest.raises(UserError, match=said):
        hinterguesser.load(SHIPPED, **asked)


def test_a_folder_goes_before_a_dataset_of_the_same_name_on_the_hub(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert Source(Path("ada/hints")).hub_name == "ada/hints"
    shutil.copytree(SHIPPED, tmp_path / "ada" / "hints")
    assert Source(Path("ada/hints")).hub_name is None
    assert len(hinterguesser.load("ada/hints", "20q")) == 8
    for name in ("hints", "a/b/c", "./a/b", "../a", "/ada/hints", "~/hints"):
        assert Source(Path(name) / "x" if name == "~/hints" else Path(name)).hub_name in (None, "a/b")


def test_turns_are_rows_with_the_prompt_of_each_condition():
    [first, *_] = hinterguesser.load(SHIPPED, "guess")
    rows = hinterguesser.turns([first])
    assert [row["turn"] for row in rows] == [turn.turn for turn in first.turns]
    third, turn = rows[2], first.turns[2]
    assert third["multi"][0] == {"role": "user", "content": first.instruction}
    assert [message["content"] for message in third["multi"][1:7:2]] == [one.hint.question for one in first.turns[:3]]
    assert third["placebo"][:5] == third["multi"][:5]
    assert third["placebo"][5]["content"] == turn.placebo.hint.question
    assert [message["content"] for message in third["single"][1:-1]] == [turn.summary]
    assert third["multi"][-1] == third["single"][-1]
    assert third["level"] == 3 / first.length


def test_turns_ask_any_prompt_and_lack_what_a_dialogue_lacks(tmp_path):
    from hinterguesser.flow.generate import GenerateSettings, generate

    generate(GenerateSettings("20q", limit=1), tmp_path / "run")
    [row, *_] = hinterguesser.turns(hinterguesser.load(tmp_path / "run"), "vanilla_verb", candidate="a moon")
    assert "a moon" in row["multi"][-1]["content"]
    assert (row["placebo"], row["single"]) == (None, None)
    with pytest.raises(UserError, match="placeholders without a value: \\['candidate'\\]"):
        hinterguesser.turns(hinterguesser.load(tmp_path / "run"), "vanilla_verb")
