"""The adapters on records of the published files, where those are at hand; nothing of them stands here."""

import re
from collections import Counter
from pathlib import Path

import pytest

from hinterguesser.adapters.base import AdaptOptions
from hinterguesser.adapters.grace import PLUGIN as GRACE
from hinterguesser.adapters.grace import read_tossups
from hinterguesser.adapters.lists import import_kaggle, import_lmrl
from hinterguesser.adapters.records import REASONS
from hinterguesser.adapters.trickme import PLUGIN as TRICKME
from hinterguesser.store.entities import read_entities, write_entities

DATA = Path(__file__).resolve().parents[2] / "../shared/data"


def sample(name: str) -> Path:
    path = DATA / name
    if not path.exists():
        pytest.skip(f"the published sample {name} is not at hand (looked in ../shared/data beside the repository)")
    return path


def password() -> str:
    """The one that the archive's own README publishes, from the note beside the sample."""
    found = re.search(r"publishes: (\w+)", sample("grace/SOURCE.md").read_text(encoding="utf-8"))
    assert found is not None
    return found[1]


def letters(text: str) -> str:
    return re.sub(r"\s", "", text)


@pytest.mark.parametrize("granularity", ["sentence", "characters:100"])
def test_every_grace_record_becomes_a_dialogue(granularity):
    path = sample("grace/ALL_final_buzzpoints_enc.sample.zip")
    options = AdaptOptions("Name it.", granularity=granularity, password=password())
    tossups = list(read_tossups(path, options.password))
    dialogues = list(GRACE.read(path, options))
    assert len(dialogues) == len(tossups) > 0
    assert all(dialogue.kept for dialogue in dialogues)
    assert len({dialogue.id for dialogue in dialogues}) == len(dialogues)
    for tossup, dialogue in zip(tossups, dialogues, strict=True):
        assert letters("".join(turn.hint.answer for turn in dialogue.turns)) == letters(tossup.question)
        assert 3 <= dialogue.length <= 10
    assert not any(row["buzzes_unread"] for row in GRACE.annotations(path, options))


@pytest.mark.parametrize("granularity", ["sentence", "characters:100"])
@pytest.mark.parametrize(
    "name", ["hf_qanta_dummy_data.json", "pace_2018_expo_sample.json", "qanta_buzzdev_sample.json"]
)
def test_every_qanta_record_becomes_a_dialogue_or_a_rejection_with_a_reason(name, granularity):
    dialogues = list(TRICKME.read(sample(f"trickme/{name}"), AdaptOptions("Name it.", granularity=granularity)))
    assert dialogues
    assert {dialogue.reason for dialogue in dialogues if not dialogue.kept} <= set(REASONS)
    assert all(dialogue.length >= 2 for dialogue in dialogues if dialogue.kept)
    clues = [turn.hint.answer for dialogue in dialogues for turn in dialogue.turns]
    assert not any("(*)" in clue or len(clue) <= 3 for clue in clues if granularity == "sentence")


def test_public_lists_become_lists_that_can_be_read(tmp_path):
    lmrl, kaggle = "lmrl_gym", "kaggle_20q"
    cities = sample(f"{lmrl}/global_cities_sample.txt")
    for imported in (
        import_lmrl(sample(f"{lmrl}/twenty_questions_objects_sample.json")),
        import_lmrl(cities, sample(f"{lmrl}/city_alias_sample.json")),
        import_kaggle(sample(f"{kaggle}/keywords_things_sample.json")),
        import_kaggle(sample(f"{kaggle}/keywords_2023_places_sample.json")),
    ):
        write_entities(imported.listed, tmp_path / "list.jsonl")
        assert read_entities(tmp_path / "list.jsonl").entities == imported.listed.entities
        assert Counter(note.kind for note in imported.notes)["cut_row"] <= 1
