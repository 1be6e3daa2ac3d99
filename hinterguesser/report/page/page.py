"""One HTML file: findings, figures, tables, settings, and dialogues to read. It needs no network and loads nothing.

A policy in the page itself lets the browser run this one script and nothing else, so that even a text that slipped
through unescaped could do no harm.
"""

import base64
import hashlib
from importlib.resources import files as resources

from hinterguesser.report.page import browser, markup
from hinterguesser.report.page.content import Content, Page
from hinterguesser.report.page.packing import holding

BESIDE = " file: 'self'"
"""Scripts that the policy allows when a page has files beside it."""

MOST_BYTES = 3_000_000
"""Of a page. Where its dialogues would make it larger, they become files beside it."""


def page(content: Content) -> Page:
    """The page that says `content`; the same content gives the same bytes."""
    if not content.dialogues:
        return Page(_filled(content, ""))
    packed = browser.packed(content.dialogues)
    index = holding("index", packed.index)
    chunks = "".join(holding(f"chunk-{number}", chunk) for number, chunk in enumerate(packed.chunks))
    whole = _filled(content, index + chunks)
    if len(whole.encode()) <= MOST_BYTES:
        return Page(whole)
    return Page(_filled(content, index, loads=True), dict(browser.files(packed)))


def _filled(content: Content, data: str, *, loads: bool = False) -> str:
    """The page with `data` in it; whether it `loads` files that stand beside it."""
    sections = _sections(content)
    style, script = _resource("page.css"), _resource("page.js")
    policy = (
        f"default-src 'none'; img-src data: blob:; style-src {_sha256(style)}; "
        f"script-src {_sha256(script)}{BESIDE if loads else ''}; base-uri 'none'; form-action 'none'"
    )
    parts = {
        "policy": policy,
        "title": markup.escaped(content.title),
        "about": markup.escaped(content.about),
        "style": style,
        "script": script,
        "contents": "\n".join(f'<li><a href="#{name}">{heading}</a></li>' for name, heading, _ in sections),
        "sections": "\n".join(
            f'<section id="{name}" aria-labelledby="{name}-heading">\n<h2 id="{name}-heading">{heading}</h2>\n{body}\n'
            "</section>"
            for name, heading, body in sections
        ),
        "data": data,
    }
    # One pass: what stands in a part is never taken for a place to fill.
    head, *others = _resource("page.html").split("{{")
    made = [head]
    for other in others:
        name, _, after = other.partition("}}")
        made += [parts[name], after]
    return "".join(made)


def _sections(content: Content) -> list[tuple[str, str, str]]:
    """Anchor, heading and body of each section that has something to say."""
    found = [
        ("findings", "Findings", markup.bulleted(content.findings) if content.findings else ""),
        ("figures", "Figures", "\n".join(map(markup.figure, content.figures))),
        ("tables", "Tables", "\n".join(map(markup.table, content.tables))),
        ("settings", "Methods and settings", "\n".join(markup.pairs(*each) for each in content.settings)),
        ("left-out", "What was left out", markup.bulleted(content.left_out) if content.left_out else ""),
        ("dialogues", "Dialogues", _resource("browser.html") if content.dialogues else ""),
    ]
    return [section for section in found if section[2]]


def _sha256(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _resource(name: str) -> str:
    return (resources("hinterguesser.report.page") / name).read_text(encoding="utf-8")
