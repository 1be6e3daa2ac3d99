"""hinterguesser report: figures, tables and a page of evaluations, traces and dialogues."""

from pathlib import Path

import click

from hinterguesser.cli import options
from hinterguesser.errors import UserError

EPILOG = """\b
Examples:
  hinterguesser report evals/smollm2 --out report
  hinterguesser report evals/smollm2 evals/gpt traces/hotpotqa --out report
  hinterguesser report runs/guess --out browse            (only its dialogues, to read)

DIR/report.html is one file that needs no network: findings in plain sentences, figures, tables, and the dialogues turn
by turn. DIR/figures has each figure as PNG, SVG and PDF with its data as CSV, DIR/tables each table as text, CSV, LaTeX
and JSON."""


@click.command(epilog=EPILOG)
@click.argument("paths", nargs=-1, required=True, type=options.PATH, metavar="EVAL|TRACES|RUN|RELEASE...")
@click.option(
    "--out", type=options.PATH, required=True, metavar="DIR", help="The folder to fill; a report is replaced."
)
@click.option("--title", metavar="TEXT", help="Of the page; else what it is about.")
@click.option(
    "--dialogues", multiple=True, type=options.PATH, metavar="SOURCE",
    help="Show the dialogues of this run, release or dataset on the Hub; else those that were evaluated.",
)  # fmt: skip
@click.option("--no-dialogues", is_flag=True, help="Leave the dialogues out.")
@click.option(
    "--resamples", type=click.IntRange(0), default=1000, show_default=True, help="Of the bootstrap over entities."
)
@click.option("--percent", is_flag=True, help="Confidences of predictions are 0 to 100, not 0 to 1.")
@options.seed
@options.as_json
@options.config_file
def command(
    paths: tuple[Path, ...],
    out: Path,
    title: str | None,
    dialogues: tuple[Path, ...],
    no_dialogues: bool,
    resamples: int,
    percent: bool,
    seed: int,
    as_json: bool,
) -> int:
    """Make figures, tables and a page to look at: of evaluations, of traces, and of dialogues."""
    from hinterguesser.cli.progress import bar
    from hinterguesser.cli.reports import print_json
    from hinterguesser.flow.material import gather
    from hinterguesser.report.tables import printable
    from hinterguesser.report.whole import write_report

    if no_dialogues and dialogues:
        raise UserError("--dialogues names dialogues to show, and --no-dialogues leaves them out; give one of them")
    try:
        with bar() as progress:
            material = gather(
                paths,
                dialogues=dialogues,
                show_dialogues=not no_dialogues,
                resamples=resamples,
                seed=seed,
                percent=percent,
                progress=progress,
            )
            report = write_report(material, out, title, progress)
    except KeyboardInterrupt:
        raise KeyboardInterrupt("interrupted; no new report was made. Run the same command again.") from None
    if as_json:
        print_json(report.to_dict())
        return 0
    for sentence in report.findings:
        click.echo(f"- {printable(sentence)}")
    for note in material.notes:
        click.echo(f"\n{printable(note)}")
    click.echo(
        f"\n{report.page}  ({report.page_bytes / 1e6:.1f} MB: {report.dialogues} dialogues, {report.figures} figures)"
    )
    return 0
