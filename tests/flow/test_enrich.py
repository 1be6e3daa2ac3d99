import json
import re

import pytest
from loopback import Loopback, Response, chat

from hinterguesser.backends.settings import CallSettings
from hinterguesser.errors import UserError
from hinterguesser.flow.enrich import EnrichSettings, enrich, questions_of
from hinterguesser.flow.generate import GenerateSettings, generate
from hinterguesser.store.entities import builtin_list, read_entities

NAMES = ["Alpha", "Beta", "Gamma"]


class Knowing:
    """Says of each city something of its own; about the metro it wavers; about 'Gamma' it fails while `broken`."""

    def __init__(self):
        self.count = 0
        self.wavering = 0
        self.broken = False

    def __call__(self, request):
        words = request.body["messages"][0]["content"]
        name = re.search(r"about: (\w+)", words)[1]
        if self.broken and name == "Gamma":
            return Response({"error": {"message": "no"}}, status=400)
        self.count += 1
        asked = re.findall(r"^- (\w+):", words, re.MULTILINE)
        self.wavering += "metro" in asked
        number = NAMES.index(name) + 1
        values = {
            "island": "no",
            "metro": ("yes", "no")[self.wavering % 2],
            "country": f"Land {number}",
            "utc_offset": None,
        }
        return chat(json.dumps({one: values.get(one) for one in asked}))


@pytest.fixture
def names(tmp_path):
    (tmp_path / "cities.txt").write_text("\n".join(NAMES))
    return tmp_path / "cities.txt"


def run(names, server, out, **other):
    settings = EnrichSettings(names, "guess", "m", samples=4, **other)
    return enrich(settings, out, CallSettings(api_base=server.url, concurrency=1, max_attempts=1))


def test_facts_that_all_samples_agree_on_make_a_list_that_can_be_played(names, tmp_path):
    with Loopback(Knowing()) as server:
        outcome = run(names, server, tmp_path / "out")
    listed = read_entities(outcome.path)
    assert [dict(entity.facts) for entity in listed.entities] == [
        {"country": f"Land {number}", "island": "no"} for number in (1, 2, 3)
    ]
    assert outcome.facts == 6
    assert outcome.left_out["not_unanimous"] == 3
    told = json.loads(outcome.votes_path.read_text().splitlines()[0])
    metro = next(one for one in told["votes"] if one["attribute"] == "metro")
    assert (metro["share"], metro["left_out"]) == (0.5, "not_unanimous")
    tally = generate(GenerateSettings("guess", entities=outcome.path), tmp_path / "run")
    assert tally.kept == 3


def test_a_run_goes_on_without_asking_again(names, tmp_path):
    knowing = Knowing()
    knowing.broken = True
    with Loopback(knowing) as server:
        first = run(names, server, tmp_path / "out")
        assert [name for name, _ in first.failed] == ["Gamma"]
        asked, knowing.broken = knowing.count, False
        second = run(names, server, tmp_path / "out")
        assert knowing.count == asked * 3 // 2
        run(names, server, tmp_path / "out")
        assert knowing.count == asked * 3 // 2
    assert (first.facts, second.facts, second.failed) == (4, 6, ())


def test_facts_that_are_there_are_neither_asked_for_nor_changed(tmp_path):
    (tmp_path / "mine.csv").write_text("name,island,colour\nAlpha,yes,red\n")
    with Loopback(Knowing()) as server:
        outcome = run(tmp_path / "mine.csv", server, tmp_path / "out")
        assert not any(b"- island:" in request.raw for request in server.requests)
    [entity] = read_entities(outcome.path).entities
    assert entity.facts == {"island": "yes", "colour": "red", "country": "Land 1"}


def test_other_settings_need_another_folder(names, tmp_path):
    with Loopback(Knowing()) as server:
        run(names, server, tmp_path / "out", limit=1)
        with pytest.raises(UserError, match="samples: 4 in the folder, 5 now"):
            enrich(EnrichSettings(names, "guess", "m"), tmp_path / "out", CallSettings(api_base=server.url))


def test_every_attribute_of_the_games_lists_can_be_asked_but_the_closing_ones():
    for game, closing in (("20q", "signature"), ("guess", "known_for")):
        listed = read_entities(builtin_list(game))
        questions = questions_of(listed)
        names = {question.attribute.name for question in questions}
        assert names == {attribute.name for attribute in listed.attributes} - {closing}
        assert all(question.values or question.examples for question in questions)
