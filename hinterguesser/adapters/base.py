"""What an adapter is: one source dataset, read as dialogues."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hinterguesser.domain.dialogue import Dialogue


@dataclass(frozen=True, slots=True)
class AdaptOptions:
    """How a source is read."""

    instruction: str
    """What the model under test is told before the clues."""
    granularity: str = "sentence"
    """What one clue is: 'sentence', or 'characters:N' for pieces of at most N characters that end with a word."""
    password: str | None = field(default=None, repr=False)
    """Opens an encrypted archive; never shown."""


@dataclass(frozen=True, slots=True)
class Adapter:
    """One source dataset."""

    name: str
    """Also the `game` of its dialogues and the name of their config in a release."""
    licence: str | None
    """As the source states it; None when it states none, so that its rows are not to be shared."""
    source: str
    """Where it comes from, for the dataset card."""
    read: Callable[[Path, AdaptOptions], Iterator[Dialogue]]
    """Every record, in order: a kept dialogue, or one with `kept=False` and a `reason`. Raises `UserError`."""
    annotations: Callable[[Path, AdaptOptions], Iterator[Mapping[str, Any]]]
    """What else the source knows, one JSON-ready mapping with its `dialogue_id` for each kept dialogue, in order."""
