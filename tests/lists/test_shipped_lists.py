"""Promises about the entity lists and placebo pools that ship."""

import json
import random

import pytest

from hinterguesser.domain.facts import FactTable
from hinterguesser.domain.leak import Secret
from hinterguesser.domain.script import run_with
from hinterguesser.domain.spelling import normalise
from hinterguesser.flow import plugins
from hinterguesser.players.oracle import OracleGuesser, OracleHinter
from hinterguesser.players.play import Table, play
from hinterguesser.store.entities import builtin_list, read_entities
from hinterguesser.store.prompts import read_pool

GAMES = ("20q", "guess")
LISTS = {game: read_entities(builtin_list(game)) for game in GAMES}


def played(game, seed=0):
    listed = LISTS[game]
    facts = FactTable(listed)
    table = Table(plugins.game(game), "x", "o", "o", facts, 20, seed)
    for entity in listed.entities:
        hinter = OracleHinter(facts, 1.25, random.Random(f"{seed}/{entity.name}"))
        yield run_with(play(table, entity, hinter, OracleGuesser(facts)), [])


@pytest.mark.parametrize("game", GAMES)
def test_each_list_has_its_size(game):
    assert len(LISTS[game].entities) >= 230


@pytest.mark.parametrize("game", GAMES)
def test_every_two_entities_differ_in_a_fact_known_of_both_even_without_the_distinctive_one(game):
    listed = LISTS[game]
    closing = {attribute.name for attribute in listed.attributes if attribute.closing}
    assert len(closing) == 1
    facts = [{k: v for k, v in entity.facts.items() if k not in closing} for entity in listed.entities]
    for index, mine in enumerate(facts):
        for other in range(index):
            theirs = facts[other]
            assert any(theirs.get(name, value) != value for name, value in mine.items()), (
                listed.entities[index].name,
                listed.entities[other].name,
            )


@pytest.mark.parametrize("game", GAMES)
def test_every_entity_is_singled_out_within_twenty_hints(game):
    table = FactTable(LISTS[game])
    for entity in LISTS[game].entities:
        candidates, facts, hints = table.everyone, list(table.facts_of(entity)), 0
        while candidates.bit_count() > 1:
            best = min(facts, key=lambda fact: (candidates & fact.fits).bit_count())
            facts.remove(best)
            assert candidates & best.fits != candidates, f"{entity.name}: no fact is left that narrows"
            candidates &= best.fits
            hints += 1
        assert hints <= 20
        assert [member.name for member in table.members(candidates)] == [entity.name]


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("seed", [0, 1])
def test_oracle_dialogues_are_solved_in_about_the_papers_length_and_close_with_the_distinctive_fact(game, seed):
    dialogues = list(played(game, seed))
    assert {dialogue.outcome for dialogue in dialogues} == {"solved"}
    lengths = [dialogue.length for dialogue in dialogues]
    assert 6 <= sum(lengths) / len(lengths) <= 10
    table = FactTable(LISTS[game])
    closed = sum(table.fact_of(dialogue.turns[-1].hint).closing for dialogue in dialogues)
    assert closed / len(dialogues) > 0.9


@pytest.mark.parametrize("game", GAMES)
def test_no_distinctive_fact_gives_its_own_entity_away(game):
    table = FactTable(LISTS[game])
    for entity in LISTS[game].entities:
        secret = Secret(entity.name, entity.aliases)
        [closing] = [fact for fact in table.facts_of(entity) if fact.closing]
        assert secret.leak_in(f"{closing.hint.question} {closing.hint.answer}") is None, entity.name


@pytest.mark.parametrize("game", GAMES)
def test_few_facts_have_to_be_held_back_because_they_leak(game):
    table = FactTable(LISTS[game])
    held = [
        (entity.name, fact.attribute)
        for entity in LISTS[game].entities
        for fact in table.facts_of(entity)
        if Secret(entity.name, entity.aliases).leak_in(f"{fact.hint.question} {fact.hint.answer}")
    ]
    total = sum(len(entity.facts) for entity in LISTS[game].entities)
    assert len(held) / total < 0.01, held[:20]


@pytest.mark.parametrize("game", GAMES)
def test_every_hint_of_the_table_is_legal_in_its_game(game):
    table, rule = FactTable(LISTS[game]), plugins.game(game).rule
    for entity in LISTS[game].entities:
        for fact in table.facts_of(entity):
            assert rule(fact.hint) is None, fact.hint


@pytest.mark.parametrize("game", GAMES)
def test_a_placebo_pool_is_large_legal_and_names_no_entity(game):
    pool = read_pool(game)
    questions = {normalise(hint.question) for hint in pool}
    assert len(questions) == len(pool) >= 40
    asked = {
        normalise(fact.hint.question)
        for entity in LISTS[game].entities
        for fact in FactTable(LISTS[game]).facts_of(entity)
    }
    assert not questions & asked
    for hint in pool:
        assert plugins.game(game).rule(hint) is None, hint
        for entity in LISTS[game].entities:
            assert Secret(entity.name, entity.aliases).leak_in(f"{hint.question} {hint.answer}") is None, (hint, entity)


def test_implied_facts_agree():
    """A few laws that a wrong entry in the yes/no list would break."""
    laws = [
        ({"animal": "yes"}, {"living": "yes", "plant": "no"}),
        ({"plant": "yes"}, {"living": "yes", "animal": "no"}),
        ({"living": "yes"}, {"human_made": "no"}),
    ]
    known = {attribute.name for attribute in LISTS["20q"].attributes}
    for given, then in laws:
        assert {*given, *then} <= known, json.dumps(sorted(known))
        for entity in LISTS["20q"].entities:
            if all(entity.facts.get(name) == value for name, value in given.items()):
                for name, value in then.items():
                    assert entity.facts.get(name, value) == value, (entity.name, name)
