"""The command line in processes forked from one that has everything imported: most of the time would be start-up."""

import multiprocessing
import os
import sys

PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(
    [
        "hinterguesser.cli.main",
        "hinterguesser.cli.generate",
        "hinterguesser.flow.generate",
        "hinterguesser.backends.server",
        "hinterguesser.backends.stack",
        "hinterguesser.backends.hosted",
    ]
)


def run_here(arguments, said):
    """What a process of its own does: the command line, with stderr in the file `said`."""
    from hinterguesser.cli.main import main

    sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - until the process ends
    sys.stderr = open(said, "w", buffering=1)  # noqa: SIM115
    main(arguments)
