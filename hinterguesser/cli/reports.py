"""What commands print when they are done."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from hinterguesser.flow.derive import Derived
    from hinterguesser.flow.evaluate import Evaluation
    from hinterguesser.flow.generate import Tally
    from hinterguesser.flow.quickstart import Demonstration
    from hinterguesser.store.release import Config

PARTLY = 3
MOST_LISTED = 10


def generated(tally: "Tally", out: Path, as_json: bool) -> int:
    """Say what `generate` came to; the exit status."""
    reasons = {reason: count for reason, count in sorted(tally.outcomes.items()) if reason}
    played = sum(tally.outcomes.values())
    mean = tally.turns_kept / tally.kept if tally.kept else None
    if as_json:
        print_json(
            {"run": str(out), "dialogues": played, "kept": tally.kept, "mean_length": mean, "rejected": reasons,
             "calls": tally.calls, "replayed": tally.replayed, "failed": [list(item) for item in tally.failed]}
        )  # fmt: skip
    else:
        length = f", {mean:.1f} turns on average" if mean is not None else ""
        click.echo(f"{out}: kept {tally.kept} of {played} dialogues{length}")
        for reason, count in reasons.items():
            click.echo(f"  {count} filtered out: {reason}")
        if tally.calls or tally.replayed:
            click.echo(f"  {tally.calls} calls made, {tally.replayed} answered by the journal")
    return _failures(tally.failed)


def derived(outcome: "Derived", run: Path, as_json: bool) -> int:
    """Say what `derive` came to; the exit status."""
    if as_json:
        print_json(
            {"run": str(run), "dialogues": outcome.dialogues, "placebos": dict(sorted(outcome.placebos.items())),
             "missing": list(outcome.missing), "failed": [list(item) for item in outcome.failed]}
        )  # fmt: skip
    else:
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(outcome.placebos.items())) or "no"
        click.echo(f"{run}: {outcome.dialogues} dialogues, {kinds} placebo hints, a summary a turn")
    _list("could not be written", outcome.missing)
    return _failures(outcome.failed)


def built(configs: "Sequence[Config]", out: Path, as_json: bool) -> int:
    """Say what `build` came to; the exit status."""
    if as_json:
        print_json(
            {"release": str(out), "configs": {
                config.name: {"dialogues": config.dialogues, "turns": config.turns} for config in configs}}
        )  # fmt: skip
        return 0
    click.echo(f"{out}:")
    for config in configs:
        why = ", ".join(f"{count} {reason}" for reason, count in sorted(config.reasons.items()))
        click.echo(f"  {config.name}: {config.dialogues} dialogues, {config.turns} turns{f' ({why})' if why else ''}")
    return 0


def evaluated(evaluation: "Evaluation", out: Path, as_json: bool) -> int:
    """Say what `evaluate` came to; the exit status."""
    if as_json:
        print_json({"groups": list(evaluation.groups)})
    else:
        from hinterguesser.report.tables import evaluation_table

        click.echo(evaluation_table(evaluation.groups))
        click.echo(
            f"\n{evaluation.calls} calls made, {evaluation.replayed} answered by the journal. Predictions: {out}"
        )
    return _failures(evaluation.failed)


def demonstrated(demonstration: "Demonstration", out: Path) -> int:
    """Say what the quickstart made; the exit status."""
    from hinterguesser.report.dialogues import with_confidences
    from hinterguesser.report.tables import accuracy_by_level, evaluation_table

    evaluation = demonstration.evaluation
    loaded = ", ".join(f"{count} dialogues of {config}" for config, count in demonstration.loaded.items())
    click.echo(f"\nPlayed, filtered, derived and built; `datasets` loaded back {loaded}.")
    click.echo(f"\nConfidence and accuracy\n\n{evaluation_table(evaluation.groups)}")
    click.echo(f"\n{accuracy_by_level(evaluation.predictions)}")
    click.echo(f"\nOne dialogue\n\n{with_confidences(demonstration.dialogue, evaluation.predictions)}")
    click.echo(f"\nWhere things are\n\n  release      {demonstration.release}")
    click.echo(f"  runs         {out / 'runs'}\n  predictions  {out / 'evaluation' / 'predictions.jsonl'}")
    return _failures(evaluation.failed)


def print_json(value: dict[str, Any]) -> None:
    """Print `value` as readable JSON."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))


def _failures(failed: Sequence[tuple[str, str]]) -> int:
    """List what failed on stderr; the exit status that goes with it."""
    _list("failed (run the same command again to retry)", [f"{name}: {why}" for name, why in failed])
    return PARTLY if failed else 0


def _list(what: str, items: Sequence[str]) -> None:
    if items:
        sys.stderr.write(f"hinterguesser: {len(items)} {what}:\n")
        sys.stderr.writelines(f"  {item}\n" for item in items[:MOST_LISTED])
        if len(items) > MOST_LISTED:
            sys.stderr.write(f"  and {len(items) - MOST_LISTED} more\n")
