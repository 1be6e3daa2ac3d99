"""Does memory grow with the number of dialogues? Model players on a server in another process.

    python benchmarks/memory.py [--dialogues 2000 50000] [--turns 2] [--concurrency 64]

Each number of dialogues is played by `generate` in a process of its own, into an empty folder. Printed are the highest
resident memory of that process (the list of entities is part of it), and the growth from the first to the last.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def play(url: str, dialogues: int, turns: int, concurrency: int) -> dict[str, float]:
    """Play so many dialogues in this process."""
    from hinterguesser.backends.settings import CallSettings
    from hinterguesser.flow.generate import GenerateSettings, generate

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "things.txt").write_text("".join(f"Thing {number}\n" for number in range(dialogues)))
        settings = GenerateSettings("20q", folder / "things.txt", "h", "g", max_turns=turns, seed=1)
        start = time.perf_counter()
        tally = generate(settings, folder / "run", CallSettings(api_base=url, concurrency=concurrency))
        wall = time.perf_counter() - start
        calls = tally.used.calls
    assert sum(tally.outcomes.values()) == dialogues
    assert calls == 2 * turns * dialogues, (calls, tally)
    return {"peak_mb": peak_mb(), "calls": calls, "cpu_ms": time.process_time() * 1000 / calls, "wall": wall}


def main() -> None:
    """Read the command line."""
    if sys.argv[1:2] == ["--one"]:
        url, *numbers = sys.argv[2:]
        print(json.dumps(play(url, *map(int, numbers))))
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dialogues", type=int, nargs="+", default=[2000, 50_000])
    parser.add_argument("--turns", type=int, default=2)
    parser.add_argument("--concurrency", type=int, default=64)
    args = parser.parse_args()
    server = subprocess.Popen(
        [sys.executable, str(HERE / "loopback_server.py"), "0", "play"], stdout=subprocess.PIPE, text=True
    )
    try:
        assert server.stdout is not None
        url = f"http://127.0.0.1:{server.stdout.readline().strip()}/v1"
        print("| dialogues | calls | peak MB | CPU ms a call | wall s |")
        print("| ---: | ---: | ---: | ---: | ---: |")
        peaks = []
        for dialogues in args.dialogues:
            command = [sys.executable, __file__, "--one", url, *map(str, (dialogues, args.turns, args.concurrency))]
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
            told = json.loads(done.stdout.splitlines()[-1])
            peaks.append(told["peak_mb"])
            peak, cpu_ms, wall = told["peak_mb"], told["cpu_ms"], told["wall"]
            print(f"| {dialogues} | {told['calls']} | {peak:.0f} | {cpu_ms:.2f} | {wall:.0f} |", flush=True)
        print(f"\ngrowth: {peaks[-1] - peaks[0]:.0f} MB")
    finally:
        server.kill()
        server.wait()


if __name__ == "__main__":
    main()
