"""Finding a game, method, adapter or backend by name: those that ship, and those of other packages."""

import importlib
from collections.abc import Mapping
from importlib.metadata import entry_points
from typing import Any

from hinterguesser import confidence, games
from hinterguesser.confidence.base import Method
from hinterguesser.errors import UserError
from hinterguesser.games.base import Game


def game(name: str) -> Game:
    """The game called `name`.

    Raises:
        UserError: there is none, and which there are.
    """
    plugin: Game = _load("game", "hinterguesser.games", games.BUILTIN, name)
    return plugin


def method(name: str) -> Method:
    """The confidence method called `name`.

    Raises:
        UserError: there is none, and which there are.
    """
    plugin: Method = _load("method", "hinterguesser.methods", confidence.BUILTIN, name)
    return plugin


def names(group: str, builtin: Mapping[str, str]) -> list[str]:
    """Names in `group`, without importing any of them."""
    return sorted({*builtin, *(point.name for point in entry_points(group=group))})


def _load(what: str, group: str, builtin: Mapping[str, str], name: str) -> Any:
    if name in builtin:
        return importlib.import_module(builtin[name]).PLUGIN
    for point in entry_points(group=group, name=name):
        loaded = point.load()
        return getattr(loaded, "PLUGIN", loaded)
    raise UserError(f"unknown {what} {name!r}; there are: {', '.join(names(group, builtin))}")
