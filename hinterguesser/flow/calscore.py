"""metrics --calscore: GRACE's own scores of predictions about its questions."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hinterguesser.domain.predictions import Predictions
from hinterguesser.errors import UserError
from hinterguesser.stats.by_entity import mean_by_entity
from hinterguesser.stats.grouping import columns_of, groups_of
from hinterguesser.stats.human_adjusted import mce_of_dialogues
from hinterguesser.stats.intervals import bootstrap_interval
from hinterguesser.store.annotations import HumanBuzzes, read_buzzes
from hinterguesser.store.prediction_columns import Reading
from hinterguesser.store.prediction_files import read_predictions


@dataclass(frozen=True, slots=True)
class CalScoreSettings:
    """How the scores are taken."""

    annotations: Path
    """The run folder of `adapt grace`, or its annotations.jsonl."""
    human_teams: int | None = None
    """Human teams that heard each question; None: those that tried it, since the source does not say who heard it."""
    resamples: int = 1000
    seed: int = 0


def calscores(path: Path, settings: CalScoreSettings, *, percent: bool = False) -> list[dict[str, Any]]:
    """MCE and CalScore of each group of predictions, with intervals over questions.

    Raises:
        UserError: a file is at fault, or no prediction is about an annotated question.
    """
    predictions = read_predictions(path, Reading(None, percent))
    buzzes = read_buzzes(settings.annotations)
    people = _shares(predictions, buzzes, settings.human_teams)
    annotated = predictions.scored & ~np.isnan(people) & ~np.isnan(predictions.correct)
    if not annotated.any():
        raise UserError(f"{settings.annotations}: its questions are not among the predictions in {path}")
    scores = []
    for group in groups_of(predictions, columns_of(predictions)):
        rows = group.rows[annotated[group.rows]]
        if len(rows):
            scores.append({"by": group.by, **_scores(predictions, rows, people, settings)})
    return scores


def _shares(predictions: Predictions, buzzes: dict[str, HumanBuzzes], teams: int | None) -> Any:
    """Shape (n,): share of people who were right by the row's turn; nan for a question without annotations."""
    by_code = [buzzes.get(name) for name in predictions.dialogue_id.names]
    rows = zip(predictions.dialogue_id.codes.tolist(), predictions.turn.tolist(), strict=True)
    found = ((by_code[code], turn) for code, turn in rows)
    return np.array([np.nan if people is None else people.share(turn, teams) for people, turn in found])


def _scores(predictions: Predictions, rows: Any, people: Any, settings: CalScoreSettings) -> dict[str, Any]:
    chances, right = predictions.confidence[rows], predictions.correct[rows]
    dialogue = predictions.dialogue[rows]
    plain = mce_of_dialogues(chances, right, dialogue)
    adjusted = mce_of_dialogues(chances * (1 - people[rows]), right, dialogue)
    intervals = {name: _interval(values, settings) for name, values in (("mce", plain), ("calscore", adjusted))}
    return {
        "n": len(rows),
        "dialogues": len(plain),
        "mce": float(plain.mean()),
        "calscore": float(adjusted.mean()),
        "intervals": intervals,
    }


def _interval(values: Any, settings: CalScoreSettings) -> list[float] | None:
    if not settings.resamples:
        return None
    statistic = mean_by_entity(values, np.arange(len(values)))
    interval = bootstrap_interval(statistic, np.random.default_rng(settings.seed), resamples=settings.resamples)
    return None if interval is None else [interval.lo, interval.hi]
