"""What figures of a replay share: its test traces part by part, and what captions say of them."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from hinterguesser.flow.replay import Replayed
from hinterguesser.replay.calibrators import fit_calibrator
from hinterguesser.replay.columns import FloatArray
from hinterguesser.replay.grid import Calibration, Grid, held_out
from hinterguesser.report.tables import percent
from hinterguesser.stats.resamples import Draws

BANDS = "Bands are 95 % intervals from a bootstrap over what belongs together (an entity, a dialogue or a question)."


@dataclass(frozen=True, slots=True)
class Part:
    """The test traces of one model, on one dataset or on all."""

    model: str | None
    dataset: str | None
    grid: Grid
    calibrated: FloatArray | None
    """Shape (n, d), nan where unscored; None without a calibrator that covers them."""


def parts(replayed: Replayed, *, by_dataset: bool) -> Iterator[Part]:
    """Test traces by model, or by model and dataset, with their calibrated confidence as the replay made it."""
    traces, settings = replayed.traces, replayed.result.settings
    test = held_out(traces)
    calibrator = fit_calibrator(settings.calibrator, Calibration(traces))
    for model in np.unique(test.model).tolist():
        of_model = test.select(test.model == model)
        datasets = np.unique(of_model.dataset).tolist()
        for some in [[dataset] for dataset in datasets] if by_dataset else [datasets]:
            grid = of_model.select(np.isin(of_model.dataset, some))
            covered = all(calibrator.covers(model, dataset) for dataset in some)
            yield Part(
                model=traces.models[model],
                dataset=traces.datasets[some[0]] if by_dataset else None,
                grid=grid,
                calibrated=calibrator.apply(grid) if covered else None,
            )


def draws_of(replayed: Replayed) -> Draws:
    """Resamples as the replay's settings say."""
    settings = replayed.result.settings
    return Draws(np.random.default_rng(settings.seed), settings.resamples)


def states(replayed: Replayed) -> str:
    """N, and the share left unscored."""
    depths = [at for result in replayed.result.models for at in result.depths]
    n = sum(at.n for at in depths)
    unscored = sum(round(at.n * (at.unscored_share or 0.0)) for at in depths)
    return f"N = {n} states in all, {percent(unscored / n if n else None)} of them unscored."


def depth_label(replayed: Replayed) -> str:
    """Of an axis."""
    return "turns after the first" if replayed.turns else "depth (retrievals)"


def more(replayed: Replayed) -> str:
    """What one more depth brings."""
    return "hint" if replayed.turns else "retrieval"
