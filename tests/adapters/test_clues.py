import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterguesser.adapters.clues import cut_characters, cut_sentences, pieces, step_of
from hinterguesser.adapters.records import spaced
from hinterguesser.errors import UserError


def letters(text: str) -> str:
    return re.sub(r"\s", "", text)


SENTENCES = {
    "initials and titles": [
        "A tale by J. R. Quill (“KWILL”) opens in St. Ives at 5 p.m. on a Sunday.",
        "Mr. Wren, Jr. meets Dr. Finch there.",
        "For 10 points, name this bird.",
    ],
    "quotes": [
        "A singer asks “Is it over?” in one scene of this opera.",
        "Its finale is called “The Lamp.”",
        "For 10 points, name this work.",
    ],
    "numbers": ["This Op. 23 no. 4 lasts 7.5 minutes.", "It ends in C."],
    "giveaway behind an abbreviation": [
        "A statue of this man stands in Dover, U.K.",
        "For ten points, name this sailor.",
    ],
    "quotes in straight marks": ['He is told "Go away!" by a guard.', 'He answers "No."', "FTP, name this hero."],
}


@pytest.mark.parametrize("case", SENTENCES)
def test_sentences_end_where_a_reader_would_end_them(case):
    assert cut_sentences(" ".join(SENTENCES[case])) == SENTENCES[case]


def test_a_note_to_the_players_is_no_clue_of_its_own():
    text = "Note to players: description acceptable. The first clue is long enough. The second clue is too."
    assert cut_sentences(text) == [
        "Note to players: description acceptable. The first clue is long enough.",
        "The second clue is too.",
    ]


def test_stray_quotes_and_marks_go_to_the_clue_before():
    text = 'It says "Run!" (*) Later it sleeps." Then it wakes.'
    ends = [text.index('" (*)'), text.index(" (*)"), text.index(" Later"), text.index('" Then')]
    assert pieces(text, ends) == ['It says "Run!" (*)', 'Later it sleeps."', "Then it wakes."]


def test_characters_end_with_a_whole_word():
    assert cut_characters("aaa bb ccccc d", 6) == ["aaa bb", "ccccc", "d"]
    assert cut_characters("aaaaaaaaaaaa bb c", 5) == ["aaaaaaaaaaaa bb", "c"]
    assert cut_characters("short", 100) == ["short"]


@pytest.mark.parametrize(
    "wrong", ["", "word", "characters", "characters:", "characters:0", "characters:-1", "characters:1e9"]
)
def test_unknown_granularity(wrong):
    with pytest.raises(UserError, match="granularity must be"):
        step_of(wrong)


def test_known_granularity():
    assert (step_of("sentence"), step_of("characters:100")) == (None, 100)


ANY_TEXT = st.text(st.sampled_from(list('ab. ?!"”“)(*A1é\u00a0\n')), max_size=80) | st.text(max_size=60)


@given(ANY_TEXT, st.lists(st.integers(-5, 90), max_size=8))
def test_pieces_hold_every_letter_once_and_none_is_blank(text, ends):
    found = pieces(text, ends)
    assert letters("".join(found)) == letters(text)
    assert all(piece.strip() == piece != "" for piece in found)


@given(ANY_TEXT)
def test_sentences_hold_every_letter_once(text):
    found = cut_sentences(spaced(text))
    assert letters("".join(found)) == letters(text)
    assert all(found)


@given(ANY_TEXT, st.integers(1, 30))
def test_characters_hold_every_word_whole(text, step):
    found = cut_characters(spaced(text), step)
    assert " ".join(found) == spaced(text)
