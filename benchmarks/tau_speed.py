"""How fast Kendall's tau is: against a loop over scipy.stats.kendalltau, and for 1,000,000 turns.

    python benchmarks/tau_speed.py [--dialogues 125000] [--loop-dialogues 2000]

SciPy's loop runs on the first dialogues only; its time is per dialogue, so the ratio holds for all of them. It computes
tau-b, which equals tau-a where nothing ties; values are checked there.
"""

import argparse
import time
from collections.abc import Callable

import numpy as np
from scipy.stats import kendalltau

from hinterguesser.stats.monotonicity import kendall_tau


def main() -> None:
    """Print the ratio and the seconds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dialogues", type=int, default=125_000)
    parser.add_argument("--loop-dialogues", type=int, default=2_000)
    parser.add_argument("--turns", type=int, default=8, help="mean turns of a dialogue; lengths are uniform in 1..2n-1")
    options = parser.parse_args()
    compare(options.dialogues, options.loop_dialogues, options.turns)


def compare(dialogues: int, loop_dialogues: int, turns: int) -> None:
    rng = np.random.default_rng(0)
    lengths = rng.integers(1, 2 * turns, dialogues)
    dialogue = np.repeat(np.arange(dialogues), lengths)
    turn = np.arange(len(dialogue)) - np.repeat(np.cumsum(lengths) - lengths, lengths) + 1
    confidence = rng.random(len(dialogue))
    shuffled = rng.permutation(len(dialogue))

    in_order = fastest(lambda: kendall_tau(dialogue, turn, confidence))
    in_disorder = fastest(lambda: kendall_tau(dialogue[shuffled], turn[shuffled], confidence[shuffled]))

    looped = lengths[:loop_dialogues]
    parts = np.split(confidence[: looped.sum()], np.cumsum(looped)[:-1])
    start = time.perf_counter()
    by_loop = [kendalltau(np.arange(len(part)), part).statistic for part in parts if len(part) > 1]
    loop = time.perf_counter() - start
    ours = kendall_tau(dialogue, turn, confidence).tau[: len(by_loop)]
    worst = float(np.max(np.abs(ours - by_loop)))

    ratio = (loop / len(looped)) / (in_order / dialogues)
    print(f"turns {len(dialogue):,}, dialogues {dialogues:,}")
    print(f"seconds, rows in order       {in_order:.3f}")
    print(f"seconds, rows shuffled       {in_disorder:.3f}")
    print(f"scipy loop, seconds          {loop:.3f} for {len(looped):,} dialogues")
    print(f"scipy loop / ours            {ratio:.0f}")
    print(f"greatest difference          {worst:.1e}")


def fastest(run: Callable[[], object], times: int = 3) -> float:
    """Return the least seconds of a few runs."""
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


if __name__ == "__main__":
    main()
