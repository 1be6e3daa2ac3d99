"""How fast are the metrics? A million turns by the command, tau against SciPy, and a whole evaluation's summary.

    python benchmarks/metrics_speed.py [--dialogues 125000] [--loop-dialogues 2000] [--skip-evaluation]

Prints seconds and peak memory of `hinterguesser metrics FILE --resamples 0` for each format, in a process of its own;
the ratio of a loop over scipy.stats.kendalltau to our tau; and seconds of the summary, with 1,000 resamples, of an
evaluation of 4 models, 4 datasets, 5 methods, 2 targets and 3 conditions, 226 dialogues each.
"""

import argparse
import itertools
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
from tau_speed import compare

from hinterguesser.domain.predictions import Labels, Predictions
from hinterguesser.flow.metrics import summarise
from hinterguesser.report.paper_tables import write_tables


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dialogues", type=int, default=125_000)
    parser.add_argument("--loop-dialogues", type=int, default=2_000)
    parser.add_argument("--skip-evaluation", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for path in write_files(Path(folder), options.dialogues):
            seconds, gigabytes = timed_command(path)
            print(f"metrics {path.name:<20} {seconds:.2f} s, {gigabytes:.2f} GB at the peak")
    compare(options.dialogues, options.loop_dialogues, turns=8)
    if not options.skip_evaluation:
        predictions = evaluation()
        start = time.perf_counter()
        summary = summarise(predictions)
        summarised = time.perf_counter()
        with tempfile.TemporaryDirectory() as folder:
            write_tables(summary, Path(folder))
        print(
            f"summary of {len(summary.groups)} groups ({len(predictions):,} rows): {summarised - start:.1f} s", end=""
        )
        print(f"; tables {time.perf_counter() - summarised:.1f} s ({os.cpu_count()} processors)")


def timed_command(path: Path) -> tuple[float, float]:
    """Wall-clock seconds of the command, start included, and peak memory of the greatest child so far."""
    start = time.perf_counter()
    command = [sys.executable, "-m", "hinterguesser", "metrics", str(path), "--resamples", "0", "--json"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024**2


def write_files(folder: Path, dialogues: int) -> list[Path]:
    """The same predictions, with the five columns that are needed, in each format; 8 turns a dialogue on average."""
    rng = np.random.default_rng(0)
    lengths = rng.integers(1, 16, dialogues)
    dialogue = np.repeat(np.arange(dialogues), lengths)
    confidence = np.round(rng.random(len(dialogue)), 4)
    table = pa.table(
        {
            "dialogue_id": pa.array(np.array([f"dialogue-{number}" for number in range(dialogues)])[dialogue]),
            "turn": np.arange(len(dialogue)) - np.repeat(np.cumsum(lengths) - lengths, lengths) + 1,
            "length": np.repeat(lengths, lengths),
            "confidence": confidence,
            "correct": rng.random(len(dialogue)) < confidence,
        }
    )
    parquet, csv, jsonl = (folder / f"predictions.{ending}" for ending in ("parquet", "csv", "jsonl"))
    pyarrow.parquet.write_table(table, parquet)
    pyarrow.csv.write_csv(table, csv)
    line = '{"dialogue_id":"%s","turn":%d,"length":%d,"confidence":%s,"correct":%s}\n'
    with jsonl.open("w") as file:
        for row in zip(*(table[name].to_pylist() for name in table.column_names), strict=True):
            file.write(line % (*row[:4], "true" if row[4] else "false"))
    print(f"{len(dialogue):,} turns of {dialogues:,} dialogues")
    return [parquet, csv, jsonl]


def evaluation(entities: int = 226) -> Predictions:
    """Rows of a whole evaluation, as many as the paper has."""
    names = (
        tuple(f"dataset{number}" for number in range(4)),
        tuple(f"model{number}" for number in range(4)),
        ("multi", "placebo", "single"),
        ("vanilla_verb", "cot_verb", "self_consistency", "p_true", "p_sufficient"),
        ("answer", "gold"),
    )
    rng = np.random.default_rng(0)
    lengths = rng.integers(4, 13, entities)
    dialogue = np.repeat(np.arange(entities), lengths)
    turn = np.concatenate([np.arange(1, length + 1) for length in lengths])
    level = turn / np.repeat(lengths, lengths)
    cells = list(itertools.product(*(range(len(part)) for part in names)))
    confidence = []
    for *_, method, _target in cells:
        values = np.clip(0.7 * level + rng.normal(0, 0.2, len(level)), 0, 1)
        values = np.round(20 * values) / 20 if method < 3 else values  # verbalized and sampled ones are coarse
        values[rng.random(len(values)) < 0.01] = np.nan
        confidence.append(values)
    columns = np.repeat(np.array(cells), len(dialogue), axis=0)
    labels = ("dataset", "model", "condition", "method", "target")
    whose = tuple(f"entity{number}" for number in range(entities))
    return Predictions(
        dialogue_id=Labels(np.tile(dialogue, len(cells)), whose),
        turn=np.tile(turn, len(cells)),
        length=np.tile(np.repeat(lengths, lengths), len(cells)),
        confidence=np.concatenate(confidence),
        correct=np.tile((rng.random(len(level)) < 0.6 * level).astype(float), len(cells)),
        labels={name: Labels(columns[:, at], names[at]) for at, name in enumerate(labels)},
        entity_name=Labels(np.tile(dialogue, len(cells)), whose),
    )


if __name__ == "__main__":
    main()
