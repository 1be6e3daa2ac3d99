"""At which depth, or turn, should it commit? One table: by threshold, and at a fixed depth."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from hinterguesser.replay.accounting import Account, account
from hinterguesser.replay.columns import FloatArray
from hinterguesser.replay.controllers import Action, Decisions, Gate, fixed, gated, oracle_stop
from hinterguesser.replay.grid import Grid
from hinterguesser.replay.tables import NOTHING, Table, number, percent

CUTS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0)


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule for when to commit, and what it did."""

    cut: float | None
    """Commit when confidence is at least this; None for a fixed depth or the ceiling."""
    depth: int | None
    """Commit at this depth; None for a threshold or the ceiling."""
    done: Account
    mean_depth: float | None
    """Mean depth (0-based) of the commits; None without any."""

    def to_dict(self) -> dict[str, Any]:
        """As a plain dict; `rule` is 'confidence', 'depth' or 'ceiling'."""
        return {
            "rule": "confidence" if self.cut is not None else "ceiling" if self.depth is None else "depth",
            "cut": self.cut,
            "depth": self.depth,
            "mean_depth": self.mean_depth,
            "n": self.done.n,
            "coverage": self.done.coverage,
            "committed_accuracy": self.done.committed_accuracy,
            "overall_accuracy": self.done.overall_accuracy,
        }


def when_to_commit(grid: Grid, confidence: FloatArray | None = None, cuts: tuple[float, ...] = CUTS) -> list[Rule]:
    """Try every threshold and every fixed depth on the traces, to their very end; last, the ceiling.

    Args:
        grid: The traces.
        confidence: Shape (n, d), nan where unscored; None takes the raw confidence.
        cuts: The thresholds.
    """
    said = grid.confidence if confidence is None else confidence
    depths = int(grid.length.max(initial=1))
    budget = depths - 1
    rules = [_rule(grid, cut, None, gated(said, grid, Gate(cut, 0.0, budget))) for cut in cuts]
    rules += [_rule(grid, None, depth, fixed(grid, depth)) for depth in range(depths)]
    return [*rules, _rule(grid, None, None, oracle_stop(grid, budget))]


def _rule(grid: Grid, cut: float | None, depth: int | None, decisions: Decisions) -> Rule:
    stops = decisions.stop[decisions.action == Action.COMMIT]
    return Rule(cut, depth, account(grid, decisions), float(np.mean(stops)) if len(stops) else None)


def when_table(rules: list[Rule], title: str, *, turns: bool) -> Table:
    """The rules as a table; with `turns`, depths are shown as turns, which count from 1.

    Of thresholds that nothing reaches, the lowest is shown.
    """
    word, first = ("turn", 1) if turns else ("depth", 0)
    rows = []
    unreached = [rule for rule in rules if rule.cut is not None and rule.done.commits == 0]
    for rule in rules:
        if rule in unreached[1:]:
            continue
        if rule.cut is not None:
            name = f"when confidence is {100 * rule.cut:g} % or more"
        elif rule.depth is not None:
            name = f"always at {word} {rule.depth + first}"
        else:
            name = "as soon as it is right (ceiling)"
        shown = NOTHING if rule.mean_depth is None else number(rule.mean_depth + first, 1)
        done = rule.done
        rows.append(
            (name, shown, percent(done.coverage), percent(done.committed_accuracy), percent(done.overall_accuracy))
        )
    heads = ("commit", f"mean {word}", "committed", "right if committed", "right of all")
    unit = "dialogue" if turns else "question"
    note = (
        f"'committed': {unit}s that got an answer; 'right if committed': what such an answer is worth; 'right of all' "
        f"counts a {unit} without one as not right. A {unit} that ends before the {word} commits at its last."
    )
    return Table(title, heads, tuple(rows), note)
