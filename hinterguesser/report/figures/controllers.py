"""What acting on confidence wins and costs: right answers against retrievals."""

from collections.abc import Mapping
from typing import Any, TypeAlias

from hinterguesser.flow.replay import Replayed
from hinterguesser.replay.accounting import Account
from hinterguesser.replay.curves import sweep_rows
from hinterguesser.replay.result import GroupResult
from hinterguesser.report.figures.curves import Curve, CurveAxes, Curves, Point
from hinterguesser.report.figures.figure import Figure
from hinterguesser.report.figures.pages import Panel, pages
from hinterguesser.report.figures.pictures import Picture, curve_figure
from hinterguesser.report.figures.replay_parts import more, states
from hinterguesser.report.figures.style import BLACK, PALETTE, Look
from hinterguesser.report.figures.words import ends_of, listed
from hinterguesser.report.tables import percent

LOOKS = {
    "raw_gated": Look(PALETTE["blue"], "o", "-"),
    "calibrated_gated": Look(PALETTE["vermilion"], "s", "--"),
    "value_of_information": Look(PALETTE["green"], "D", "-."),
    "adaptive": Look(PALETTE["orange"], "^", ":"),
    "fixed": Look("#4d4d4d", "P", ":", 0.9),
    "oracle_stop": Look(BLACK, "x", (0, (6.0, 3.0)), 0.8),
}
SWEPT = ("raw_gated", "calibrated_gated")
FIXED = "fixed_"

Sweeps: TypeAlias = Mapping[tuple[str | None, str | None, str], Mapping[Point, float]]
"""By model, dataset and controller: what it comes to, and the lowest threshold with which it does."""


def accuracy_cost(replayed: Replayed) -> list[Figure]:
    """What each controller does as it was set, and the gates at every threshold."""
    sweeps, word = _sweeps(replayed), f"{more(replayed)}s"
    made = []
    for page in pages(({"model": g.model, "dataset": g.dataset}, g) for g in replayed.result.groups):
        figure = curve_figure(
            page,
            [_picture(panel, sweeps) for panel in page.panels],
            name="accuracy_cost",
            title="What acting on confidence wins and costs",
            caption=f"Share of questions that end in a commit to a right answer, against the mean number of {word} "
            "asked for. Marks are controllers as they were set; whiskers are Wilson 95 % intervals. Lines without "
            f"marks are gates at 101 thresholds, for at most {replayed.result.settings.gate.budget} {word}. "
            f"oracle_stop sees what is right, so nothing beats it. {states(replayed)}",
            heads=(
                *("dataset", "model", "controller", "threshold", "mean_retrievals", "overall_accuracy"),
                *("overall_accuracy_lo", "overall_accuracy_hi", "n", "unscored_share"),
            ),
            axes=CurveAxes(f"mean {word} a question", "right answers (%)", x_percent=False, zoom=True),
        )
        if figure is not None:
            made.append(figure)
    return made


def _sweeps(replayed: Replayed) -> Sweeps:
    settings = replayed.result.settings
    found: dict[tuple[str | None, str | None, str], dict[Point, float]] = {}
    for row in sweep_rows(replayed.traces, settings):
        if row["controller"] in SWEPT and row["budget"] == settings.gate.budget:
            swept = found.setdefault((row["model"], row["dataset"], row["controller"]), {})
            swept.setdefault(Point(row["mean_retrievals"], row["overall_accuracy"]), row["threshold"])
    return found


def _picture(panel: Panel[GroupResult], sweeps: Sweeps) -> Picture:
    [group] = panel.items
    n = next(iter(group.accounts.values())).n
    curves, rows = [], list[tuple[Any, ...]]()
    for name in SWEPT:
        swept = sweeps.get((group.model, group.dataset, name), {})
        if swept:
            look = Look(LOOKS[name].colour, "", LOOKS[name].line, 1.0)
            curves.append(Curve(f"{name}, swept", look, tuple(swept)))
        rows += [
            (panel.dataset, panel.model, name, threshold, at.x, at.y, None, None, n, None)
            for at, threshold in swept.items()
        ]
    for name, done in group.accounts.items():
        ends = ends_of(done.intervals()["overall_accuracy"])
        what = name, None, done.mean_retrievals, done.overall_accuracy, *ends, done.n, done.unscored_share
        rows.append((panel.dataset, panel.model, *what))
    told = (f"{name} {percent(done.overall_accuracy)} at {_mean(done)}" for name, done in group.accounts.items())
    return Picture(
        Curves(panel.title, f"N = {n} questions", (*curves, *_marks(group.accounts))),
        tuple(rows),
        f"{panel.name}, right answers and what they cost on average: {listed(told, 12)}.",
    )


def _marks(accounts: Mapping[str, Account]) -> list[Curve]:
    """A mark a controller, with whiskers; fixed numbers of retrievals are joined by a line."""
    found: dict[str, list[Point]] = {}
    for name, done in accounts.items():
        if done.overall_accuracy is not None and done.mean_retrievals is not None:
            at = Point(done.mean_retrievals, done.overall_accuracy, done.intervals()["overall_accuracy"])
            found.setdefault("fixed" if name.startswith(FIXED) else name, []).append(at)
    shown = {"fixed": "fixed_0, fixed_1, …"}
    return [
        Curve(shown.get(name, name), LOOKS[name], tuple(sorted(points, key=lambda point: point.x)), bars=True)
        for name, points in found.items()
    ]


def _mean(done: Account) -> str:
    return "-" if done.mean_retrievals is None else f"{done.mean_retrievals:.2f}"
