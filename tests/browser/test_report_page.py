"""The report page in a real Chromium."""

import base64
import re
from itertools import pairwise

import pytest
from browser.example import HOSTILE

from hinterguesser.report.page.content import Content
from hinterguesser.report.page.markup import visible
from hinterguesser.report.page.page import page
from hinterguesser.report.sheets import Cell, Sheet

DARK = [{"name": "prefers-color-scheme", "value": "dark"}]


def test_nothing_is_said_on_the_console_and_nothing_is_asked_for_but_the_file(browser, file):
    browser.open(file, "#dialogue=guess-00002-0")
    assert browser.heard() == []
    elsewhere = [url for url in browser.requests() if not url.startswith(("data:", "blob:"))]
    assert [url.partition("#")[0] for url in elsewhere] == [file.as_uri()]


def test_figures_are_unpacked_and_seen(browser, file):
    browser.open(file)
    browser.wait("return [...document.querySelectorAll('figure img')].every((each) => each.naturalWidth === 300)")


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
            browser.run("return document.querySelectorAll('#dialogue :is(img, script), main script[src]').length") == 0
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


def test_tables_are_printed_across_the_paper_with_intervals_that_are_never_cut(browser, tmp_path):
    cells = tuple(map(Cell, ("a model", "p_true", *["100.0 % [100.0, 100.0]"] * 10)))
    sheet = Sheet("w", "Wide", tuple(f"column {at}" for at in range(len(cells))), (cells,), (), "")
    (tmp_path / "report.html").write_bytes(page(Content("T", findings=["F"], tables=[sheet])).html.encode())
    browser.open(tmp_path / "report.html")
    height = "return document.querySelector('.sortable td:last-child').getBoundingClientRect().height"
    on_screen = browser.run(height)
    browser.tell("Emulation.setDeviceMetricsOverride", width=960, height=700, deviceScaleFactor=1, mobile=False)
    browser.tell("Emulation.setEmulatedMedia", media="print")
    assert browser.run(height) < 2 * on_screen
    assert browser.run("return document.documentElement.scrollWidth") <= 960
    printed = base64.b64decode(browser.tell("Page.printToPDF", preferCSSPageSize=True)["data"])
    sizes = [tuple(map(float, size)) for size in re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", printed)]
    assert [across > up for across, up in sizes] == [False, True, False]


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
