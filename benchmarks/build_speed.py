"""How fast, and in how much memory, a release of 100,000 dialogues is built; and that it loads in streaming mode.

    python benchmarks/build_speed.py [DIALOGUES]

Peak memory is that of the building process alone. The dialogues are those of release/small, said about other entities.
"""

import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from itertools import islice
from pathlib import Path

from hinterguesser.store.release import build, read_config
from hinterguesser.store.run import RunFolder
from hinterguesser.store.splits import read_splits

ROOT = Path(__file__).parents[1]


def make_run(path: Path, count: int) -> None:
    base = [told for config in ("20q", "guess") for told in read_config(ROOT / "release" / "small", config)]
    with RunFolder.begin(path, "generate", {"game": "20q", "hinter": "h", "guesser": "g", "seed": 0}, {}).held() as run:
        run.rewrite(
            replace(
                base[index % len(base)],
                id=f"d{index}",
                entity=replace(base[index % len(base)].entity, name=f"thing {index // 3}"),
                **({"kept": False, "outcome": "leak", "reason": "leak"} if index % 20 == 0 else {}),
            )
            for index in range(count)
        )


def build_it(run: Path, out: Path) -> None:
    start = time.perf_counter()
    configs = build([RunFolder.open(run)], out, "1.0.0", read_splits("calibration=0.3,test=0.7"))
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    dialogues, turns = sum(one.dialogues for one in configs), sum(one.turns for one in configs)
    print(f"built {dialogues:,} dialogues, {turns:,} turns in {seconds:.1f} s; peak memory {peak:.2f} GB")


def stream_it(out: Path) -> None:
    import datasets

    for config in datasets.get_dataset_config_names(str(out)):
        for split, rows in datasets.load_dataset(str(out), config, streaming=True).items():
            first = next(iter(rows))["id"]
            start = time.perf_counter()
            count = sum(1 for _ in islice(rows, 20_000))
            rate = count / (time.perf_counter() - start)
            print(f"streamed {config}/{split}: first {first}, {count:,} rows at {rate:,.0f} a second")


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    with tempfile.TemporaryDirectory() as folder:
        run, out = Path(folder, "run"), Path(folder, "release")
        make_run(run, count)
        print(f"run: {(run / 'dialogues.jsonl').stat().st_size / 1e6:,.0f} MB of JSON")
        subprocess.run([sys.executable, __file__, "build", str(run), str(out)], check=True)
        print(f"release: {sum(file.stat().st_size for file in out.rglob('*.parquet')) / 1e6:,.1f} MB of Parquet")
        stream_it(out)


if __name__ == "__main__":
    if sys.argv[1:2] == ["build"]:
        build_it(Path(sys.argv[2]), Path(sys.argv[3]))
    else:
        main()
