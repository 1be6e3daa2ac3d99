"""hinterguesser metrics: measure anyone's predictions."""

from pathlib import Path
from typing import Any

import click

from hinterguesser.cli import options

EPILOG = """\b
Examples:
  hinterguesser metrics evals/smollm2
  hinterguesser metrics mine.csv --by model,method --percent --json
  hinterguesser metrics mine.parquet --resamples 0
  hinterguesser metrics evals/grace --calscore runs/grace

\b
A row is one estimate, and needs five columns:
  dialogue_id  which dialogue
  turn         1, 2, 3, ...
  length       turns in the dialogue
  confidence   a fraction, or null where none could be read
  correct      true or false: is the answer at this turn right?
dataset, model, condition, method and target tell groups apart when they are
there; entity is what intervals resample (else the dialogue)."""


def _names(_: click.Context, __: click.Parameter, text: str | None) -> tuple[str, ...] | None:
    if text is None:
        return None
    return tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))


@click.command(epilog=EPILOG)
@click.argument("predictions", type=options.PATH)
@click.option(
    "--by", callback=_names, metavar="A,B", help="Columns that tell groups apart; '' takes all rows together."
)
@click.option("--bins", type=click.IntRange(1), default=10, show_default=True, help="Information levels.")
@click.option(
    "--binning", type=click.Choice(["width", "mass"]), default="width", show_default=True,
    help="Levels of equal width, or cut at equal counts.",
)  # fmt: skip
@click.option("--percent", is_flag=True, help="Confidence is written in percent.")
@click.option(
    "--resamples", type=click.IntRange(0), default=1000, show_default=True,
    help="Bootstrap resamples of the intervals; 0 leaves intervals out.",
)  # fmt: skip
@click.option("--out", type=options.PATH, metavar="DIR", help="Also write all tables as text, CSV, LaTeX and JSON.")
@click.option(
    "--calscore", type=options.PATH, metavar="RUN",
    help="Instead, GRACE's own scores (MCE, CalScore), with who was right when from the run of `adapt grace`.",
)  # fmt: skip
@click.option(
    "--human-teams", type=click.IntRange(1), metavar="N",
    help="Human teams that heard each question; else those that tried it.",
)  # fmt: skip
@options.seed
@options.as_json
@options.config_file
def command(
    predictions: Path,
    percent: bool,
    calscore: Path | None,
    human_teams: int | None,
    out: Path | None,
    as_json: bool,
    **values: Any,
) -> int:
    """Measure calibration and monotonicity of PREDICTIONS: a JSONL, CSV or Parquet file, or an evaluation's folder."""
    from hinterguesser.cli.reports import human_adjusted, summarised
    from hinterguesser.flow.metrics import MetricsSettings, metrics

    if calscore is not None:
        from hinterguesser.flow.calscore import CalScoreSettings, calscores

        wanted = CalScoreSettings(calscore, human_teams, values["resamples"], values["seed"])
        return human_adjusted(calscores(predictions, wanted, percent=percent), as_json)
    return summarised(metrics(predictions, MetricsSettings(**values), percent=percent), out, as_json)
