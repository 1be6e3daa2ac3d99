"""What a model costs: the user's own prices, or litellm's price table, read as a file without importing litellm."""

from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import orjson

from hinterguesser.backends.replies import Prices
from hinterguesser.backends.settings import CallSettings
from hinterguesser.errors import UserError

_TABLE = "model_prices_and_context_window_backup.json"


def prices_of(model: str, settings: CallSettings, *, batch: bool = False) -> Prices | None:
    """US dollars a token for `model`, named as litellm spells it (in a `batch`, if so); None when not known.

    A server of one's own (`api_base`) has no list price: there only the user's prices count.

    Raises:
        UserError: only one of two prices is given, or a cost cap is set and the price is not known.
    """
    given = settings.price_in, settings.price_out
    if given[0] is not None and given[1] is not None:
        return Prices(given[0] / 1e6, given[1] / 1e6)
    if given != (None, None):
        raise UserError("give both --price-in and --price-out (US dollars per million tokens), or neither")
    listed = None if settings.api_base is not None else listed_prices(model, batch=batch)
    if listed is None and settings.max_cost_usd is not None:
        raise UserError(
            f"--max-cost-usd is set, but the price of {model!r} is not known; give --price-in and --price-out "
            "(US dollars per million tokens), or use --max-tokens-total"
        )
    return listed


def listed_prices(model: str, *, batch: bool = False) -> Prices | None:
    """The list price of `model`, or None. The full price stands for that of a `batch` where none is listed."""
    table = _table()
    entry = table.get(model) or table.get(model.partition("/")[2])
    if not isinstance(entry, dict) or "input_cost_per_token" not in entry or "output_cost_per_token" not in entry:
        return None
    if batch and "input_cost_per_token_batches" in entry and "output_cost_per_token_batches" in entry:
        return Prices(float(entry["input_cost_per_token_batches"]), float(entry["output_cost_per_token_batches"]))
    cached = entry.get("cache_read_input_token_cost")
    return Prices(
        float(entry["input_cost_per_token"]),
        float(entry["output_cost_per_token"]),
        None if cached is None else float(cached),
    )


@cache
def _table() -> dict[str, Any]:
    spec = find_spec("litellm")
    if spec is None or not spec.submodule_search_locations:
        return {}
    path = Path(spec.submodule_search_locations[0]) / _TABLE
    try:
        table = orjson.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return table if isinstance(table, dict) else {}
