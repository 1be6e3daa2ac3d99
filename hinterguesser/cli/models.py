"""hinterguesser models: embedded models and their weights."""

import sys
from pathlib import Path
from typing import Any

import click

from hinterguesser.cli import options

EPILOG = """\b
Examples:
  hinterguesser models list
  hinterguesser models get smollm2
  hinterguesser models get smollm2 --file ~/Downloads/SmolLM2-135M-Instruct.Q4_1.gguf
  hinterguesser models path smollm2

Weights go to the user's cache folder, or to $HINTERGUESSER_HOME."""


@click.group(epilog=EPILOG)
def command() -> None:
    """List the embedded models, and get their weights."""


@command.command("list")
@options.as_json
def list_(as_json: bool) -> None:
    """List the embedded models, and whether their weights are there.

    \b
    Example:
      hinterguesser models list
    """  # noqa: D301 - \b keeps the lines of an example apart
    from hinterguesser.cli.reports import print_json
    from hinterguesser.report.tables import table
    from hinterguesser.store import weights

    known = weights.catalogue()
    if as_json:
        print_json({"models": [{"name": one.name, "model": one.model, "licence": one.licence, "bytes": one.size,
                                "installed": weights.is_there(one.name)} for one in known]})  # fmt: skip
        return
    rows = [
        (one.model, "here" if weights.is_there(one.name) else f"hinterguesser models get {one.name}",
         f"{one.size / 1e6:.0f} MB", one.licence)
        for one in known
    ]  # fmt: skip
    click.echo(table(("model", "weights", "size", "licence"), rows, text_columns=2))


@command.command()
@click.argument("name")
@click.option("--file", type=options.PATH, metavar="FILE", help="A GGUF file that you have, instead of a download.")
@click.option("--accept-terms", is_flag=True, help="Accept the model's own terms without being asked.")
def get(name: str, file: Path | None, accept_terms: bool) -> None:
    """Get the weights of the embedded model NAME.

    \b
    Example:
      hinterguesser models get smollm2
    """  # noqa: D301 - \b keeps the lines of an example apart
    from hinterguesser.store import weights

    def agree(terms: str) -> bool:
        click.echo(terms, err=True)
        if accept_terms:
            return True
        if not sys.stdin.isatty():
            click.echo("hinterguesser: nobody is here to accept them; say --accept-terms", err=True)
            return False
        return click.confirm("Do you accept these terms?", err=True)

    click.echo(str(weights.get(name, file=file, accept_terms=agree)))


@command.command()
@click.argument("name")
def path(name: str) -> None:
    """Print where the weights of the embedded model NAME are.

    \b
    Example:
      hinterguesser models path smollm2
    """  # noqa: D301 - \b keeps the lines of an example apart
    from hinterguesser.store import weights

    click.echo(str(weights.weights_path(name)))


@command.command()
@click.argument("model")
@options.reaching
@options.as_json
def check(model: str, as_json: bool, **values: Any) -> None:
    """Ask MODEL at most three tiny calls, and say what it really offers.

    \b
    Examples:
      hinterguesser models check builtin/smollm2
      hinterguesser models check openai/gpt-4o-mini
      hinterguesser models check NAME --api-base http://localhost:8000/v1
    """  # noqa: D301 - \b keeps the lines of an example apart
    from hinterguesser.cli.reports import print_json
    from hinterguesser.flow.check_model import check_model
    from hinterguesser.report.tables import table

    findings = check_model(model, options.call_settings(values))
    if as_json:
        print_json({finding.what: finding.found for finding in findings})
        return
    click.echo(table((model, ""), [(finding.what, finding.found) for finding in findings], text_columns=2))
