"""Licences as the Hub's card metadata names them."""

import re

from hinterguesser.errors import UserError

DEFAULT = "CC-BY-4.0"
_KNOWN = [
    "apache-2.0",
    "mit",
    "bsd-2-clause",
    "bsd-3-clause",
    "cc",
    "cc0-1.0",
    "cc-by-2.0",
    "cc-by-2.5",
    "cc-by-3.0",
    "cc-by-4.0",
    "cc-by-sa-3.0",
    "cc-by-sa-4.0",
    "cc-by-nc-2.0",
    "cc-by-nc-3.0",
    "cc-by-nc-4.0",
    "cc-by-nd-4.0",
    "cc-by-nc-nd-3.0",
    "cc-by-nc-nd-4.0",
    "cc-by-nc-sa-2.0",
    "cc-by-nc-sa-3.0",
    "cc-by-nc-sa-4.0",
    "cdla-sharing-1.0",
    "cdla-permissive-1.0",
    "cdla-permissive-2.0",
    "gfdl",
    "gpl-3.0",
    "lgpl-3.0",
    "agpl-3.0",
    "mpl-2.0",
    "odbl",
    "odc-by",
    "pddl",
    "unlicense",
]
_WRITTEN = re.compile(r"[A-Za-z0-9][A-Za-z0-9 .+()-]{0,60}")


def checked(licence: str) -> str:
    """`licence`, if it can be the name of one.

    Raises:
        UserError: it is not.
    """
    if not _WRITTEN.fullmatch(licence):
        raise UserError(f"--licence is a short name such as CC-BY-4.0 or CC0-1.0, got {licence!r}")
    return licence


def card_lines(licence: str | None) -> str:
    """The lines of a card's metadata that state `licence`; None: not stated anywhere."""
    if licence is None:
        return "license: unknown"
    name = licence.lower()
    if name in _KNOWN:
        return f"license: {name}"
    slug = re.sub(r"[^a-z0-9]+", "-", name).strip("-")
    return f"license: other\nlicense_name: {slug}"
