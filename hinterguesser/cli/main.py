"""The command line: finds the command, shows help, and turns errors into messages and exit statuses.

`hinterguesser --help` is answered from the table below, before anything else is imported: start-up is part of the
product.
"""

import errno
import sys

TYPE_CHECKING = False  # type checkers know the name; importing typing for it would cost more than all else here
if TYPE_CHECKING:
    import click

COMMANDS = {
    "quickstart": "Everything below, offline and small: a demonstration",
    "generate": "Play dialogues about every entity of a list",
    "adapt": "Read a source dataset (GRACE, TrickMe) as dialogues",
    "derive": "Add placebo hints and single-turn summaries to a run",
    "build": "Make a release (a dataset that loads with `datasets`) of runs",
    "push": "Upload a release to the Hub",
    "evaluate": "Measure a model's confidence, turn by turn",
    "collect": "Ask a model questions at every depth of evidence",
    "replay": "What acting on confidence would win and cost",
    "entities": "Entity lists: check, show, import, enrich with facts",
    "metrics": "Calibration and monotonicity of anyone's predictions",
    "report": "Figures, tables and a page to look at",
    "compare": "Paired differences between two models or prompts",
    "show": "Read dialogues in the terminal",
    "models": "Embedded models: list them, get their weights",
    "journal": "Every call that was made: count, export, prune",
}

USAGE = 2
PARTLY = 3
INTERRUPTED = 130


def overview() -> str:
    """What `hinterguesser --help` prints."""
    width = max(map(len, COMMANDS))
    rows = "\n".join(f"  {name:<{width}}  {text}" for name, text in COMMANDS.items())
    return f"""\
Usage: hinterguesser COMMAND [OPTIONS]

How sure is a language model while a conversation unfolds? Make dialogues of
hints and guesses, release them, and measure confidence on them.

Commands:
{rows}

Options:
  --version  Show the version.
  --help     Show this. `hinterguesser COMMAND --help` has options and examples.

Examples:
  hinterguesser quickstart
  hinterguesser generate guess --out runs/guess

Exit status: 0 done; 1 a bug; 2 the input is at fault; 3 done, but some items
failed or the run stopped early (run it again to go on); 130 interrupted.
"""


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and leave the process with the command's exit status."""
    arguments = sys.argv[1:] if arguments is None else arguments
    try:
        status = _run(arguments)
        sys.stdout.flush()
        sys.exit(status)
    except BrokenPipeError:
        # Whoever reads us (`head`, say) has had enough. Python would complain once more while it closes stdout.
        import os

        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except KeyboardInterrupt:
        sys.exit(_say("interrupted", INTERRUPTED))
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        sys.exit(_say("what was to be printed could not be written: the disk is full", USAGE))


def _run(arguments: list[str]) -> int:
    if not arguments or arguments in (["--help"], ["-h"], ["help"]):
        sys.stdout.write(overview())
        return 0
    if arguments == ["--version"]:
        from hinterguesser import __version__

        sys.stdout.write(f"hinterguesser {__version__}\n")
        return 0
    return _command(arguments)


def _command(arguments: list[str]) -> int:
    import click

    from hinterguesser.errors import RunStopped, UserError

    name = arguments[0]
    try:
        if name not in COMMANDS:
            raise UserError(f"there is no command {name!r}; there are: {', '.join(COMMANDS)}")
        command = load(name)
        # Not `command.main`, which makes an exit with status 1 of a pipe that nobody reads any more.
        with command.make_context(f"hinterguesser {name}", arguments[1:]) as context:
            status = command.invoke(context)
        return status if isinstance(status, int) else 0
    except click.exceptions.Exit as end:  # --help, for one
        return end.exit_code
    except UserError as error:
        return _say(error, USAGE)
    except RunStopped as stop:
        return _say(stop, PARTLY)
    except click.ClickException as error:
        error.show()
        return USAGE
    except (KeyboardInterrupt, click.Abort) as interrupt:
        said = str(interrupt)
        return _say(said or "interrupted; what was done is kept. Run the same command again to go on.", INTERRUPTED)


def load(name: str) -> "click.Command":
    """The click command of that name; its module is imported now."""
    import importlib

    command: click.Command = importlib.import_module(f"hinterguesser.cli.{name}").command
    return command


def _say(message: object, status: int) -> int:
    sys.stderr.write(f"hinterguesser: {message}\n")
    return status
