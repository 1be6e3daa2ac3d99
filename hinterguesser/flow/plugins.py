"""Finding a game, method, adapter or backend by name: those that ship, and those of other packages."""

import importlib
from collections.abc import Mapping
from importlib.metadata import entry_points
from typing import Any

from hinterguesser import adapters, confidence, games
from hinterguesser.adapters.base import Adapter
from hinterguesser.confidence.base import Method
from hinterguesser.errors import UserError
from hinterguesser.games.base import Game
from hinterguesser.replay.questions import QuestionSource


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


def adapter(name: str) -> Adapter:
    """The source dataset called `name`.

    Raises:
        UserError: there is none, and which there are.
    """
    plugin = _load("source dataset", "hinterguesser.adapters", adapters.BUILTIN, name)
    if not isinstance(plugin, Adapter):
        raise UserError(f"{name!r} is no dataset of dialogues; there are: {', '.join(sorted(adapters.BUILTIN))}")
    return plugin


def questions(name: str) -> QuestionSource:
    """The dataset of questions called `name`.

    Raises:
        UserError: there is none, and which there are.
    """
    plugin = _load("dataset of questions", "hinterguesser.adapters", adapters.QUESTIONS, name)
    if not isinstance(plugin, QuestionSource):
        raise UserError(f"{name!r} is no dataset of questions; there are: {', '.join(sorted(adapters.QUESTIONS))}")
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
