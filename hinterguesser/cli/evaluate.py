"""hinterguesser evaluate: measure a model's confidence, turn by turn."""

from pathlib import Path
from typing import Any

import click

from hinterguesser.cli import options

EPILOG = """\b
Examples:
  hinterguesser evaluate release-1.0.0 --model builtin/smollm2 --config guess --out evals/smollm2
  hinterguesser evaluate runs/guess --model NAME --api-base http://localhost:8000/v1 --out evals/mine

Run the same command again to go on; replies in the journal are not asked for again."""


def _names(_: click.Context, __: click.Parameter, text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))


@click.command(epilog=EPILOG)
@click.argument("source", type=options.PATH)
@click.option("--model", required=True, metavar="MODEL", help="The model under test.")
@click.option("--out", type=options.PATH, required=True, metavar="EVAL", help="The folder to fill, or to go on with.")
@click.option("--config", metavar="NAME", help="One dataset of the release, e.g. 20q; else all.")
@click.option(
    "--methods", default="vanilla_verb,p_true,p_sufficient", show_default=True, callback=_names, metavar="A,B",
    help="How confidence is read.",
)  # fmt: skip
@click.option(
    "--conditions", default="multi", show_default=True, callback=_names, metavar="A,B", help="What the model sees."
)
@click.option(
    "--targets", default="answer", show_default=True, callback=_names, metavar="A,B", help="Whose answer it judges."
)
@click.option("--swap-labels", is_flag=True, help="Ask label probes under both orders of the labels, and average.")
@click.option("--uncached", is_flag=True, help="Let the server read every prompt anew; a slow reference.")
@options.prompts
@options.seed
@options.limit
@options.reaching
@options.as_json
@options.config_file
def command(source: Path, config: str | None, uncached: bool, out: Path, as_json: bool, **values: Any) -> int:
    """Ask MODEL for an answer after every turn of the dialogues in SOURCE (a release or a run), and how sure it is."""
    from hinterguesser.cli.progress import bar
    from hinterguesser.cli.reports import evaluated
    from hinterguesser.flow.evaluate import EvaluateSettings, evaluate
    from hinterguesser.flow.source import Source

    calls = options.call_settings(values)
    settings = EvaluateSettings(source=Source(source, config), reuse_prompt=not uncached, **values)
    with bar() as progress:
        evaluation = evaluate(settings, out, calls, progress)
    return evaluated(evaluation, out, as_json)
