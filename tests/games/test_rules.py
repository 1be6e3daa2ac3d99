import pytest

from hinterguesser.domain.dialogue import Hint
from hinterguesser.domain.leak import Secret
from hinterguesser.flow import plugins

SECRET = Secret("wolf", ())


@pytest.mark.parametrize(
    ("game", "question", "answer", "fault"),
    [
        ("20q", "Is it alive?", "Yes.", None),
        ("20q", "Does it howl?", "yes, at night", None),
        ("20q", "What does it eat?", "Yes.", "yes or no"),
        ("20q", "Where does it live?", "No.", "yes or no"),
        ("20q", "Is it alive?", "Sometimes.", "begin with yes or no"),
        ("20q", "Is it alive?", "Nobody knows.", "begin with yes or no"),
        ("20q", "It is alive", "Yes.", "question mark"),
        ("20q", "Is it alive? Is it grey?", "Yes.", "one question"),
        ("guess", "Which continent is it on?", "Asia", None),
        ("guess", "The continent", "Asia", "question mark"),
        ("guess", "Which continent?", "  ", "empty"),
    ],
)
def test_each_game_has_its_rule(game, question, answer, fault):
    objection = plugins.game(game).objection(Hint(question, answer), SECRET, [])
    if fault is None:
        assert objection is None
    else:
        assert objection is not None
        assert objection.reason == "illegal_hint"
        assert fault in objection.message


def test_a_leak_weighs_more_than_a_broken_rule():
    objection = plugins.game("20q").objection(Hint("What about wolves", "?"), SECRET, [])
    assert objection is not None
    assert objection.reason == "leak"


def test_the_same_question_in_another_spelling_is_a_repetition():
    earlier = [Hint("Is it furry?", "Yes.")]
    objection = plugins.game("20q").objection(Hint("is it  FURRY ?", "Yes, very."), SECRET, earlier)
    assert objection is not None
    assert objection.reason == "repeated_hint"
