from samples import dialogue, little_table

from hinterguesser.derive.summary import worded
from hinterguesser.domain.dialogue import Hint

FURRY, FAME = Hint("Is it furry?", "Yes."), Hint("What is it known for?", "Deed number 0.")


def test_each_summary_says_every_hint_so_far_and_nothing_else():
    assert worded(dialogue(FURRY, FAME), little_table()) == [
        "It is furry.",
        "It is furry. It is known for deed number 0.",
    ]


def test_a_hint_in_other_words_is_quoted_so_that_nothing_is_lost():
    [summary] = worded(dialogue(Hint("How heavy is it?", "40 kg")), little_table())
    assert summary == 'To the question "How heavy is it?" the answer is: 40 kg.'


def test_a_clue_without_a_question_stands_for_itself():
    assert worded(dialogue(Hint("", "It hunts."), Hint("", "It howls.")), None)[1] == "It hunts. It howls."
