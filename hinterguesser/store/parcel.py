"""What of a release goes to the Hub, and how it joins what is there already. Nothing here talks to the Hub."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path
from typing import Any

from hinterguesser.errors import UserError
from hinterguesser.store.configs import data_file, family
from hinterguesser.store.release import description, read_provenance


@dataclass(frozen=True, slots=True)
class Parcel:
    """The part of a release that is uploaded."""

    release: Path
    provenance: Mapping[str, Any]
    """Of the release, without what stays here."""
    left_out: tuple[str, ...]
    """Configs that stay here, since their source states no licence."""

    @property
    def version(self) -> str:
        """Of the release."""
        return str(self.provenance["version"])

    @property
    def families(self) -> frozenset[str]:
        """Datasets that this parcel brings, and replaces where they are there already."""
        return frozenset(map(family, self.provenance["configs"]))

    def data_files(self) -> dict[str, Path]:
        """Files with rows, by their place in the repository."""
        return {name: self.release / name for name in _data_files(self.provenance)}

    def described(
        self, there: Mapping[str, Any] | None, other_configs: Sequence[Mapping[str, Any]]
    ) -> dict[str, bytes]:
        """Card, provenance and Croissant metadata of the repository as it will be.

        Args:
            there: the provenance that the repository has; None when it has none.
            other_configs: entries of the repository's card that its provenance does not know.
        """
        return description(_joined(self.provenance, there, self.families), other_configs)

    def stale(self, files: Collection[str]) -> list[str]:
        """Which of the repository's `files` this parcel replaces by nothing: rows of an earlier version."""
        ours = set(_data_files(self.provenance))
        return sorted(
            name
            for name in files
            if name.startswith("data/") and name not in ours and self._is_ours(name.split("/")[1])
        )

    def _is_ours(self, config: str) -> bool:
        return family(config) in self.families


def pack(release: Path, include: Collection[str] = ()) -> Parcel:
    """The part of the release that may be uploaded.

    Args:
        release: a folder made by `build`.
        include: datasets to upload although their source states no licence, e.g. 'grace'.

    Raises:
        UserError: no release, an unknown name in `include`, a file that was changed, or nothing that may be uploaded.
    """
    provenance = read_provenance(release)
    configs: dict[str, Any] = provenance["configs"]
    unknown = sorted(set(include) - set(map(family, configs)))
    if unknown:
        known = ", ".join(sorted(set(map(family, configs))))
        raise UserError(f"--include {unknown[0]}: {release} has no such dataset; there are: {known}")
    chosen = {name: held for name, held in configs.items() if held["licence"] is not None or family(name) in include}
    left_out = tuple(name for name in configs if name not in chosen)
    if all(name != family(name) for name in chosen):
        raise UserError(
            f"{release}: nothing in it may be uploaded: the sources of {', '.join(left_out)} state no licence; "
            f"if you may share these rows, say so with --include {family(left_out[0])}"
        )
    parcel = Parcel(release, _only(provenance, chosen), left_out)
    for name, path in parcel.data_files().items():
        if not path.is_file() or _sha256(path) != provenance["sha256"].get(name):
            raise UserError(f"{path}: missing, or not as `build` wrote it; build the release again")
    return parcel


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def _data_files(provenance: Mapping[str, Any]) -> list[str]:
    return [data_file(name, split) for name, held in provenance["configs"].items() for split in held["splits"]]


def _only(provenance: Mapping[str, Any], configs: Mapping[str, Any]) -> dict[str, Any]:
    """The provenance of these configs alone."""
    kept = {**provenance, "configs": dict(configs)}
    names, families = _data_files(kept), set(map(family, configs))
    kept["runs"] = [run for run in provenance["runs"] if _made_by(run) in families]
    kept["sha256"] = {name: digest for name, digest in provenance["sha256"].items() if name in names}
    return kept


def _made_by(run: Mapping[str, Any]) -> str | None:
    asked: Mapping[str, str] = run["asked"]
    return asked.get("game") or asked.get("source")


def _joined(ours: Mapping[str, Any], there: Mapping[str, Any] | None, replaced: Collection[str]) -> dict[str, Any]:
    """Our provenance, and what the repository has of other datasets, each with the version it came with."""
    if there is None:
        return dict(ours)
    others = {
        name: {**held, "version": held.get("version", there["version"])}
        for name, held in there["configs"].items()
        if family(name) not in replaced
    }
    rest = _only(there, others)
    return {
        **ours,
        "runs": [*ours["runs"], *rest["runs"]],
        "configs": dict(sorted({**ours["configs"], **others}.items())),
        "sha256": dict(sorted({**ours["sha256"], **rest["sha256"]}.items())),
    }
