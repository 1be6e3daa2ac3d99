"""hinterguesser replay: what acting on confidence would win and cost, on stored traces."""

from pathlib import Path
from typing import Any

import click

from hinterguesser.cli import options

EPILOG = """\b
Examples:
  hinterguesser replay traces/hotpotqa traces/musique
  hinterguesser replay mine.csv --commit 0.8 --pick "accuracy>=0.9" --calibration-share 0.5
  hinterguesser replay evals/smollm2 --method vanilla_verb

A traces file (.jsonl, .csv, .parquet) has a row for each question_id and depth (0, 1, ...) with confidence (0 to 1)
and correct; dataset, model, split (calibration or test), answer and cost when known."""

SHARE = click.FloatRange(0, 1)


@click.command(epilog=EPILOG)
@click.argument("paths", nargs=-1, required=True, type=options.PATH, metavar="TRACES|EVAL...")
@click.option("--commit", type=SHARE, default=0.7, show_default=True, help="Commit at this confidence or above.")
@click.option(
    "--low", type=SHARE, default=0.3, show_default=True, help="In the end, abstain below this, else escalate."
)
@click.option("--budget", type=click.IntRange(0), default=3, show_default=True, help="Retrievals at most.")
@click.option(
    "--calibrator", default="isotonic", show_default=True, metavar="NAME",
    help="isotonic, platt, temperature (each also _per_depth or _per_dataset), or identity.",
)  # fmt: skip
@click.option(
    "--retrieval-price", type=click.FloatRange(0), default=0.0, show_default=True, metavar="PRICE",
    help="Of one retrieval, in the unit of the traces' `cost`.",
)  # fmt: skip
@click.option(
    "--value-price", type=SHARE, default=0.05, show_default=True, metavar="GAIN",
    help="value_of_information retrieves for more than this gain in the chance of being right.",
)  # fmt: skip
@click.option(
    "--pick", "promises", multiple=True, metavar="PROMISE",
    help='Pick a threshold that keeps a promise: "coverage>=0.8" or "accuracy>=0.9". May be repeated.',
)  # fmt: skip
@click.option(
    "--calibration-share", type=SHARE, metavar="SHARE",
    help="Split the questions of each dataset anew: the first so many for calibration.",
)  # fmt: skip
@click.option("--method", metavar="NAME", help="Of an evaluation: whose confidence.")
@click.option("--condition", metavar="NAME", help="Of an evaluation: what the model saw; else multi.")
@click.option("--target", metavar="NAME", help="Of an evaluation: whose answer it judges; else answer.")
@click.option("--out", type=options.PATH, metavar="DIR", help="Also write everything here: JSON, CSV, text.")
@options.seed
@options.as_json
@options.config_file
def command(out: Path | None, as_json: bool, **values: Any) -> int:
    """Replay stored traces under rules that commit, retrieve, abstain or escalate by confidence.

    TRACES is a file of traces or a folder that `collect` filled; EVAL is one that `evaluate` filled: there a turn is a
    depth, and a further hint is a retrieval. Only traces of split `test` are counted; what is fitted is fitted on the
    others.
    """
    from hinterguesser.cli.reports import replayed
    from hinterguesser.flow.replay import replay, request, save

    done = replay(request(**values))
    return replayed(done, save(done, out) if out is not None else (), as_json)
