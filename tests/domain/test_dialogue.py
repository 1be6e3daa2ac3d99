import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import dialogue, little_list, random_list

from hinterguesser.domain.dialogue import Dialogue, Failure, Guess, Hint, Placebo, Turn
from hinterguesser.domain.entity import Entity
from hinterguesser.domain.facts import FactTable

text = st.text(st.characters(codec="utf-8"), max_size=12)
hints = st.builds(Hint, text, text)
turns = st.builds(
    Turn,
    turn=st.integers(1, 200),
    hint=hints,
    guess=st.none() | st.builds(Guess, text, st.booleans(), st.lists(text, max_size=3).map(tuple)),
    guess_correct=st.none() | st.booleans(),
    n_candidates=st.none() | st.integers(0, 10**6),
    placebo=st.none() | st.builds(Placebo, hints, st.sampled_from(["pool", "redundant", "model"])),
    summary=st.none() | text,
)


@given(
    st.lists(turns, max_size=4).map(tuple),
    text,
    st.none() | st.builds(Failure, st.integers(0, 9), st.just("hint"), text, text),
)
def test_any_dialogue_goes_through_its_plain_form_unchanged(some_turns, name, failure):
    whole = dialogue(name=name, turns=some_turns, failure=failure)
    assert Dialogue.from_dict(whole.to_dict()) == whole


def test_an_unknown_schema_version_is_refused():
    with pytest.raises(ValueError, match="schema version 2"):
        Dialogue.from_dict({**dialogue().to_dict(), "schema": 2})


@pytest.mark.parametrize(
    ("name", "slug"),
    [("Bogor, Indonesia", "bogor-indonesia"), ("alarm clock", "alarm-clock"), ("jack-in-the-box", "jack-in-the-box")],
)
def test_a_plain_name_is_its_own_slug(name, slug):
    assert Entity(name).slug == slug


def test_names_that_lose_letters_on_the_way_keep_apart():
    names = ["São Paulo", "Sao Paulo", "東京", "京都", "a b", "a  b", "!", "?", "C", "C++", "C#", "Paris.", "Paris"]
    slugs = [Entity(name).slug for name in names]
    assert len(set(slugs)) == len(names)
    assert all(slug and set(slug) <= set("abcdefghijklmnopqrstuvwxyz0123456789-") for slug in slugs)


def test_an_entity_with_an_unknown_fact_still_fits():
    for seed in range(20):
        listed = random_list(random.Random(seed))
        table = FactTable(listed)
        for entity in listed.entities:
            said: dict[str, str] = {}
            bits = table.everyone
            for fact in table.facts_of(entity):
                said[fact.attribute] = fact.value
                bits &= fact.fits
                by_hand = [
                    other.name
                    for other in listed.entities
                    if all(other.facts.get(name, value) == value for name, value in said.items())
                ]
                assert [member.name for member in table.members(bits)] == by_hand
                assert table.fact_of(fact.hint) == fact


def test_a_hint_in_other_words_has_no_certificate():
    table = FactTable(little_list())
    assert table.fitting([Hint("Is it furry?", "Yes.")]).bit_count() == 4
    assert table.fitting([Hint("Is it furry?", "Certainly.")]) is None
