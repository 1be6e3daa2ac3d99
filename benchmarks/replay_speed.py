"""How fast is the threshold sweep? 101 thresholds x 4 budgets x 6 controllers over a million traces of 4 depths.

    python benchmarks/replay_speed.py [--traces N] [--loop N]

Prints seconds and peak memory of the sweep, of fitting what it needs and of a whole replay, and the ratio to a plain
loop that replays one question at a time (timed on fewer traces and scaled up; its counts must agree exactly).
"""

import argparse
import resource
import time
from collections.abc import Sequence

import numpy as np

from hinterguesser.replay.calibrators import fit_calibrator
from hinterguesser.replay.columns import Coded, Column
from hinterguesser.replay.grid import Calibration, Grid, held_out
from hinterguesser.replay.result import ReplaySettings, replay
from hinterguesser.replay.sweep import sweep_controllers, sweep_gated
from hinterguesser.replay.traces import Traces, build_traces
from hinterguesser.replay.value import fit_value

THRESHOLDS = np.arange(101) / 100
BUDGETS = (0, 1, 2, 3)
DEPTHS = 4


def synthetic(n: int, seed: int = 0) -> Traces:
    """Make `n` test traces and a tenth as many for calibration; confidence in whole percentages, 2 % unscored."""
    rng = np.random.default_rng(seed)
    every = n + n // 10
    trace = np.repeat(np.arange(every), DEPTHS)
    depth = np.tile(np.arange(DEPTHS), every)
    chance = np.clip(0.3 + 0.15 * depth + rng.normal(0, 0.2, len(trace)), 0, 1)
    confidence = np.round(np.clip(chance + 0.2, 0, 1), 2)
    columns: dict[str, Column] = {
        "question_id": Coded(trace, tuple(f"q{number}" for number in range(every))),
        "depth": depth,
        "confidence": np.ma.MaskedArray(confidence, mask=rng.random(len(trace)) < 0.02),
        "correct": rng.random(len(trace)) < chance,
        "split": Coded((trace >= n).astype(np.int64), ("test", "calibration")),
        "answer": Coded(rng.integers(0, 5, len(trace)), tuple("abcde")),
        "cost": np.full(len(trace), 0.001),
    }
    return build_traces(columns, lambda row: f"synthetic:{row + 1}")


def plain_loop(grid: Grid, thresholds: Sequence[float], budgets: Sequence[int]) -> list[list[tuple[int, int, int]]]:
    """Commits, right commits and retrievals of the raw-gated controller, one question at a time."""
    rows = list(zip(grid.confidence.tolist(), grid.correct.tolist(), grid.length.tolist(), strict=True))
    result = []
    for budget in budgets:
        line = []
        for threshold in thresholds:
            commits = right = retrievals = 0
            for confidence, correct, length in rows:
                last = min(budget, length - 1)
                for depth in range(last + 1):
                    if confidence[depth] >= threshold:
                        commits += 1
                        right += correct[depth]
                        retrievals += depth
                        break
                else:
                    retrievals += last
            line.append((commits, right, retrievals))
        result.append(line)
    return result


def peak_gb() -> float:
    """Peak memory of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--traces", type=int, default=1_000_000)
    parser.add_argument("--loop", type=int, default=5_000, help="traces given to the plain loop")
    asked = parser.parse_args()

    clock = time.perf_counter
    start = clock()
    traces = synthetic(asked.traces)
    print(f"make and check {asked.traces:,} traces of {DEPTHS} depths: {clock() - start:.2f} s")

    start = clock()
    calibration, test = Calibration(traces), held_out(traces)
    calibrated = fit_calibrator("isotonic", calibration).apply(test)
    value = fit_value(calibration, range(len(BUDGETS)), 0.05)
    fitted = clock()
    swept = sweep_controllers(test, calibrated, value, THRESHOLDS, BUDGETS, 0.3)
    done = clock()
    cells = len(THRESHOLDS) * len(BUDGETS) * len(swept)
    print(f"fit maps and values: {fitted - start:.2f} s; sweep of {cells} settings: {done - fitted:.2f} s")
    print(f"peak memory: {peak_gb():.2f} GB")

    start = clock()
    replay(traces, ReplaySettings())
    print(f"whole replay at one setting, intervals and comparisons included: {clock() - start:.2f} s")
    print(f"peak memory: {peak_gb():.2f} GB")

    few = test.select(np.arange(min(asked.loop, len(test))))
    start = clock()
    looped = plain_loop(few, THRESHOLDS.tolist(), BUDGETS)
    loop_seconds = (clock() - start) * len(test) / len(few)
    start = clock()
    sweep_gated(test.confidence, test, THRESHOLDS, BUDGETS, 0.3)
    ours = clock() - start
    own = sweep_gated(few.confidence, few, THRESHOLDS, BUDGETS, 0.3)
    counts = np.stack([own.commits, own.right, own.retrievals], axis=-1)
    if counts.tolist() != [[list(cell) for cell in line] for line in looped]:
        raise SystemExit("the sweep and the plain loop disagree")
    ratio = loop_seconds / ours
    print(f"raw-gated alone: {ours:.2f} s; a plain loop would take {loop_seconds:.0f} s: {ratio:.0f} times")


if __name__ == "__main__":
    main()
