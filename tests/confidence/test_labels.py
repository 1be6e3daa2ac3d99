from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterguesser.confidence.base import Candidate, Context, Subject
from hinterguesser.confidence.labels import WIDEST_BOUND, label_probability, probe
from hinterguesser.domain.dialogue import Hint
from hinterguesser.domain.estimate import Confidence, Unscored
from hinterguesser.domain.script import Reply, TokenChoice, run_with
from hinterguesser.store.prompts import read_prompts


def reply(**choices):
    ranked = sorted(choices.items(), key=lambda item: -item[1])
    return Reply("A", first_token=tuple(TokenChoice(token.replace("_", " "), log(p)) for token, p in ranked))


def scored(first, label="A", against="B"):
    estimate = label_probability(first, label, against)
    assert isinstance(estimate, Confidence), estimate
    return estimate


def test_letter_variants_are_summed():
    estimate = scored(reply(A=0.3, _A=0.1, a=0.1, B=0.2, _b=0.05, The=0.2))
    assert estimate.p_raw == pytest.approx(0.5)
    assert estimate.label_mass == pytest.approx(0.75)
    assert estimate.value == estimate.p_normalised == pytest.approx(0.5 / 0.75)


@pytest.mark.parametrize("token", ["\u2581A", "\u0120A", " A", "A\n", "a"])
def test_a_label_is_known_however_its_tokenizer_spells_white_space(token):
    first = Reply("", first_token=(TokenChoice(token, log(0.6)), TokenChoice("B", log(0.2))))
    assert scored(first).value == pytest.approx(0.75)


def test_white_space_instead_of_a_label_is_unscored():
    first = Reply(
        "\n", first_token=(TokenChoice("\n", log(0.9)), TokenChoice("A", log(0.04)), TokenChoice("B", log(0.02)))
    )
    assert label_probability(first, "A", "B") == Unscored("white space instead of a label")


def test_words_that_begin_with_the_letter_are_not_the_label():
    estimate = label_probability(reply(Answer=0.6, As=0.2, Because=0.1), "A", "B")
    assert estimate == Unscored("neither label among the 3 likeliest tokens")


def test_one_label_is_not_one_minus_the_other():
    """A sits at .5 and B is out of the list, which leaves up to .1 for it: the confidence is anything from .83 to 1."""
    estimate = label_probability(reply(A=0.5, The=0.2, It=0.1, I=0.1), "A", "B")
    assert isinstance(estimate, Unscored)
    assert "label B not among the 4 likeliest tokens" in estimate.reason
    assert "between 0.833 and 1.000" in estimate.reason


def test_a_missing_label_that_can_hardly_matter_is_bounded():
    estimate = scored(reply(A=0.97, The=0.025, It=0.004))
    assert 1 - WIDEST_BOUND < estimate.value < 1
    low = scored(reply(B=0.97, The=0.025, It=0.004))
    assert 0 < low.value < WIDEST_BOUND
    assert low.p_raw is None, "what was not seen is not made up"


def test_without_log_probabilities_it_says_so():
    assert label_probability(Reply("A"), "A", "B") == Unscored("no log-probabilities in reply")


@given(st.floats(0.001, 0.5), st.floats(0.001, 0.5))
def test_the_two_labels_share_one(a, b):
    first = reply(A=a, B=b)
    assert scored(first).value + scored(first, "B", "A").value == pytest.approx(1)


CONTEXT = {"game": "guess", "instruction": "Name it.", "hints": (Hint("Which continent?", "Asia"),)}


def test_swapped_labels_cancel_a_lean_on_the_letter():
    """A model that says A nine times of ten, whatever A means, comes out at one half."""
    context = Context(Subject("m", read_prompts(), swap_labels=True), **CONTEXT)
    script = probe(context, Candidate("Bogor", lambda _: False), "p_true")
    estimate = run_with(script, [[reply(A=0.9, B=0.1), reply(A=0.9, B=0.1)]])
    assert estimate.value == pytest.approx(0.5)


def test_under_the_swapped_order_the_letters_change_places():
    context = Context(Subject("m", read_prompts(), swap_labels=True), **CONTEXT)
    straight, swapped = next(probe(context, Candidate("Bogor", lambda _: False), "p_true"))
    assert "A. True\nB. False" in straight.prompt[-1].content
    assert "A. False\nB. True" in swapped.prompt[-1].content


def test_one_unscored_order_leaves_the_average_unscored():
    context = Context(Subject("m", read_prompts(), swap_labels=True), **CONTEXT)
    script = probe(context, Candidate("Bogor", lambda _: False), "p_sufficient")
    assert isinstance(run_with(script, [[reply(A=0.9, B=0.1), Reply("A")]]), Unscored)
