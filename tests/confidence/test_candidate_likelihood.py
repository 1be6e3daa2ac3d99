"""The search, against a made-up model whose every next-token distribution is known."""

from math import log

import pytest

from hinterguesser.confidence.base import Candidate, Context, Subject
from hinterguesser.confidence.candidate_likelihood import estimate
from hinterguesser.domain.dialogue import Hint
from hinterguesser.domain.estimate import Confidence, Unscored
from hinterguesser.domain.matching import names as compiled
from hinterguesser.domain.script import Reply, TokenChoice
from hinterguesser.store.prompts import read_prompts

TOKENS = {
    "": {" Lon": 0.5, " New": 0.3, " Par": 0.1, " The": 0.1},
    " Lon": {"don": 0.9, "g": 0.1},
    " London": {"\n": 0.8, " City": 0.2},
    " New": {" York": 0.7, " Delhi": 0.3},
    " New York": {"\n": 0.5, " City": 0.5},
    " New Delhi": {"\n": 1.0},
    " Par": {"is": 1.0},
    " Paris": {"<|im_end|>": 1.0},
}
LIST = ("London, United Kingdom", "New York, United States", "New Delhi, India", "Paris, France", "Oslo, Norway")


def asked(answer, *, rendering="plain", listed=LIST, accepts=None):
    subject = Subject("m", read_prompts(), rendering, names={"guess": listed})
    context = Context(subject, "guess", "Name it.", (Hint("Which continent?", "Europe"),))
    script = estimate(context, Candidate(answer, accepts or compiled(answer).accepts))
    prompts = []
    try:
        calls = next(script)
        while True:
            prompts += [call.prompt for call in calls]
            calls = script.send([Reply("", first_token=spread(call.prompt)) for call in calls])
    except StopIteration as stop:
        return stop.value, prompts


def spread(prompt):
    written = prompt.rpartition("Name:")[2]
    return tuple(TokenChoice(token, log(p)) for token, p in TOKENS[written].items())


ALL = {"London": 0.5 * 0.9 * 0.8, "New York": 0.3 * 0.7 * 0.5, "New Delhi": 0.3 * 0.3, "Paris": 0.1}


@pytest.mark.parametrize("name", ALL)
def test_the_likelihood_is_the_names_share_of_all_names_that_can_be_written(name):
    found, _ = asked(name)
    assert isinstance(found, Confidence)
    assert found.value == pytest.approx(ALL[name] / sum(ALL.values()))


def test_shares_of_all_names_add_up_to_one():
    assert sum(asked(name)[0].value for name in ALL) == pytest.approx(1)


def test_each_beginning_is_asked_once():
    _, prompts = asked("Paris")
    assert len(prompts) == len(set(prompts)) <= 8


def test_a_name_that_the_top_lists_do_not_reach_is_unscored_not_zero():
    found, _ = asked("Oslo")
    assert isinstance(found, Unscored)
    assert "cannot be written" in found.reason


def test_an_answer_off_the_list_a_chat_model_or_no_list_are_unscored_with_the_reason():
    assert "not on the list" in asked("Springfield")[0].reason
    assert "chat messages" in asked("London", rendering="chat")[0].reason
    assert "no closed list" in asked("London", listed=())[0].reason
