import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hinterguesser.confidence.amounts import Verbalized
from hinterguesser.confidence.answers import answer, label
from hinterguesser.confidence.boxes import split_reasoning
from hinterguesser.confidence.statements import verbalized
from hinterguesser.domain.estimate import Unscored

ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()), max_size=80)

STATED = [
    # as asked
    ("### Confidence: \\boxed{85}", 0.85, "percent"),
    ("### Confidence: \\boxed{0}", 0.0, "percent"),
    ("### Confidence: \\boxed{100}", 1.0, "percent"),
    ("### Confidence:\n\\boxed{85}", 0.85, "percent"),
    ("### Confidence: $\\boxed{85}$", 0.85, "percent"),
    ("**### Confidence:** \\boxed{ 85 }", 0.85, "percent"),
    ("### Confidence: \\boxed{85}\n\nI hope this helps! 3 clues fit.", 0.85, "percent"),
    ("### Confidence: \\boxed{\\text{85}}", 0.85, "percent"),
    ("### Confidence: \\boxed{\\textbf{85\\%}}", 0.85, "percent"),
    ("### Confidence: \\boxed{85\\%}", 0.85, "percent"),
    ("### Confidence: \\boxed{85%}", 0.85, "percent"),
    ("### Confidence: \\boxed{85}\\%", 0.85, "percent"),
    ("### Confidence: \\boxed{1}%", 0.01, "percent"),
    ("### Confidence: \\boxed{85}/100", 0.85, "out_of_100"),
    ("### Confidence: \\boxed{8}/10", 0.8, "out_of_10"),
    ("### Confidence: \\boxed{85/100}", 0.85, "out_of_100"),
    ("### Confidence: \\boxed{0.9}", 0.9, "fraction"),
    ("### Confidence: \\boxed{eighty}", 0.8, "words"),
    ("### Confidence: \\boxed{80-90}", 0.85, "range"),
    ("### Confidence: \\boxed{Confidence: 85}", 0.85, "percent"),
    ("\\boxed{85}", 0.85, "percent"),
    ("\\fbox{85} \\boxed{90}", 0.9, "percent"),
    ("### Analysis: \\boxed{7 hints fit; I am 30% confident}\n### Confidence: \\boxed{85}", 0.85, "percent"),
    ("### Analysis: \\boxed{a stray { brace}\n### Confidence: \\boxed{85}", 0.85, "percent"),
    ("### Answer: \\boxed{Paris}\n### Confidence: \\boxed{85}", 0.85, "percent"),
    ("### Confidence: \\boxed{85}\n### Answer: \\boxed{Paris}", 0.85, "percent"),
    ("\\boxed{Paris}\nConfidence: 85", 0.85, "percent"),
    ("Confidence: \\boxed{60}. On reflection, Confidence: \\boxed{70}", 0.7, "percent"),
    ("Confidence: 60 at first.\n### Confidence: \\boxed{85}", 0.85, "percent"),
    ("### Confidence: \\boxed{85}, since 3 of 4 clues fit", 0.85, "percent"),
    # bare numbers
    ("85", 0.85, "percent"),
    (" 85\n", 0.85, "percent"),
    ("85.", 0.85, "percent"),
    ("85%", 0.85, "percent"),
    ("85 %", 0.85, "percent"),
    ("85 percent", 0.85, "percent"),
    ("85.5", 0.855, "percent"),
    ("85,5", 0.855, "percent"),
    ("85,5 %", 0.855, "percent"),
    ("1%", 0.01, "percent"),
    ("1.0%", 0.01, "percent"),
    ("0.9%", 0.009, "percent"),
    ("2", 0.02, "percent"),
    ("1.5", 0.015, "percent"),
    ("100", 1.0, "percent"),
    ("100.0", 1.0, "percent"),
    ("100%", 1.0, "percent"),
    ("0", 0.0, "percent"),
    ("0.0", 0.0, "percent"),
    ("0%", 0.0, "percent"),
    ("**85**", 0.85, "percent"),
    ("`85`", 0.85, "percent"),
    ('"85"', 0.85, "percent"),
    ("~85", 0.85, "percent"),
    ("about 85%", 0.85, "percent"),
    ("I'd say 85%.", 0.85, "percent"),
    ("+85", 0.85, "percent"),
    ("٨٥", 0.85, "percent"),
    ("٨٥٪", 0.85, "percent"),
    ("８５％", 0.85, "percent"),
    ("८५%", 0.85, "percent"),
    ("85\u00a0%", 0.85, "percent"),
    # other scales
    ("0.9", 0.9, "fraction"),
    (".9", 0.9, "fraction"),
    ("0,9", 0.9, "fraction"),
    ("0.85", 0.85, "fraction"),
    ("0.9/1", 0.9, "fraction"),
    ("85/100", 0.85, "out_of_100"),
    ("85 / 100", 0.85, "out_of_100"),
    ("85%/100%", 0.85, "out_of_100"),
    ("1/100", 0.01, "out_of_100"),
    ("85 out of 100", 0.85, "out_of_100"),
    ("8/10", 0.8, "out_of_10"),
    ("8.5/10", 0.85, "out_of_10"),
    ("10/10", 1.0, "out_of_10"),
    ("8 out of 10", 0.8, "out_of_10"),
    ("eighty", 0.8, "words"),
    ("Eighty-five", 0.85, "words"),
    ("ninety nine percent", 0.99, "words"),
    ("one hundred percent", 1.0, "words"),
    ("one percent", 0.01, "words"),
    ("zero", 0.0, "words"),
    ("eight out of ten", 0.8, "words"),
    ("80-90", 0.85, "range"),
    ("80–90%", 0.85, "range"),
    ("80% - 90%", 0.85, "range"),
    ("80 to 90", 0.85, "range"),
    ("between 80 and 90", 0.85, "range"),
    ("0.8-0.9", 0.85, "range"),
    ("8-9/10", 0.85, "range"),
    ("85 ± 5", 0.85, "range"),
    ("85 +/- 5%", 0.85, "range"),
    # statements
    ("Confidence: 85", 0.85, "percent"),
    ("confidence = 85", 0.85, "percent"),
    ("Confidence - 85", 0.85, "percent"),
    ("Confidence – 85%", 0.85, "percent"),
    ("Confidence\n85", 0.85, "percent"),
    ("**Confidence:** 85%", 0.85, "percent"),
    ("Confidence level: 85", 0.85, "percent"),
    ("Confidence: ~85", 0.85, "percent"),
    ("Confidence: approximately 85%", 0.85, "percent"),
    ("Confidence: eighty", 0.8, "words"),
    ("Confidence: [85]", 0.85, "percent"),
    ("Confidence: <85>", 0.85, "percent"),
    ("Confidence (0-100): 85", 0.85, "percent"),
    ("Confidence: 85 (out of 100)", 0.85, "out_of_100"),
    ("Confidence (0-10): 8", 0.8, "out_of_10"),
    ("Confidence (0-1): 1", 1.0, "fraction"),
    ("On a scale of 1 to 10, my confidence is 8.", 0.8, "out_of_10"),
    ("On a scale from 0 to 100, my confidence is 85.", 0.85, "percent"),
    ("| Confidence | 85 |", 0.85, "percent"),
    ('{"confidence": 85}', 0.85, "percent"),
    ('{"confidence": "85%"}', 0.85, "percent"),
    ('{"answer": "Paris", "confidence_score": 0.85}', 0.85, "fraction"),
    ('```json\n{"confidence": 85}\n```', 0.85, "percent"),
    ("My confidence is 85.", 0.85, "percent"),
    ("My confidence in this answer is about 85%.", 0.85, "percent"),
    ("My confidence that it's Paris is 85%", 0.85, "percent"),
    ("I'd put the probability at 85%.", 0.85, "percent"),
    ("I am 85% sure.", 0.85, "percent"),
    ("I'm 85 percent confident that it is Paris.", 0.85, "percent"),
    ("There is an 85% chance that it is Paris.", 0.85, "percent"),
    ("I am not sure, maybe 60% confident.", 0.6, "percent"),
    ("Not 100% sure but 80% confident", 0.8, "percent"),
    ("Confidence: 85. I am not 100% sure.", 0.85, "percent"),
    ("It fits 3 hints.\nConfidence: 85 because 2 of 3 fit.", 0.85, "percent"),
    ("Turn 3: confidence 85", 0.85, "percent"),
    ("Confidence: 40. Then I saw hint 7. Confidence: 85", 0.85, "percent"),
    ("It may be Paris.\n\n85", 0.85, "percent"),
    ("85\n\nAll hints but one fit Paris.", 0.85, "percent"),
    ("Confidence: 0.9 (90%)", 0.9, "fraction"),
    ("Confidence: 85%\nProbability of London: 10%", 0.85, "percent"),
    ("Confidence: 85\nThere is a 10% chance of London.", 0.85, "percent"),
    ("I was 30% sure. Now I am 85% sure.", 0.85, "percent"),
    ("Confidence: high\nI am 85% sure.", 0.85, "percent"),
    ("With two hints: 8 out of 10 likely.", 0.8, "out_of_10"),
    ("<think>I am 20% sure</think>\n### Confidence: \\boxed{85}", 0.85, "percent"),
    ("I am 20% sure</think>85", 0.85, "percent"),
]

NOT_STATED = [
    "",
    " \n",
    "1",
    "1.0",
    "1,00",
    "one",
    "Confidence: 1",
    "### Confidence: \\boxed{1}",
    "-5",
    "-0.5",
    "−5%",
    "150",
    "150%",
    "1e9",
    "1,000",
    "101/100",
    "11/10",
    "1e999",
    "85.5.5",
    "85,555",
    "4/5",
    "17/20",
    "50/50",
    "0-100",
    "0 to 1",
    "90-80",
    "0.8-90",
    "1-5",
    ">= 90",
    "> 90%",
    "≥90",
    "90+",
    "at least 90",
    "Confidence: over 90",
    "less than 50% sure",
    "### Confidence: \\boxed{>90}",
    "### Confidence: \\boxed{\\geq 90}",
    "85 or 90",
    "85 and 90",
    "85, 90",
    "Confidence: 85 or 90",
    "Confidence: 85, 90",
    "Confidence: 20% -> 85%",
    "### Confidence: \\boxed{80} or \\boxed{90}",
    "### Confidence: \\boxed{80 or 90}",
    "I am not 90% sure",
    "I don't think I'm 90% sure.",
    "My confidence is not 85",
    "I am 100% confident it is not Paris",
    "There's no 90% chance",
    "Confidence: high",
    "Confidence: N/A",
    "Confidence: 80 at first. Confidence: high",
    "Answer: \\boxed{42}\nConfidence: high",
    "### Confidence: \\boxed{high}",
    "### Confidence: \\boxed{NN}",
    "### Confidence: \\boxed{...}",
    "### Confidence: \\boxed{}",
    "### Confidence: \\boxed{0-100}",
    "### Confidence: \\boxed{8",
    "### Confidence: \\boxed{",
    "### Confidence: \\boxed{60} ... ### Confidence: \\boxed{8",
    "### Analysis: \\boxed{I am 85% confident that",
    "### Confidence:",
    "between 3 hints and 80 clues",
    "It fits 3 hints and 80 clues",
    "Confidence: 3 hints fit",
    "There are 85 cities like this.",
    "It was founded in 1985.",
    "very high",
    "I'm sorry, but I cannot say.",
    "I cannot give a confidence between 0 and 100.",
    "As an AI I have no confidence.",
    "Paris",
    "85th",
    "CONFIDENT",
    "<think>I am 85% sure",
    "<think>Confidence: 85",
    "Confidence: ½",
    "There are 3 certain hints.",
    "The 2 likely cities are Paris and London.",
    "With confidence I say that the number of hints is 5",
    "Paris: 85%, London: 10%",
    "\ud800",
    "???",
]


@pytest.mark.parametrize(("text", "value", "scale"), STATED)
def test_a_stated_confidence_is_read_with_its_scale(text, value, scale):
    found = verbalized(text)
    assert isinstance(found, Verbalized), found
    assert found.value == pytest.approx(value, abs=1e-12)
    assert found.scale == scale
    assert found.snippet


@pytest.mark.parametrize("text", NOT_STATED)
def test_what_is_no_clear_confidence_is_unscored_with_a_reason(text):
    found = verbalized(text)
    assert isinstance(found, Unscored), found
    assert found.reason


def test_the_reasons_say_what_is_wrong():
    assert verbalized("") == Unscored("empty reply")
    assert verbalized("\\boxed{8") == Unscored("cut off inside \\boxed{}")
    assert verbalized("1") == Unscored("1 could be 1 % or certainty")
    assert verbalized("<think>hm") == Unscored("cut off inside its reasoning")


@pytest.mark.parametrize("percent", range(2, 101))
def test_every_whole_percentage_is_read_alike_in_every_common_form(percent):
    for form in (
        "{}",
        "{}%",
        "{}/100",
        "\\boxed{{{}}}",
        "Confidence: {}",
        "### Confidence: \\boxed{{{}\\%}}",
        "I am {}% sure.",
    ):
        found = verbalized(form.format(percent))
        assert isinstance(found, Verbalized), form
        assert found.value == percent / 100


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Jakarta, Indonesia", "Jakarta, Indonesia"),
        ("  Jakarta, Indonesia.\n", "Jakarta, Indonesia"),
        ("**Jakarta**", "Jakarta"),
        ('"Jakarta"', "Jakarta"),
        ("Washington, D.C.", "Washington, D.C."),
        ("Martin Luther King Jr.", "Martin Luther King Jr."),
        ("### Answer: \\boxed{Paris}", "Paris"),
        ("\\boxed{Paris}", "Paris"),
        ("$\\boxed{\\text{New York}}$", "New York"),
        ("\\boxed{\\textbf{\\text{New\\ York}}}", "New York"),
        ("\\boxed{AT\\&T}", "AT&T"),
        ("\\boxed{a {b} c}", "a {b} c"),
        ("Maybe \\boxed{London}? No: \\boxed{Paris}", "Paris"),
        ("First \\boxed{Paris} and then \\boxed{Lon", "Paris"),
        ("It flows.\nIt is old.\n\\boxed{Paris}\nDone.", "Paris"),
        ("\\boxed{Paris}\n### Confidence: 85", "Paris"),
        ("Answer: Paris", "Paris"),
        ("**Answer:** Paris", "Paris"),
        ("### Answer:\nParis", "Paris"),
        ("My guess: Paris", "Paris"),
        ("The answer is Paris.", "Paris"),
        ("Final answer: Paris. Confidence: 85", "Paris"),
        ("It is old.\nIt has a river.\nAnswer: Paris", "Paris"),
        ("Answer: London\nOn reflection:\nAnswer: Paris", "Paris"),
        ("Jakarta\nConfidence: 85", "Jakarta"),
        ("<think>London? No.</think>\n\nParis", "Paris"),
        ("London? No.</think>Paris", "Paris"),
        ("I don't know", "I don't know"),
        ("北京", "北京"),
        ("C++", "C++"),
        ("A", "A"),
    ],
)
def test_the_answer_is_read_and_unwrapped(text, expected):
    assert answer(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  ",
        "\\boxed{Par",
        "\\boxed{}",
        "\\boxed{...}",
        "<think>It may be Paris",
        "It is old.\nIt has a river.",
        "Well, " + "let me think about it for a while " * 5,
        "Confidence: 85",
        "Answer:",
        "...",
        "Paris\nLondon",
    ],
)
def test_a_reply_without_a_clear_answer_is_unscored(text):
    assert isinstance(answer(text), Unscored)


AB = ("A", "B")
LABELS = [
    ("A", AB, "A"),
    (" A\n", AB, "A"),
    ("a", AB, "A"),
    ("A.", AB, "A"),
    ("(B)", AB, "B"),
    ("[B]", AB, "B"),
    ("B)", AB, "B"),
    ("**A**", AB, "A"),
    ("`A`", AB, "A"),
    ('"A"', AB, "A"),
    ("Ａ", AB, "A"),
    ("Answer: B", AB, "B"),
    ("**Answer:** B", AB, "B"),
    ("Answer: (B) False", AB, "B"),
    ("The answer is B.", AB, "B"),
    ("The correct answer is: A", AB, "A"),
    ("Option A", AB, "A"),
    ("I choose B.", AB, "B"),
    ("A. True", AB, "A"),
    ("A) True", AB, "A"),
    ("A: True", AB, "A"),
    ("A - True", AB, "A"),
    ("(A) True", AB, "A"),
    ("\\boxed{A}", AB, "A"),
    ("$\\boxed{\\text{B}}$", AB, "B"),
    ("A city in France fits.\nAnswer: B", AB, "B"),
    ("A\n\nThe hints fit a city in France.", AB, "A"),
    ("A. True\nB. False\n\nAnswer: B", AB, "B"),
    ("Answer:\nB", AB, "B"),
    ("<think>A, or B?</think>B", AB, "B"),
    ("True", ("True", "False"), "True"),
    ("false.", ("True", "False"), "False"),
    ("Answer: Yes", ("Yes", "No"), "Yes"),
    ("C", ("A", "B", "C"), "C"),
]
NO_LABELS = [
    ("", AB),
    ("CORRECT", ("A", "B", "C")),
    ("INCORRECT", ("A", "B", "C")),
    ("A city in France", AB),
    ("A city", AB),
    ("A because all hints fit", AB),
    ("I think that a B would be right", AB),
    ("A or B", AB),
    ("A/B", AB),
    ("A, B", AB),
    ("A. B.", AB),
    ("A. True\nB. False", AB),
    ("Answer: A\nAnswer: B", AB),
    ("Answer: A or B", AB),
    ("Not A", AB),
    ("Neither", AB),
    ("AB", AB),
    ("Apple", AB),
    ("C", AB),
    ("A. All of the hints that I saw fit it", AB),
    ("Yes, because it fits", ("Yes", "No")),
    ("\\boxed{A", AB),
    ("\\boxed{C}", AB),
    ("<think>A", AB),
    ("A", ()),
    ("A", ("",)),
]


@pytest.mark.parametrize(("text", "labels", "expected"), LABELS)
def test_a_label_that_stands_alone_is_read(text, labels, expected):
    assert label(text, labels) == expected


@pytest.mark.parametrize(("text", "labels"), NO_LABELS)
def test_no_label_is_read_out_of_words_sentences_or_doubt(text, labels):
    assert isinstance(label(text, labels), Unscored)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Paris", (None, "Paris", False)),
        ("  Paris \n", (None, "  Paris \n", False)),
        ("", (None, "", False)),
        ("<think>hm</think>Paris", ("hm", "Paris", False)),
        ("\n <think>\nhm\n</think>\n\nParis\n", ("hm", "Paris\n", False)),
        ("<think>\n\n</think>\n\nParis", ("", "Paris", False)),
        ("<thinking>hm</thinking>Paris", ("hm", "Paris", False)),
        ("<THINK>hm</THINK>Paris", ("hm", "Paris", False)),
        ("<think>a</think><think>b</think>Paris", ("a\n\nb", "Paris", False)),
        ("<think>hm, Par", ("hm, Par", "", True)),
        ("<think>", ("", "", True)),
        ("<think>a</think>\n<think>b", ("a\n\nb", "", True)),
        ("<think>then I write `</think>` and", ("then I write `</think>` and", "", True)),
        ("<think>I write `</think>` last</think>Paris", ("I write `</think>` last", "Paris", False)),
        ("hm</think>\nParis", ("hm", "Paris", False)),
        ("</think>\nParis", ("", "Paris", False)),
        ("Use `<think>` to reason", (None, "Use `<think>` to reason", False)),
        ("Close it with `</think>`.", (None, "Close it with `</think>`.", False)),
        ("Paris <think>or London</think>", (None, "Paris <think>or London</think>", False)),
        ("`<think>` is a tag", (None, "`<think>` is a tag", False)),
        ("the tag `<think>` hm</think>Paris", ("the tag `<think>` hm", "Paris", False)),
    ],
)
def test_reasoning_is_split_off_only_where_it_is_reasoning(text, expected):
    assert split_reasoning(text) == expected


@given(ANY_TEXT)
@settings(max_examples=300, deadline=None)
def test_no_text_makes_a_parser_raise(text):
    for found in (verbalized(text), answer(text), label(text, AB)):
        assert isinstance(found, Unscored | Verbalized | str)


MARKS = ["%", "/100", "/10", "-", "(", ")", ">=", ".", ",", "±", "{", "}", "`", ": ", " ", "\n"]
WORDS = ["Confidence", "to", "not ", "sure", "eighty", "Answer", "A", "B", "85", "0.9", "1", "\ud800", "٥"]
PIECES = st.sampled_from(["\\boxed{", "<think>", "</think>", *MARKS, *WORDS])


@given(st.lists(PIECES, max_size=14).map("".join))
@settings(max_examples=500, deadline=None)
def test_any_mix_of_what_replies_are_made_of_gives_a_fraction_or_a_reason(text):
    found = verbalized(text)
    assert isinstance(found, Unscored) or 0 <= found.value <= 1
    answer(text)
    label(text, AB)
    reasoning, rest, cut = split_reasoning(text)
    assert not cut or (reasoning is not None and rest == "")
    assert reasoning is not None or rest == text


@pytest.mark.parametrize(
    "piece", ["\\boxed{", "confidence ", " ", "(", "85 ", "<think>", "1", "a ", "*", "- ", "</think>`"]
)
def test_long_replies_are_read_in_no_time(piece):
    text = "x" + piece * 20_000
    assert not isinstance(verbalized(text), Verbalized)
    answer(text)
    assert isinstance(label(text, AB), Unscored)
