import pytest
from samples import dialogue

from hinterguesser.derive.keep import filtered
from hinterguesser.domain.dialogue import Hint

FURRY, WET = Hint("Is it furry?", "Yes."), Hint("Is it wet?", "No.")


def test_a_solved_dialogue_is_kept():
    kept = filtered(dialogue(FURRY, WET, kept=False))
    assert (kept.kept, kept.reason) == (True, None)


@pytest.mark.parametrize(
    ("outcome", "reason"),
    [
        ("exhausted", "not_converged"),
        ("leak", "leak"),
        ("malformed", "malformed"),
        ("illegal_hint", "illegal_hint"),
        ("repeated_hint", "repeated_hint"),
        ("backend_error", "backend_error"),
    ],
)
def test_every_other_outcome_has_its_reason(outcome, reason):
    rejected = filtered(dialogue(FURRY, outcome=outcome))
    assert (rejected.kept, rejected.reason) == (False, reason)


def test_a_leak_is_found_whoever_let_it_pass():
    assert filtered(dialogue(FURRY, Hint("Do wolves howl?", "Yes."))).reason == "leak"


def test_a_repeated_question_is_found_whoever_let_it_pass():
    assert filtered(dialogue(FURRY, Hint("is it furry ?", "Yes."))).reason == "repeated_hint"
