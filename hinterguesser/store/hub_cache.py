"""Releases on the Hub, read through huggingface_hub's own cache."""

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from hinterguesser.errors import UserError
from hinterguesser.store.hub_errors import saying_what_the_hub_said
from hinterguesser.store.hub_patience import Patience, with_bars
from hinterguesser.store.release import CARD_FILE, CROISSANT_FILE, PROVENANCE_FILE


def fetch(
    repo: str, config: str | None, split: str | None, revision: str | None, wait: Callable[[float], None] = time.sleep
) -> Path:
    """One commit of the dataset `repo` as a release folder, named after the commit.

    Args:
        repo: USER/NAME.
        config: fetch the rows of this config only; None: of all.
        split: fetch the rows of this split only; None: of all.
        revision: a branch, tag or commit; None: the newest.
        wait: how to wait so many seconds.

    Raises:
        UserError: there is no such dataset or revision, it is no release, or the Hub refuses.
    """
    from huggingface_hub import hf_hub_download, snapshot_download
    from huggingface_hub.errors import EntryNotFoundError, LocalEntryNotFoundError

    with with_bars(False), saying_what_the_hub_said(repo, "read"):
        patience = Patience(wait)
        try:
            found = patience.call(
                partial(hf_hub_download, repo, PROVENANCE_FILE, repo_type="dataset", revision=revision)
            )
        except LocalEntryNotFoundError:
            raise  # not a word from the Hub, and nothing in the cache
        except EntryNotFoundError:
            raise UserError(
                f"{repo}: no {PROVENANCE_FILE} in this dataset, so it is no release that `hinterguesser push` made"
            ) from None
        wanted = f"data/{config or '*'}/{split or '*'}-*.parquet"
        download = partial(
            snapshot_download,
            repo,
            repo_type="dataset",
            revision=Path(found).parent.name,
            allow_patterns=[PROVENANCE_FILE, CARD_FILE, CROISSANT_FILE, wanted],
        )
        return Path(patience.call(download))
