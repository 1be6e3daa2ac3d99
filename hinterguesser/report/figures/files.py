"""Figures as files: PNG, SVG and PDF, and the data beside them; the same bytes on every run."""

import csv
import io
from pathlib import Path
from typing import Any

from hinterguesser.report.figures.figure import Figure
from hinterguesser.report.figures.style import styled
from hinterguesser.report.sheets import spreadsheet_safe
from hinterguesser.report.tables import printable
from hinterguesser.store.files import new_folder, write_whole

DOTS_PER_INCH = 150


def save(figure: Figure, folder: Path) -> list[Path]:
    """Write NAME.png, NAME.svg, NAME.pdf and NAME.csv into `folder`, which is made; each whole or not at all.

    Raises:
        UserError: the folder cannot be written to.
    """
    new_folder(folder)
    contents = {**drawn(figure), "csv": data(figure).encode()}
    paths = [folder / f"{figure.name}.{ending}" for ending in contents]
    for path, content in zip(paths, contents.values(), strict=True):
        write_whole(path, content)
    return paths


def data(figure: Figure) -> str:
    """The numbers that are drawn, as CSV: fractions, an empty cell for what does not exist."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(map(spreadsheet_safe, figure.heads))
    writer.writerows([_cell(value) for value in row] for row in figure.rows)
    return out.getvalue()


def _cell(value: Any) -> Any:
    if value is None:
        return ""
    return spreadsheet_safe(printable(value)) if isinstance(value, str) else value


def drawn(figure: Figure) -> dict[str, bytes]:
    """The figure as 'png', 'svg' (text as outlines, so that it looks the same everywhere) and 'pdf'; drawn once."""
    title = printable(figure.title)
    # No dates and no versions: a file changes only when its figure does.
    told: dict[str, dict[str, str | None]] = {
        "png": {"Software": None, "Title": title},
        "svg": {"Date": None, "Creator": None, "Title": title},
        "pdf": {"CreationDate": None, "Producer": None, "Creator": None, "Title": title},
    }
    made = {}
    with styled():
        canvas = figure.draw()
        for ending, metadata in told.items():
            out = io.BytesIO()
            canvas.savefig(out, format=ending, dpi=DOTS_PER_INCH, metadata=metadata)
            made[ending] = out.getvalue()
    return made
