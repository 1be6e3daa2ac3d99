"""hinterguesser collect: ask a model questions at every depth of evidence, and store the traces."""

from pathlib import Path
from typing import Any

import click

from hinterguesser.cli import options

EPILOG = """\b
Examples:
  hinterguesser collect hotpotqa hotpot_dev_distractor_v1.json --model builtin/smollm2 \\
      --limit 20 --out traces/hotpotqa
  hinterguesser collect musique musique_ans_v1.0_dev.jsonl --model openai/gpt-4o-mini \\
      --judge openai/gpt-4o --out traces/musique
  hinterguesser replay traces/hotpotqa traces/musique

Run the same command again to go on with one that was stopped."""


@click.command(epilog=EPILOG)
@click.argument("dataset", metavar="{hotpotqa,musique}")
@click.argument("path", type=options.PATH)
@click.option("--model", required=True, metavar="MODEL", help="The model under test.")
@click.option("--out", type=options.PATH, required=True, metavar="TRACES", help="The folder to fill, or to go on with.")
@click.option("--judge", metavar="MODEL", help="Decides what is correct; else exact match does, with aliases.")
@click.option(
    "--calibration-share", type=click.FloatRange(0, 1), default=0.3, show_default=True, metavar="SHARE",
    help="The first so many of the questions are for calibration, the rest for test.",
)  # fmt: skip
@click.option("--distractors", type=click.IntRange(0), help="Keep so many of the best ranked distractors; else all.")
@click.option("--slices", type=click.IntRange(1, 50), default=3, show_default=True, help="Retrievals at most.")
@click.option(
    "--ranker", type=click.Choice(["overlap", "embedding"]), default="overlap", show_default=True,
    help="Ranks distractors: shared words, or those and embeddings (extra `embedding`).",
)  # fmt: skip
@click.option("--embedder", metavar="NAME", help="With --ranker embedding: e.g. BAAI/bge-m3; else all-MiniLM-L6-v2.")
@click.option("--reply-tokens", type=click.IntRange(1), help="Longest reply; else 512, or 48 for a small local model.")
@click.option("--uncached", is_flag=True, help="Let the server read every prompt anew: slower, and repeats exactly.")
@options.prompts
@options.limit
@options.shard
@options.reaching
@options.as_json
@options.config_file
def command(out: Path, uncached: bool, as_json: bool, **values: Any) -> int:
    """Ask MODEL the questions in PATH without evidence, and again after each of three retrievals.

    PATH is a file of HotpotQA (distractor setting) or MuSiQue, as published or as rows of the Hub. Which passages are
    seen at which depth is fixed before the model is asked. `hinterguesser replay` then tells what acting on its
    confidence would win and cost.
    """
    from hinterguesser.cli.progress import bar
    from hinterguesser.cli.reports import collected
    from hinterguesser.flow.collect import CollectionSettings, collect

    calls = options.call_settings(values)
    with bar() as progress:
        collection = collect(CollectionSettings(reuse_prompt=not uncached, **values), out, calls, progress)
    return collected(collection, out, as_json)
