"""hinterguesser build: make a release of runs."""

from pathlib import Path

import click

from hinterguesser.cli import options

EPILOG = """\b
Examples:
  hinterguesser build runs/20q runs/guess --out release-1.0.0 --version 1.0.0

\b
Load it with:
  datasets.load_dataset("release-1.0.0", "20q", split="test")"""


@click.command(epilog=EPILOG)
@click.argument("runs", type=options.PATH, nargs=-1, required=True)
@click.option(
    "--out", type=options.PATH, required=True, metavar="RELEASE", help="The release folder to make or replace."
)
@click.option("--version", default="1.0.0", show_default=True, metavar="X.Y.Z", help="Version of the dataset.")
@options.as_json
@options.config_file
def command(runs: tuple[Path, ...], out: Path, version: str, as_json: bool) -> int:
    """Make a release of RUNS: Parquet, a dataset card and provenance; what was filtered out is kept apart."""
    from hinterguesser.cli.reports import built
    from hinterguesser.store.release import build
    from hinterguesser.store.run import RunFolder

    return built(build([RunFolder.open(run) for run in runs], out, version), out, as_json)
