"""What commands print when they are done."""

import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from hinterguesser.flow.adapt import Adapted
    from hinterguesser.flow.collect import Collection
    from hinterguesser.flow.derive import Derived
    from hinterguesser.flow.evaluate import Evaluation
    from hinterguesser.flow.generate import Tally
    from hinterguesser.flow.metrics import Summary
    from hinterguesser.flow.quickstart import Demonstration
    from hinterguesser.flow.rehearse import Estimate
    from hinterguesser.flow.replay import Replayed
    from hinterguesser.flow.session import Used
    from hinterguesser.store.configs import Config
    from hinterguesser.store.hub import Pushed

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
             "used": asdict(tally.used), "failed": [list(item) for item in tally.failed]}
        )  # fmt: skip
    else:
        length = f", {mean:.1f} turns on average" if mean is not None else ""
        click.echo(f"{out}: kept {tally.kept} of {played} dialogues{length}")
        for reason, count in reasons.items():
            click.echo(f"  {count} filtered out: {reason}")
        used(tally.used)
    return failures(tally.failed)


def rehearsed(estimates: "Sequence[Estimate]", as_json: bool) -> int:
    """Say what a run would ask; the exit status."""
    if as_json:
        print_json({"estimates": [asdict(estimate) for estimate in estimates]})
        return 0
    from hinterguesser.report.tables import table

    rows = [
        (
            estimate.model,
            *(f"{round(number):,}" for number in (estimate.calls, estimate.input_tokens, estimate.output_tokens)),
            "not known" if estimate.cost_usd is None else f"{estimate.cost_usd:.4f}",
        )
        for estimate in estimates
    ]
    click.echo(
        table(("model", "calls", "tokens in", "tokens out", "cost (USD)"), rows) if rows else "no model is asked"
    )
    click.echo("Estimated from a sample of the run's own prompts and replies of ordinary length. Nothing was asked.")
    return 0


def derived(outcome: "Derived", run: Path, as_json: bool) -> int:
    """Say what `derive` came to; the exit status."""
    if as_json:
        print_json(
            {"run": str(run), "dialogues": outcome.dialogues, "turns": outcome.turns,
             "placebos": dict(sorted(outcome.placebos.items())), "summaries": outcome.summaries,
             "missing": list(outcome.missing), "failed": [list(item) for item in outcome.failed]}
        )  # fmt: skip
    else:
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(outcome.placebos.items())) or "no"
        click.echo(
            f"{run}: {outcome.dialogues} dialogues, {outcome.turns} turns: {kinds} placebo hints, "
            f"{outcome.summaries} summaries"
        )
        if outcome.placebos["redundant"] and outcome.placebos["pool"]:
            click.echo("  where no true fact is shared by all candidates, the placebo comes from the pool")
        used(outcome.used)
    _list("could not be written; with the same model they stay so: use another, or other prompts", outcome.missing)
    return max(failures(outcome.failed), PARTLY if outcome.missing else 0)


def adapted(outcome: "Adapted", source: str, out: Path, as_json: bool) -> int:
    """Say what `adapt` came to; the exit status."""
    rejected = dict(sorted(outcome.rejected.items()))
    if as_json:
        print_json(
            {"run": str(out), "source": source, "records": outcome.records, "kept": outcome.kept,
             "turns": outcome.turns, "rejected": rejected, "annotations": outcome.annotations,
             "licence": outcome.licence}
        )  # fmt: skip
        return 0
    click.echo(f"{out}: kept {outcome.kept} of {outcome.records} records of {source}, {outcome.turns} turns")
    for reason, count in rejected.items():
        click.echo(f"  {count} rejected: {reason}")
    if outcome.licence is None:
        click.echo("  its source states no licence: `push` leaves these rows out unless --include says otherwise")
    return 0


def built(configs: "Sequence[Config]", out: Path, as_json: bool) -> int:
    """Say what `build` came to; the exit status."""
    if as_json:
        print_json(
            {"release": str(out), "configs": {
                config.name: {"dialogues": config.dialogues, "turns": config.turns,
                              "splits": {name: split.dialogues for name, split in sorted(config.splits.items())}}
                for config in configs}}
        )  # fmt: skip
        return 0
    click.echo(f"{out}:")
    for config in configs:
        why = ", ".join(f"{count} {reason}" for reason, count in sorted(config.reasons.items()))
        parts = ", ".join(f"{split.dialogues} {name}" for name, split in sorted(config.splits.items()))
        told = f" ({'; '.join(filter(None, (parts if len(config.splits) > 1 else '', why)))})"
        click.echo(
            f"  {config.name}: {config.dialogues} dialogues, {config.turns} turns{told if told != ' ()' else ''}"
        )
    return 0


def pushed(outcome: "Pushed", as_json: bool) -> int:
    """Say what `push` sent, or would send; the exit status."""
    if as_json:
        print_json(asdict(outcome) | {"files": [{"path": name, "bytes": size} for name, size in outcome.files]})
        return 0
    for name, size in outcome.files:
        click.echo(f"{size:>14,} bytes  {name}")
    for name in outcome.left_out:
        click.echo(f"{'stays here':>20}  {name}: its source states no licence")
    for name in outcome.removed:
        click.echo(f"{'removed':>20}  {name}")
    if outcome.url is None:
        click.echo(f"A dry run: nothing was sent to {outcome.repo}; the tag would be {outcome.tag}.")
        return 0
    made = ", made now" if outcome.created else ""
    click.echo(f"{outcome.url}{made}: commit {(outcome.commit or '')[:12]}, tag {outcome.tag}")
    if outcome.others:
        click.echo(f"left as they are: {', '.join(outcome.others)}")
    return 0


def evaluated(evaluation: "Evaluation", out: Path, as_json: bool) -> int:
    """Write the tables of an evaluation, and say what it came to; the exit status."""
    from hinterguesser.report.paper_tables import write_tables

    write_tables(evaluation.summary, out / "tables")
    if as_json:
        print_json(evaluation.summary.to_dict())
    else:
        from hinterguesser.report.tables import evaluation_table

        click.echo(evaluation_table(evaluation.summary.groups))
        _unscored(evaluation.summary.groups)
        click.echo(f"\nPredictions and tables: {out}")
        used(evaluation.used)
    if evaluation.verdicts and not as_json:
        overruled = sum(verdict.same is True for verdict in evaluation.verdicts)
        click.echo(f"The judge was asked {len(evaluation.verdicts)} times and overruled the matcher {overruled} times.")
    return failures(evaluation.failed)


def collected(collection: "Collection", out: Path, as_json: bool) -> int:
    """Say what `collect` came to; the exit status."""
    questions = collection.calibration + collection.test
    if as_json:
        print_json(
            {"traces": str(out), "questions": questions, "calibration": collection.calibration,
             "test": collection.test, "states": collection.states, "unscored": collection.unscored,
             "cost_usd": collection.cost_usd, "used": asdict(collection.used),
             "failed": [list(item) for item in collection.failed]}
        )  # fmt: skip
    else:
        click.echo(
            f"{out}: traces of {questions} questions ({collection.calibration} calibration, {collection.test} test), "
            f"{collection.states} states, {collection.unscored} without a readable confidence"
        )
        used(collection.used)
        click.echo(f"  next: hinterguesser replay {out}")
    return failures(collection.failed)


def replayed(done: "Replayed", written: "Sequence[Path]", as_json: bool) -> int:
    """Say what `replay` came to; the exit status."""
    if as_json:
        print_json(done.to_dict())
        sys.stderr.writelines(f"hinterguesser: {note}\n" for note in done.result.notes)
        return 0
    if done.turns:
        click.echo("Dialogues: a turn is a depth (turn 1 is depth 0), and a further hint is a retrieval.\n")
    click.echo("\n\n".join(table.text() for table in done.tables()))
    for note in done.result.notes:
        click.echo(f"\n{note}")
    if written:
        click.echo(f"\nWritten to {written[0].parent}: {', '.join(path.name for path in written)}")
    return 0


def summarised(summary: "Summary", out: Path | None, as_json: bool) -> int:
    """Say what `metrics` came to, and write its tables to `out`; the exit status."""
    from hinterguesser.report.paper_tables import paper_tables, write_tables
    from hinterguesser.report.tables import evaluation_table
    from hinterguesser.store.files import write_whole

    if as_json:
        print_json(summary.to_dict())
    else:
        click.echo(evaluation_table(summary.groups))
        for sheet in paper_tables(summary):
            if sheet.name not in ("groups", "table2"):
                click.echo(f"\n{sheet.text()}", nl=False)
    if out is not None:
        write_tables(summary, out)
        write_whole(out / "metrics.json", json.dumps(summary.to_dict(), ensure_ascii=False, indent=2).encode())
        if not as_json:
            click.echo(f"\nTables: {out}")
    return 0


def _unscored(groups: Sequence[Mapping[str, Any]]) -> None:
    """Why estimates are unscored, most frequent reason first."""
    reasons: Counter[str] = Counter()
    for group in groups:
        reasons.update(group["unscored_reasons"])
    for reason, count in reasons.most_common(MOST_LISTED):
        click.echo(f"  {count} unscored: {reason}")
    if "no log-probabilities in reply" in reasons:
        click.echo("  without log-probabilities use --methods vanilla_verb,cot_verb,self_consistency")


def human_adjusted(scores: Sequence[dict[str, Any]], as_json: bool) -> int:
    """Say what GRACE's own scores are; the exit status."""
    if as_json:
        print_json({"groups": list(scores)})
        return 0
    from hinterguesser.report.tables import table, with_interval

    by = list(dict.fromkeys(name for each in scores for name in each["by"]))
    rows = [
        (
            *(each["by"].get(name) or "-" for name in by),
            str(each["dialogues"]),
            str(each["n"]),
            *(with_interval(each, name) for name in ("mce", "calscore")),
        )
        for each in scores
    ]
    click.echo(table((*by, "questions", "N", "MCE", "CalScore"), rows, text_columns=len(by)))
    click.echo(
        "\nMCE: 1 less the expected confidence in right answers. CalScore: the same, where a right answer counts for "
        "the\nshare of human teams that lack it by then. 0 is best. Brackets: 95 % intervals over questions."
    )
    return 0


def demonstrated(demonstration: "Demonstration", out: Path, page: Path) -> int:
    """Say what the quickstart made; the exit status."""
    from hinterguesser.report.dialogues import with_confidences
    from hinterguesser.report.tables import accuracy_by_level, evaluation_table

    evaluation = demonstration.evaluation
    loaded = ", ".join(f"{count} dialogues of {config}" for config, count in demonstration.loaded.items())
    click.echo(f"\nPlayed, filtered, derived and built; `datasets` loaded back {loaded}.")
    click.echo(f"\nConfidence and accuracy\n\n{evaluation_table(evaluation.summary.groups)}")
    click.echo(f"\n{accuracy_by_level(evaluation.predictions)}")
    click.echo(f"\nOne dialogue\n\n{with_confidences(demonstration.dialogue, evaluation.predictions)}")
    click.echo(f"\nWhere things are\n\n  release      {demonstration.release}")
    click.echo(f"  runs         {out / 'runs'}\n  predictions  {out / 'evaluation' / 'predictions.jsonl'}")
    click.echo(f"  to look at   {page}  (open it in a browser)")
    return failures(evaluation.failed)


def print_json(value: dict[str, Any]) -> None:
    """Print `value` as readable JSON."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))


def used(used: "Used") -> None:
    """The closing lines about calls, tokens and cost; nothing when no model was asked."""
    if not (used.calls or used.replayed):
        return
    again = f", {used.failed_requests} failed attempts" if used.failed_requests else ""
    click.echo(f"  {used.calls} calls made{again}, {used.replayed} answered by the journal, {used.wall_seconds:.1f} s")
    if used.input_tokens or used.output_tokens:
        cached = f" ({used.cached_tokens:,} of them from a cache)" if used.cached_tokens else ""
        unknown = f", {used.unpriced_calls} calls without a known price" if used.unpriced_calls else ""
        click.echo(
            f"  {used.input_tokens:,} tokens in{cached}, {used.output_tokens:,} out; ${used.cost_usd:.4f}{unknown}"
        )


def failures(failed: Sequence[tuple[str, str]]) -> int:
    """List what failed on stderr; the exit status that goes with it."""
    _list("failed (run the same command again to retry)", [f"{name}: {why}" for name, why in failed])
    return PARTLY if failed else 0


def _list(what: str, items: Sequence[str]) -> None:
    if items:
        sys.stderr.write(f"hinterguesser: {len(items)} {what}:\n")
        sys.stderr.writelines(f"  {item}\n" for item in items[:MOST_LISTED])
        if len(items) > MOST_LISTED:
            sys.stderr.write(f"  and {len(items) - MOST_LISTED} more\n")
