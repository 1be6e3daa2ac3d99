"""Options that several commands share, and how their values are read."""

import math
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from hinterguesser.errors import UserError

F = TypeVar("F", bound=Callable[..., Any])

PATH = click.Path(path_type=Path)


class _Finite(click.FloatRange):
    """A range of numbers without nan and infinity, which no setting means."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"{value!r} is no finite number.", param, ctx)
        return number


POSITIVE = _Finite(0, min_open=True)
NOT_NEGATIVE = _Finite(0)


def grouped(*options: Callable[[F], F]) -> Callable[[F], F]:
    """Several options as one decorator, in this order in the help."""

    def decorate(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def _read_config(context: click.Context, _: click.Parameter, path: Path | None) -> Path | None:
    """Take the file's values as defaults, so that flags win."""
    if path is None:
        return None
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UserError(f"{path}: cannot be read as TOML: {error}") from None
    by_flag = {
        flag.lstrip("-"): parameter.name
        for parameter in context.command.params
        if isinstance(parameter, click.Option)
        for flag in (*parameter.opts, *parameter.secondary_opts)
        if flag.startswith("--")
    }
    defaults: dict[str, Any] = {}
    for key, value in values.items():
        name = by_flag.get(key.replace("_", "-"))
        if name is None or name == "config_file":
            known = ", ".join(sorted(flag for flag in by_flag if flag not in ("help", "config-file")))
            raise UserError(f"{path}: {key!r} is no option of this command; there are: {known}")
        defaults[name] = value
    context.default_map = defaults
    return path


def _read_shard(_: click.Context, __: click.Parameter, text: str | None) -> tuple[int, int]:
    if text is None:
        return 1, 1
    parts = text.split("/")
    if len(parts) != 2 or not all(part.isascii() and part.isdigit() for part in parts):
        raise UserError(f"--shard is written I/N, for instance 2/8, got {text!r}")
    index, count = map(int, parts)
    if not 1 <= index <= count:
        raise UserError(f"--shard I/N needs 1 <= I <= N, got {text!r}")
    return index, count


config_file = click.option(
    "--config-file",
    type=PATH,
    metavar="FILE.toml",
    is_eager=True,
    expose_value=False,
    callback=_read_config,
    help="Read options from a TOML file; flags win.",
)
seed = click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Decides every random choice.")
limit = click.option("--limit", type=click.IntRange(1), help="Stop after this many; a later run may go further.")
shard = click.option(
    "--shard", metavar="I/N", callback=_read_shard, help="Do every N-th item only, starting from the I-th."
)
prompts = click.option(
    "--prompts", type=PATH, metavar="DIR", help="Prompts that replace those that ship, file by file."
)
dry_run = click.option("--dry-run", is_flag=True, help="Say what would be asked and cost; ask and write nothing.")
as_json = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")


reaching = grouped(
    click.option("--api-base", metavar="URL", help="An OpenAI-compatible server, e.g. http://localhost:8000/v1."),
    click.option("--api-key-env", metavar="NAME", help="Environment variable that holds the API key."),
    click.option(
        "--concurrency", type=click.IntRange(1), default=16, show_default=True, help="Calls in flight at most."
    ),
    click.option("--rpm", type=POSITIVE, metavar="N", help="Requests a minute at most."),
    click.option("--input-tpm", type=POSITIVE, metavar="N", help="Input tokens a minute at most."),
    click.option("--output-tpm", type=POSITIVE, metavar="N", help="Output tokens a minute at most."),
    click.option("--max-attempts", type=click.IntRange(1), default=6, show_default=True, help="Tries for one call."),
    click.option(
        "--timeout", "timeout_seconds", type=POSITIVE, default=120.0, show_default=True, metavar="SECONDS",
        help="For one try.",
    ),
    click.option(
        "--give-up-after", "give_up_after_seconds", type=POSITIVE, default=300.0, show_default=True,
        metavar="SECONDS", help="Stop the run when nothing has got through for this long.",
    ),
    click.option("--max-cost-usd", type=POSITIVE, metavar="USD", help="Stop the run at this cost, to go on later."),
    click.option("--max-tokens-total", type=click.IntRange(1), metavar="N", help="Stop the run at so many tokens."),
    click.option("--price-in", type=NOT_NEGATIVE, metavar="USD", help="Per million input tokens, if not known."),
    click.option("--price-out", type=NOT_NEGATIVE, metavar="USD", help="Per million output tokens."),
    click.option("--reasoning-effort", metavar="LEVEL", help="Passed on to models that reason, e.g. low."),
    click.option("--journal", type=PATH, metavar="FILE", help="A journal that several runs share."),
    click.option("--batch", is_flag=True, help="Submit calls through the provider's batch API, where it has one."),
)  # fmt: skip
"""How models are reached; the names are those of `CallSettings`."""

REACHING = (
    "api_base", "api_key_env", "concurrency", "rpm", "input_tpm", "output_tpm", "max_attempts", "timeout_seconds",
    "give_up_after_seconds", "max_cost_usd", "max_tokens_total", "price_in", "price_out", "reasoning_effort", "journal",
    "batch",
)  # fmt: skip


def call_settings(values: dict[str, Any]) -> Any:
    """Take what `reaching` gave out of `values`, as `CallSettings`."""
    from hinterguesser.backends.settings import CallSettings

    return CallSettings(**{name: values.pop(name) for name in REACHING})
