"""Dialogues by where they are: a run folder or a release folder."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hinterguesser.domain.dialogue import Dialogue
from hinterguesser.errors import UserError
from hinterguesser.store.release import PROVENANCE_FILE, REJECTED, configs_of, read_config
from hinterguesser.store.run import DIALOGUES_FILE, RunFolder


@dataclass(frozen=True, slots=True)
class Source:
    """Where dialogues come from."""

    path: Path
    config: str | None = None
    """One config of a release; None: all that hold kept dialogues."""

    def kept(self) -> Iterator[Dialogue]:
        """The dialogues that were kept, in order.

        Raises:
            UserError: the folder is neither a run nor a release, or holds no such config.
        """
        if (self.path / DIALOGUES_FILE).exists():
            for dialogue in RunFolder.open(self.path).dialogues():
                if dialogue.kept and self.config in (None, dialogue.game):
                    yield dialogue
        elif (self.path / PROVENANCE_FILE).exists():
            names = [name for name in configs_of(self.path) if not name.endswith(REJECTED)]
            for name in names if self.config is None else [self.config]:
                yield from (dialogue for dialogue in read_config(self.path, name) if dialogue.kept)
        else:
            raise UserError(
                f"{self.path}: neither a run folder (no {DIALOGUES_FILE}) nor a release (no {PROVENANCE_FILE}); "
                "name one that `hinterguesser generate` or `build` made"
            )
