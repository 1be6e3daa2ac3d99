import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterguesser.adapters.grace_answers import Form, read_answer_line


def forms(found: tuple[Form, ...]) -> list[str | tuple[str, str]]:
    return [form.text if form.condition is None else (form.text, form.condition) for form in found]


# line -> gold, accepted, prompted, rejected, notes
LINES = {
    "lantern": ("lantern", [], [], [], ()),
    "ox [or oxen; accept bull; prompt on cow; do not accept yak]": ("ox", ["oxen", "bull"], ["cow"], ["yak"], ()),
    "Mali [or Republic of Mali or République du Mali]": (
        "Mali",
        ["Republic of Mali", "République du Mali"],
        [],
        [],
        (),
    ),
    'ox [prompt on "cow" or "calf"; or "heifer"]': ("ox", [], ["cow", "calf", "heifer"], [], ()),
    'ox [accept "ox cart;" accept Yoke, Limited]': ("ox", ["ox cart", "Yoke, Limited"], [], [], ()),
    'ox [reject "yak," "gnu," or "bison"]': ("ox", [], [], ["yak", "gnu", "bison"], ()),
    'ox [do not accept or prompt on "yak" at any point]': ("ox", [], [], ["yak"], ()),
    "ox [antiprompt on zebu]": ("ox", [], ["zebu"], [], ()),
    "“The Lamp” (“LAMP”) [or “Die Lampe”]": ("The Lamp", ["Die Lampe"], [], [], ("“LAMP”",)),
    "J. R. Quill (“KWILL”) [or John Quill] (He never was in Rome; she was.)": (
        "J. R. Quill",
        ["John Quill"],
        [],
        [],
        ("“KWILL”", "He never was in Rome; she was."),
    ),
    "ox [or bovine before mention]": ("ox", [("bovine", "before mention")], [], [], ()),
    'ox [accept bull or steer until "castrated" is read; prompt on cow by asking “which sex?”]': (
        "ox",
        [("bull", 'until "castrated" is read'), ("steer", 'until "castrated" is read')],
        [("cow", "by asking “which sex?”")],
        [],
        (),
    ),
    "ox [accept bull before it is read, but prompt after it is read]": (
        "ox",
        [("bull", "before it is read")],
        [],
        [],
        ("prompt after it is read",),
    ),
    "film [accept The Day After Monday]": ("film", ["The Day After Monday"], [], [], ()),
    "play [accept “If or When”]": ("play", ["If or When"], [], [], ()),
    "linear [accept word forms; accept linearly or word forms]": (
        "linear",
        ["linearly"],
        [],
        [],
        ("accept word forms", "accept word forms"),
    ),
    "portraits of Ann [prompt on incomplete answers like works by Ann; or incomplete answers like portraits]": (
        "portraits of Ann",
        [],
        ["works by Ann", "portraits"],
        [],
        (),
    ),
    "prisms [or wedges": ("prisms", ["wedges"], [], [], ()),
    "prisms] or wedges": ("prisms or wedges", [], [], [], ()),
    "ox (or oxen; accept bull)": ("ox", ["oxen", "bull"], [], [], ()),
    "<b><u>ox</u></b> [or <b>bull</b>]": ("ox", ["bull"], [], [], ()),
    "[or oxen]": ("", ["oxen"], [], [], ()),
    "": ("", [], [], [], ()),
}


@pytest.mark.parametrize("line", LINES)
def test_parts_of_an_answer_line(line):
    gold, accepted, prompted, rejected, notes = LINES[line]
    read = read_answer_line(line)
    assert read.gold == gold
    assert forms(read.accepted) == accepted
    assert forms(read.prompted) == prompted
    assert forms(read.rejected) == rejected
    assert read.notes == notes


def test_aliases_are_what_is_right_whenever_it_is_said():
    read = read_answer_line("Ox [or oxen; or OX; accept bull before mention; accept yak; prompt on cow; reject yak]")
    assert read.aliases == ("oxen",)


def test_a_plain_dict_keeps_the_conditions():
    plain = read_answer_line("ox [or bovine before mention] (a note)").to_dict()
    assert plain == {
        "gold": "ox",
        "accepted": [{"text": "bovine", "condition": "before mention"}],
        "prompted": [],
        "rejected": [],
        "notes": ["a note"],
    }


@given(st.text(st.sampled_from(list('ab[]();"“” ,.')), max_size=60) | st.text(max_size=60))
def test_any_line_can_be_read(line):
    read = read_answer_line(line)
    assert all(form.text.strip() for form in (*read.accepted, *read.prompted, *read.rejected))


def test_a_hostile_line_is_read_in_linear_time():
    read_answer_line("[" * 5_000 + "accept (" * 2_000 + " or " * 5_000)
