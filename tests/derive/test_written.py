import json

from samples import dialogue

from hinterguesser.derive.written import placebos, summaries
from hinterguesser.domain.dialogue import Hint, Placebo
from hinterguesser.domain.script import Reply, run_with
from hinterguesser.domain.structured import Stuck
from hinterguesser.store.prompts import read_prompts

PROMPTS = read_prompts()
TOLD = dialogue(Hint("Is it furry?", "Yes."), Hint("Is it wet?", "No."))


def replies(*objects):
    return [Reply(json.dumps(plain)) for plain in objects]


def test_summaries_are_asked_for_together_and_a_leaking_one_again():
    steps = [replies({"summary": "Furry."}, {"summary": "A dry wolf."}), replies({"summary": "Furry,  not wet."})]
    assert run_with(summaries(TOLD, "m", PROMPTS), steps) == ["Furry.", "Furry, not wet."]


def test_a_summary_that_keeps_leaking_is_missing_with_the_reason():
    bad = {"summary": "Wolves."}
    steps = [replies(bad, {"summary": "Dry."}), *[replies(bad)] * 3]
    stuck, fine = run_with(summaries(TOLD, "m", PROMPTS), steps)
    assert isinstance(stuck, Stuck)
    assert (stuck.reason, fine) == ("leak", "Dry.")


def test_a_written_placebo_must_pass_the_checks_of_a_hint():
    asked = {"question": "Is it furry?", "answer": "Yes."}
    fine = {"question": "Can it be named?", "answer": "Yes."}

    def refuse(hint):
        return "asked before" if hint.question == "Is it furry?" else None

    steps = [replies(asked, fine), replies(fine)]
    made = run_with(placebos(TOLD, "m", PROMPTS, refuse), steps)
    assert made == [Placebo(Hint("Can it be named?", "Yes."), "model")] * 2


def test_a_placebo_prompt_shows_only_what_was_said_before():
    [first, second] = next(placebos(TOLD, "m", PROMPTS, lambda _: None))
    assert "furry" not in first.prompt[0].content
    assert "furry" in second.prompt[0].content
    assert "wet" not in second.prompt[0].content
