"""The report page in a real Chromium."""

import base64
from dataclasses import replace
from itertools import pairwise

import chromium
import pytest
from made_up import course, named, told

from hinterguesser.domain.course import Course
from hinterguesser.report.page.browser import files, packed
from hinterguesser.report.page.content import Content, Drawn
from hinterguesser.report.page.markup import visible
from hinterguesser.report.page.page import page
from hinterguesser.report.sheets import Cell, Sheet

DARK = [{"name": "prefers-color-scheme", "value": "dark"}]
HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(2)>',
    "</script><script>alert(3)</script>",
    "{{title}} ${alert(4)} javascript:alert(5)",
    "__proto__",
    "a\x00b\x1b[31mred\u202etxt\ud800",
)
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="300" height="80"><rect width="200" height="60"/></svg>'
SHEET = Sheet(
    name="t",
    title="A table",
    heads=("model", "method", "InfoECE", "N"),
    rows=tuple(
        tuple(map(Cell, row))
        for row in (
            ("m", "p_true", "9.5 % [1.0, 20.0]", "1,200"),
            ("", "cot_verb", "-", "0"),
            ("", "vanilla_verb", "31.4 % [15.4, 52.2]", "51"),
            ("", "p_sufficient", "-2.0 % [-9.0, 1.0]", "300"),
        )
    ),
    records=(),
    note="A note.",
)
DIALOGUES = [told(number, turns=3, game=("guess", "20q")[number % 2], rejected=number % 5 == 0) for number in range(60)]


def content(**changes):
    shown = [*DIALOGUES, *(named(name) for name in HOSTILE)]
    made = {
        "title": f"Report {HOSTILE[0]}",
        "about": HOSTILE[1],
        "findings": ["p_true rises in 81.0 % [70.0, 90.0] (N = 120).", *HOSTILE],
        "tables": [SHEET],
        "figures": [Drawn("levels", HOSTILE[1], "A caption.", "A black box.", SVG)],
        "settings": [("evaluate", [("models", HOSTILE[0])])],
        "left_out": ["Nothing."],
        "dialogues": [(each, [course(each), course(each, condition="single"), course(each, "n")]) for each in shown],
    }
    return Content(**{**made, **changes})


@pytest.fixture(scope="module")
def browser():
    chromium.needed()
    with chromium.browser() as opened:
        yield opened


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_bytes(page(content()).html.encode())
    return path


@pytest.fixture(autouse=True)
def light(browser):
    yield
    browser.tell("Emulation.setEmulatedMedia", media="", features=[])
    browser.tell("Emulation.clearDeviceMetricsOverride")
    browser.run("try { localStorage.clear() } catch {}")


def test_nothing_is_said_on_the_console_and_nothing_is_asked_for_but_the_file(browser, file):
    browser.open(file, "#dialogue=guess-00002-0")
    assert browser.heard() == []
    assert [url.partition("#")[0] for url in browser.requests() if not url.startswith("data:")] == [file.as_uri()]


def test_every_text_shows_as_text_and_runs_nothing(browser, file):
    for number, name in enumerate(HOSTILE):
        browser.open(file)
        browser.choose("#search", "red" if "\x00" in name else name[:12])
        at = browser.run(
            "return [...document.querySelectorAll('#list tbody a')].findIndex((a) => a.textContent === arguments[0])",
            visible(name),
        )
        assert at >= 0, name
        browser.run("document.querySelectorAll('#list tbody a')[arguments[0]].click()", at)
        browser.wait("return document.querySelector('#dialogue .turn')")
        heading = browser.text("#dialogue-heading")
        assert heading == visible(name), number
        assert not set(heading) & set("\x00\x1b\u202e\ud800")
        assert browser.heard() == []
        assert [url for url in browser.requests() if url.endswith("/x")] == []
        assert (
            browser.run("return document.querySelectorAll('#dialogue img, #dialogue script, main script').length") == 0
        )
    assert browser.text("h1") == f"Report {HOSTILE[0]}"
    assert browser.text("header p") == HOSTILE[1]
    assert browser.texts("#findings li")[1:6] == list(HOSTILE[:5])


def test_a_click_or_a_key_sorts_by_number_and_what_is_missing_stays_last(browser, file):
    browser.open(file)
    method, infoece = (
        browser.run("return document.querySelectorAll('.sortable th button')[arguments[0]]", at) for at in (1, 2)
    )

    def shown():
        return browser.texts(".sortable tbody tr td:nth-child(2)")

    infoece.click()
    assert shown() == ["p_sufficient", "p_true", "vanilla_verb", "cot_verb"]
    assert browser.run("return document.querySelectorAll('.sortable th')[2].getAttribute('aria-sort')") == "ascending"
    infoece.send_keys("\ue007")  # Enter
    assert shown() == ["vanilla_verb", "p_true", "p_sufficient", "cot_verb"]
    method.send_keys(" ")
    assert shown() == ["cot_verb", "p_sufficient", "p_true", "vanilla_verb"]
    assert browser.texts(".sortable tbody th") == ["m"] * 4


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


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("anchor", ["", "#dialogue=guess-00000-0"])
def test_axe_finds_no_serious_fault(browser, file, scheme, anchor):
    browser.tell("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
    browser.open(file, anchor)
    assert browser.faults() == []


def test_dark_follows_the_system_until_the_button_is_pressed(browser, file):
    def ground():
        return browser.run("return getComputedStyle(document.body).backgroundColor")

    browser.open(file)
    assert ground() == "rgb(255, 255, 255)"
    browser.tell("Emulation.setEmulatedMedia", features=DARK)
    dark = ground()
    assert dark != "rgb(255, 255, 255)"
    browser.run("document.querySelector('#theme').click()")
    assert ground() == "rgb(255, 255, 255)"
    browser.tell("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "light"}])
    browser.run("document.querySelector('#theme').click()")
    assert ground() == dark


def test_it_prints_without_its_controls(browser, file):
    browser.open(file, "#dialogue=guess-00002-0")
    browser.tell("Emulation.setEmulatedMedia", media="print")
    for control in ("#filters", "#theme", "nav", "#pages"):
        assert browser.run("return getComputedStyle(document.querySelector(arguments[0])).display", control) == "none"
    browser.run("document.documentElement.dataset.theme = 'dark'")
    browser.tell("Emulation.setEmulatedMedia", media="print", features=DARK)
    colours = browser.run("const of = getComputedStyle(document.body); return [of.backgroundColor, of.color]")
    assert colours == ["rgb(255, 255, 255)", "rgb(0, 0, 0)"]
    printed = base64.b64decode(browser.tell("Page.printToPDF", printBackground=False)["data"])
    assert printed.startswith(b"%PDF")
    assert len(printed) > 10_000


@pytest.mark.parametrize("width", [320, 768])
def test_a_narrow_screen_never_scrolls_sideways(browser, file, width):
    browser.tell("Emulation.setDeviceMetricsOverride", width=width, height=700, deviceScaleFactor=1, mobile=True)
    browser.open(file, "#dialogue=guess-00002-0")
    browser.wait("return document.querySelector('#dialogue .turn')")
    assert browser.run("return document.documentElement.scrollWidth") <= width


def test_the_keyboard_alone_reaches_a_dialogue(browser, file):
    from selenium.webdriver.common.keys import Keys

    browser.open(file)
    seen = []
    for _ in range(60):
        browser.driver.switch_to.active_element.send_keys(Keys.TAB)
        seen.append(browser.run("const on = document.activeElement; return on.id || on.className || on.tagName"))
        if browser.run("return document.activeElement.closest('#list tbody') !== null"):
            break
    assert {"skip", "theme", "search", "order"} <= set(seen)
    browser.driver.switch_to.active_element.send_keys(Keys.ENTER)
    browser.wait("return document.querySelector('#dialogue .turn')")
    assert browser.run("return document.activeElement.id") == "dialogue-heading"


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


def test_a_browser_that_cannot_unpack_says_so(browser, file):
    old = browser.tell("Page.addScriptToEvaluateOnNewDocument", source="delete window.DecompressionStream")
    try:
        browser.driver.get("about:blank")
        browser.driver.get(file.as_uri())
        browser.wait("return document.querySelector('#count').textContent.includes('cannot unpack')")
        assert browser.texts("#findings li")[0].startswith("p_true rises")
    finally:
        browser.tell("Page.removeScriptToEvaluateOnNewDocument", identifier=old["identifier"])


def test_a_p_value_below_a_bound_sorts_by_the_bound(browser, tmp_path):
    rows = tuple((Cell(name), Cell(p)) for name, p in (("a", "0.041"), ("b", "-"), ("c", "<0.001"), ("d", "2e-03")))
    sheet = Sheet("p", "Tests", ("method", "p"), rows, (), "", text_columns=1)
    (tmp_path / "report.html").write_bytes(page(Content("T", tables=[sheet])).html.encode())
    browser.open(tmp_path / "report.html")
    browser.run("document.querySelectorAll('.sortable th button')[1].click()")
    assert browser.texts(".sortable tbody th") == ["c", "d", "a", "b"]


def test_headings_go_down_one_step_at_a_time(browser, file):
    browser.open(file, "#dialogue=guess-00002-0")
    browser.wait("return document.querySelector('#dialogue .turn')")
    levels = browser.run(
        "return [...document.querySelectorAll('h1,h2,h3,h4,h5')].map((each) => Number(each.tagName[1]))"
    )
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
