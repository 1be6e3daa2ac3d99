"""HTML of texts, tables and figures. Whatever text comes in goes out escaped."""

import base64
import html
import re
from collections.abc import Iterable, Sequence

from hinterguesser.replay.tables import Table
from hinterguesser.report.page.content import Drawn
from hinterguesser.report.page.packing import holding, packed
from hinterguesser.report.sheets import Cell, Sheet

# Control characters but line break and tab, marks that turn the direction of what follows, and lone surrogates.
_UNSHOWN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def visible(text: str) -> str:
    """`text` with a visible sign for every character that would do something instead of being seen."""
    return _UNSHOWN.sub(_sign, text)


def _sign(found: "re.Match[str]") -> str:
    code = ord(found.group())
    return chr(0x2400 + code) if code < 0x20 else "\N{REPLACEMENT CHARACTER}"


def escaped(text: str) -> str:
    """`text` as the content of an element or a quoted attribute."""
    return html.escape(visible(text), quote=True)


def bulleted(texts: Iterable[str]) -> str:
    """Texts as a list; no line breaks inside a percentage or an N."""
    kept = (re.sub(r"(?<=\d) (?=%)|(?<=\bN) (?== )|(?<=\bN =) (?=\d)", "\N{NO-BREAK SPACE}", text) for text in texts)
    return "<ul>\n" + "\n".join(f"<li>{escaped(text)}</li>" for text in kept) + "\n</ul>"


def table(made: Sheet | Table) -> str:
    """A table that can be sorted, in a box of its own that scrolls when it is wide."""
    if isinstance(made, Sheet):
        rows, texts = _filled_down(made.rows), made.text_columns
    else:
        rows, texts = [[Cell(text) for text in row] for row in made.rows], 1
    heads = "".join(f'<th scope="col"{_numeric(at, texts)}>{escaped(head)}</th>' for at, head in enumerate(made.heads))
    body = "\n".join(f"<tr>{''.join(_cell(cell, at, texts) for at, cell in enumerate(row))}</tr>" for row in rows)
    note = f'<p class="note">{escaped(" ".join(made.note.split()))}</p>' if made.note else ""
    title = escaped(made.title)
    return (
        f'<div class="wide" role="region" aria-label="{title}" tabindex="0">\n<table class="sortable">\n'
        f"<caption>{title}</caption>\n<thead><tr>{heads}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>\n</div>\n{note}"
    )


def _filled_down(rows: Sequence[Sequence[Cell]]) -> list[list[Cell]]:
    """Rows in which a first cell that was left empty, since it says the same as the one above, says it again."""
    filled: list[list[Cell]] = []
    for row in rows:
        first = filled[-1][0] if filled and not row[0].text else row[0]
        filled.append([first, *row[1:]])
    return filled


def _numeric(at: int, texts: int) -> str:
    return "" if at < texts else ' class="number"'


def _cell(cell: Cell, at: int, texts: int) -> str:
    # On paper an interval may stand below its value.
    shown = escaped(cell.plain()).replace(" [", " <wbr>[")
    shown = f"<strong>{shown}</strong>" if cell.best else shown
    return f'<th scope="row">{shown}</th>' if at == 0 else f"<td{_numeric(at, texts)}>{shown}</td>"


def figure(drawn: Drawn) -> str:
    """A figure with its caption; it scrolls in a box of its own where the screen is narrow."""
    name = escaped(drawn.name)
    if drawn.picture.startswith(b"\x89PNG"):
        source, held = f'src="data:image/png;base64,{base64.b64encode(drawn.picture).decode("ascii")}"', ""
    else:
        source, held = f'data-packed="picture-{name}"', holding(f"picture-{name}", packed(drawn.picture))
    return (
        f'<figure id="figure-{name}">\n<h3>{escaped(drawn.title)}</h3>\n'
        f'<div class="canvas"><img {source} alt="{escaped(drawn.alt)}"></div>\n'
        f"<figcaption>{escaped(drawn.caption)} "
        f"Files: figures/{name}.png, .svg, .pdf; its data: figures/{name}.csv.</figcaption>\n"
        f"{held}</figure>"
    )


def pairs(heading: str, some: Iterable[tuple[str, str]]) -> str:
    """Names and values under a heading."""
    rows = "\n".join(f"<dt>{escaped(name)}</dt><dd>{escaped(value)}</dd>" for name, value in some)
    return f"<h3>{escaped(heading)}</h3>\n<dl>\n{rows}\n</dl>"
