"""The line that long commands draw, in a real terminal of 60 columns; and nothing where there is none."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterguesser.cli.progress import Stage, cost_so_far
from hinterguesser.flow.session import Meter, Silent

COMMAND = "from hinterguesser.cli.main import main; main()"
LONG_RUN = """
import time
from hinterguesser.cli.progress import bar
from hinterguesser.flow.session import Meter
began = time.monotonic()
def meter():
    passed = time.monotonic() - began
    return Meter(int(100 * passed), int(50_000 * passed), 0.01 * passed, UNPRICED)
with bar() as progress:
    progress.start("guess", 5000)
    progress.watch(meter)
    for _ in range(2000):
        progress.advance()
        progress.count(kept=1, rejected=1, failed=1)
        time.sleep(0.001)
"""


def in_terminal(code, *arguments, columns=60, **environment):
    """What a terminal so wide gets to see, line by line as it is drawn, and the exit status."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)], stdin=theirs, stdout=theirs, stderr=theirs,
        env={**os.environ, "TERM": "xterm", **environment},
    )  # fmt: skip
    os.close(theirs)
    seen = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # Linux says so when the other end is closed
            break
        if not part:
            break
        seen += part
    os.close(ours)
    return re.split("[\r\n]+", seen.decode()), process.wait(timeout=60)


@pytest.mark.parametrize("columns", [20, 60, 120])
def test_no_line_wraps_and_the_important_is_said_where_there_is_room(columns):
    lines, status = in_terminal(LONG_RUN.replace("UNPRICED", "0"), columns=columns)
    assert status == 0, lines
    assert max(map(len, lines)) < columns
    last = [line for line in lines if line.strip()][-1]
    assert last.startswith("guess 2000/5000")
    if columns >= 60:
        assert "kept 2000, rejected 2000, failed 2000" in last
    if columns == 120:
        assert re.search(r"[\d.]+ calls/s, \d+ tokens/s, \$0\.0\d{3}, [\d:]+ left", last)
    assert not any("\x1b[3" in line for line in lines)


def test_it_is_redrawn_a_few_times_a_second_however_fast_items_come():
    drawn, _ = in_terminal(LONG_RUN.replace("UNPRICED", "0").replace("sleep(0.001)", "sleep(0)"))
    assert len(drawn) < 20


def test_calls_without_a_price_are_said():
    lines, _ = in_terminal(LONG_RUN.replace("UNPRICED", "3"), columns=120)
    assert any(re.search(r"\$0\.\d{4} or more", line) for line in lines)


def test_generate_says_how_many_were_kept_in_a_line_that_fits(tmp_path):
    lines, status = in_terminal(COMMAND, "generate", "guess", "--limit", 5, "--out", tmp_path / "run", NO_COLOR="1")
    assert status == 0, lines
    drawn = [line for line in lines if line.startswith("guess ")]
    assert drawn
    assert max(map(len, drawn)) < 60
    assert re.match(r"guess 5/5 .*kept \d", drawn[-1])


def test_without_a_terminal_nothing_is_said(tmp_path):
    arguments = ["generate", "guess", "--limit", "2", "--out", str(tmp_path / "run")]
    done = subprocess.run([sys.executable, "-c", COMMAND, *arguments], capture_output=True, timeout=120, check=True)
    assert done.stderr == b""
    quiet = subprocess.run(
        [sys.executable, "-c", LONG_RUN.replace("UNPRICED", "0")], capture_output=True, timeout=60, check=True
    )
    assert quiet.stderr == quiet.stdout == b""


def test_silent_is_silent(capfd):
    progress = Silent()
    progress.start("guess", 1)
    progress.watch(lambda: Meter(1, 1, 1.0, 0))
    progress.advance()
    progress.count(kept=1)
    assert capfd.readouterr() == ("", "")


# What is said, by a clock that the test holds.


def stage(total=100, done=0):
    made = Stage("evaluate", total, 0.0)
    made.done = done
    return made


def test_rates_cost_and_time_left_are_as_worked_by_hand():
    meters = [Meter(0, 0, 0.0, 0), Meter(83, 4100, 0.0123, 0)]
    made = stage()
    made.watch(lambda: meters[0], 0.0)
    meters.pop(0)
    made.done = 20
    assert made.line(10.0, 200) == ("evaluate 20/100", "8.3 calls/s, 410 tokens/s, $0.0123, 0:40 left")


def test_what_an_earlier_run_or_the_journal_did_tells_nothing_about_the_time_left():
    meter = [Meter(0, 0, 0.0, 0)]
    made = stage(done=50)
    made.watch(lambda: meter[0], 0.0)
    made.done = 90  # at once, from the journal
    made.line(1.0, 200)
    meter[0] = Meter(10, 10, 0.0, 0)
    made.done = 91
    assert made.line(61.0, 200)[1].endswith("9:00 left")


def test_rates_are_over_the_last_half_minute():
    meter = [Meter(0, 0, 0.0, 0)]
    made = stage()
    made.watch(lambda: meter[0], 0.0)
    for second in range(1, 101):
        meter[0] = Meter(min(second, 50) * 10, 0, 0.0, 0)
        said = made.line(float(second), 200)[1]
        if second == 50:
            assert "10.0 calls/s" in said
    assert "0.0 calls/s" in said


def test_a_cost_is_said_only_where_there_is_one_and_never_as_more_than_is_known():
    assert cost_so_far(Meter(5, 100, 0.0, 0)) == ""
    assert cost_so_far(Meter(5, 100, 0.0, 2)) == "cost not known"
    assert cost_so_far(Meter(5, 100, 0.25, 0)) == "$0.2500"
    assert cost_so_far(Meter(5, 100, 0.25, 2)) == "$0.2500 or more"


@given(st.integers(1, 200), st.integers(0, 10**9), st.integers(0, 10**9), st.floats(0, 10**6), st.integers(0, 3))
def test_what_is_said_fits_any_width(width, done, calls, cost, unpriced):
    made = stage(10**9, done)
    made.counts = {"kept": done, "rejected": calls}
    made.watch(lambda: Meter(0, 0, 0.0, 0), 0.0)
    made.watch(lambda: Meter(calls, 7 * calls, cost, unpriced), 1.0)
    before, after = made.line(9.0, width)
    assert len(before) + len(after) + bool(after) <= width
