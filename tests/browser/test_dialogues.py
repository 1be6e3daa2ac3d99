"""The browser of dialogues, in a real Chromium."""

from dataclasses import replace

import pytest
from browser.example import DIALOGUES, HOSTILE, content
from made_up import told

from hinterguesser.domain.course import Course
from hinterguesser.report.page.browser import files, packed
from hinterguesser.report.page.content import Content
from hinterguesser.report.page.page import page


def test_filters_and_search_tell_how_many_and_show_them(browser, file):
    browser.open(file)
    every = len(DIALOGUES) + len(HOSTILE)
    assert browser.text("#count") == f"{every} of {every} dialogues"
    browser.choose("#kept", "0")
    assert browser.text("#count") == f"12 of {every} dialogues"
    browser.choose("#reason", "leak")
    browser.choose("#game", "20q")
    assert browser.text("#count") == f"6 of {every} dialogues"
    browser.choose("#search", "GUESS-nothing")
    assert browser.text("#count") == f"0 of {every} dialogues"
    for field in ("#kept", "#reason", "#game", "#search"):
        browser.choose(field, "")
    browser.choose("#search", "00017")
    assert browser.texts("#list tbody td:last-child") == ["20q-00017-0"]
    browser.choose("#search", "")
    browser.choose("#order", "disagreement")
    apart = [float(text.split()[0]) for text in browser.texts("#list tbody td:nth-child(5)")]
    assert apart == sorted(apart, reverse=True)
    browser.choose("#apart", "750")
    assert all(float(text.split()[0]) >= 75 for text in browser.texts("#list tbody td:nth-child(5)"))


def test_a_chosen_model_is_the_one_whose_disagreement_is_shown_and_whose_confidences_open(browser, file):
    browser.open(file)
    of_all = [float(text.split()[0]) for text in browser.texts("#list tbody td:nth-child(5)")]
    browser.choose("#model", "1")
    of_one = [float(text.split()[0]) for text in browser.texts("#list tbody td:nth-child(5)")]
    assert all(one <= most for one, most in zip(of_one, of_all, strict=True))
    assert of_one != of_all
    browser.run("document.querySelector('#list tbody a').click()")
    browser.wait("return document.querySelector('#dialogue .turn')")
    assert browser.text("#dialogue .turn p").startswith("n answers")


def test_pages_go_on_and_back(browser, file):
    browser.open(file)
    assert browser.text("#where") == "1 to 25"
    browser.run("document.querySelector('#next').click(); document.querySelector('#next').click()")
    assert browser.text("#where") == f"51 to {len(DIALOGUES) + len(HOSTILE)}"
    assert browser.run("return document.querySelector('#next').disabled")
    browser.run("document.querySelector('#previous').click()")
    assert browser.text("#where") == "26 to 50"


def test_a_deep_link_opens_its_dialogue_turn_by_turn_and_back_leaves_it(browser, file):
    browser.open(file, "#dialogue=guess-00002-0")
    browser.wait("return document.querySelectorAll('#dialogue .turn').length === 3")
    told_of = browser.text("#dialogue")
    for text in (
        DIALOGUES[2].turns[1].hint.answer,
        "candidates left",
        "placebo (pool)",
        "unscored",
        "✗ wrong",
        "✓ right",
    ):
        assert text in told_of
    assert browser.run("return document.activeElement.id") == "dialogue-heading"
    browser.run("location.hash = '#dialogue=20q-00001-0'")
    browser.wait("return document.querySelector('#dialogue-heading').textContent.endsWith(' 1')")
    browser.run("history.back()")
    browser.wait("return document.querySelector('#dialogue-heading').textContent.endsWith(' 2')")
    browser.run("location.hash = '#dialogue=nobody'")
    browser.wait("return document.querySelector('#dialogue').textContent.includes('no dialogue nobody')")
    browser.run("location.hash = '#dialogues'")
    browser.wait("return document.querySelector('#dialogue').hidden")


def test_model_and_condition_can_be_chosen(browser, file):
    browser.open(file, "#dialogue=guess-00002-0")
    browser.wait("return document.querySelector('#dialogue select')")
    before = browser.texts("#dialogue .bars td")
    browser.choose("#dialogue .controls label:nth-child(2) select", "single")
    assert browser.texts("#dialogue .bars td") != before
    assert "under single" in browser.text("#dialogue .bars caption")
    browser.choose("#dialogue .controls label:nth-child(1) select", "n")
    browser.choose("#dialogue .controls label:nth-child(2) select", "multi")
    assert browser.text("#dialogue .turn p").startswith("n answers")


def test_why_a_dialogue_was_rejected_is_told_with_the_text(browser, file):
    browser.open(file, "#dialogue=guess-00000-0")
    browser.wait("return document.querySelector('#dialogue pre')")
    assert "rejected: leak" in browser.text("#dialogue")
    assert browser.text("#dialogue pre") == DIALOGUES[0].failure.text


@pytest.fixture(scope="module")
def split(tmp_path_factory):
    """A page whose dialogues stand in files beside it."""
    folder = tmp_path_factory.mktemp("split")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("hinterguesser.report.page.page.MOST_BYTES", 0)
        made = page(content())
    (folder / "report.html").write_bytes(made.html.encode())
    (folder / "dialogues").mkdir()
    for name, file in made.files.items():
        (folder / name).write_bytes(file)
    return folder


def test_dialogues_beside_the_page_are_loaded_when_one_is_opened(browser, split):
    browser.open(split / "report.html")
    assert [url for url in browser.requests() if url.endswith(".js")] == []
    browser.run("location.hash = '#dialogue=guess-00002-0'")
    browser.wait("return document.querySelector('#dialogue .turn')")
    assert browser.requests() == [(split / "dialogues" / "0000.js").as_uri()]
    assert browser.heard() == []


def test_a_page_without_its_folder_says_what_is_missing(browser, split, tmp_path):
    alone = tmp_path / "report.html"
    alone.write_bytes((split / "report.html").read_bytes())
    browser.open(alone, "#dialogue=guess-00002-0")
    browser.wait("return !document.querySelector('#dialogue').hidden")
    assert "Keep the two together" in browser.text("#dialogue")
    assert browser.text("#count").startswith("66 of 66")


@pytest.mark.parametrize("stale", ["the dialogues of another report", "no data at all"])
def test_the_folder_of_another_report_is_told_apart_and_never_shown(browser, split, tmp_path, stale):
    other = dict(files(packed([(told(99 + number, game="other"), ()) for number in range(5)])))
    (tmp_path / "dialogues").mkdir()
    (tmp_path / "report.html").write_bytes((split / "report.html").read_bytes())
    for name, data in other.items():
        (tmp_path / name).write_bytes(data if stale.startswith("the") else b"")
    browser.open(tmp_path / "report.html", "#dialogue=guess-00002-0")
    browser.wait("return document.querySelector('#dialogue').textContent.includes('belongs to another report')")
    assert browser.run("return document.querySelector('#dialogue .turn')") is None


def test_dialogues_that_share_an_id_each_have_a_link_of_their_own(browser, tmp_path):
    alike = [replace(told(number, turns=1, game=game), id="same") for number, game in ((1, "a"), (2, "b"), (3, "b"))]
    (tmp_path / "report.html").write_bytes(page(Content("T", dialogues=[(each, ()) for each in alike])).html.encode())
    browser.open(tmp_path / "report.html")
    links = browser.run("return [...document.querySelectorAll('#list tbody a')].map((each) => each.hash)")
    assert links == ["#dialogue=same&game=a", "#dialogue=same&game=b&copy=1", "#dialogue=same&game=b&copy=2"]
    for link, dialogue in zip(links, alike, strict=True):
        browser.open(tmp_path / "report.html", link)
        browser.wait("return document.querySelector('#dialogue .turn')")
        assert browser.text("#dialogue-heading") == dialogue.entity.name


@pytest.mark.parametrize("name", ["__proto__", "constructor", "<b>"])
def test_names_that_mean_something_to_a_script_are_only_names(browser, tmp_path, name):
    shown = replace(told(1, turns=1, game=name), id=name, outcome=name, kept=False, reason=name)
    did = Course(name, name, [name], [True], {(name, name): [0.25]})
    (tmp_path / "report.html").write_bytes(page(Content("T", dialogues=[(shown, [did])])).html.encode())
    browser.open(tmp_path / "report.html")
    for field in ("#game", "#outcome", "#reason"):
        browser.choose(field, name)
    assert browser.text("#count") == "1 of 1 dialogues"
    browser.run("document.querySelector('#list tbody a').click()")
    browser.wait("return document.querySelector('#dialogue .turn')")
    assert browser.texts("#dialogue .bars thead th") == ["method", name]
    assert browser.texts("#dialogue .bars tbody th") == [name]
    assert "25.0 %" in browser.text("#dialogue .bars tbody td")
    assert browser.heard() == []


def test_every_confidence_is_shown_at_its_turn_to_a_tenth_of_a_percent_and_unscored_as_such(browser, tmp_path):
    confidences = {
        ("a", "answer"): [0.0, 1.0, None],
        ("a", "gold"): [None, 0.031, 0.032],
        ("b", "answer"): [0.5004, 0.999, 0.1],
    }
    shown = told(1, turns=3)
    did = Course("m", "multi", ["x", None, "y"], [False, None, True], confidences)
    (tmp_path / "report.html").write_bytes(page(Content("T", dialogues=[(shown, [did])])).html.encode())
    browser.open(tmp_path / "report.html", f"#dialogue={shown.id}")
    browser.wait("return document.querySelector('#dialogue .turn')")
    assert [text.strip() for text in browser.texts("#dialogue .bars tbody td")] == [
        *("0.0 %", "unscored", "50.0 %", ""),
        *("100.0 %", "3.1 %", "99.9 %", ""),
        *("unscored", "3.2 %", "10.0 %", ""),
    ]
    assert "nothing that could be read" in browser.texts("#dialogue .turn p")[1]


def test_a_browser_that_cannot_unpack_says_so(browser, file):
    old = browser.tell("Page.addScriptToEvaluateOnNewDocument", source="delete window.DecompressionStream")
    try:
        browser.driver.get("about:blank")
        browser.driver.get(file.as_uri())
        browser.wait("return document.querySelector('#count').textContent.includes('cannot unpack')")
        assert browser.texts("#findings li")[0].startswith("p_true rises")
    finally:
        browser.tell("Page.removeScriptToEvaluateOnNewDocument", identifier=old["identifier"])
