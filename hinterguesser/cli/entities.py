"""hinterguesser entities: what a list holds, what is wrong with it, lists from elsewhere, facts from a model."""

from pathlib import Path
from typing import Any

import click

from hinterguesser.cli import options

EPILOG = """\b
Examples:
  hinterguesser entities check mycities.csv
  hinterguesser entities import geonames cities15000.zip --limit 500 --out cities.jsonl
  hinterguesser entities enrich cities.jsonl --game guess --model openai/gpt-4o-mini --out enriched"""


@click.group(epilog=EPILOG)
def command() -> None:
    """Check, show, import and enrich entity lists."""


@command.command()
@click.argument("file", type=options.PATH)
@options.as_json
def check(file: Path, as_json: bool) -> int:
    """Say what may go wrong with the list FILE: shared names, leaks, facts that do not tell entities apart.

    The exit status is 0 when the list can be played, whatever the notes; 2 when `generate` would refuse it.

    \b
    Example:
      hinterguesser entities check mycities.csv
    """  # noqa: D301 - \b keeps the lines of an example apart
    from hinterguesser.cli.entity_reports import checked
    from hinterguesser.errors import UserError
    from hinterguesser.store.entities import read_entities
    from hinterguesser.store.entity_check import check as findings

    listed = read_entities(file, allow_collisions=True)
    try:
        read_entities(file)
        problem = None
    except UserError as error:
        problem = str(error)
    return checked(file, listed, findings(listed), problem, as_json)


@command.command()
@click.argument("file", type=options.PATH)
@click.argument("names", nargs=-1)
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, help="Entities to show.")
@options.as_json
def show(file: Path, names: tuple[str, ...], limit: int, as_json: bool) -> int:
    """Show the list FILE, or all that is known about the entities NAMES.

    \b
    Example:
      hinterguesser entities show entity_lists/guess.jsonl Bogor
    """  # noqa: D301 - \b keeps the lines of an example apart
    from hinterguesser.cli.entity_reports import shown
    from hinterguesser.store.entities import read_entities

    return shown(file, read_entities(file, allow_collisions=True), names, limit, as_json)


@command.command("import")
@click.argument("kind", type=click.Choice(["lmrl", "kaggle", "geonames"]))
@click.argument("path", type=options.PATH)
@click.option("--out", type=options.PATH, required=True, metavar="FILE.jsonl", help="The list to write.")
@click.option("--aliases", type=options.PATH, metavar="FILE", help="lmrl cities: other names of each.")
@click.option("--limit", type=click.IntRange(1), help="geonames: only the largest so many.")
@options.as_json
def import_(kind: str, path: Path, out: Path, aliases: Path | None, limit: int | None, as_json: bool) -> int:
    """Make an entity list of a public one, and report every change.

    \b
    lmrl      LMRL-Gym: twenty_questions/env/data.py, or global_cities.txt
    kaggle    Kaggle's LLM 20 Questions: keywords.py
    geonames  GeoNames: cities15000.zip

    \b
    Example:
      hinterguesser entities import kaggle keywords.py --out keywords.jsonl
    """  # noqa: D301 - \b keeps the lines of an example apart
    from hinterguesser.cli.entity_reports import imported
    from hinterguesser.flow.listing import import_list

    return imported(import_list(kind, path, out, aliases, limit), out, as_json)


@command.command()
@click.argument("file", type=options.PATH)
@click.option("--game", required=True, metavar="GAME", help="Whose facts are asked for: 20q or guess.")
@click.option("--model", required=True, metavar="MODEL", help="Who is asked.")
@click.option("--out", type=options.PATH, required=True, metavar="DIR", help="The folder to fill, or to go on with.")
@click.option("--samples", type=click.IntRange(1, 100), default=5, show_default=True, help="Independent replies.")
@options.prompts
@options.limit
@options.reaching
@options.as_json
@options.config_file
def enrich(file: Path, out: Path, as_json: bool, **values: Any) -> int:
    """Ask MODEL for the facts of GAME about every entity of FILE; what not all samples say alike is left out.

    DIR gets the list with its facts, its wording file, and every value with its share of the votes.

    \b
    Example:
      hinterguesser entities enrich names.txt --game 20q --model openai/gpt-4o-mini --out enriched
    """  # noqa: D301 - \b keeps the lines of an example apart
    from hinterguesser.cli.entity_reports import enriched
    from hinterguesser.cli.progress import bar
    from hinterguesser.flow.enrich import EnrichSettings, enrich

    calls = options.call_settings(values)
    with bar() as progress:
        outcome = enrich(EnrichSettings(entities=file, **values), out, calls, progress)
    return enriched(outcome, as_json)
