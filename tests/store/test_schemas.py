"""Every file that leaves the program fits its published schema."""

import json

import pytest
from jsonschema import Draft202012Validator

from hinterguesser.flow.quickstart import make_release
from hinterguesser.store.assets import asset_folder

FOLDER = asset_folder("release") / "schemas"


def validator(name):
    return Draft202012Validator(json.loads((FOLDER / f"{name}.schema.json").read_text()))


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    make_release(folder / "work", folder / "release", entities=5)
    return folder


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.json")), ids=lambda path: path.name)
def test_each_schema_is_a_schema(path):
    Draft202012Validator.check_schema(json.loads(path.read_text()))


@pytest.mark.parametrize("game", ["20q", "guess"])
def test_runs_and_releases_fit(made, game):
    for told in lines(made / "work" / game / "dialogues.jsonl"):
        validator("dialogue").validate(told)
    validator("run").validate(json.loads((made / "work" / game / "run.json").read_text()))
    validator("provenance").validate(json.loads((made / "release" / "provenance.json").read_text()))


@pytest.mark.parametrize("game", ["20q", "guess"])
def test_entity_lists_fit(game):
    lists = asset_folder("entity_lists")
    for row in lines(lists / f"{game}.jsonl"):
        validator("entity").validate(row)
    for row in lines(lists / f"{game}.attributes.jsonl"):
        validator("attribute").validate(row)
