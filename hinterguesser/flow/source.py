"""Dialogues by where they are: a run folder, a release folder, or a dataset on the Hub."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hinterguesser.domain.dialogue import Dialogue
from hinterguesser.errors import UserError
from hinterguesser.store.configs import REJECTED
from hinterguesser.store.release import PROVENANCE_FILE, configs_of, read_config, splits_of
from hinterguesser.store.run import DIALOGUES_FILE, RunFolder
from hinterguesser.store.splits import TEST

HUB_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*/[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass(frozen=True, slots=True)
class Source:
    """Where dialogues come from."""

    path: Path
    """A folder; or, where no such folder exists, USER/NAME on the Hub."""
    config: str | None = None
    """One config of a release; None: all that hold kept dialogues."""
    split: str | None = TEST
    """One split of a release; None: all. A run folder has no splits."""
    revision: str | None = None
    """A branch, tag or commit on the Hub; None: the newest."""

    @property
    def hub_name(self) -> str | None:
        """USER/NAME when this is a dataset on the Hub, else None."""
        name = self.path.as_posix()
        return name if HUB_NAME.fullmatch(name) and not self.path.exists() else None

    def here(self) -> "Source":
        """The same source as a folder: what is on the Hub is fetched, one commit of it, into its own cache.

        Raises:
            UserError: there is no such folder or dataset, or the Hub refuses.
        """
        if self.hub_name is None:
            if self.revision is not None:
                raise UserError(f"{self.path}: a folder has no revisions; leave out --revision, or name USER/NAME")
            return self
        from hinterguesser.store.hub_cache import fetch

        folder = fetch(self.hub_name, self.config, self.split, self.revision)
        return Source(folder, self.config, self.split)

    def identity(self) -> str:
        """What was read, for a record: the folder's full path, or USER/NAME and the commit."""
        if self.hub_name is None:
            return str(self.path.resolve())
        return f"{self.hub_name}@{self.here().path.name}"

    def kept(self) -> Iterator[Dialogue]:
        """The dialogues that were kept, in order.

        Raises:
            UserError: the folder is neither a run nor a release, or holds no such config or split.
        """
        yield from self._dialogues(kept_only=True)

    def all(self) -> Iterator[Dialogue]:
        """The dialogues that were kept and, after them or among them, those that were rejected.

        Raises:
            UserError: as `kept`.
        """
        yield from self._dialogues(kept_only=False)

    def _dialogues(self, *, kept_only: bool) -> Iterator[Dialogue]:
        source = self.here()
        if (source.path / DIALOGUES_FILE).exists():
            for dialogue in RunFolder.open(source.path).dialogues():
                if (dialogue.kept or not kept_only) and source.config in (None, dialogue.game):
                    yield dialogue
        elif (source.path / PROVENANCE_FILE).exists():
            for config, split in source._parts(rejected=not kept_only):
                yield from read_config(source.path, config, split)
        else:
            raise UserError(
                f"{self.path}: neither a run folder (no {DIALOGUES_FILE}) nor a release (no {PROVENANCE_FILE}); "
                "name one that `hinterguesser generate` or `build` made, or USER/NAME on the Hub"
            )

    def _parts(self, *, rejected: bool) -> Iterator[tuple[str, str]]:
        """Configs and splits to read; without a config asked for, those that lack the split are passed over.

        What was rejected has one split, whatever split is asked for.
        """
        known = configs_of(self.path)
        if self.config is None:
            wanted = [config for config in known if rejected or not config.endswith(REJECTED)]
        else:
            also = f"{self.config}{REJECTED}"
            wanted = [self.config, *([also] if rejected and also in known else ())]
        for config in wanted:
            splits = splits_of(self.path, config)
            if self.split is None or config.endswith(REJECTED):
                yield from ((config, split) for split in splits)
            elif self.config is not None or self.split in splits:
                yield config, self.split
