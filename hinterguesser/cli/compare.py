"""hinterguesser compare: paired differences between two evaluations."""

from pathlib import Path
from typing import Any

import click

from hinterguesser.cli import options

EPILOG = """\b
Examples:
  hinterguesser compare evals/smollm2 evals/gpt
  hinterguesser compare evals/plain-prompt evals/my-prompt --out differences
  hinterguesser compare evals/both evals/both --first-model a --second-model b
  hinterguesser compare theirs.csv ours.parquet --json

An EVAL is a folder that `evaluate` filled, or a predictions file with the columns that `metrics` needs. A difference is
the second less the first, on turns that both have."""


@click.command(epilog=EPILOG)
@click.argument("first", type=options.PATH, metavar="EVAL")
@click.argument("second", type=options.PATH, metavar="EVAL")
@click.option("--first-model", metavar="NAME", help="Of the first evaluation, if it has several models.")
@click.option("--second-model", metavar="NAME", help="Of the second evaluation.")
@click.option("--percent", is_flag=True, help="Confidence is written in percent, in both.")
@click.option(
    "--resamples", type=click.IntRange(0), default=1000, show_default=True,
    help="Bootstrap resamples of the intervals; 0 leaves intervals out.",
)  # fmt: skip
@click.option("--out", type=options.PATH, metavar="DIR", help="Also write all tables as text, CSV, LaTeX and JSON.")
@options.seed
@options.as_json
@options.config_file
def command(first: Path, second: Path, out: Path | None, as_json: bool, **values: Any) -> int:
    """Compare two models, or two prompts of one, turn by turn on the same dialogues."""
    from hinterguesser.cli.paper import json_lines, shown
    from hinterguesser.flow.compare import CompareSettings, compare
    from hinterguesser.report.contrast_tables import contrast_tables
    from hinterguesser.report.paper_tables import write_sheets

    compared = compare(first, second, CompareSettings(**values))
    if out is not None:
        write_sheets(contrast_tables(compared), out)
    if as_json:
        shown(json_lines(compared.to_dict()), pager=False)
        return 0
    shown("\n".join(sheet.text() for sheet in contrast_tables(compared, main_only=True)).split("\n"), pager=False)
    click.echo("Other conditions and targets: --json, or --out DIR." if out is None else f"All of them: {out}")
    return 0
