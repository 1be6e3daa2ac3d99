"""What stdout is printed on: a terminal of some width, with or without colour, or a file or pipe."""

import json
import os
import shutil
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from hinterguesser.report.terminal import Screen

UNLIMITED = 100
"""Columns where nobody says how many there are."""


def screen() -> "Screen":
    """What stdout can show. Colour only on a terminal, and not with NO_COLOR (no-color.org)."""
    from hinterguesser.report.terminal import Screen

    colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    try:
        "█✓".encode(sys.stdout.encoding or "ascii")
        blocks = True
    except UnicodeEncodeError:
        blocks = False
    width = shutil.get_terminal_size((UNLIMITED, 24)).columns
    return Screen(max(20, width), colour, blocks)


def json_lines(value: dict[str, Any]) -> list[str]:
    """`value` as readable JSON; all ASCII where a terminal would obey what stands in a text, or cannot say it."""
    harmless = sys.stdout.isatty() or not screen().blocks
    return json.dumps(value, ensure_ascii=harmless, indent=2).replace("\x7f", "\\u007f").split("\n")


def shown(lines: Iterable[str], *, pager: bool) -> None:
    """Print lines: paged on a terminal, else as they come, until whoever reads them has had enough."""
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:  # a text that the encoding lacks is no reason to stop
        reconfigure(errors="replace")
    colour = screen().colour
    if pager and sys.stdout.isatty():
        click.echo_via_pager((f"{line}\n" for line in lines), color=colour)
        return
    try:
        for line in lines:
            click.echo(line, color=colour)
    except BrokenPipeError:  # `head` has had enough; click would end with status 1
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
