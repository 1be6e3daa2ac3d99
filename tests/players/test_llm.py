import json
import random

import pytest

from hinterguesser.domain.dialogue import Guess, Hint
from hinterguesser.domain.entity import Entity
from hinterguesser.domain.script import Reply, run_with
from hinterguesser.domain.structured import Stuck
from hinterguesser.flow import plugins
from hinterguesser.players.llm import ModelGuesser, ModelHinter
from hinterguesser.players.play import Table, play, with_cost
from hinterguesser.store.prompts import read_prompts

PROMPTS = read_prompts()
SECRET = Entity("Bogor, Indonesia", ("Buitenzorg",))


def players(seed=0):
    rng = random.Random(seed)
    return ModelHinter("h", "guess", PROMPTS, 1.0, rng), ModelGuesser("g", "guess", PROMPTS, 1.0, rng)


def script(*, max_turns=3, seed=0):
    table = Table(plugins.game("guess"), "Name it.", "h", "g", None, max_turns, seed)
    return with_cost(play(table, SECRET, *players(seed)))


def hint(question, answer):
    return [Reply(json.dumps({"question": question, "answer": answer}), cost_usd=0.25)]


def guess(name, unique=False, alternatives=()):
    return [Reply(json.dumps({"guess": name, "unique": unique, "alternatives": list(alternatives)}), cost_usd=0.5)]


ASIA = hint("Which continent is it on?", "Asia")
RAIN = hint("What is it known for?", "Rain and a botanical garden")


def test_a_dialogue_ends_when_the_guess_is_correct_and_unique():
    steps = [ASIA, guess("Bogor", False, ["Bandung"]), RAIN, guess("bogor, Indonesia.", True)]
    dialogue = run_with(script(), steps)
    assert dialogue.outcome == "solved"
    assert [turn.guess_correct for turn in dialogue.turns] == [True, True]
    assert dialogue.turns[0].guess == Guess("Bogor", False, ("Bandung",))
    assert dialogue.cost_usd == 1.5


def test_unique_but_wrong_goes_on():
    steps = [ASIA, guess("Bandung", True), RAIN, guess("Bogor", True)]
    assert run_with(script(), steps).length == 2


def test_a_budget_that_runs_out_is_exhausted():
    dialogue = run_with(script(max_turns=1), [ASIA, guess("Bandung")])
    assert (dialogue.outcome, dialogue.length, dialogue.failure) == ("exhausted", 1, None)


def test_a_leaking_hint_is_asked_for_again_and_then_ends_the_dialogue():
    leak = hint("Is it called Bogor?", "Yes")
    assert run_with(script(max_turns=1), [leak, leak, ASIA, guess("Bogor", True)]).outcome == "solved"
    dialogue = run_with(script(), [leak] * 4)
    assert dialogue.outcome == "leak"
    assert dialogue.failure.stage == "hint"
    assert "Bogor" in dialogue.failure.text


def test_a_repeated_question_ends_as_such():
    assert run_with(script(), [ASIA, guess("Bandung"), *[ASIA] * 4]).outcome == "repeated_hint"


@pytest.mark.parametrize("text", ["I cannot play.", "", '{"guess": 5, "unique": true}'])
def test_a_malformed_guess_keeps_its_raw_text(text):
    dialogue = run_with(script(), [ASIA, *[[Reply(text)]] * 4])
    assert dialogue.outcome == "malformed"
    assert (dialogue.failure.stage, dialogue.failure.text, dialogue.failure.turn) == ("guess", text, 1)
    assert dialogue.cost_usd is None, "a reply without a price leaves the cost unknown"


def test_a_guess_that_is_unique_and_has_alternatives_contradicts_itself():
    both = guess("Bogor", True, ["Bandung"])
    assert run_with(script(max_turns=1), [ASIA, both, guess("Bogor", True)]).outcome == "solved"
    same = guess("Bogor", True, ["bogor", ""])
    assert run_with(script(max_turns=1), [ASIA, same]).outcome == "solved"


def test_the_guesser_never_sees_the_secret_and_the_hinter_always_does():
    """Every prompt of a long dialogue, asked again and all, is looked at."""
    steps = [ASIA, guess("Bandung"), [Reply("?")], RAIN, [Reply("{")], guess("Jakarta"), ASIA, RAIN, RAIN, RAIN]
    running = script(seed=4)
    calls = next(running)
    seen = {"g": 0, "h": 0}
    for step in steps:
        for call in calls:
            words = " ".join(message.content for message in call.prompt).lower()
            seen[call.model] += 1
            assert ("bogor" in words) == (call.model == "h")
            assert ("buitenzorg" in words) == (call.model == "h")
        try:
            calls = running.send(step)
        except StopIteration:
            break
    assert seen["g"] >= 3
    assert seen["h"] >= 3


def test_the_same_request_in_two_dialogues_is_drawn_twice():
    first, other = next(script(seed=1))[0], next(script(seed=2))[0]
    assert first.prompt == other.prompt
    assert first.sampling.seed != other.sampling.seed


def test_a_guesser_is_told_all_hints():
    _, guesser = players()
    running = guesser.guess([Hint("Which continent?", "Asia"), Hint("Coast?", "No.")])
    [call] = next(running)
    assert "1. Which continent? Asia\n2. Coast? No." in call.prompt[-1].content


def test_a_hinter_that_never_speaks_json_is_stuck():
    hinter, _ = players()
    assert isinstance(run_with(hinter.hint(SECRET, [], lambda _: None), [[Reply("hm")]] * 4), Stuck)
