"""One table in four shapes: text for the terminal, LaTeX for a paper, CSV and JSON for whoever goes on counting.

Text and LaTeX have the layout of the paper. CSV and JSON have one record a row, with every number as a fraction, its
interval, N and the unscored share. Texts that come from outside (names of models, datasets, methods) are made harmless:
no control character reaches a terminal, no macro a LaTeX run, no formula a spreadsheet.
"""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hinterguesser.report.tables import MISSING, percent, printable, table

Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Cell:
    """What stands in one place of a table, and how it is set off."""

    text: str
    best: bool = False
    """The best of its column: bold in LaTeX."""
    significant: bool = False
    """More than chance after correction: underlined in LaTeX, a star in text."""

    def plain(self) -> str:
        """As text."""
        return f"{self.text}*" if self.significant else self.text

    def latex(self) -> str:
        """As LaTeX."""
        text = latex_escaped(self.text)
        text = rf"\underline{{{text}}}" if self.significant else text
        return rf"\textbf{{{text}}}" if self.best else text


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table: its cells in the layout to be read, and its records to be counted with."""

    name: str
    """Of its files."""
    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    records: tuple[Record, ...]
    note: str
    """What the reader must know."""
    text_columns: int = 2
    """So many columns hold names and are set flush left."""

    def text(self) -> str:
        """For the terminal."""
        cells = [[cell.plain() for cell in row] for row in self.rows]
        return f"{self.title}\n\n{table(self.heads, cells, text_columns=self.text_columns)}\n\n{self.note}\n"

    def latex(self) -> str:
        """A plain tabular; needs no package."""
        columns = "l" * self.text_columns + "r" * (len(self.heads) - self.text_columns)
        lines = [" & ".join(map(latex_escaped, self.heads)), *(" & ".join(c.latex() for c in row) for row in self.rows)]
        body = "\n".join([f"{lines[0]} \\\\", r"\hline", *(f"{line} \\\\" for line in lines[1:])])
        comment = "\n".join(f"% {printable(line)}" for line in (self.title, *self.note.splitlines()))
        return f"{comment}\n\\begin{{tabular}}{{{columns}}}\n\\hline\n{body}\n\\hline\n\\end{{tabular}}\n"

    def csv(self) -> str:
        """One record a line; nested names are joined by a point, an interval takes two columns."""
        flat = [_flat(record) for record in self.records]
        heads = list(dict.fromkeys(name for record in flat for name in record))
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(map(spreadsheet_safe, heads))
        writer.writerows([_csv_cell(record.get(name)) for name in heads] for record in flat)
        return out.getvalue()

    def json(self) -> str:
        """Title, note and records."""
        whole = {"title": self.title, "note": self.note, "rows": list(self.records)}
        return json.dumps(whole, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    **{mark: f"{{{mark}}}" for mark in '"[*'},  # a row that begins with [ or * would belong to the line break before it
    **{mark: f"\\{mark}" for mark in "{}$&#%_"},
}


def latex_escaped(text: str) -> str:
    """`text` as LaTeX prints it, with no mark that means something to LaTeX; blanks for control characters."""
    return "".join(_LATEX.get(mark, mark) for mark in printable(text))


def spreadsheet_safe(text: str) -> str:
    """`text` for a CSV cell: what a spreadsheet would take for a formula gets an apostrophe in front.

    As OWASP advises on CSV injection: cells that start with =, +, -, @ (of full width, too), a tab or a line break.
    """
    return f"'{text}" if text.lstrip(" ").startswith(tuple("=+-@＝＋－＠\t\r\n")) else text


def change(value: float | None) -> str:
    """A difference of fractions in points, with its sign."""
    return MISSING if value is None else f"{100 * value:+.1f}"


def with_ends(value: float | None, ends: Sequence[float] | None) -> str:
    """A fraction as percent with its 95 % interval."""
    if value is None or ends is None:
        return percent(value)
    return f"{percent(value)} [{100 * ends[0]:.1f}, {100 * ends[1]:.1f}]"


def _flat(record: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in record.items():
        if isinstance(value, Mapping):
            flat |= _flat(value, f"{prefix}{name}." if name != "by" else prefix)
        elif name == "interval" or (isinstance(value, list) and prefix.endswith("intervals.")):
            low, high = value or (None, None)
            flat |= {f"{prefix}{name}.lo": low, f"{prefix}{name}.hi": high}
        else:
            flat[f"{prefix}{name}"] = value
    return flat


def _csv_cell(value: Any) -> Any:
    if value is None:
        return ""
    return spreadsheet_safe(value) if isinstance(value, str) else value
