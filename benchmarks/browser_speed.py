"""Does the report page stay quick with very many dialogues? In a real Chromium, from a file.

    python benchmarks/browser_speed.py [--dialogues 10000] [--models 2]

Printed are the sizes of the page, the first contentful paint and the time until the list can be used (the page opened
several times), and how long filters and searches take until the list has changed and is laid out. What is typed is
timed in the page, so the driver is not in the numbers. To be held: below 2 s, and below 100 ms.
"""

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tests"))

from chromium import Browser, browser, lacking  # noqa: E402
from made_up import course, told  # noqa: E402

from hinterguesser.report.page.content import Content  # noqa: E402
from hinterguesser.report.page.page import page  # noqa: E402

QUERIES = (
    ("search", "v"),
    ("search", "volcano"),
    ("search", "guess 99"),
    ("search", "nothing of that kind"),
    ("search", ""),
    ("game", "20q"),
    ("kept", "0"),
    ("kept", ""),
    ("apart", "750"),
    ("model", "1"),
    ("order", "entity"),
    ("order", "disagreement"),
    ("order", ""),
    ("apart", ""),
    ("game", ""),
)
FILTER = """
const field = document.getElementById(arguments[0]);
field.value = arguments[1];
const start = performance.now();
field.dispatchEvent(new Event("input", {bubbles: true}));
document.getElementById("list").getBoundingClientRect();
return performance.now() - start;
"""
OPENING = """
const paint = performance.getEntriesByName("first-contentful-paint")[0];
const ready = performance.getEntriesByName("list-ready")[0];
return paint && ready ? [paint.startTime, ready.startTime] : null;
"""


def write_page(folder: Path, dialogues: int, models: int) -> Path:
    """A page with so many made-up dialogues, and what stands beside it."""
    shown = [told(number, game=("20q", "guess")[number % 2], rejected=number % 7 == 0) for number in range(dialogues)]
    start = time.perf_counter()
    made = page(Content("Speed", dialogues=[(each, [course(each, f"m{m}") for m in range(models)]) for each in shown]))
    seconds = time.perf_counter() - start
    for name, content in made.files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(content)
    file = folder / "report.html"
    file.write_bytes(made.html.encode())
    beside = sum(map(len, made.files.values()))
    print(f"{dialogues} dialogues: page {len(made.html) / 1e6:.2f} MB, {len(made.files)} files {beside / 1e6:.2f} MB")
    print(f"made in {seconds:.1f} s, the making up included")
    return file


def spread(times_ms: list[float]) -> str:
    return f"median {statistics.median(times_ms):.0f} ms, max {max(times_ms):.0f} ms"


def time_opening(window: Browser, file: Path, times: int) -> None:
    paints, readies = [], []
    for _ in range(times):
        window.open(file)
        paint, ready = window.wait(OPENING)
        paints.append(paint)
        readies.append(ready)
    print(f"first contentful paint: {spread(paints)}")
    print(f"list usable: {spread(readies)}")


def time_filters(window: Browser, rounds: int) -> None:
    first = [window.run(FILTER, name, value) for name, value in QUERIES]
    later = [window.run(FILTER, name, value) for _ in range(rounds) for name, value in QUERIES]
    slowest = QUERIES[first.index(max(first))]
    print(f"filters, first time: {spread(first)} ({slowest[0]} '{slowest[1]}')")
    print(f"filters, later: {spread(later)}")


def time_dialogue(window: Browser, file: Path) -> None:
    """From the click to the turns: a part is read and unpacked."""
    window.open(file)
    start = time.perf_counter()
    window.run("document.querySelector('#list tbody a').click()")
    window.wait("return document.querySelector('#dialogue .turn') !== null")
    print(f"first dialogue opened: {1000 * (time.perf_counter() - start):.0f} ms, the driver included")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dialogues", type=int, default=10_000)
    parser.add_argument("--models", type=int, default=2)
    asked = parser.parse_args()
    missing = lacking()
    if missing:
        sys.exit(missing)
    with tempfile.TemporaryDirectory() as folder, browser() as window:
        file = write_page(Path(folder), asked.dialogues, asked.models)
        time_opening(window, file, times=5)
        time_filters(window, rounds=5)
        time_dialogue(window, file)


if __name__ == "__main__":
    main()
