"""Every link between pages leads somewhere, every page is found from the index, every command is written about."""

import re
from functools import cache
from pathlib import Path

import pytest

from hinterguesser.cli.main import COMMANDS

ROOT = Path(__file__).parents[2]
DOCS = sorted((ROOT / "docs").glob("*.md"))
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *DOCS,
    ROOT / "entity_lists" / "README.md",
    *sorted((ROOT / "release").rglob("*.md")),
]

_LINK = re.compile(r"!?\[[^\]]*\]\(\s*<?([^)\s>]+)>?[^)]*\)|<(?:img|a)\b[^>]*?\b(?:src|href)=\"([^\"]+)\"")


@cache
def prose(page):
    """A page without its fenced blocks, in which nothing is a link or a heading."""
    return re.sub(r"^\s*(```+).*?^\s*\1\s*$", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)


def links(page):
    """Where the links and images of a page lead, but for those that leave the repository."""
    text = re.sub(r"`[^`\n]*`", "", prose(page))
    targets = (one or other for one, other in _LINK.findall(text))
    return [target for target in targets if not re.match(r"[a-z]+:|//", target)]


def slug(heading):
    """A heading as GitHub names its anchor."""
    bare = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", bare).replace(" ", "-")


def anchors(page):
    found = []
    for heading in re.findall(r"^#{1,6} +(.*?)\s*#*$", prose(page), re.MULTILINE):
        name = slug(heading)
        seen = sum(1 for one in found if re.fullmatch(rf"{re.escape(name)}(-\d+)?", one))
        found.append(f"{name}-{seen}" if seen else name)
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_to_a_file_and_every_anchor_to_a_heading(page):
    dead = []
    for target in links(page):
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.exists() or (anchor and anchor not in anchors(file)):
            dead.append(target)
    assert not dead


def test_every_page_is_reached_from_the_index():
    reached, waiting = set(), [ROOT / "docs" / "README.md"]
    while waiting:
        page = waiting.pop()
        if page in reached:
            continue
        reached.add(page)
        files = [(page.parent / target.partition("#")[0]).resolve() for target in links(page)]
        waiting += [file for file in files if file in DOCS]
    assert not set(DOCS) - reached


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_written_about(command):
    assert any(f"hinterguesser {command}" in page.read_text() for page in [ROOT / "README.md", *DOCS])


@pytest.mark.parametrize(
    ("heading", "anchor"),
    [
        ("The wording file", "the-wording-file"),
        ("GRACE and TrickMe", "grace-and-trickme"),
        ("Half the price: --batch", "half-the-price---batch"),
        ("What it costs, in `USD`?", "what-it-costs-in-usd"),
        ("See [the index](README.md)", "see-the-index"),
    ],
)
def test_anchors_are_named_as_github_names_them(heading, anchor):
    assert slug(heading) == anchor
