import pytest
from samples import dialogue

from hinterguesser.confidence.base import Subject
from hinterguesser.confidence.trial import Trial, put
from hinterguesser.confidence.views import views
from hinterguesser.domain.dialogue import Hint, Placebo
from hinterguesser.domain.entity import Entity
from hinterguesser.domain.script import Reply, TokenChoice
from hinterguesser.flow import plugins
from hinterguesser.store.prompts import read_prompts

PROMPTS = read_prompts()
HINTS = (Hint("Is it furry?", "Yes."), Hint("Does it howl?", "Yes."), Hint("Does it live in packs?", "Yes."))


def told(**changes):
    from dataclasses import replace

    plain = dialogue(*HINTS, entity=Entity("wolf", ("grey wolf",)))
    turns = tuple(
        replace(
            turn,
            n_candidates=count,
            placebo=Placebo(Hint(f"Can it be named on day {turn.turn}?", "Yes."), "pool"),
            summary=f"Summary {turn.turn}.",
        )
        for turn, count in zip(plain.turns, (4, 2, 1), strict=True)
    )
    return replace(plain, turns=turns, **changes)


def run(trial, answer):
    """Drive a trial with a function from a call to a reply; returns predictions and all calls, step by step."""
    script, steps = put(trial, told()), []
    try:
        calls = next(script)
        while True:
            steps.append(calls)
            calls = script.send([answer(call) for call in calls])
    except StopIteration as stop:
        return stop.value, steps


def trial(*methods, **options):
    subject = {key: options.pop(key) for key in ("samples", "rendering", "swap_labels") if key in options}
    return Trial(Subject("m", PROMPTS, **subject), [plugins.method(name) for name in methods], **options)


def last(call):
    return call.prompt[-1].content


def says(call):
    if "How confident" in last(call):
        return Reply(r"### Confidence: \boxed{70}")
    if "A. " in last(call):
        return Reply("A", first_token=(TokenChoice("A", -0.2), TokenChoice("B", -1.7)))
    return Reply(r"\boxed{Grey Wolf}" if call.sampling.temperature == 0 or call.sample % 4 else r"\boxed{fox}")


def test_the_model_answers_first_and_every_method_judges_that_answer():
    judged, steps = run(trial("vanilla_verb", "cot_verb", "p_true", "p_sufficient"), says)
    assert [len(step) for step in steps] == [1, 4] * 3
    assert all("Grey Wolf" in last(call) for step in steps[1::2] for call in step)
    assert [(row.turn, row.answer, row.correct) for row in judged.predictions[::4]] == [
        (turn, "Grey Wolf", True) for turn in (1, 2, 3)
    ]
    assert {row.method: row.confidence for row in judged.predictions}["vanilla_verb"] == 0.7


def test_a_transcript_is_a_prefix_of_the_next_turns_and_the_probe_comes_last():
    _, steps = run(trial("vanilla_verb", "p_true"), says)
    before = None
    for answering, probing in zip(steps[::2], steps[1::2], strict=True):
        transcript = answering[0].prompt[:-1]
        assert all(call.prompt[:-1] == transcript for call in probing)
        if before is not None:
            assert transcript[: len(before)] == before
        before = transcript


def test_samples_serve_both_targets():
    judged, steps = run(trial("self_consistency", samples=8, targets=("answer", "gold")), says)
    answer_samples, gold_samples = steps[1][:8], steps[1][8:]
    assert answer_samples == gold_samples, "the same calls, so the journal makes them once"
    assert [call.sample for call in answer_samples] == list(range(8))
    assert {call.sampling.temperature for call in answer_samples} == {1.0}
    assert [row.confidence for row in judged.predictions] == [0.75] * 6
    assert [row.target for row in judged.predictions[:2]] == ["answer", "gold"]


def test_self_consistency_matches_by_the_matcher_and_the_aliases():
    samples = [r"\boxed{the wolf}", r"\boxed{grey wolves}", r"\boxed{red fox}", r"\boxed{A fox}"]

    def answer(call):
        return Reply(samples[call.sample] if call.sampling.temperature else r"\boxed{fox}")

    judged, _ = run(trial("self_consistency", samples=4, targets=("answer", "gold")), answer)
    own, gold = judged.predictions[:2]
    assert (own.correct, own.confidence) == (False, 0.25)
    assert gold.confidence == 0.5


def test_unreadable_samples_are_left_out_and_too_many_leave_it_unscored():
    def answer(share):
        def reply(call):
            readable = not call.sampling.temperature or call.sample < share
            return Reply(r"\boxed{wolf}" if readable else "")

        return reply

    assert run(trial("self_consistency", samples=8), answer(4))[0].predictions[0].confidence == 1.0
    assert run(trial("self_consistency", samples=8), answer(3))[0].predictions[0].unscored_reason == (
        "no answer in 5 of 8 samples"
    )


def test_an_answer_that_cannot_be_read_leaves_nothing_to_judge_but_the_gold_one():
    def mute(call):
        return Reply("") if "How confident" not in last(call) else says(call)

    judged, steps = run(trial("vanilla_verb", targets=("answer", "gold")), mute)
    own, gold = judged.predictions[:2]
    assert (own.answer, own.correct, own.confidence) == (None, None, None)
    assert own.unscored_reason.startswith("no answer to judge")
    assert gold.confidence == 0.7
    assert "wolf" in last(steps[1][0])


def test_each_condition_shows_what_it_says():
    shown = {name: [view.hints for view in views(told(), name)] for name in ("multi", "placebo", "single")}
    sham = [Hint(f"Can it be named on day {turn}?", "Yes.") for turn in (1, 2, 3)]
    assert shown["multi"] == [HINTS[:1], HINTS[:2], HINTS]
    assert shown["placebo"] == [(sham[0],), (HINTS[0], sham[1]), (*HINTS[:2], sham[2])]
    assert shown["single"] == [(Hint("", f"Summary {turn}."),) for turn in (1, 2, 3)]
    assert [view.n_candidates for view in views(told(), "placebo")] == [None, 4, 2]
    with pytest.raises(ValueError, match="unknown condition"):
        list(views(told(), "nonsense"))


def test_a_turn_without_a_placebo_is_unscored_with_the_reason():
    script = put(trial("vanilla_verb", conditions=("placebo",)), dialogue(*HINTS))
    with pytest.raises(StopIteration) as stop:
        next(script)
    assert {row.unscored_reason for row in stop.value.value.predictions} == {"no placebo hint for this turn"}


def test_the_exact_references_come_from_the_certificate():
    judged, _ = run(trial("oracle_correct", "oracle_sufficient"), says)
    correct = [row.confidence for row in judged.predictions if row.method == "oracle_correct"]
    sufficient = [row.confidence for row in judged.predictions if row.method == "oracle_sufficient"]
    assert correct == [0.25, 0.5, 1.0]
    assert sufficient == [0.0, 0.0, 1.0]


def test_a_reply_cut_off_by_the_token_limit_states_nothing():
    def cut(call):
        return Reply(r"\boxed{wolf}") if "How confident" not in last(call) else Reply("Confidence: 8", "length")

    judged, _ = run(trial("vanilla_verb"), cut)
    assert {row.unscored_reason for row in judged.predictions} == {"the reply was cut off by the token limit"}


def test_a_judge_is_asked_only_where_the_matcher_says_no_and_its_verdict_is_kept():
    def reply(call):
        if call.model == "judge":
            return Reply('{"same": true}' if "timber" in last(call) else '{"same": false}')
        return Reply(r"\boxed{timber dog}" if "Does it howl?" in str(call.prompt) else r"\boxed{wolf}")

    judged, _ = run(trial("oracle_correct", judge="judge"), reply)
    assert [row.correct for row in judged.predictions] == [True, True, True]
    assert [(verdict.answer, verdict.same) for verdict in judged.verdicts] == [("timber dog", True)] * 2
