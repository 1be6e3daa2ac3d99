"""hinterguesser generate: play dialogues about every entity of a list."""

from pathlib import Path
from typing import Any

import click

from hinterguesser.cli import options

EPILOG = """\b
Examples:
  hinterguesser generate guess --out runs/guess
  hinterguesser generate 20q --entities mine.csv --out runs/mine
  hinterguesser generate 20q --entities names.txt --hinter openai/gpt-4o \\
      --guesser openai/gpt-4o-mini --out runs/models

Run the same command again to go on with a run that was stopped."""


@click.command(epilog=EPILOG)
@click.argument("game")
@click.option(
    "--out", type=options.PATH, required=True, metavar="RUN", help="The run folder to fill, or to go on with."
)
@click.option(
    "--entities", type=options.PATH, metavar="FILE", help="Entity list (.txt, .csv, .jsonl); else the game's own."
)
@click.option("--hinter", default="builtin/oracle", show_default=True, metavar="MODEL", help="Who gives the hints.")
@click.option("--guesser", default="builtin/oracle", show_default=True, metavar="MODEL", help="Who guesses.")
@click.option("--max-turns", type=click.IntRange(1, 200), default=20, show_default=True, help="Budget of turns.")
@click.option(
    "--pace", type=options.POSITIVE, default=1.25, show_default=True, metavar="BITS",
    help="Narrowing a hint of the oracle should bring: 1 bit leaves half of the entities.",
)  # fmt: skip
@click.option("--temperature", type=options.NOT_NEGATIVE, default=1.0, show_default=True, help="Of model players.")
@options.prompts
@options.seed
@options.limit
@options.shard
@options.reaching
@options.dry_run
@options.as_json
@options.config_file
def command(out: Path, as_json: bool, dry_run: bool, **values: Any) -> int:
    """Play one dialogue about every entity of a list, for GAME 20q or guess.

    A Hinter who knows the entity gives one hint a turn; a Guesser guesses and says whether other answers still fit. A
    dialogue is kept when it ends correct and unique. Without a model both are played exactly, from the list's facts.
    """
    from hinterguesser.cli.progress import bar
    from hinterguesser.cli.reports import generated, rehearsed
    from hinterguesser.flow.generate import GenerateSettings, generate, rehearse_generate

    calls = options.call_settings(values)
    if dry_run:
        return rehearsed(rehearse_generate(GenerateSettings(**values), calls), as_json)
    with bar() as progress:
        tally = generate(GenerateSettings(**values), out, calls, progress)
    return generated(tally, out, as_json)
