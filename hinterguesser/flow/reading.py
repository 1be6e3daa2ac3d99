"""Which dialogues are to be read, and what models did in them."""

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hinterguesser.domain.course import Course
from hinterguesser.domain.dialogue import Dialogue
from hinterguesser.domain.matching import names
from hinterguesser.errors import UserError
from hinterguesser.flow.courses import courses, courses_of
from hinterguesser.flow.source import Source

MOST_NAMED = 8


@dataclass(frozen=True, slots=True)
class Choice:
    """Which dialogues of a source are meant."""

    rejected: bool = False
    """Only those that were filtered out."""
    reason: str | None = None
    """Only those that were filtered out for this reason."""
    limit: int | None = None


def chosen(source: Source, choice: Choice) -> list[Dialogue]:
    """The dialogues of a source that are meant, in order.

    Raises:
        UserError: the source cannot be read, or no dialogue has the reason asked for: those there are, are named.
    """
    everything = list(source.all())
    if not everything:
        which = f" (config {source.config or 'any'}, split {source.split or 'any'})"
        raise UserError(f"{source.path}: no dialogue in it{which}; leave out --config and --split to see what there is")
    rejected = [dialogue for dialogue in everything if not dialogue.kept]
    if choice.reason is None:
        found = rejected if choice.rejected else everything
        return found[: choice.limit]
    found = [dialogue for dialogue in rejected if choice.reason in (dialogue.reason, dialogue.outcome)]
    if not found:
        reasons = sorted({dialogue.reason or dialogue.outcome for dialogue in rejected})
        there = f"there are: {', '.join(map(repr, reasons))}" if reasons else "nothing was rejected"
        raise UserError(f"{source.path}: no dialogue was rejected for {choice.reason!r}; {there}")
    return found[: choice.limit]


def one_of(dialogues: Sequence[Dialogue], asked: str) -> Dialogue:
    """The dialogue with this id; else the one whose id begins so; else the one about the entity of this name.

    Raises:
        UserError: there is none, or several: they are named.
    """
    exact = [dialogue for dialogue in dialogues if dialogue.id == asked]
    begun = [dialogue for dialogue in dialogues if dialogue.id.startswith(asked)]
    about = [d for d in dialogues if names(d.entity.name, d.entity.aliases).accepts(asked)]
    for found in (exact, about if len(about) == 1 else begun, about):
        if len(found) == 1:
            return found[0]
    several = begun or about
    if several:
        raise UserError(f"{asked!r} may be any of {len(several)} dialogues: {_named([d.id for d in several])}")
    near = difflib.get_close_matches(asked, [d.id for d in dialogues] + [d.entity.name for d in dialogues], MOST_NAMED)
    hint = f"did you mean {_named(near)}?" if near else "without an ID, all are listed"
    raise UserError(f"there is no dialogue {asked!r}; {hint}")


def with_courses(
    dialogues: Sequence[Dialogue], predictions: Path | None, condition: str
) -> list[tuple[Dialogue, list[Course]]]:
    """Each dialogue with what models did in it under `condition`; nothing without predictions.

    Raises:
        UserError: the predictions cannot be read, or are about none of these dialogues under this condition.
    """
    if predictions is None:
        return [(dialogue, []) for dialogue in dialogues]
    drawn = courses(predictions)
    known = [courses_of(drawn, dialogue) for dialogue in dialogues]
    there = sorted({course.condition for some in known for course in some})
    if not there:
        about = _named([dialogue.id for dialogue in dialogues])
        raise UserError(f"{predictions}: holds nothing about {about}; leave --predictions out")
    wanted = [[course for course in some if course.condition in ("", condition)] for some in known]
    if not any(wanted):
        raise UserError(
            f"{predictions}: nothing about these dialogues under the condition {condition!r}; conditions there: "
            f"{', '.join(map(repr, there))}"
        )
    return list(zip(dialogues, wanted, strict=True))


def _named(texts: Sequence[str]) -> str:
    shown = ", ".join(map(repr, texts[:MOST_NAMED]))
    return f"{shown}, ..." if len(texts) > MOST_NAMED else shown
