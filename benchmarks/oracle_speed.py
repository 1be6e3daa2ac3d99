"""How many dialogues a second the oracle plays, files included.

    python benchmarks/oracle_speed.py [DIALOGUES]

Plays the list that ships under many seeds, a run folder each, until so many dialogues are written. Reading the list and
beginning and ending the run are in the time.
"""

import sys
import tempfile
import time
from pathlib import Path

from hinterguesser.flow.generate import GenerateSettings, generate


def main() -> None:
    for game in ("20q", "guess"):
        with tempfile.TemporaryDirectory() as folder:
            generate(GenerateSettings(game, limit=5), Path(folder) / "warm")
            seconds, played = 0.0, 0
            for seed in range(int(sys.argv[1]) // 240 if len(sys.argv) > 1 else 10):
                start = time.perf_counter()
                tally = generate(GenerateSettings(game, seed=seed), Path(folder) / f"run{seed}")
                seconds += time.perf_counter() - start
                played += sum(tally.outcomes.values())
            print(f"{game}: {played} dialogues, {played / seconds:.0f} a second ({seconds:.2f} s)")


if __name__ == "__main__":
    main()
