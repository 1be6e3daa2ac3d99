"""What asking costs the client: CPU a call and wall time against the ideal, side by side with peers.

    python benchmarks/client_overhead.py [--dialogues 400] [--concurrency 64 256] [--latency 0.02 0.2]

The work is the same for all: dialogues of ten turns between two players, twenty calls one after the other, each with
the conversation so far; the server is another process that answers after a fixed time. Ours includes scripts, driver
and journal. Peers (bespokelabs-curator, inspect-ai) are measured when they are installed. Each contestant runs in a
process of its own; CPU is user plus system time of all its threads.
"""

import argparse
import asyncio
import importlib.util
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

HERE = Path(__file__).parent
TURNS = 10
CALLS = 2 * TURNS
SYSTEM = (
    "You are the Hinter in a game of twenty questions. You know a secret thing. Each turn you give one question that "
    "can be answered with yes or no, and its true answer. Do not name the thing, nor any part of its name. "
) * 3
HINT = '{"question": "Is it something that you would expect to find in a kitchen?", "answer": "Yes, usually."}'


def ours(url: str, dialogues: int, concurrency: int, calls: int, turns_before: int = 0) -> None:
    """hinterguesser: scripts, driver, journal, limits, retries and all."""
    from hinterguesser.backends.resolve import Backends
    from hinterguesser.backends.settings import CallSettings
    from hinterguesser.domain.script import Call, Message, Sampling, Script
    from hinterguesser.flow.desk import Desk
    from hinterguesser.flow.drive import drive
    from hinterguesser.store.journal import Journal

    sampling = Sampling(max_tokens=64)
    # Made once: a dialogue makes two messages a turn, however long it has become.
    turns_said = ((Message("assistant", HINT), Message("user", f"Turn {turn}.")) for turn in range(turns_before))
    history = [message for pair in turns_said for message in pair]

    def dialogue(number: int) -> Script[int]:
        said = [Message("system", SYSTEM), Message("user", f"Dialogue {number}. Begin.")]
        said += history
        for turn in range(calls):
            [reply] = yield [Call("m", tuple(said), sampling)]
            said.append(Message("assistant", reply.text))
            said.append(Message("user", f"Turn {turn}."))
        return number

    async def run() -> None:
        with tempfile.TemporaryDirectory() as folder, Journal(Path(folder) / "journal.sqlite") as journal:
            backends = Backends(CallSettings(api_base=url, concurrency=concurrency))
            desk = Desk(backends, journal)

            async def ended(_: int, result: Any) -> None:
                if isinstance(result, Exception):
                    raise result
                await journal.committed()

            items = ((number, dialogue(number)) for number in range(dialogues))
            await drive(items, desk.ask, ended, at_once=concurrency)
            await backends.close()

    asyncio.run(run())


def bare(url: str, dialogues: int, concurrency: int, calls: int) -> None:
    """A bare asyncio loop over aiohttp: no journal, no retries, nothing checked."""
    import aiohttp

    async def run() -> None:
        numbers = iter(range(dialogues))
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

            async def worker() -> None:
                for number in numbers:
                    said = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": f"Dialogue {number}."}]
                    for turn in range(calls):
                        body = {"model": "m", "messages": said, "temperature": 0, "max_tokens": 64}
                        async with session.post(f"{url}/chat/completions", json=body) as response:
                            answer = await response.json()
                        said.append(answer["choices"][0]["message"])
                        said.append({"role": "user", "content": f"Turn {turn}."})

            await asyncio.gather(*(worker() for _ in range(concurrency)))

    asyncio.run(run())


def curator(url: str, dialogues: int, concurrency: int, calls: int) -> None:
    """bespokelabs-curator: one pass over all dialogues a call, as its API wants it."""
    os.environ.update(TELEMETRY_ENABLED="false", CURATOR_DISABLE_RICH_DISPLAY="1", OPENAI_API_KEY="none")
    import tiktoken

    class Characters:
        """Counts tokens without the vocabulary, which would be fetched from the network; cheaper than the real one."""

        def encode(self, text: str, **_: Any) -> range:
            return range(len(text) // 4)

    tiktoken.get_encoding = tiktoken.encoding_for_model = lambda *_: Characters()
    from bespokelabs import curator as package

    with tempfile.TemporaryDirectory() as folder:
        os.environ["CURATOR_CACHE_DIR"] = folder
        model = package.LLM(
            model_name="m",
            backend="openai",
            generation_params={"max_tokens": 64, "temperature": 0},
            backend_params={
                "base_url": url,
                "max_concurrent_requests": concurrency,
                "max_requests_per_minute": 10**7,
                "max_tokens_per_minute": 10**10,
            },
        )
        said = [
            [{"role": "system", "content": SYSTEM}, {"role": "user", "content": f"Dialogue {number}. Begin."}]
            for number in range(dialogues)
        ]
        for turn in range(calls):
            answers = model(said)
            rows = getattr(answers, "dataset", answers)
            for conversation, row in zip(said, rows, strict=True):
                conversation.append({"role": "assistant", "content": str(next(iter(row.values())))})
                conversation.append({"role": "user", "content": f"Turn {turn}."})


def inspect(url: str, dialogues: int, concurrency: int, calls: int) -> None:
    """inspect-ai: a task whose solver holds the conversation."""
    os.environ.update(OPENAI_API_KEY="none", INSPECT_DISPLAY="none")
    import inspect_ai
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ChatMessageUser, GenerateConfig, get_model
    from inspect_ai.solver import solver

    @solver
    def talk() -> Any:
        async def solve(state: Any, generate: Any) -> Any:
            for turn in range(calls):
                state = await generate(state)
                state.messages.append(ChatMessageUser(content=f"Turn {turn}."))
            return state

        return solve

    with tempfile.TemporaryDirectory() as folder:
        task = inspect_ai.Task(
            dataset=[Sample(input=f"{SYSTEM} Dialogue {number}. Begin.") for number in range(dialogues)], solver=talk()
        )
        model = get_model("openai/m", base_url=url, config=GenerateConfig(max_tokens=64, temperature=0))
        inspect_ai.eval(
            task, model=model, max_connections=concurrency, max_samples=concurrency, log_dir=folder, display="none"
        )


def ours_at_turn(turn: int) -> Callable[[str, int, int, int], None]:
    """Ours, every call with the history of turn `turn`."""
    return lambda url, dialogues, concurrency, calls: ours(url, dialogues * calls, concurrency, 1, turn - 1)


CONTESTANTS: dict[str, tuple[Callable[[str, int, int, int], None], str, str]] = {
    "hinterguesser": (ours, "hinterguesser", "everything"),
    "bare aiohttp": (bare, "aiohttp", "no journal, no retries"),
    "curator": (curator, "bespokelabs", "with its cache"),
    "inspect-ai": (inspect, "inspect_ai", "with its log"),
}


def measure(name: str, url: str, dialogues: int, concurrency: int, calls: int) -> dict[str, float]:
    """Run one contestant in this process, and say what it used."""
    run = ours_at_turn(int(name)) if name.isdigit() else CONTESTANTS[name][0]
    # Imports, first connections and code caches are not what is measured.
    run(url, min(8, dialogues), min(8, concurrency), 2)
    cpu, wall = time.process_time(), time.perf_counter()
    run(url, dialogues, concurrency, calls)
    return {
        "cpu_ms": (time.process_time() - cpu) * 1000 / (dialogues * calls),
        "wall_seconds": time.perf_counter() - wall,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def measured_apart(name: str, url: str, dialogues: int, concurrency: int, calls: int) -> dict[str, float] | str:
    """Run one contestant in a process of its own."""
    command = [sys.executable, __file__, "--one", name, url, str(dialogues), str(concurrency), str(calls)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=3600, check=False)
    if done.returncode:
        return (done.stderr.strip().splitlines() or ["failed"])[-1][:120]
    result: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return result


def compare(dialogues: int, concurrency: list[int], latencies: list[float], names: list[str]) -> None:
    """Print the table."""
    print("| client | latency ms | at once | CPU ms a call | wall s | share of ideal | peak MB |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for latency in latencies:
        server = subprocess.Popen(
            [sys.executable, str(HERE / "loopback_server.py"), str(latency)], stdout=subprocess.PIPE, text=True
        )
        try:
            assert server.stdout is not None
            url = f"http://127.0.0.1:{server.stdout.readline().strip()}/v1"
            for at_once in concurrency:
                for name in names:
                    result = measured_apart(name, url, dialogues, at_once, CALLS)
                    head = f"| {name} | {latency * 1000:.0f} | {at_once}"
                    if isinstance(result, str):
                        print(f"{head} | {result} | | | |", flush=True)
                        continue
                    # Dialogues are whole: the last wave may leave places empty.
                    waves = -(-dialogues // at_once)
                    ideal = waves * CALLS * latency
                    share = 100 * ideal / result["wall_seconds"]
                    print(
                        f"{head} | {result['cpu_ms']:.3f} | {result['wall_seconds']:.1f} | {share:.0f} % "
                        f"| {result['peak_mb']:.0f} |",
                        flush=True,
                    )
        finally:
            server.kill()
            server.wait()
    growth(names)


def growth(names: list[str]) -> None:
    """CPU a call at turn 20 against turn 2, and memory as dialogues grow in number: ours alone."""
    if "hinterguesser" not in names:
        return
    server = subprocess.Popen(
        [sys.executable, str(HERE / "loopback_server.py"), "0"], stdout=subprocess.PIPE, text=True
    )
    try:
        assert server.stdout is not None
        url = f"http://127.0.0.1:{server.stdout.readline().strip()}/v1"
        cpu: dict[str, float] = {}
        for turn in ("2", "20"):
            runs = [measured_apart(turn, url, 2000, 64, 1) for _ in range(5)]
            cpu[turn] = median(result["cpu_ms"] for result in runs if isinstance(result, dict))
        early, late = cpu["2"], cpu["20"]
        print(
            f"\nhinterguesser, CPU ms a call: {early:.3f} at turn 2, {late:.3f} at turn 20 ({late / early:.2f} times)"
        )
    finally:
        server.kill()
        server.wait()


def main() -> None:
    """Read the command line."""
    if len(sys.argv) > 1 and sys.argv[1] == "--one":
        name, url, dialogues, concurrency, calls = sys.argv[2:]
        print(json.dumps(measure(name, url, int(dialogues), int(concurrency), int(calls))))
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dialogues", type=int, default=512)
    parser.add_argument("--concurrency", type=int, nargs="+", default=[64, 256])
    parser.add_argument("--latency", type=float, nargs="+", default=[0.02, 0.2])
    parser.add_argument("--only", nargs="+", choices=list(CONTESTANTS))
    args = parser.parse_args()
    names = args.only or [name for name, (_, module, _) in CONTESTANTS.items() if importlib.util.find_spec(module)]
    compare(args.dialogues, args.concurrency, args.latency, names)


if __name__ == "__main__":
    main()
