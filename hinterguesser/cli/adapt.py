"""hinterguesser adapt: a source dataset as a run."""

from pathlib import Path

import click

from hinterguesser.cli import options

EPILOG = """\b
Examples:
  hinterguesser adapt grace ALL_final_buzzpoints_enc.zip --out runs/grace --password
  hinterguesser adapt trickme trick_me_questions.json --out runs/trickme
  hinterguesser adapt grace packets/ --out runs/grace100 --granularity characters:100

GRACE and TrickMe state no licence: their rows stay on this machine, unless `push --include` says otherwise."""


@click.command(epilog=EPILOG)
@click.argument("source", metavar="{grace,trickme}")
@click.argument("path", type=options.PATH)
@click.option(
    "--out", type=options.PATH, required=True, metavar="RUN", help="The run folder to fill, or to go on with."
)
@click.option(
    "--granularity", default="sentence", show_default=True, metavar="WHAT",
    help="What one clue is: sentence, or characters:N.",
)  # fmt: skip
@click.option(
    "--password", envvar="HINTERGUESSER_PASSWORD", prompt=True, prompt_required=False, hide_input=True, metavar="TEXT",
    help="Opens an encrypted archive. Without TEXT it is asked for; $HINTERGUESSER_PASSWORD is read too. Kept nowhere.",
)  # fmt: skip
@options.prompts
@options.as_json
@options.config_file
def command(
    source: str,
    path: Path,
    out: Path,
    granularity: str,
    password: str | None,
    prompts: Path | None,
    as_json: bool,
) -> int:
    """Read the published files at PATH as dialogues of which each turn adds one clue.

    Every record is kept or rejected with a reason. What else the source knows (who buzzed when, categories, accepted
    answers) goes to annotations.jsonl in RUN.
    """
    from hinterguesser.cli.reports import adapted
    from hinterguesser.flow.adapt import adapt

    outcome = adapt(source, path, out, granularity=granularity, password=password, prompts=prompts)
    return adapted(outcome, source, out, as_json)
