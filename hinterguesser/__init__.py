"""hinterguesser: make hint-and-guess dialogues, release them, measure how a model's confidence moves, and act on it."""

TYPE_CHECKING = False  # type checkers know the name; importing typing for it would cost more than all else here
if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path
    from typing import Any

    from hinterguesser.domain.dialogue import Dialogue

__all__ = ["__version__", "load", "turns"]

__version__ = "0.1.0"


def load(
    source: "str | Path", config: "str | None" = None, split: "str | None" = "test", revision: "str | None" = None
) -> "list[Dialogue]":
    """The kept dialogues of a release folder, a run folder, or a dataset on the Hub, in order.

    Args:
        source: a folder; or, where no such folder exists, USER/NAME on the Hub.
        config: one dataset of it, e.g. '20q'; None: all.
        split: 'test', 'calibration', or None for all. A run folder has no splits.
        revision: a branch, tag (e.g. 'v1.0.0') or commit on the Hub; None: the newest.

    Raises:
        hinterguesser.errors.UserError: there is no such source, dataset, split or revision, or the Hub refuses.

    Example:
        >>> import hinterguesser
        >>> dialogues = hinterguesser.load("ada/hints", "20q", split="test")  # doctest: +SKIP
    """
    found: list[Dialogue] = _loading().load(source, config, split, revision)
    return found


def turns(
    dialogues: "Iterable[Dialogue]", prompt: str = "answer", prompts: "Path | None" = None, **fields: str
) -> "list[dict[str, Any]]":
    """One row a turn, with the chat messages that a model under test is sent in each condition.

    The columns `multi`, `placebo` and `single` hold the messages, `[{"role": ..., "content": ...}, ...]`; None where a
    turn lacks its placebo or summary. The rows fit `pandas.DataFrame` and `datasets.Dataset.from_list`.

    Args:
        dialogues: what `load` gives.
        prompt: what is asked after the hints: a prompt by its name, e.g. 'answer' or 'vanilla_verb'.
        prompts: a folder with prompts that replace those that ship.
        **fields: values for the prompt's placeholders, e.g. `candidate="Paris"` for 'vanilla_verb'.

    Raises:
        hinterguesser.errors.UserError: there is no such prompt, or its placeholders and `fields` differ.
    """
    return list(_loading().turns(dialogues, prompt, prompts, **fields))


def _loading() -> "Any":
    # Imported by name, so that neither importing this package nor the order of its rooms depends on it.
    import importlib

    return importlib.import_module("hinterguesser.flow.loading")
