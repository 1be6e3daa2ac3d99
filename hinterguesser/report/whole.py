"""A whole report as files: the page, figures and tables."""

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import orjson

from hinterguesser import __version__
from hinterguesser.errors import UserError
from hinterguesser.flow.courses import courses_of
from hinterguesser.flow.material import Material
from hinterguesser.flow.replay import save
from hinterguesser.flow.session import Progress, Silent
from hinterguesser.replay.tables import Table
from hinterguesser.report.figures.catalogue import evaluation_figures, replay_figures
from hinterguesser.report.figures.figure import Figure
from hinterguesser.report.figures.files import save as save_figure
from hinterguesser.report.findings import findings
from hinterguesser.report.page.content import Content, Drawn
from hinterguesser.report.page.page import page
from hinterguesser.report.paper_tables import paper_tables, write_tables
from hinterguesser.report.sheets import Sheet
from hinterguesser.store.files import new_folder, saying_why, write_whole

MANIFEST_FILE, PAGE_FILE = "report.json", "report.html"


@dataclass(frozen=True, slots=True)
class Report:
    """What was written."""

    page: Path
    page_bytes: int
    findings: tuple[str, ...]
    notes: tuple[str, ...]
    dialogues: int
    figures: int
    files: tuple[str, ...]
    """Of the folder, the page first."""

    def to_dict(self) -> dict[str, Any]:
        """As `report --json` prints it."""
        return asdict(self) | {"page": str(self.page), "files": list(self.files)}


def write_report(material: Material, out: Path, title: str | None = None, progress: Progress = Silent()) -> Report:
    """Write the report into the folder `out`; a report that is there is replaced.

    Raises:
        UserError: the folder holds something else, or cannot be written to.
    """
    before = _files_before(out)
    new_folder(out.parent)
    with saying_why(out.parent):
        aside = tempfile.TemporaryDirectory(prefix=f".{out.name}.", dir=out.parent)
    with aside as folder:
        report = _write_whole_report(material, Path(folder), title, progress)
        # Only now is what stands in `out` touched, and the page last: it never shows what is not there yet.
        new_folder(out)
        _note(out, sorted(before | set(report.files)))
        for name in reversed(report.files):
            new_folder((out / name).parent)
            with saying_why(out / name):
                (Path(folder) / name).replace(out / name)
    for name in before - set(report.files):
        (out / name).unlink(missing_ok=True)
    _note(out, report.files)
    return replace(report, page=out / PAGE_FILE)


def _write_whole_report(material: Material, out: Path, title: str | None, progress: Progress) -> Report:
    """Write all files but the list of them into the empty folder `out`."""
    figures = _figures(material)
    written: list[Path] = []
    progress.start("draw", len(figures))
    for figure in figures:
        written += save_figure(figure, out / "figures")
        progress.advance()
    found = tuple(findings(material.summary, material.profiles)) if material.summary and material.profiles else ()
    made = page(
        Content(
            title=title or _title(material),
            about=_about(material),
            findings=found,
            tables=_tables(material),
            figures=[_drawn(each, out / "figures") for each in figures],
            settings=_settings(material),
            left_out=material.notes,
            dialogues=[(each, courses_of(material.courses, each)) for each in material.dialogues],
        )
    )
    written += [_write(out / name, content) for name, content in made.files.items()]
    if material.summary is not None:
        written += write_tables(material.summary, out / "tables")
    if material.replayed is not None:
        written += save(material.replayed, out / "replay")
    written.insert(0, _write(out / PAGE_FILE, made.html.encode()))
    names = tuple(path.relative_to(out).as_posix() for path in written)
    return Report(
        page=out / PAGE_FILE,
        page_bytes=len(made.html.encode()),
        findings=found,
        notes=material.notes,
        dialogues=len(material.dialogues),
        figures=len(figures),
        files=names,
    )


def _files_before(out: Path) -> set[str]:
    """What the report that stands there is made of.

    Raises:
        UserError: the folder holds something that is no report.
    """
    if not out.exists():
        return set()
    if not out.is_dir():
        raise UserError(f"{out}: this is a file; name a folder with --out")
    manifest = out / MANIFEST_FILE
    if not any(out.iterdir()):
        return set()
    try:
        plain = orjson.loads(manifest.read_bytes())
        names = set(map(str, plain["files"])) if plain["command"] == "report" else None
    except (OSError, orjson.JSONDecodeError, KeyError, TypeError):
        names = None
    if names is None:
        raise UserError(f"{out}: the folder holds something that is no report; name a new one with --out")
    return {name for name in names if not Path(name).is_absolute() and ".." not in Path(name).parts}


def _note(out: Path, names: Sequence[str]) -> None:
    manifest = {"schema": 1, "command": "report", "hinterguesser": __version__, "files": names}
    write_whole(out / MANIFEST_FILE, orjson.dumps(manifest, option=orjson.OPT_INDENT_2) + b"\n")


def _drawn(figure: Figure, folder: Path) -> Drawn:
    picture = (folder / f"{figure.name}.svg").read_bytes()
    return Drawn(figure.name, figure.title, figure.caption, figure.alt, picture)


def _write(path: Path, content: bytes) -> Path:
    new_folder(path.parent)
    write_whole(path, content)
    return path


def _figures(material: Material) -> list[Figure]:
    figures: list[Figure] = []
    if material.summary is not None and material.profiles is not None:
        figures += evaluation_figures(material.summary, material.profiles)
    if material.replayed is not None:
        figures += replay_figures(material.replayed)
    return figures


def _tables(material: Material) -> list[Sheet | Table]:
    tables: list[Sheet | Table] = []
    if material.summary is not None:
        tables += paper_tables(material.summary)
    if material.replayed is not None:
        tables += material.replayed.tables()
    return tables


def _title(material: Material) -> str:
    models = _distinct(material, "model")
    if models:
        return f"How sure is {models[0]}?" if len(models) == 1 else f"How sure are {len(models)} models?"
    return "Acting on confidence" if material.replayed else "Dialogues"


def _about(material: Material) -> str:
    parts = []
    if material.summary is not None:
        turns = sum(row["n"] for row in material.summary.accuracy if row["by"].get("condition") in (None, "multi"))
        models, datasets = _distinct(material, "model"), _distinct(material, "dataset")
        parts.append(
            f"{', '.join(models) or 'One model'} on {', '.join(datasets) or 'one dataset'}: "
            f"{turns} answers after a turn of a dialogue"
        )
    if material.replayed is not None:
        parts.append(f"{len(material.replayed.result.groups)} sets of stored trajectories replayed")
    kept = sum(dialogue.kept for dialogue in material.dialogues)
    if material.dialogues:
        parts.append(f"{kept} kept and {len(material.dialogues) - kept} rejected dialogues to read")
    return "; ".join(parts) + "."


def _distinct(material: Material, key: str) -> list[str]:
    groups: Sequence[Mapping[str, Any]] = material.summary.groups if material.summary else ()
    return list(dict.fromkeys(group["by"][key] for group in groups if group["by"].get(key) is not None))


def _settings(material: Material) -> list[tuple[str, list[tuple[str, str]]]]:
    """What each folder was asked for; prompts and other fingerprints in short."""
    sections = []
    for path, record in material.records:
        asked = record.get("asked", {})
        pairs = [(str(name), _shown(value)) for name, value in asked.items() if not str(name).startswith("prompt ")]
        pairs += [(f"made with {name}", _shown(value)) for name, value in record.get("noted", {}).items()]
        prompts = sum(str(name).startswith("prompt ") for name in asked)
        if prompts:
            pairs.append(("prompts", f"{prompts}, whose fingerprints stand in {path / 'run.json'}"))
        sections.append((f"{record.get('command', 'made')}: {path}", pairs))
    if material.summary is not None:
        measured = [(str(name), _shown(value)) for name, value in material.summary.settings.items()]
        sections.append(("How it was measured", measured))
    return sections


def _shown(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return str(value)
