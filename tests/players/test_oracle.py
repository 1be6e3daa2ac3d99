import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import little_list, random_list

from hinterguesser.domain.facts import FactTable
from hinterguesser.domain.matching import names
from hinterguesser.domain.script import run_with
from hinterguesser.flow import plugins
from hinterguesser.players.oracle import OracleGuesser, OracleHinter
from hinterguesser.players.play import Table, play


def played(listed, entity, *, pace=1.0, seed=0, max_turns=20):
    facts = FactTable(listed)
    table = Table(plugins.game("guess"), "Name it.", "builtin/oracle", "builtin/oracle", facts, max_turns, seed)
    hinter = OracleHinter(facts, pace, random.Random(seed))
    return run_with(play(table, entity, hinter, OracleGuesser(facts)), [])


def fitting(listed, dialogue, turns):
    """The entities that fit the first so many hints, by looking at each fact of each entity."""
    facts = FactTable(listed)
    said = [facts.fact_of(turn.hint) for turn in dialogue.turns[:turns]]
    return [
        entity.name
        for entity in listed.entities
        if all(entity.facts.get(fact.attribute, fact.value) == fact.value for fact in said)
    ]


@given(st.integers(0, 10**6), st.floats(0.1, 4))
def test_candidates_are_counted_exactly_never_rise_and_are_one_when_solved(seed, pace):
    listed = random_list(random.Random(seed))
    entity = listed.entities[seed % len(listed.entities)]
    dialogue = played(listed, entity, pace=pace, seed=seed)
    counts = [turn.n_candidates for turn in dialogue.turns]
    assert counts == [len(fitting(listed, dialogue, turn)) for turn in range(1, dialogue.length + 1)]
    assert counts == sorted(counts, reverse=True)
    assert len(set(counts)) == len(counts), "a hint that says nothing was given"
    for turn in dialogue.turns:
        still = fitting(listed, dialogue, turn.turn)
        assert entity.name in still
        assert turn.guess.guess == still[0]
        assert turn.guess.unique == (len(still) == 1)
        assert list(turn.guess.alternatives) == still[1:6]
        assert turn.guess_correct == (still[0] == entity.name)
    assert (dialogue.outcome == "solved") == (counts[-1:] == [1])


def test_the_distinctive_fact_closes_the_dialogue():
    listed = little_list()
    for entity in listed.entities:
        dialogue = played(listed, entity)
        assert dialogue.outcome == "solved"
        assert dialogue.turns[-1].hint.question == "What is it known for?"
        assert all(turn.n_candidates > 1 for turn in dialogue.turns[:-1])


def test_a_faster_pace_makes_shorter_dialogues():
    listed = random_list(random.Random(1), entities=200, attributes=30, unknown=0)

    def mean_length(pace):
        return sum(played(listed, entity, pace=pace, seed=2).length for entity in listed.entities) / 200

    slow, even, fast = mean_length(0.3), mean_length(1.0), mean_length(3.0)
    assert slow > even >= fast


def test_twins_that_no_fact_tells_apart_end_exhausted_with_the_reason():
    listed = little_list()
    twin = listed.entities[0]
    twins = type(listed)((*listed.entities, type(twin)("jackal", facts=dict(twin.facts))), listed.attributes)
    dialogue = played(twins, twin)
    assert dialogue.outcome == "exhausted"
    assert dialogue.failure.error == "no fact is left that narrows the candidates"
    assert dialogue.turns[-1].n_candidates == 2


def test_the_turn_budget_ends_a_dialogue():
    dialogue = played(little_list(), little_list().entities[7], max_turns=2)
    assert dialogue.length == 2
    assert dialogue.outcome == "exhausted"
    assert dialogue.failure is None


def test_a_fact_that_would_give_the_secret_away_is_never_said():
    listed = little_list()
    entity = listed.entities[0]
    leaking = type(entity)(entity.name, facts={**entity.facts, "fame": "the leader of the wolf pack"})
    dialogue = played(type(listed)((leaking, *listed.entities[1:]), listed.attributes), leaking)
    assert all("wolf" not in turn.hint.answer for turn in dialogue.turns)
    assert dialogue.outcome == "solved"


@pytest.mark.parametrize("seed", range(3))
def test_the_seed_decides_the_dialogue(seed):
    listed = random_list(random.Random(5), entities=60, attributes=20)
    entity = listed.entities[9]
    assert played(listed, entity, seed=seed) == played(listed, entity, seed=seed)
    assert played(listed, entity, seed=seed).turns != played(listed, entity, seed=seed + 1).turns


def test_a_guess_is_judged_by_the_one_matcher():
    entity = little_list().entities[0]
    assert names(entity.name, entity.aliases).accepts("The common wolf")
