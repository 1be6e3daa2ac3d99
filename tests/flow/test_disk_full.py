"""A real full disk: a small tmpfs."""

import json
import os
import subprocess
import sys

import pytest


@pytest.fixture
def small_disk(tmp_path):
    """A function that mounts a disk of so many kilobytes, and unmounts it at the end."""
    mounted = []

    def mount(kilobytes):
        disk = tmp_path / f"disk{kilobytes}"
        disk.mkdir()
        done = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", str(disk)], capture_output=True, text=True
        )
        if done.returncode != 0:
            pytest.skip(f"a small disk cannot be mounted here: {done.stderr.strip()}")
        mounted.append(disk)
        return disk

    yield mount
    for disk in mounted:
        subprocess.run(["umount", str(disk)], check=True)


def generate(out):
    return subprocess.run(
        [sys.executable, "-m", "hinterguesser", "generate", "guess", "--out", str(out)],
        capture_output=True, text=True, timeout=60, env=os.environ,
    )  # fmt: skip


@pytest.mark.parametrize("kilobytes", [4, 60, 200, 400])
def test_a_full_disk_is_one_message_and_the_run_goes_on_when_there_is_room(small_disk, kilobytes):
    disk = small_disk(kilobytes)
    done = generate(disk / "run")
    assert done.returncode == 2, done.stdout
    assert "the disk is full" in done.stderr or "full" in done.stderr
    assert "Traceback" not in done.stderr
    if (disk / "run" / "dialogues.jsonl").exists():
        for line in (disk / "run" / "dialogues.jsonl").read_text().splitlines():
            json.loads(line)
    subprocess.run(["mount", "-o", "remount,size=50m", str(disk)], check=True)
    again = generate(disk / "run")
    assert again.returncode == 0, again.stderr
    assert "kept 240 of 240" in again.stdout
