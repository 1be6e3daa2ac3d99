import pytest

from hinterguesser.domain.script import Call, Reply, Script, TokenChoice, Usage, run_with, together


def asking(*steps: int) -> Script[list[str]]:
    """Makes so many calls at each step, and returns what it was told."""
    heard: list[str] = []
    for count in steps:
        replies = yield [Call("m", f"step {count}")] * count
        heard += [reply.text for reply in replies]
    return heard


def replies(*texts: str) -> list[Reply]:
    return [Reply(text) for text in texts]


def test_a_script_gets_its_replies_in_the_order_of_its_calls():
    assert run_with(asking(2, 1), [replies("a", "b"), replies("c")]) == ["a", "b", "c"]


def test_a_script_that_wants_more_than_was_prepared_is_noticed():
    with pytest.raises(RuntimeError, match="more calls than were prepared"):
        run_with(asking(1, 1), [replies("a")])


def test_prepared_replies_that_nobody_asks_for_are_noticed():
    with pytest.raises(RuntimeError, match="1 prepared steps unused"):
        run_with(asking(1), [replies("a"), replies("b")])


def test_scripts_together_make_their_calls_together_and_keep_their_own_replies():
    script = together([asking(1, 2), asking(), asking(2)])
    assert run_with(script, [replies("a", "b", "c"), replies("d", "e")]) == [["a", "d", "e"], [], ["b", "c"]]


def test_no_scripts_together_are_done_at_once():
    assert run_with(together([]), []) == []


def test_a_reply_goes_through_its_plain_form_unchanged():
    whole = Reply("text", "stop", "because", (TokenChoice("A", -0.1),), Usage(1, 2, 3), 0.5, ("repaired",))
    assert Reply.from_dict(whole.to_dict()) == whole
    assert Reply("text").to_dict() == {"text": "text"}
    assert Reply.from_dict({"text": "text"}) == Reply("text")
