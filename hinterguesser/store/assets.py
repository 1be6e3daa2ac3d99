"""Where the folders that travel with the program stand: prompts, entity lists, release templates."""

from pathlib import Path
from typing import Literal

from hinterguesser.errors import UserError

AssetKind = Literal["entity_lists", "prompts", "release"]

_PACKAGE = Path(__file__).resolve().parents[1]


def asset_folder(kind: AssetKind) -> Path:
    """The folder `kind`: inside the installed package, or else at the top of the repository.

    Raises:
        UserError: neither is there, so the installation is incomplete.
    """
    installed = _PACKAGE / "assets" / kind
    if installed.is_dir():
        return installed
    repository = _PACKAGE.parent
    if (repository / "pyproject.toml").is_file() and (repository / kind).is_dir():
        return repository / kind
    raise UserError(
        f"the folder '{kind}' that comes with hinterguesser is missing (looked for {installed}); "
        "install the package again: pip install --force-reinstall hinterguesser"
    )
