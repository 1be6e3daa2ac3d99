"""Prompts and placebo pools, read from the folder that ships and, if given, one that overrides it."""

from pathlib import Path

from hinterguesser.domain.dialogue import Hint
from hinterguesser.domain.prompts import PromptBook
from hinterguesser.errors import UserError
from hinterguesser.store.assets import asset_folder
from hinterguesser.store.textfiles import Place, checked_text, json_objects, read_text


def read_prompts(override: Path | None = None) -> PromptBook:
    """Every prompt that ships, those of the folder `override` in place of the ones with the same name.

    A `.md` prompt loses white space at its ends; a `.txt` prompt is taken to the letter, but for one final newline.

    Raises:
        UserError: `override` is no folder, or a file in it has no counterpart that it could replace.
    """
    texts = _texts(asset_folder("prompts"))
    if override is not None:
        if not override.is_dir():
            raise UserError(f"{override}: there is no such folder; --prompts takes a folder like the one that ships")
        own = _texts(override)
        unknown = sorted(own.keys() - texts.keys())
        if unknown:
            raise UserError(
                f"{override}: no prompt is called {', '.join(unknown)}; the names are: {', '.join(sorted(texts))}"
            )
        texts |= own
    return PromptBook(texts)


def _texts(folder: Path) -> dict[str, str]:
    texts: dict[str, str] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).with_suffix("").as_posix()
        if path.suffix == ".md":
            texts[name] = read_text(path).strip()
        elif path.suffix == ".txt":
            texts[name] = read_text(path).removesuffix("\n")
    return texts


def read_pool(game: str, override: Path | None = None) -> tuple[Hint, ...]:
    """The placebo pairs of `game`, from `override` if it has them.

    Raises:
        UserError: the game has no pool, or its file is at fault.
    """
    name = f"placebo_pool_{game}.jsonl"
    paths = [folder / name for folder in (override, asset_folder("prompts")) if folder is not None]
    path = next((path for path in paths if path.exists()), None)
    if path is None:
        raise UserError(f"there is no placebo pool for {game!r}; write {name} and give its folder with --prompts")
    return tuple(_pair(place, row) for place, row in json_objects(path))


def _pair(place: Place, row: dict[str, object]) -> Hint:
    if row.keys() != {"question", "answer"}:
        place.fail(f'a placebo has a "question" and an "answer", got {sorted(row)}')
    return Hint(checked_text(row["question"], '"question"', place), checked_text(row["answer"], '"answer"', place))
