"""What `entities` prints."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hinterguesser.cli.reports import MOST_LISTED, failures, print_json, used
from hinterguesser.errors import UserError

if TYPE_CHECKING:
    from hinterguesser.adapters.listing import ImportedList
    from hinterguesser.domain.entity import EntityList
    from hinterguesser.flow.enrich import Enriched
    from hinterguesser.store.entity_check import Finding

UNUSABLE = 2


def checked(file: Path, listed: "EntityList", findings: "Sequence[Finding]", problem: str | None, as_json: bool) -> int:
    """Say what `entities check` found; the exit status."""
    with_facts = sum(bool(entity.facts) for entity in listed.entities)
    if as_json:
        print_json(
            {"list": str(file), "entities": len(listed.entities), "with_facts": with_facts, "usable": problem is None,
             "problem": problem, "findings": [asdict(finding) for finding in findings]}
        )  # fmt: skip
        return 0 if problem is None else UNUSABLE
    notes = f"{len(findings):,} note{'' if len(findings) == 1 else 's'}"
    click.echo(f"{file}: {len(listed.entities):,} entities, {with_facts:,} with facts, {notes}")
    for kind, count in Counter(finding.kind for finding in findings).items():
        click.echo(f"\n{kind} ({count:,})")
        told = [finding for finding in findings if finding.kind == kind]
        for finding in told[:MOST_LISTED]:
            names = " / ".join(finding.entities[:6])
            click.echo(f"  {f'{names}: ' if names else ''}{finding.detail}")
        if count > MOST_LISTED:
            click.echo(f"  and {count - MOST_LISTED:,} more (--json lists them)")
    if problem is None:
        return 0
    click.echo(f"\nhinterguesser: `generate` would refuse this list: {problem}", err=True)
    return UNUSABLE


def shown(file: Path, listed: "EntityList", names: Sequence[str], limit: int, as_json: bool) -> int:
    """Show a list, or some of its entities; the exit status."""
    from hinterguesser.domain.spelling import normalise

    wanted = {normalise(name) for name in names}
    found = [
        entity
        for entity in listed.entities
        if not wanted or any(normalise(label) in wanted for label in (entity.name, *entity.aliases))
    ]
    if not found:
        raise UserError(f"{file}: no entity is called {', '.join(names)}; `entities show {file}` lists names")
    if as_json:
        rows = [{**entity.to_dict(), "facts": dict(entity.facts)} for entity in found]
        print_json({"list": str(file), "entities": len(listed.entities), "shown": rows if wanted else rows[:limit]})
        return 0
    if wanted:
        for entity in found:
            click.echo(entity.name + (f" (also: {', '.join(entity.aliases)})" if entity.aliases else ""))
            for name, value in entity.facts.items():
                click.echo(f"  {name}: {value}")
        return 0
    click.echo(f"{file}: {len(listed.entities):,} entities, {len(listed.attributes)} attributes")
    for entity in found[:limit]:
        also = f" (also: {', '.join(entity.aliases[:3])})" if entity.aliases else ""
        click.echo(f"  {entity.name}{also}: {len(entity.facts)} facts")
    if len(found) > limit:
        click.echo(f"  and {len(found) - limit:,} more (--limit)")
    return 0


def imported(outcome: "ImportedList", out: Path, as_json: bool) -> int:
    """Say what `entities import` changed; the exit status."""
    if as_json:
        notes = [asdict(note) for note in outcome.notes]
        print_json(
            {"list": str(out), "entities": len(outcome.listed.entities), "counts": outcome.counts(), "notes": notes}
        )
        return 0
    click.echo(f"{out}: {len(outcome.listed.entities):,} entities")
    for kind, count in outcome.counts().items():
        click.echo(f"\n{kind} ({count:,})")
        for note in [note for note in outcome.notes if note.kind == kind][:MOST_LISTED]:
            click.echo(f"  {note.name}: {note.detail}")
        if count > MOST_LISTED:
            click.echo(f"  and {count - MOST_LISTED:,} more (--json lists them)")
    return 0


def enriched(outcome: "Enriched", as_json: bool) -> int:
    """Say what `entities enrich` came to; the exit status."""
    from hinterguesser.derive.voting import LEFT_OUT

    if as_json:
        print_json(
            {"list": str(outcome.path), "votes": str(outcome.votes_path), "entities": outcome.entities,
             "facts": outcome.facts, "left_out": dict(sorted(outcome.left_out.items())),
             "used": asdict(outcome.used), "failed": [list(item) for item in outcome.failed]}
        )  # fmt: skip
    else:
        click.echo(f"{outcome.path}: {outcome.facts:,} new facts about {outcome.entities:,} entities")
        for reason, count in sorted(outcome.left_out.items()):
            click.echo(f"  {count:,} left out: {LEFT_OUT[reason]}")
        click.echo(f"  every value with its votes: {outcome.votes_path}")
        used(outcome.used)
    return failures(outcome.failed)
