"""What a page says, and what it is when it is made."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hinterguesser.domain.course import Course
from hinterguesser.domain.dialogue import Dialogue
from hinterguesser.replay.tables import Table
from hinterguesser.report.sheets import Sheet


@dataclass(frozen=True, slots=True)
class Drawn:
    """A figure, drawn."""

    name: str
    title: str
    caption: str
    alt: str
    picture: bytes
    """SVG, or PNG."""


@dataclass(frozen=True, slots=True)
class Content:
    """Everything that a page shows; what is empty is left out. No text in it need be safe."""

    title: str
    about: str = ""
    """One sentence."""
    findings: Sequence[str] = ()
    tables: Sequence[Sheet | Table] = ()
    figures: Sequence[Drawn] = ()
    settings: Sequence[tuple[str, Sequence[tuple[str, str]]]] = ()
    """A heading, then names and values."""
    left_out: Sequence[str] = ()
    """What is not shown, and why."""
    dialogues: Sequence[tuple[Dialogue, Sequence[Course]]] = ()


@dataclass(frozen=True, slots=True)
class Page:
    """The page, and the files that must stand beside it."""

    html: str
    files: Mapping[str, bytes] = field(default_factory=dict)
    """By path from the page; empty unless there are too many dialogues for one file."""
