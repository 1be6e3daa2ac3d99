"""hinterguesser journal: every call that was made and its reply."""

import json
import sys
from pathlib import Path

import click

from hinterguesser.cli import options

EPILOG = """\b
Examples:
  hinterguesser journal stats runs/models
  hinterguesser journal export runs/models > calls.jsonl
  hinterguesser journal prune runs/models

RUN is a folder that a command filled, or a journal file itself."""


@click.group(epilog=EPILOG)
def command() -> None:
    """Count, export or prune the calls and replies of a run."""


def _file(run: Path) -> Path:
    from hinterguesser.store.workfolder import JOURNAL_FILE

    return run / JOURNAL_FILE if run.is_dir() else run


@command.command()
@click.argument("run", type=options.PATH)
@options.as_json
def stats(run: Path, as_json: bool) -> None:
    """Count calls, tokens and cost by model, and what went wrong.

    \b
    Example:
      hinterguesser journal stats runs/models
    """  # noqa: D301 - \b keeps the lines of an example apart
    from dataclasses import asdict

    from hinterguesser.cli.reports import print_json
    from hinterguesser.report.tables import table
    from hinterguesser.store.journal_care import journal_stats

    found = journal_stats(_file(run))
    if as_json:
        print_json(asdict(found))
        return
    rows = [
        (
            use.model,
            use.endpoint,
            *map(str, (use.replies, use.requests, use.input_tokens, use.output_tokens, use.cached_tokens)),
            f"{use.cost_usd:.4f}" + (f" + {use.unpriced} unpriced" if use.unpriced else ""),
        )
        for use in found.models
    ]
    header = ("model", "endpoint", "replies", "requests", "tokens in", "out", "cached", "cost (USD)")
    click.echo(table(header, rows, text_columns=2))
    for reason, times in found.failed_attempts:
        click.echo(f"{times} failed attempts: {reason}")


@command.command()
@click.argument("run", type=options.PATH)
def export(run: Path) -> None:
    """Write every call with its reply, and every failed attempt, as JSON lines to stdout.

    \b
    Example:
      hinterguesser journal export runs/models > calls.jsonl
    """  # noqa: D301 - \b keeps the lines of an example apart
    from hinterguesser.store.journal_care import export_journal

    for entry in export_journal(_file(run)):
        sys.stdout.write(json.dumps(entry, ensure_ascii=False) + "\n")


@command.command()
@click.argument("run", type=options.PATH)
def prune(run: Path) -> None:
    """Drop the failed attempts, which are kept for diagnosis only; every reply stays.

    \b
    Example:
      hinterguesser journal prune runs/models
    """  # noqa: D301 - \b keeps the lines of an example apart
    from hinterguesser.store.journal_care import prune_journal

    _, failed = prune_journal(_file(run))
    click.echo(f"dropped {failed} failed attempts")
