import pytest

from hinterguesser.domain.prompts import PromptBook
from hinterguesser.domain.script import Call, Message, Reply, run_with
from hinterguesser.domain.structured import ASKED_AGAIN, Stuck, ask, parse_object

SCHEMA = {"type": "object", "required": ["name"], "properties": {"name": {"type": "string", "minLength": 1}}}
PROMPTS = PromptBook({"again": "No: {{error}}"})
CALL = Call("m", (Message("user", "who?"),))


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "Ann"}',
        '```json\n{"name": "Ann"}\n```',
        'Sure! Here it is:\n{"name": "Ann",}\nAnything else?',
        "{'name': 'Ann'}",
        '{name: "Ann"}',
        '{"name": "Ann"',
    ],
)
def test_small_slips_are_repaired(text):
    assert parse_object(Reply(text), SCHEMA) == {"name": "Ann"}


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (Reply(""), "empty"),
        (Reply("Ann, I think."), "no JSON object"),
        (Reply("[1, 2]"), "no JSON object"),
        (Reply('{"name": ""}'), "name"),
        (Reply('{"name": 7}'), "name"),
        (Reply('{"nam": "Ann"}'), "'name' is a required property"),
        (Reply('{"name": "An', finish_reason="length"), "cut off"),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_reason(reply, error):
    stuck = parse_object(reply, SCHEMA)
    assert isinstance(stuck, Stuck)
    assert error in stuck.error


def test_the_model_is_told_what_was_wrong_and_asked_again():
    script = ask(CALL, SCHEMA, lambda plain: plain["name"], PROMPTS)
    assert next(script) == [CALL]
    [second] = script.send([Reply("Ann!")])
    assert second.prompt[-2:] == (Message("assistant", "Ann!"), Message("user", "No: the reply holds no JSON object"))
    with pytest.raises(StopIteration) as stop:
        script.send([Reply('{"name": "Ann"}')])
    assert stop.value.value == "Ann"


def test_a_reply_that_stays_unusable_ends_with_its_text_and_the_checks_own_reason():
    script = ask(CALL, SCHEMA, lambda plain: Stuck("leak", "it says the name"), PROMPTS)
    result = run_with(script, [[Reply('{"name": "Ann"}')]] * (1 + ASKED_AGAIN))
    assert result == Stuck("leak", "it says the name", '{"name": "Ann"}')
