"""The whole road, offline and small: play, filter, derive, release, load back, evaluate."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hinterguesser.backends.settings import CallSettings
from hinterguesser.domain.dialogue import Dialogue
from hinterguesser.errors import UserError
from hinterguesser.flow import session
from hinterguesser.flow.derive import DeriveSettings, derive
from hinterguesser.flow.evaluate import Evaluation, evaluate
from hinterguesser.flow.generate import GenerateSettings, generate
from hinterguesser.flow.source import Source
from hinterguesser.flow.trials import EvaluateSettings
from hinterguesser.store.configs import Config
from hinterguesser.store.release import build
from hinterguesser.store.run import RunFolder

GAMES = ("20q", "guess")
MODEL = "builtin/smollm2"
ENTITIES = 8


@dataclass(frozen=True, slots=True)
class Demonstration:
    """What the quickstart made."""

    release: Path
    configs: tuple[Config, ...]
    loaded: dict[str, int]
    """Rows by config, as `datasets` loaded them back."""
    evaluation: Evaluation
    dialogue: Dialogue
    """One to look at, with its predictions in `evaluation`."""


def make_release(
    work: Path, out: Path, entities: int, version: str = "1.0.0", progress: session.Progress = session.Silent()
) -> list[Config]:
    """Play both games with the oracle about the first so many entities, derive, and build `out`; runs go to `work`."""
    for game in GAMES:
        generate(GenerateSettings(game, limit=entities), work / game, progress=progress)
        derive(work / game, DeriveSettings(placebo="redundant"), progress=progress)
    return build([RunFolder.open(work / game) for game in GAMES], out, version)


def quickstart(out: Path, progress: session.Progress = session.Silent()) -> Demonstration:
    """Make a small release in `out`, load it back with `datasets`, and evaluate it with the model in this process.

    Raises:
        UserError: the model's weights or a package are missing, or `out` is at fault.
    """
    session.check_models([MODEL], CallSettings())
    if out.is_dir() and any(out.iterdir()) and not (out / "runs").is_dir():
        raise UserError(f"{out}: the folder holds something else; name a new one with --out")
    release = out / "release"
    configs = make_release(out / "runs", release, ENTITIES, progress=progress)
    loaded = {game: _loaded_back(release, game, out / "cache") for game in GAMES}
    settings = EvaluateSettings(Source(release), (MODEL,))
    # One call at a time: the model reads each transcript once only if a dialogue's calls follow one another.
    evaluation = evaluate(settings, out / "evaluation", CallSettings(concurrency=1), progress)
    dialogues = [dialogue for game in GAMES for dialogue in loaded[game]]
    return Demonstration(
        release=release,
        configs=tuple(configs),
        loaded={game: len(rows) for game, rows in loaded.items()},
        evaluation=evaluation,
        dialogue=_worth_a_look(dialogues, evaluation),
    )


def _loaded_back(release: Path, config: str, cache: Path) -> list[Dialogue]:
    import datasets

    datasets.disable_progress_bars()
    rows = datasets.load_dataset(str(release), config, split="test", cache_dir=str(cache))
    loaded = [Dialogue.from_dict(row) for row in rows]
    if loaded != list(Source(release, config).kept()):
        raise UserError(f"{release}: `datasets` loads other rows of {config!r} than were written; please report this")
    return loaded


def _worth_a_look(dialogues: Sequence[Dialogue], evaluation: Evaluation) -> Dialogue:
    """The dialogue in which the model came to the right answer from the most wrong ones; else the first."""

    def wrong_before_right(dialogue: Dialogue) -> int:
        right = {
            prediction.turn: bool(prediction.correct)
            for prediction in evaluation.predictions
            if prediction.dialogue_id == dialogue.id
        }
        return sum(not correct for correct in right.values()) if right.get(dialogue.length) else 0

    return max(dialogues, key=wrong_before_right)
