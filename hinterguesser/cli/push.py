"""hinterguesser push: upload a release to the Hub."""

import sys
from pathlib import Path

import click

from hinterguesser.cli import options

EPILOG = """\b
Examples:
  hinterguesser push my-release --repo ada/hints --dry-run
  hinterguesser push my-release --repo ada/hints
  hinterguesser push my-release --repo ada/hints --public

Log in with `hf auth login` or set HF_TOKEN. Run the same command again to go on with an upload that was interrupted."""


@click.command(epilog=EPILOG)
@click.argument("release", type=options.PATH)
@click.option("--repo", required=True, metavar="USER/NAME", help="The dataset on the Hub; made if it is not there.")
@click.option("--private/--public", default=True, show_default=True, help="Who sees a repository that is made now.")
@click.option(
    "--include", multiple=True, metavar="DATASET",
    help="Upload rows whose source states no licence, e.g. grace: only if you may share them.",
)  # fmt: skip
@click.option("--dry-run", is_flag=True, help="List files and sizes; send nothing.")
@options.as_json
@options.config_file
def command(release: Path, repo: str, private: bool, include: tuple[str, ...], dry_run: bool, as_json: bool) -> int:
    """Upload RELEASE as a dataset: one commit, and a tag for its version.

    Datasets of the repository that are not in RELEASE stay as they are. GRACE and TrickMe state no licence, so their
    rows are left out.
    """
    from hinterguesser.cli.reports import pushed
    from hinterguesser.store import hub
    from hinterguesser.store.hub_patience import with_bars

    if dry_run:
        return pushed(hub.dry_run(release, repo, include), as_json)
    with with_bars(sys.stderr.isatty()):
        return pushed(hub.push(release, repo, private=private, include=include), as_json)
