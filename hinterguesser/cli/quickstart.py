"""hinterguesser quickstart: the whole road, offline and small."""

from pathlib import Path

import click

from hinterguesser.cli import options

EPILOG = """\b
Example:
  hinterguesser quickstart --out demo

It needs the extra `local` (pip install 'hinterguesser[local]'), and gets the weights of a small model (94 MB) the first
time. After that it needs no network."""

ABOUT = """\
A demonstration: it shows how the instruments work, not what to think of a model. The model in this process is
very small (SmolLM2-135M): its label probes lean on the place of the label (asked under both orders they come out near
50 %)."""


@click.command(epilog=EPILOG)
@click.option(
    "--out", type=options.PATH, default="hinterguesser-quickstart", show_default=True, metavar="DIR",
    help="The folder to fill.",
)  # fmt: skip
def command(out: Path) -> int:
    """Play both games, filter, derive, build a release, load it back, evaluate it with a small model: all offline."""
    from hinterguesser.cli.progress import bar
    from hinterguesser.cli.reports import demonstrated
    from hinterguesser.flow.material import gather
    from hinterguesser.flow.quickstart import GAMES, quickstart
    from hinterguesser.report.whole import write_report
    from hinterguesser.store import weights

    click.echo(ABOUT)
    if not weights.is_there("smollm2"):
        click.echo("\nGetting the model's weights (94 MB, once) ...")
        weights.get("smollm2")
    with bar() as progress:
        demonstration = quickstart(out, progress)
        material = gather([out / "evaluation", *(out / "runs" / game for game in GAMES)], progress=progress)
        report = write_report(material, out / "report", progress=progress)
    return demonstrated(demonstration, out, report.page)
