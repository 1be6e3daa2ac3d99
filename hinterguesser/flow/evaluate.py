"""evaluate: put dialogues to a model, turn by turn, and read its confidence by every method asked for."""

from dataclasses import dataclass
from pathlib import Path

import hinterguesser
from hinterguesser.backends.settings import CallSettings
from hinterguesser.confidence.judge import Verdict
from hinterguesser.confidence.trial import Judged, Trial, put
from hinterguesser.domain.dialogue import Dialogue
from hinterguesser.domain.prediction import Prediction
from hinterguesser.domain.predictions import Predictions
from hinterguesser.errors import CallFailed
from hinterguesser.flow import session
from hinterguesser.flow.desk import Desk
from hinterguesser.flow.drive import drive
from hinterguesser.flow.metrics import MetricsSettings, Summary, summarise
from hinterguesser.flow.rehearse import Estimate, as_model_under_test, rehearse
from hinterguesser.flow.trials import EvaluateSettings, Trials
from hinterguesser.store.predictions import write_predictions, write_verdicts
from hinterguesser.store.workfolder import WorkFolder

Item = tuple[Trial, Dialogue]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What an evaluation came to."""

    predictions: tuple[Prediction, ...]
    summary: Summary
    verdicts: tuple[Verdict, ...]
    """What the judge said, where the matcher said no; empty without a judge."""
    failed: tuple[tuple[str, str], ...]
    """Dialogues whose calls failed, with the reason; the next run tries them again."""
    used: session.Used


def evaluate(
    settings: EvaluateSettings,
    out: Path,
    calls: CallSettings = CallSettings(),
    progress: session.Progress = session.Silent(),
) -> Evaluation:
    """Evaluate into the folder `out`, or go on there: what the journal has is not asked again.

    Raises:
        UserError: the settings, the source, the prompts or the folder are at fault, or a model lacks what a method
            needs.
        RunStopped: the budget is used up, or nothing gets through.
    """
    trials = Trials.make(settings, calls)
    folder = WorkFolder.begin(out, "evaluate", trials.asked(), {"hinterguesser": hinterguesser.__version__})
    with folder.held():
        judged: dict[tuple[str, str], Judged] = {}
        failed: dict[str, str] = {}
        progress.start("evaluate", sum(dialogue.length for _, dialogue in trials.items))

        async def ended(item: Item, result: Judged | CallFailed) -> None:
            if isinstance(result, CallFailed):
                failed[f"{item[1].id} ({item[0].subject.model})"] = result.reason
                progress.count(failed=1)
            else:
                judged[_key(item)] = result
            progress.advance(item[1].length)

        async def work(desk: Desk) -> None:
            items = ((item, put(*item)) for item in trials.items)
            # A model in this process answers one call at a time. Dialogue by dialogue it reads each transcript once,
            # and calls come in the same order each time: with a prompt cache the order moves log-probabilities a bit.
            at_once = 1 if trials.in_process else calls.at_once
            await drive(items, desk.ask, ended, at_once=at_once, stopping=desk.stopping)
            await desk.settled()

        _, used = session.run(work, folder, calls, progress)
        done = [judged[_key(item)] for item in trials.items if _key(item) in judged]
        predictions = [row for each in done for row in each.predictions]
        verdicts = [verdict for each in done for verdict in each.verdicts]
        write_predictions(out, predictions)
        if settings.judge is not None:
            write_verdicts(out, verdicts)
        summary = summarise(Predictions.of(predictions), MetricsSettings(seed=settings.seed))
    return Evaluation(tuple(predictions), summary, tuple(verdicts), tuple(failed.items()), used)


def _key(item: Item) -> tuple[str, str]:
    return item[0].subject.model, item[1].id


def rehearse_evaluate(settings: EvaluateSettings, calls: CallSettings = CallSettings()) -> list[Estimate]:
    """What `evaluate` would ask, with replies of ordinary length.

    Raises:
        UserError: as `evaluate`.
    """
    items = Trials.make(settings, calls).items
    return rehearse(items, lambda item: put(*item), lambda _: as_model_under_test, calls)
