"""entities import: a public list as an entity list that can be played."""

from pathlib import Path

from hinterguesser.adapters.listing import ImportedList
from hinterguesser.adapters.lists import import_geonames, import_kaggle, import_lmrl
from hinterguesser.errors import UserError
from hinterguesser.store.entities import read_entities, write_entities

KINDS = ("lmrl", "kaggle", "geonames")


def import_list(
    kind: str, path: Path, out: Path, aliases: Path | None = None, limit: int | None = None
) -> ImportedList:
    """Read the list of this kind at `path` and write it to `out`.

    Args:
        kind: one of `KINDS`.
        path: the published file.
        out: the list to write, ending in .jsonl.
        aliases: other names of each city, for 'lmrl'.
        limit: keep only so many of the largest cities, for 'geonames'.

    Raises:
        UserError: an option that the kind does not have, a file that cannot be read, or `out` is there already.
    """
    for option, value, only in (("--aliases", aliases, "lmrl"), ("--limit", limit, "geonames")):
        if value is not None and kind != only:
            raise UserError(f"{option} is for {only} lists; leave it out for {kind}")
    if out.exists():
        raise UserError(f"{out}: this file is there already; name another with --out, or delete it")
    if kind == "lmrl":
        imported = import_lmrl(path, aliases)
    elif kind == "kaggle":
        imported = import_kaggle(path)
    elif kind == "geonames":
        imported = import_geonames(path, limit)
    else:
        raise UserError(f"unknown list {kind!r}; there are: {', '.join(KINDS)}")
    write_entities(imported.listed, out)
    read_entities(out)
    return imported
