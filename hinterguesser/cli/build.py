"""hinterguesser build: make a release of runs."""

from pathlib import Path

import click

from hinterguesser.cli import options

EPILOG = """\b
Examples:
  hinterguesser build runs/20q runs/guess --out release-1.0.0 --version 1.0.0
  hinterguesser build runs/20q --out mine --splits calibration=0.3,test=0.7 --licence CC0-1.0

\b
Load it with:
  datasets.load_dataset("release-1.0.0", "20q", split="test")"""


@click.command(epilog=EPILOG)
@click.argument("runs", type=options.PATH, nargs=-1, required=True)
@click.option(
    "--out", type=options.PATH, required=True, metavar="RELEASE", help="The release folder to make or replace."
)
@click.option("--version", default="1.0.0", show_default=True, metavar="X.Y.Z", help="Version of the dataset.")
@click.option(
    "--splits", metavar="NAME=SHARE,...", help="Split by entity, e.g. calibration=0.3,test=0.7; else all is `test`."
)
@click.option(
    "--licence", default="CC-BY-4.0", show_default=True, metavar="NAME",
    help="Of the rows made by `generate`; rows of a source dataset keep its own.",
)  # fmt: skip
@options.as_json
@options.config_file
def command(runs: tuple[Path, ...], out: Path, version: str, splits: str | None, licence: str, as_json: bool) -> int:
    """Make a release of RUNS: Parquet, a dataset card and provenance; what was filtered out is kept apart.

    Splits are drawn by a hash of the entity's name, so an entity never changes sides between versions.
    """
    from hinterguesser.cli.reports import built
    from hinterguesser.store.release import build
    from hinterguesser.store.run import RunFolder
    from hinterguesser.store.splits import read_splits

    drawn = read_splits(splits)
    opened = [RunFolder.open(run) for run in runs]
    for run in opened:
        run.refuse_if_busy()
        if "derived" not in run.record:
            click.echo(f"hinterguesser: {run.path} was not derived: no placebos and no summaries are in it", err=True)
    return built(build(opened, out, version, drawn, licence), out, as_json)
