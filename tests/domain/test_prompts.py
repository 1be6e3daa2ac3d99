import pytest

from hinterguesser.domain.prompts import PromptBook
from hinterguesser.errors import UserError

BOOK = PromptBook({"greet": "Hello {{name}}, {{name}}! {single}"})


def test_every_placeholder_is_replaced():
    assert BOOK.render("greet", name="you") == "Hello you, you! {single}"


def test_a_value_that_looks_like_a_placeholder_stays_as_it_is():
    assert BOOK.render("greet", name="{{name}}") == "Hello {{name}}, {{name}}! {single}"


@pytest.mark.parametrize("fields", [{}, {"nam": "x"}, {"name": "x", "more": "y"}])
def test_a_placeholder_or_value_left_over_is_an_error_and_never_passes_silently(fields):
    with pytest.raises(UserError, match="greet"):
        BOOK.render("greet", **fields)


def test_an_unknown_prompt_names_the_known_ones():
    with pytest.raises(UserError, match=r"no prompt 'part'.*greet"):
        BOOK.text("part")
