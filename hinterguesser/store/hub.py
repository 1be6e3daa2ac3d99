"""Uploading a release to the Hub: one commit and one tag, or nothing.

Rows go up first, into the Hub's store of large files, where nobody sees them; what is there already is not sent again,
so an upload that was interrupted goes on. Then one commit, made on top of the state that was looked at, makes them
visible together with the card. If somebody else committed in between, it is looked at again.
"""

import re
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from hinterguesser.errors import UserError
from hinterguesser.store import hub_errors
from hinterguesser.store.card import configs_in_card
from hinterguesser.store.configs import family
from hinterguesser.store.hub_patience import Patience
from hinterguesser.store.parcel import Parcel, pack
from hinterguesser.store.release import CARD_FILE, PROVENANCE_FILE

if TYPE_CHECKING:
    from huggingface_hub import HfApi

KIND = "dataset"

_REPO = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}/[A-Za-z0-9][A-Za-z0-9._-]{0,95}")


@dataclass(frozen=True, slots=True)
class Pushed:
    """What an upload came to, or, for a dry run, what it would send."""

    repo: str
    files: tuple[tuple[str, int], ...]
    """Place in the repository, and size in bytes."""
    left_out: tuple[str, ...]
    """Configs that stay here."""
    tag: str
    url: str | None = None
    """None: a dry run."""
    commit: str | None = None
    created: bool = False
    removed: tuple[str, ...] = ()
    """Files of an earlier version that are gone from the newest one."""
    others: tuple[str, ...] = ()
    """Configs of the repository that were left as they are."""


def dry_run(release: Path, repo: str, include: Collection[str] = ()) -> Pushed:
    """What `push` would send to a new repository; nothing is asked of the Hub.

    Raises:
        UserError: what `push` would refuse before it asks the Hub.
    """
    parcel = pack(release, include)
    _check_name(repo)
    return Pushed(repo, _sizes(parcel, parcel.described(None, ())), parcel.left_out, f"v{parcel.version}")


def push(
    release: Path,
    repo: str,
    *,
    private: bool = True,
    include: Collection[str] = (),
    wait: Callable[[float], None] = time.sleep,
) -> Pushed:
    """Upload the release as the dataset `repo`; its other datasets stay as they are.

    Args:
        release: a folder made by `build`.
        repo: USER/NAME; made if it is not there.
        private: whether a new repository is private. One that is there keeps its visibility.
        include: datasets to upload although their source states no licence.
        wait: how to wait so many seconds.

    Raises:
        UserError: the release is at fault, or the Hub refuses; then no commit was made, unless the message says so.
    """
    from huggingface_hub import HfApi, get_token

    parcel = pack(release, include)
    _check_name(repo)
    with hub_errors.saying_what_the_hub_said(repo, "push to"):
        if not get_token():
            raise UserError(f"{repo}: no token to push with; {hub_errors.LOG_IN}")
        return _Upload(HfApi(library_name="hinterguesser"), repo, parcel, Patience(wait)).send(private)


def _check_name(repo: str) -> None:
    if not _REPO.fullmatch(repo):
        raise UserError(f"--repo is written USER/NAME, for instance ada/hints, got {repo!r}")


def _sizes(parcel: Parcel, described: Mapping[str, bytes]) -> tuple[tuple[str, int], ...]:
    rows = [(name, path.stat().st_size) for name, path in parcel.data_files().items()]
    return tuple(sorted(rows + [(name, len(content)) for name, content in described.items()]))


@dataclass(frozen=True, slots=True)
class _There:
    """A repository as it was looked at."""

    head: str | None
    files: Mapping[str, str]
    """Place to fingerprint: SHA-256 of a large file, Git's own of a small one."""
    provenance: Mapping[str, Any] | None
    card_configs: tuple[Mapping[str, Any], ...]
    tagged: str | None
    """The commit that our version's tag names; None when there is no such tag."""


class _Upload:
    """One upload, step by step."""

    def __init__(self, api: "HfApi", repo: str, parcel: Parcel, patience: Patience) -> None:
        self._api = api
        self._repo = repo
        self._parcel = parcel
        self._try = patience.call
        self._pause = patience.pause
        self._tag = f"v{parcel.version}"

    def send(self, private: bool) -> Pushed:
        created = self._ensure_repo(private)
        while True:
            there = self._look()
            described = self._parcel.described(there.provenance, self._others(there))
            stale = self._parcel.stale(there.files)
            if there.tagged is not None:
                self._refuse_another(there.tagged)
                commit, stale = there.tagged, []
                break
            try:
                commit = self._commit(there.head, described, stale)
                break
            except hub_errors.transport_errors() as error:
                if hub_errors.status_of(error) not in (409, 412):
                    raise
                self._pause(error)
        if there.tagged is None:
            self._set_tag(commit)
        kept = (there.provenance or {}).get("configs", {})
        others = {name for name in kept if family(name) not in self._parcel.families}
        others |= {str(entry["config_name"]) for entry in self._others(there)}
        return Pushed(
            repo=self._repo,
            files=_sizes(self._parcel, described),
            left_out=self._parcel.left_out,
            tag=self._tag,
            url=f"{self._api.endpoint}/datasets/{self._repo}",
            commit=commit,
            created=created,
            removed=tuple(stale),
            others=tuple(sorted(others)),
        )

    def _ensure_repo(self, private: bool) -> bool:
        from huggingface_hub.errors import RepositoryNotFoundError

        try:
            self._try(partial(self._api.repo_info, self._repo, repo_type=KIND))
            return False
        except RepositoryNotFoundError:
            pass
        try:
            self._try(partial(self._api.create_repo, self._repo, repo_type=KIND, private=private))
        except hub_errors.transport_errors() as error:
            if hub_errors.status_of(error) != 409:  # made a moment ago, perhaps by us before the answer was lost
                raise
        return True

    def _look(self) -> _There:
        head = self._try(lambda: self._api.repo_info(self._repo, repo_type=KIND)).sha
        files = self._files(head)
        refs = self._try(lambda: self._api.list_repo_refs(self._repo, repo_type=KIND))
        provenance = self._read(PROVENANCE_FILE, head) if PROVENANCE_FILE in files else None
        card = self._read(CARD_FILE, head) if CARD_FILE in files else b""
        return _There(
            head=head,
            files=files,
            provenance=_parsed(provenance),
            card_configs=tuple(configs_in_card((card or b"").decode("utf-8", "replace"))),
            tagged=next((tag.target_commit for tag in refs.tags if tag.name == self._tag), None),
        )

    def _files(self, revision: str | None) -> dict[str, str]:
        from huggingface_hub.hf_api import RepoFile

        def listed() -> dict[str, str]:
            tree = self._api.list_repo_tree(self._repo, repo_type=KIND, revision=revision, recursive=True)
            return {
                entry.path: entry.lfs.sha256 if entry.lfs else entry.blob_id
                for entry in tree
                if isinstance(entry, RepoFile)
            }

        return self._try(listed)

    def _read(self, name: str, revision: str | None) -> bytes:
        path = self._try(lambda: self._api.hf_hub_download(self._repo, name, repo_type=KIND, revision=revision))
        return Path(path).read_bytes()

    def _others(self, there: _There) -> list[Mapping[str, Any]]:
        """Entries of the repository's card for datasets that neither we nor its provenance know."""
        known = set((there.provenance or {}).get("configs", ()))
        return [
            entry
            for entry in there.card_configs
            if entry["config_name"] not in known and family(str(entry["config_name"])) not in self._parcel.families
        ]

    def _commit(self, head: str | None, described: Mapping[str, bytes], stale: Collection[str]) -> str:
        from huggingface_hub import CommitOperationAdd, CommitOperationDelete

        rows = [CommitOperationAdd(name, path) for name, path in self._parcel.data_files().items()]
        for row in rows:
            self._try(partial(self._api.preupload_lfs_files, self._repo, [row], repo_type=KIND))
        words = [CommitOperationAdd(name, content) for name, content in described.items()]
        gone = [CommitOperationDelete(name) for name in stale]

        commit = partial(
            self._api.create_commit,
            self._repo,
            [*rows, *words, *gone],
            repo_type=KIND,
            commit_message=f"Version {self._parcel.version}",
            parent_commit=head,
        )
        return str(self._try(commit).oid)

    def _refuse_another(self, tagged: str) -> None:
        """Refuse to push other rows under a version that is there; the same rows are fine: the push was done before."""
        from huggingface_hub.utils import sha

        there = self._files(tagged)
        for name, path in self._parcel.data_files().items():
            same = {self._parcel.provenance["sha256"][name]}
            if there.get(name) not in same and there.get(name) != sha.git_hash(path.read_bytes()):
                raise UserError(
                    f"{self._repo}: version {self._parcel.version} is there already, with other rows ({name}); "
                    "build the release again with a higher --version"
                )

    def _set_tag(self, commit: str) -> None:
        try:
            self._try(
                lambda: self._api.create_tag(self._repo, tag=self._tag, revision=commit, repo_type=KIND, exist_ok=True)
            )
        except hub_errors.transport_errors() as error:
            raise UserError(
                f"{self._repo}: the rows are there (commit {commit[:12]}), only the tag {self._tag} is missing: "
                f"{hub_errors.message(error)}; run the same command again"
            ) from None


def _parsed(raw: bytes | None) -> dict[str, Any] | None:
    """The repository's provenance, if it is one of ours."""
    try:
        found = orjson.loads(raw or b"null")
        return found if isinstance(found, dict) and found["configs"].items() and found["version"] else None
    except (ValueError, KeyError, AttributeError):
        return None
