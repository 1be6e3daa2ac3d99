"""How good confidence is at each depth, raw and calibrated, and whether a frozen map still holds there."""

from dataclasses import dataclass

import numpy as np

from hinterguesser.replay.columns import BoolArray, FloatArray
from hinterguesser.replay.grid import Grid
from hinterguesser.stats.calibration import ece
from hinterguesser.stats.selective import RiskCoverage, aurc, auroc, risk_coverage


@dataclass(frozen=True, slots=True)
class DepthQuality:
    """Calibration and ranking of the states at one depth; unscored states are left out and counted."""

    depth: int
    n: int
    """States at this depth, scored or not."""
    unscored_share: float | None
    accuracy: float | None
    """Share of correct answers over all states of this depth."""
    raw: float | None
    """ECE of the raw confidence: 10 bins of equal width, right-closed."""
    calibrated: float | None
    """ECE of the calibrated confidence; None without a map."""
    aurc: float | None
    """Area under the risk-coverage curve of the raw confidence, ties grouped."""
    aurc_calibrated: float | None
    auroc: float | None

    @property
    def transfer_alarm(self) -> bool:
        """Whether the frozen map is worse than no map at this depth."""
        return self.raw is not None and self.calibrated is not None and self.calibrated > self.raw


def quality_by_depth(grid: Grid, calibrated: FloatArray | None) -> list[DepthQuality]:
    """The quality at each depth that has a state.

    Args:
        grid: The traces, of one model.
        calibrated: Shape (n, d), nan where unscored; None without a map.
    """
    present, scored = grid.present, grid.scored
    result = []
    for depth in range(grid.depths):
        n = int(present[:, depth].sum())
        if n == 0:
            continue
        use = scored[:, depth]
        correct = grid.correct[use, depth]
        raw = grid.confidence[use, depth]
        mapped = None if calibrated is None else calibrated[use, depth]
        result.append(
            DepthQuality(
                depth=depth,
                n=n,
                unscored_share=1 - int(use.sum()) / n,
                accuracy=int(grid.correct[:, depth].sum()) / n,
                raw=ece(raw, correct),
                calibrated=None if mapped is None else ece(mapped, correct),
                aurc=aurc(raw, correct),
                aurc_calibrated=None if mapped is None else aurc(mapped, correct),
                auroc=auroc(raw, correct),
            )
        )
    return result


def risk_coverage_at(grid: Grid, confidence: FloatArray, depth: int) -> RiskCoverage | None:
    """The risk-coverage curve over the scored states of one depth; None without any."""
    use: BoolArray = ~np.isnan(confidence[:, depth])
    return risk_coverage(confidence[use, depth], grid.correct[use, depth])
