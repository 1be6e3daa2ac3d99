"""Python programs run one after another by copies of one process that has imported the slow packages already.

    with Forked({"HF_ENDPOINT": hub.url}) as forked:
        done = forked.run(["push", ...], cwd=tmp_path)            # the command line
        done = forked.run([...], code="print(1)", cwd=tmp_path)   # a program

The environment is set before anything is imported, which is what huggingface_hub and datasets need; each program runs
in a fork of its own, so nothing that one does is seen by the next.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

_SERVER = """
import json, os, sys, traceback
import datasets, huggingface_hub, pyarrow.compute, pyarrow.json, pyarrow.parquet
from hinterguesser.cli.main import main
import hinterguesser.flow.loading, hinterguesser.store.hub

print("ready", flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    child = os.fork()
    if child == 0:
        os.chdir(asked["cwd"])
        for name, value in asked["environment"].items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value
        for number, name in ((1, "stdout"), (2, "stderr")):
            os.dup2(os.open(asked[name], os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
        status = 0
        try:
            sys.argv = ["program", *asked["arguments"]]
            if asked["code"] is None:
                main(asked["arguments"])
            else:
                exec(compile(asked["code"], "program", "exec"), {"__name__": "__main__"})
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else 0
        except BaseException:
            traceback.print_exc()
            status = 1
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


class Forked:
    """The process that is copied; killed at the end."""

    def __init__(self, environment: dict[str, str]) -> None:
        left = {name: value for name, value in os.environ.items() if not name.startswith(("HF_", "HUGGING"))}
        self._server = subprocess.Popen(
            [sys.executable, "-c", _SERVER],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={**left, **environment},
        )  # fmt: skip
        assert self._line() == "ready"

    def _line(self) -> str:
        assert self._server.stdout is not None
        return self._server.stdout.readline().strip()

    def __enter__(self) -> "Forked":
        return self

    def __exit__(self, *_: object) -> None:
        self._server.kill()
        self._server.wait()

    def run(
        self, arguments: list[str], cwd: Path, *, code: str | None = None, **environment: str | None
    ) -> "subprocess.CompletedProcess[str]":
        """Run the command line, or `code`, with variables changed (None: taken out)."""
        with tempfile.TemporaryDirectory() as folder:
            files = {name: str(Path(folder, name)) for name in ("stdout", "stderr")}
            asked = {"arguments": arguments, "code": code, "cwd": str(cwd), "environment": environment, **files}
            assert self._server.stdin is not None
            self._server.stdin.write(json.dumps(asked) + "\n")
            self._server.stdin.flush()
            status = int(self._line())
            told = {name: Path(path).read_text(encoding="utf-8") for name, path in files.items()}
            return subprocess.CompletedProcess(arguments, status, told["stdout"], told["stderr"])
