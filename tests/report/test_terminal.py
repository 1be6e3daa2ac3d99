import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_up import course, named, told

from hinterguesser.report.tables import columns
from hinterguesser.report.terminal import Screen, bar, listing, reading, wrapped

SGR = re.compile("\x1b\\[\\d+m")
ODD = "\x1b]0;owned\x07<b>東京都\u202e\x00"


@given(st.text(), st.integers(12, 100), st.integers(0, 8))
def test_no_line_is_wider_than_asked_and_no_word_is_lost(text, width, indent):
    from hinterguesser.report.tables import printable

    shown = printable(text)
    lines = wrapped(shown, width, indent=indent)
    assert all(columns(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(shown.split())


@pytest.mark.parametrize("width", [20, 39, 60, 120])
@pytest.mark.parametrize("colour", [False, True])
@pytest.mark.parametrize("blocks", [False, True])
def test_a_dialogue_fits_any_terminal_and_sends_it_nothing_but_colours(width, colour, blocks):
    screen = Screen(width, colour, blocks)
    for shown in (told(1, rejected=True), named(ODD)):
        lines = [*reading(shown, [course(shown)], screen), *listing([shown], screen)]
        plain = [SGR.sub("", line) for line in lines]
        assert all(columns(line) <= width for line in plain)
        assert not any(set(line) & set("\x00\x07\x1b\u202e") for line in plain)
        assert (lines != plain) is colour
        if not blocks:
            assert not any(set(line) & set("█·✓✗") for line in plain)


def test_everything_a_turn_holds_is_read_and_verdicts_are_words():
    shown = told(3)
    text = "\n".join(reading(shown, [course(shown)], Screen(2000)))
    last = shown.turns[-1]
    for part in (last.hint.question, last.hint.answer, last.placebo.hint.question, last.summary, "(pool)"):
        assert part in text
    assert "1 of the fact table (certified unique)" in text
    assert "still fit" in text
    assert "none fits any more" in text
    assert "wrong)" in text
    assert "right)" in text
    assert "unscored" in text


def test_why_a_dialogue_was_rejected_stands_there_with_what_was_said():
    shown = told(3, rejected=True)
    text = "\n".join(reading(shown, [], Screen(200)))
    assert "rejected: leak" in text
    assert shown.failure.text in text


def test_bars_are_as_long_as_they_say():
    blocks, marks = Screen(blocks=True), Screen(blocks=False)
    assert bar(0.0, blocks) == "··········   0.0 %"
    assert bar(1.0, blocks) == "██████████ 100.0 %"
    assert bar(0.5, blocks) == "█████·····  50.0 %"
    assert bar(0.05, blocks).startswith("▌·")
    assert bar(0.25, marks) == "[##........]  25.0 %"
    assert bar(None, blocks) == bar(None, marks) == "unscored"


def test_a_listing_counts_reasons_first():
    shown = [told(1), told(2, rejected=True), told(3, rejected=True)]
    first, blank, *rows = listing(shown, Screen(120))
    assert (first, blank) == ("1 kept, 2 rejected (2 leak)", "")
    assert len(rows) == 3
    assert "rejected: leak" in rows[1]
