"""hinterguesser derive: add placebo hints and summaries to a run."""

from pathlib import Path
from typing import Any

import click

from hinterguesser.cli import options

EPILOG = """\b
Examples:
  hinterguesser derive runs/guess
  hinterguesser derive runs/guess --placebo redundant
  hinterguesser derive runs/models --model openai/gpt-4o-mini"""


@click.command(epilog=EPILOG)
@click.argument("run", type=options.PATH)
@click.option(
    "--placebo", type=click.Choice(["pool", "redundant", "model"]),
    help="pool: true of any entity of the game (the default). redundant: a true fact that all remaining candidates "
    "share. model: written by --model (the default with it).",
)  # fmt: skip
@click.option("--model", metavar="MODEL", help="Writes the summaries; without it they are put together from the hints.")
@click.option("--entities", type=options.PATH, metavar="FILE", help="The run's entity list, if it has moved.")
@click.option("--redo", is_flag=True, help="Derive anew what was derived with other settings.")
@options.prompts
@options.seed
@options.reaching
@options.as_json
@options.config_file
def command(run: Path, as_json: bool, **values: Any) -> int:
    """Add to each turn of RUN a placebo hint (which says nothing) and a summary (which says all hints so far).

    Runs of `adapt` get summaries only.
    """
    from hinterguesser.cli.progress import bar
    from hinterguesser.cli.reports import derived
    from hinterguesser.flow.derive import DeriveSettings, derive

    calls = options.call_settings(values)
    with bar() as progress:
        outcome = derive(run, DeriveSettings(**values), calls, progress)
    return derived(outcome, run, as_json)
