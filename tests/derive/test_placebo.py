import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import dialogue, random_list

from hinterguesser.derive.placebo import from_pool, redundant
from hinterguesser.domain.dialogue import Hint, Placebo
from hinterguesser.domain.facts import FactTable
from hinterguesser.errors import UserError

POOL = tuple(Hint(f"Can one think of it on day {number}?", "Yes.") for number in range(30))
FURRY = Hint("Is it furry?", "Yes.")


def test_a_pool_is_drawn_without_repeating():
    told = dialogue(*[Hint(f"Is it number {n}?", "No.") for n in range(30)])
    drawn = from_pool(told, POOL, random.Random(0))
    assert {placebo.hint for placebo in drawn} == set(POOL)
    assert {placebo.kind for placebo in drawn} == {"pool"}


def test_a_pair_that_leaks_or_was_asked_for_real_is_passed_over():
    pool = (Hint("Do wolves exist?", "Yes."), Hint("is it FURRY?", "Yes."), POOL[0])
    assert from_pool(dialogue(FURRY), pool, random.Random(0)) == [Placebo(POOL[0], "pool")]
    with pytest.raises(UserError, match="2 turns, but only 1 placebo"):
        from_pool(dialogue(FURRY, Hint("Is it wet?", "No.")), pool, random.Random(0))


@given(st.integers(0, 10**6))
def test_a_redundant_fact_leaves_the_candidates_as_they_are_to_the_last_member(seed):
    rng = random.Random(seed)
    listed = random_list(rng, entities=12, attributes=15)
    table = FactTable(listed)
    entity = rng.choice(listed.entities)
    facts = list(table.facts_of(entity))
    rng.shuffle(facts)
    told = dialogue(*[fact.hint for fact in facts[: len(facts) // 2]], name=entity.name)
    spare = [Placebo(POOL[number], "pool") for number in range(told.length)]
    placebos = redundant(told, entity, table, spare, rng)
    said = {turn.hint for turn in told.turns}
    topical = [placebo.hint for placebo in placebos if placebo.kind == "redundant"]
    assert len(set(topical)) == len(topical)
    assert not said & set(topical)
    for number, placebo in enumerate(placebos):
        before = [turn.hint for turn in told.turns[:number]]
        if placebo.kind == "redundant":
            assert table.fitting([*before, placebo.hint]) == table.fitting(before)
        else:
            assert placebo == spare[number]


def test_redundant_needs_hints_that_the_table_knows():
    listed = random_list(random.Random(0))
    told = dialogue(Hint("Is it odd?", "Very."), FURRY, name=listed.entities[0].name)
    with pytest.raises(UserError, match="not worded from the fact table"):
        redundant(told, listed.entities[0], FactTable(listed), [Placebo(POOL[0], "pool")] * 2, random.Random(0))
