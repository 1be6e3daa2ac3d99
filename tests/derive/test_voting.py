import json

from hinterguesser.derive.voting import Question, vote
from hinterguesser.domain.entity import Attribute, Entity, Wording
from hinterguesser.domain.prompts import PromptBook
from hinterguesser.domain.script import Reply, run_with

PROMPTS = PromptBook({"enrich": "{{name}}\n{{questions}}\n{{example}}", "again": "{{error}}"})
WORDING = Wording("{value}.")
QUESTIONS = [
    Question(Attribute("alive", "Is it alive?", WORDING, WORDING), ("yes", "no")),
    Question(Attribute("colour", "Which colour?", WORDING, WORDING), examples=("red",)),
]


def votes(*replies, name="otter", questions=QUESTIONS):
    said = [[Reply(json.dumps(one) if isinstance(one, dict) else one) for one in step] for step in replies]
    told = run_with(vote(Entity(name), questions, "m", len(replies[0]), PROMPTS), said)
    return {one.attribute: one for one in told}


def test_only_what_every_sample_says_is_a_fact():
    told = votes(
        [{"alive": "yes", "colour": "brown"}, {"alive": "yes", "colour": "Grey"}, {"alive": True, "colour": "brown"}]
    )
    assert (told["alive"].value, told["alive"].share, told["alive"].left_out) == ("yes", 1.0, None)
    assert (told["colour"].value, told["colour"].left_out) == ("brown", "not_unanimous")
    assert round(told["colour"].share, 2) == 0.67
    assert told["colour"].counts == {"brown": 2, "Grey": 1}


def test_another_spelling_of_the_same_value_agrees():
    told = votes([{"alive": "Yes", "colour": "dark brown"}, {"alive": "yes", "colour": "Dark Brown"}])
    assert told["alive"].value == "yes"
    assert told["colour"].left_out is None


def test_what_is_not_known_to_any_sample_is_left_out_as_unknown():
    assert votes([{"alive": None, "colour": None}] * 2)["alive"].left_out == "unknown"
    assert (
        votes([{"alive": None, "colour": "red"}, {"alive": "yes", "colour": "red"}])["alive"].left_out
        == "not_unanimous"
    )


def test_a_value_that_gives_the_name_away_is_left_out():
    told = votes([{"alive": "yes", "colour": "otter brown"}] * 2)
    assert told["colour"].left_out == "leak"


def test_a_value_that_is_not_on_the_list_is_asked_for_again_with_the_error():
    told = votes([{"alive": "maybe", "colour": "red"}], [{"alive": "no", "colour": "red"}])
    assert told["alive"].value == "no"


def test_a_sample_that_cannot_be_read_counts_as_no_vote():
    silent = "I would rather not say."
    good = {"alive": "yes", "colour": "red"}
    told = votes([good, silent], [silent], [silent], [silent])
    assert (told["alive"].share, told["alive"].left_out) == (0.5, "no_answer")
    assert votes([silent], [silent], [silent], [silent])["alive"].left_out == "no_answer"


def test_samples_are_independent_calls_and_long_lists_are_asked_in_parts():
    many = [Question(Attribute(f"a{number}", "Is it?", WORDING, WORDING), ("yes", "no")) for number in range(45)]
    calls = next(vote(Entity("otter"), many, "m", 3, PROMPTS))
    assert [call.sample for call in calls] == [0, 1, 2] * 3
    assert len({call.prompt for call in calls}) == 3
    assert all(call.sampling.temperature == 1.0 for call in calls)
