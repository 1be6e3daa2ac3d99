import base64
import gzip
import hashlib
import json
import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_up import METHODS, course, told

from hinterguesser.domain.course import Course
from hinterguesser.replay.tables import Table
from hinterguesser.report.page.browser import DIALOGUES_IN_CHUNK, disagreement
from hinterguesser.report.page.content import Content, Drawn
from hinterguesser.report.page.markup import bulleted, escaped, figure, visible
from hinterguesser.report.page.page import MOST_BYTES, page
from hinterguesser.report.sheets import Cell, Sheet

PAPER_SIZE = [
    (shown, [course(shown, model) for model in ("m1", "m2", "m3", "m4")])
    for shown in (told(number, game=game) for game in ("20q", "guess", "grace", "trickme") for number in range(250))
]


class Seen(HTMLParser):
    """The tags, addresses and texts of a page."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.addresses, self.said = [], [], []
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.addresses += [value for name, value in attributes if name in ("src", "href")]

    def handle_data(self, data):
        self.said.append(data)


@given(st.text())
def test_any_text_stays_one_text(text):
    seen = Seen(f'<p title="{escaped(text)}">{escaped(text)}</p>')
    assert seen.tags == ["p"]
    assert "".join(seen.said) == visible(text)
    escaped(text).encode()


def test_control_characters_are_seen_and_do_nothing():
    assert visible("a\x00b\x1b[31m\u202ec\ud800\n\t") == "a\u2400b\u241b[31m\ufffdc\ufffd\n\t"


def test_the_same_content_gives_the_same_bytes():
    content = Content("T", dialogues=PAPER_SIZE[:3])
    assert page(content).html == page(content).html


def test_nothing_in_a_page_is_loaded_from_elsewhere():
    html = page(
        Content(
            "T", figures=[Drawn("f", "F", "C", "A", b"<svg/>")], findings=["see http://x.org"], dialogues=PAPER_SIZE[:3]
        )
    ).html
    seen = Seen(html)
    assert all(address.startswith(("#", "data:")) for address in seen.addresses)
    assert "default-src 'none'" in html
    assert "unsafe" not in html


def test_an_evaluation_of_the_papers_size_stays_below_three_megabytes_in_one_file():
    figures = [Drawn(f"f{number}", "F", "C", "A", b"\x89PNG" + b"x" * 60_000) for number in range(12)]
    made = page(Content("T", findings=["F"] * 50, figures=figures, dialogues=PAPER_SIZE))
    assert len(made.html.encode()) <= 3_000_000
    assert not made.files


def test_even_the_least_compressible_confidences_under_all_three_conditions_leave_the_page_in_one_file():
    whole = [
        (shown, [course(shown, model, condition) for model in "abcd" for condition in ("multi", "placebo", "single")])
        for shown, _ in PAPER_SIZE
    ]
    made = page(Content("T", dialogues=whole))
    assert len(made.html.encode()) <= MOST_BYTES
    assert not made.files


def test_a_percentage_and_its_sign_stay_on_one_line():
    assert (
        bulleted(["81.0 % of N = 12, 5 of them"]) == "<ul>\n<li>81.0\u00a0% of N\u00a0=\u00a012, 5 of them</li>\n</ul>"
    )


def test_a_figure_may_be_svg_or_png():
    packed = re.search(r'id="picture-f">([^<]+)<', figure(Drawn("f", "F", "C", "A", b"<svg/>")))
    assert gzip.decompress(base64.b64decode(packed[1])) == b"<svg/>"
    assert 'src="data:image/png;base64,' in figure(Drawn("f", "F", "C", "A", b"\x89PNG\r\n\x1a\n"))


def test_scripts_beside_the_page_are_allowed_only_where_there_are_some(monkeypatch):
    content = Content("T", dialogues=PAPER_SIZE[:3])
    assert " file:" not in page(content).html.partition("</head>")[0].partition("<style>")[0]
    monkeypatch.setattr("hinterguesser.report.page.page.MOST_BYTES", 0)
    beside = page(content)
    assert re.search("script-src 'sha256-[^']+' file: 'self';", beside.html)
    assert list(beside.files) == ["dialogues/0000.js"]


def test_more_dialogues_than_fit_stand_beside_the_page_and_are_all_there():
    shown = [(told(number, turns=2), ()) for number in range(2 * DIALOGUES_IN_CHUNK)]
    heavy = [Drawn("f", "F", "C", "A", b"\x89PNG" + b"x" * 2_200_000)]
    made = page(Content("T", figures=heavy, dialogues=shown))
    assert len(made.html) < MOST_BYTES
    assert len(made.files) == 2
    ids = []
    for number, content in enumerate(made.files.values()):
        found = re.fullmatch(rb'hinterguesserChunk\((\d+),"([A-Za-z0-9+/=]+)"\);\n', content)
        assert int(found[1]) == number
        ids += [each["id"] for each in json.loads(gzip.decompress(base64.b64decode(found[2])))]
    assert ids == [each.id for each, _ in shown]


def test_disagreement_is_the_widest_gap_at_one_turn_in_the_models_own_answer_in_the_dialogue():
    def one(condition, **methods):
        return Course(
            "m", condition, ["x"] * 2, [True] * 2, {(name, "answer"): value for name, value in methods.items()}
        )

    assert disagreement([one("multi", a=[0.2, 0.9], b=[0.5, None])]) == pytest.approx(0.3)
    assert disagreement([one("multi", a=[0.2, 0.9], b=[None, None], oracle_correct=[1, 0])]) is None
    assert disagreement([one("single", a=[0, 0], b=[1, 1])]) is None
    gold = Course("m", "multi", ["x"], [True], {("a", "gold"): [0], ("b", "answer"): [1], ("c", "answer"): [0.75]})
    assert disagreement([gold]) == pytest.approx(0.25)


def test_tables_have_captions_and_heads_and_say_again_what_a_first_cell_left_out():
    made = Table("A title", ("model", "right"), (("m", "1.0 %"),), "A note.")
    rows = tuple(tuple(map(Cell, row)) for row in (("m", "p_true", "1"), ("", "cot_verb", "2"), ("n", "p_true", "3")))
    sheet = Sheet("s", "Another", ("model", "method", "N"), rows, (), "")
    html = page(Content("T", tables=[made, sheet])).html
    seen = Seen(html)
    assert seen.tags.count("caption") == seen.tags.count("table") == 2
    assert html.count('<th scope="col"') == 5
    assert re.findall('<th scope="row">([^<]*)', html) == ["m", "m", "m", "n"]
    assert {"A title", "Another", "A note."} <= set(seen.said)


def test_the_index_tells_each_models_disagreement_and_where_it_saw_nothing():
    first, second = told(0), told(1)
    html = page(Content("T", dialogues=[(first, [course(first, "__proto__")]), (second, [course(second, "b")])])).html
    [data] = re.findall('id="index">([^<]*)<', html)
    index = json.loads(gzip.decompress(base64.b64decode(data)))
    assert index["models"] == ["__proto__", "b"]
    widest = index["columns"]["disagreement"]
    assert index["apart"] == [[widest[0], -1], [-1, widest[1]]]
    assert widest == [
        round(1000 * disagreement([course(each, model)])) for each, model in ((first, "__proto__"), (second, "b"))
    ]


def test_the_policy_names_the_one_script_and_the_one_style_of_the_page():
    html = page(Content("T", dialogues=PAPER_SIZE[:3])).html
    for tag in ("style", "script"):
        [text] = re.findall(f"<{tag}>(.*?)</{tag}>", html, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in html


def test_what_is_empty_is_left_out():
    html = page(Content("Only a title")).html
    assert "<section" not in html
    assert 'id="index"' not in html


def test_all_five_methods_are_in_the_made_up_course():
    assert {method for method, _ in PAPER_SIZE[0][1][0].confidences} == set(METHODS)
