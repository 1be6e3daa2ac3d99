"""The whole replay: every controller on the test traces of every model and dataset, and what stands beside it."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from hinterguesser.errors import UserError
from hinterguesser.replay.accounting import Account, Change, account, compare
from hinterguesser.replay.calibrators import Calibrator, fit_calibrator
from hinterguesser.replay.columns import FloatArray
from hinterguesser.replay.controllers import Decisions, Gate, adaptive, fixed, gated, oracle_stop
from hinterguesser.replay.depths import DepthQuality, quality_by_depth
from hinterguesser.replay.grid import Calibration, Grid, held_out
from hinterguesser.replay.matched import Matched, match_raw
from hinterguesser.replay.pick import Pick, Promise, pick_threshold
from hinterguesser.replay.traces import Traces
from hinterguesser.replay.transitions import Transition, transitions
from hinterguesser.replay.value import ValueOfInformation, fit_value


@dataclass(frozen=True, slots=True)
class ReplaySettings:
    """What is replayed, and how."""

    gate: Gate = field(default_factory=Gate)
    calibrator: str = "isotonic"
    retrieval_price: float = 0.0
    """Price of a retrieval, in the unit of the traces' `cost`."""
    value_price: float = 0.05
    """What a retrieval must add to the chance of being right, for `value_of_information`."""
    resamples: int = 1000
    seed: int = 0
    promises: tuple[Promise, ...] = ()


@dataclass(frozen=True, slots=True)
class GroupResult:
    """One model on one dataset."""

    model: str | None
    dataset: str | None
    accounts: dict[str, Account]
    """By controller, in the order of the tables."""
    changes: tuple[Change, ...]
    """Calibrated-gated less raw-gated; empty without calibration."""
    matched: tuple[Matched, ...]


@dataclass(frozen=True, slots=True)
class ModelResult:
    """One model, all datasets together."""

    model: str | None
    depths: tuple[DepthQuality, ...]
    transitions: tuple[Transition, ...]
    raw_threshold: float | None
    """The cut on raw confidence that equals the commit threshold on the calibrated one."""
    picks: tuple[Pick, ...]


@dataclass(frozen=True, slots=True)
class Replay:
    """All results, and what the reader must know about them."""

    settings: ReplaySettings
    groups: tuple[GroupResult, ...]
    models: tuple[ModelResult, ...]
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """What `replay --json` prints, as the design names it."""
        gate = self.settings.gate
        return {
            "calibrator": self.settings.calibrator,
            "commit": gate.commit,
            "low": gate.low,
            "budget": gate.budget,
            "rows": [_row(group, name, done) for group in self.groups for name, done in group.accounts.items()],
            "ece_by_depth": [
                {"model": result.model, "depth": at.depth, "raw": at.raw, "calibrated": at.calibrated}
                for result in self.models
                for at in result.depths
            ],
            "transitions": [
                {"model": result.model, **asdict(move)} for result in self.models for move in result.transitions
            ],
        }

    def details(self) -> dict[str, Any]:
        """What stands beside it: intervals, costs, comparisons, the quality of each depth, picks, notes."""
        price = self.settings.retrieval_price
        return {
            "notes": list(self.notes),
            "accounts": [
                {
                    **_row(group, name, done),
                    "mean_cost": done.mean_cost(price),
                    "unscored_share": done.unscored_share,
                    "intervals": {share: _pair(ends) for share, ends in done.intervals().items()},
                }
                for group in self.groups
                for name, done in group.accounts.items()
            ],
            "calibrated_less_raw": [
                {**_who(group), "name": of.name, "difference": of.difference, "interval": _pair(of.interval)}
                for group in self.groups
                for of in group.changes
            ],
            "matched": [
                {
                    **_who(group),
                    "by": pair.by,
                    "raw_threshold": pair.raw_threshold,
                    "raw": _shares(pair.raw),
                    "calibrated": _shares(pair.calibrated),
                }
                for group in self.groups
                for pair in group.matched
            ],
            "depths": [
                {"model": result.model, **asdict(at), "transfer_alarm": at.transfer_alarm}
                for result in self.models
                for at in result.depths
            ],
            "raw_thresholds": [
                {"model": result.model, "equals_commit": result.raw_threshold} for result in self.models
            ],
            "picks": [_pick(result.model, pick) for result in self.models for pick in result.picks],
        }


def replay(traces: Traces, settings: ReplaySettings | None = None) -> Replay:
    """Fit on the calibration traces, replay every controller on the test traces.

    Without calibration traces of a model, `calibrated_gated` and `value_of_information` have no rows for it; without
    answers, `adaptive` has none. Both are said in `notes`.

    Raises:
        UserError: there is no test trace, or no calibrator of that name.
    """
    settings = settings or ReplaySettings()
    calibration, test = Calibration(traces), held_out(traces)
    if len(test) == 0:
        raise UserError("no trace has split 'test', so there is nothing to replay; set 'split' or leave the column out")
    calibrator = fit_calibrator(settings.calibrator, calibration)
    budget = settings.gate.budget
    value = fit_value(calibration, range(budget, budget + 1), settings.value_price)
    rng = np.random.default_rng(settings.seed)
    groups, models, notes = [], [], []
    if not test.has_answers:
        notes.append("No answers in the traces: 'adaptive', which waits for an answer to repeat, is left out.")
    if settings.retrieval_price and not np.isfinite(test.cost).any():
        notes.append("The traces do not say what asking cost, so no cost is given; add a column 'cost' (0 will do).")
    for model in np.unique(test.model).tolist():
        of_model = test.select(test.model == model)
        name = traces.models[model]
        for dataset in np.unique(of_model.dataset).tolist():
            part = of_model.select(of_model.dataset == dataset)
            mapped = _calibrated(calibrator, part, model, dataset)
            if mapped is None:
                of = " on ".join(repr(label) for label in (name, traces.datasets[dataset]) if label is not None)
                notes.append(
                    f"No scored calibration traces{f' of {of}' if of else ''}: controllers that need them are left out."
                )
            fitted = value if value.covers(model) else None
            groups.append(_group(part, name, traces.datasets[dataset], mapped, fitted, settings, rng))
        models.append(_model(of_model, model, name, calibration, calibrator, settings))
    notes += _alarms(models)
    return Replay(settings, tuple(groups), tuple(models), tuple(notes))


def _calibrated(calibrator: Calibrator, grid: Grid, model: int, dataset: int) -> FloatArray | None:
    return calibrator.apply(grid) if calibrator.covers(model, dataset) else None


def decide_all(
    grid: Grid, calibrated: FloatArray | None, value: ValueOfInformation | None, gate: Gate
) -> dict[str, Decisions]:
    """What every controller does, by name in the order of the tables; those that lack what they need are left out."""
    result = {"raw_gated": gated(grid.confidence, grid, gate)}
    if calibrated is not None:
        result["calibrated_gated"] = gated(calibrated, grid, gate)
    for depth in range(gate.budget + 1):
        result[f"fixed_{depth}"] = fixed(grid, depth)
    repeated = adaptive(grid, gate.budget)
    if repeated is not None:
        result["adaptive"] = repeated
    result["oracle_stop"] = oracle_stop(grid, gate.budget)
    if value is not None:
        result["value_of_information"] = value.decide(grid, gate)
    return result


def _group(
    grid: Grid,
    model: str | None,
    dataset: str | None,
    calibrated: FloatArray | None,
    value: ValueOfInformation | None,
    settings: ReplaySettings,
    rng: np.random.Generator,
) -> GroupResult:
    decided = decide_all(grid, calibrated, value, settings.gate)
    changes: list[Change] = []
    matched: list[Matched] = []
    if calibrated is not None:
        pair = decided["calibrated_gated"], decided["raw_gated"]
        changes = compare(grid, *pair, rng, resamples=settings.resamples)
        matched = match_raw(grid, calibrated, settings.gate)
    accounts = {name: account(grid, decisions) for name, decisions in decided.items()}
    return GroupResult(model, dataset, accounts, tuple(changes), tuple(matched))


def _model(
    grid: Grid, code: int, name: str | None, calibration: Calibration, calibrator: Calibrator, settings: ReplaySettings
) -> ModelResult:
    covered = all(calibrator.covers(code, dataset) for dataset in np.unique(grid.dataset).tolist())
    calibrated = calibrator.apply(grid) if covered else None
    own = calibration.of_model(code)
    return ModelResult(
        model=name,
        depths=tuple(quality_by_depth(grid, calibrated)),
        transitions=tuple(transitions(grid)),
        raw_threshold=calibrator.raw_threshold(code, settings.gate.commit),
        picks=tuple(pick_threshold(promise, own, grid, settings.gate) for promise in settings.promises),
    )


def _alarms(models: Sequence[ModelResult]) -> list[str]:
    result = []
    for model in models:
        worse = [str(at.depth) for at in model.depths if at.transfer_alarm]
        if worse:
            of = f" of {model.model}" if model.model is not None else ""
            result.append(
                f"Transfer alarm: the calibration map{of} is worse than raw confidence at depth {', '.join(worse)}. "
                "It was fitted elsewhere; try a calibrator per depth."
            )
    return result


def _who(group: GroupResult) -> dict[str, Any]:
    return {"model": group.model, "dataset": group.dataset}


def _row(group: GroupResult, controller: str, done: Account) -> dict[str, Any]:
    return {**_who(group), "controller": controller, **_shares(done)}


def _shares(done: Account) -> dict[str, Any]:
    return {
        "n": done.n,
        "overall_accuracy": done.overall_accuracy,
        "committed_accuracy": done.committed_accuracy,
        "coverage": done.coverage,
        "mean_retrievals": done.mean_retrievals,
        "abstain_share": done.abstain_share,
        "escalate_share": done.escalate_share,
    }


def _pick(model: str | None, pick: Pick) -> dict[str, Any]:
    return {
        "model": model,
        "promise": str(pick.promise),
        "threshold": pick.threshold,
        "strictest": pick.strictest,
        "calibration_n": pick.calibration_n,
        "calibration": _shares(pick.calibration) if pick.calibration else None,
        "test": _shares(pick.test) if pick.test else None,
        "strictest_test": _shares(pick.strictest_test) if pick.strictest_test else None,
        "kept": pick.kept,
    }


def _pair(ends: tuple[float, float] | None) -> list[float] | None:
    return None if ends is None else list(ends)
