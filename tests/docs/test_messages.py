"""What the pages quote of the program's messages, in their tables "When it goes wrong", is what it says."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [page for page in sorted((ROOT / "docs").glob("*.md")) if "## When it goes wrong" in page.read_text()]


@cache
def said():
    """Every text in the source, with a blank line for what is put in."""
    found = []
    for file in sorted((ROOT / "hinterguesser").rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.JoinedStr):
                parts = (part.value if isinstance(part, ast.Constant) else "\n\n" for part in node.values)
                found.append("".join(parts))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.append(node.value)
    return "\n\n".join(found)


def quoted(page):
    """The messages of a page's table: what is quoted in the first column and has several words."""
    table = page.read_text().split("## When it goes wrong")[1]
    rows = re.findall(r"^\| (?!message|what you see|---)(.*?) \|", table, re.MULTILINE)
    texts = [one or other for row in rows for one, other in re.findall(r"``(.+?)``|`([^`]+)`", row)]
    return [text for text in texts if " " in text]


def fragments(message):
    """The parts of a message that no name or number fills in."""
    parts = re.split(r"\.\.\.|'[^']*'|\S*\d\S*|\b\w+_\w+\b|\bmethod\b", message)
    return [part.strip(" ;:,") for part in parts if len(part.strip(" ;:,")) > 3]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_messages_that_a_page_explains_are_messages_of_the_program(page):
    unknown = [message for message in quoted(page) if not all(fragment in said() for fragment in fragments(message))]
    assert not unknown


def test_a_message_that_nothing_says_is_found():
    assert fragments("'Cat' is there already, line 1") == ["is there already, line"]
    assert "is there already, line" in said()
    assert "is there already, dear reader" not in said()
