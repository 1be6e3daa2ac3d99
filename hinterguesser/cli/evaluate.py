"""hinterguesser evaluate: measure a model's confidence, turn by turn."""

from pathlib import Path
from typing import Any

import click

from hinterguesser.cli import options

EPILOG = """\b
Examples:
  hinterguesser evaluate release-1.0.0 --model builtin/smollm2 --config guess --out evals/smollm2
  hinterguesser evaluate runs/guess --model NAME --api-base http://localhost:8000/v1 \\
      --methods paper --targets answer,gold --conditions multi,placebo,single --out evals/mine
  hinterguesser evaluate user/name --config 20q --model openai/gpt-4o-mini --dry-run --out evals/x

Run the same command again to go on; replies in the journal are not asked for again."""


def _names(_: click.Context, __: click.Parameter, text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))


def _methods(context: click.Context, parameter: click.Parameter, text: str) -> tuple[str, ...]:
    from hinterguesser.confidence import PAPER, REFERENCES

    sets = {"paper": PAPER, "references": REFERENCES}
    return tuple(dict.fromkeys(name for part in _names(context, parameter, text) for name in sets.get(part, (part,))))


@click.command(epilog=EPILOG)
@click.argument("source", type=options.PATH)
@click.option(
    "--model", "models", required=True, multiple=True, metavar="MODEL", help="The model under test; may be repeated."
)
@click.option("--out", type=options.PATH, required=True, metavar="EVAL", help="The folder to fill, or to go on with.")
@click.option("--config", metavar="NAME", help="One dataset of the release, e.g. 20q; else all.")
@click.option("--split", default="test", show_default=True, metavar="NAME", help="One split of the release.")
@click.option("--revision", metavar="REV", help="Of a dataset on the Hub: a branch, tag or commit.")
@click.option(
    "--methods", default="vanilla_verb,p_true,p_sufficient", show_default=True, callback=_methods, metavar="A,B",
    help="How confidence is read; `paper` stands for its five methods, `references` for the exact ones.",
)  # fmt: skip
@click.option(
    "--conditions", default="multi", show_default=True, callback=_names, metavar="A,B",
    help="What the model sees: multi, placebo, single.",
)  # fmt: skip
@click.option(
    "--targets", default="answer", show_default=True, callback=_names, metavar="A,B",
    help="Whose answer it judges: answer (its own), gold.",
)  # fmt: skip
@click.option("--samples", type=click.IntRange(2), default=20, show_default=True, help="Of self_consistency.")
@click.option("--judge", metavar="MODEL", help="Decides whether an answer is right where the matcher says no.")
@click.option(
    "--names", type=options.PATH, metavar="FILE",
    help="Entity list that candidate_likelihood weighs against; else the game's own.",
)  # fmt: skip
@click.option("--swap-labels", is_flag=True, help="Ask label probes under both orders of the labels, and average.")
@click.option("--uncached", is_flag=True, help="Let the server read every prompt anew; a slow reference.")
@options.prompts
@options.seed
@options.limit
@options.shard
@options.reaching
@options.dry_run
@options.as_json
@options.config_file
def command(
    source: Path,
    config: str | None,
    split: str,
    revision: str | None,
    uncached: bool,
    out: Path,
    dry_run: bool,
    as_json: bool,
    **values: Any,
) -> int:
    """Ask MODEL for an answer after every turn of the dialogues in SOURCE, and how sure it is.

    SOURCE is a release folder, a run folder, or a dataset on the Hub (USER/NAME).
    """
    from hinterguesser.cli.progress import bar
    from hinterguesser.cli.reports import evaluated, rehearsed
    from hinterguesser.flow.evaluate import evaluate, rehearse_evaluate
    from hinterguesser.flow.source import Source
    from hinterguesser.flow.trials import EvaluateSettings

    calls = options.call_settings(values)
    settings = EvaluateSettings(source=Source(source, config, split, revision), reuse_prompt=not uncached, **values)
    if dry_run:
        return rehearsed(rehearse_evaluate(settings, calls), as_json)
    with bar() as progress:
        evaluation = evaluate(settings, out, calls, progress)
    return evaluated(evaluation, out, as_json)
