"""hinterguesser show: read dialogues in the terminal."""

from pathlib import Path

import click

from hinterguesser.cli import options
from hinterguesser.errors import UserError

EPILOG = """\b
Examples:
  hinterguesser show runs/guess
  hinterguesser show runs/guess guess-oslo-norway-0
  hinterguesser show runs/guess --rejected --reason leak
  hinterguesser show my-release Oslo --predictions evals/smollm2

Set NO_COLOR to do without colour."""


@click.command(epilog=EPILOG)
@click.argument("run", type=options.PATH)
@click.argument("dialogue", required=False, metavar="[ID]")
@click.option("--rejected", is_flag=True, help="Only dialogues that were filtered out.")
@click.option("--reason", metavar="REASON", help="Only those filtered out for this reason, e.g. leak.")
@click.option("--config", metavar="NAME", help="One dataset of a release, e.g. 20q; else all.")
@click.option("--split", metavar="NAME", help="One split of a release; else all.")
@click.option("--predictions", type=options.PATH, metavar="EVAL", help="Show what a model did, turn by turn.")
@click.option("--condition", default="multi", show_default=True, help="Which of its predictions.")
@click.option("--no-pager", is_flag=True, help="Print all at once.")
@options.limit
@options.as_json
def command(
    run: Path,
    dialogue: str | None,
    rejected: bool,
    reason: str | None,
    config: str | None,
    split: str | None,
    predictions: Path | None,
    condition: str,
    no_pager: bool,
    limit: int | None,
    as_json: bool,
) -> int:
    """List the dialogues of RUN, or read one of them: by its ID, the beginning of it, or the name of its entity.

    RUN is a run folder, a release folder, or a dataset on the Hub (USER/NAME).
    """
    from hinterguesser.cli.paper import json_lines, screen, shown
    from hinterguesser.flow.reading import Choice, chosen, one_of, with_courses
    from hinterguesser.flow.source import Source
    from hinterguesser.report.terminal import listing, reading

    if predictions is not None and dialogue is None:
        raise UserError("--predictions shows what a model did in one dialogue; name its ID too")
    found = chosen(Source(run, config, split), Choice(rejected, reason, limit if dialogue is None else None))
    told = found if dialogue is None else [one_of(found, dialogue)]
    if as_json:
        shown(json_lines({"dialogues": [each.to_dict() for each in told]}), pager=False)
        return 0
    if dialogue is None:
        shown(listing(told, screen()), pager=not no_pager)
        return 0
    courses = with_courses(told, predictions, condition)
    lines = (line for each, some in courses for line in (*reading(each, some, screen()), ""))
    shown(lines, pager=not no_pager)
    return 0
