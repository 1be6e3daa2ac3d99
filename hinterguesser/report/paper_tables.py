"""The tables of arXiv 2601.02179 for any evaluation: calibration and monotonicity, placebos, summaries, references."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from hinterguesser.domain.predictions import LABELS, REFERENCES
from hinterguesser.flow.metrics import Summary
from hinterguesser.report.group_tables import all_groups, exact_references
from hinterguesser.report.layout import (
    BRACKETS,
    Row,
    axes,
    changed,
    headed,
    is_main,
    is_significant,
    laid_out,
    shown_name,
    tested,
)
from hinterguesser.report.sheets import Cell, Sheet, with_ends
from hinterguesser.report.tables import MISSING, percent
from hinterguesser.store.files import new_folder, write_whole


def paper_tables(summary: Summary) -> list[Sheet]:
    """All tables for which the evaluation has rows."""
    sheets = [
        all_groups(summary),
        *([calibration_and_monotonicity(summary)] if set(summary.settings["by"]) <= set(LABELS) else ()),
        placebo_changes(summary),
        dialogue_and_summary(summary),
        gold_monotonicity(summary),
        exact_references(summary),
    ]
    return [sheet for sheet in sheets if sheet.rows]


def write_tables(summary: Summary, folder: Path) -> list[Path]:
    """Write every table into `folder` as .txt, .csv, .tex and .json; returns the files.

    Raises:
        UserError: the folder cannot be written to.
    """
    return write_sheets(paper_tables(summary), folder)


def write_sheets(sheets: Iterable[Sheet], folder: Path) -> list[Path]:
    """Write each sheet into `folder` as .txt, .csv, .tex and .json; returns the files.

    Raises:
        UserError: the folder cannot be written to.
    """
    new_folder(folder)
    written = []
    for sheet in sheets:
        for ending, content in (
            ("txt", sheet.text()),
            ("csv", sheet.csv()),
            ("tex", sheet.latex()),
            ("json", sheet.json()),
        ):
            path = folder / f"{sheet.name}.{ending}"
            write_whole(path, content.encode("utf-8", errors="replace"))
            written.append(path)
    return written


def calibration_and_monotonicity(summary: Summary) -> Sheet:
    """Table 2: InfoECE and tau by model, method and dataset, with a row for accuracy.

    Of the condition `multi` and the target `answer`, or of rows that name none. Best: the lowest InfoECE and the
    highest tau of a model's methods, the exact references aside.
    """
    groups = [group for group in summary.groups if is_main(group["by"])]
    datasets, lines = axes(groups)
    rows = []
    for model in _distinct(groups, "model"):
        accuracy = {
            row["by"].get("dataset"): row
            for row in summary.accuracy
            if row["by"].get("model") == model and row["by"].get("condition") in (None, "multi")
        }
        if accuracy:
            rows.append((Cell(shown_name(model)), Cell("accuracy"), *_accuracy_cells(accuracy, datasets)))
        own = {key: group for key, group in lines.items() if key[0] == model}
        for method in dict.fromkeys(method for _, method, _ in own):
            cells = [cell for dataset in datasets for cell in _table_2_cells(own, model, method, dataset)]
            rows.append((Cell("" if rows and accuracy else shown_name(model)), Cell(shown_name(method)), *cells))
    heads = [head for name in datasets for head in headed(name, ("InfoECE", "tau", "N", "unscored"))]
    keys = (
        "n",
        "dialogues",
        "entities",
        "unscored_share",
        "accuracy",
        "info_ece",
        "tau",
        "ece",
        "brier",
        "auroc",
        "aurc",
    )
    return Sheet(
        name="table2",
        title="Calibration and monotonicity of confidence in the model's own answer, by model and method",
        heads=("model", "method", *heads),
        rows=tuple(rows),
        records=tuple(
            {"by": group["by"], **{key: group[key] for key in keys}, "intervals": group["intervals"]}
            for group in groups
        ),
        note="InfoECE: 0 is best; tau: 100 % is best; the accuracy stands in the column InfoECE. N: scored turns (of\n"
        f"accuracy: turns with an answer). An estimate that could not be read is left out.\n{BRACKETS}",
    )


def _table_2_cells(own: Mapping[tuple[Any, ...], Row], model: Any, method: Any, dataset: Any) -> Iterable[Cell]:
    group = own.get((model, method, dataset))
    if group is None:
        return [Cell(MISSING)] * 4
    rivals = [row for (_, name, where), row in own.items() if where == dataset and name not in REFERENCES]
    ends = group["intervals"]
    is_best = {
        name: group in rivals and len(rivals) > 1 and group[name] == _best(rivals, name, choose)
        for name, choose in (("info_ece", min), ("tau", max))
    }
    return [
        *(Cell(with_ends(group[name], ends.get(name)), best=is_best[name]) for name in ("info_ece", "tau")),
        Cell(str(group["n"])),
        Cell(percent(group["unscored_share"])),
    ]


def _accuracy_cells(accuracy: Mapping[Any, Row], datasets: Sequence[Any]) -> list[Cell]:
    cells = []
    for dataset in datasets:
        row = accuracy.get(dataset)
        if row is None:
            cells += [Cell(MISSING)] * 4
        else:
            cells += [Cell(with_ends(row["accuracy"], row["interval"])), Cell("")]
            cells += [Cell(str(row["n"])), Cell(percent(row["no_answer_share"]))]
    return cells


def placebo_changes(summary: Summary) -> Sheet:
    """Table 3: mean confidence at turn i - 1, after a placebo, and at turn i, with what changed significantly."""
    tests = [row for row in summary.placebo_tests if row["by"].get("target") in (None, "answer")]
    datasets, lines = axes(tests)

    def cells(row: Row) -> list[Cell]:
        return [
            Cell(percent(row["previous"])),
            changed(row["placebo"], row["placebo_change"]),
            changed(row["informative"], row["informative_change"]),
            Cell(tested(row["difference"]), significant=is_significant(row["difference"])),
            Cell(str(row["n"])),
        ]

    heads = ("conf i-1", "placebo", "conf i", "i less placebo", "N")
    return Sheet(
        name="table3",
        title="Does confidence follow information, or only the number of turns?",
        heads=("model", "method", *(head for name in datasets for head in headed(name, heads))),
        rows=laid_out(lines, datasets, cells, len(heads)),
        records=summary.placebo_tests,
        note="Mean confidence; in parentheses the change from turn i - 1, in points. N: turns scored in all three.\n"
        "Star (underlined in LaTeX): p < 0.05 of a sign-flip test over entities, after Holm's correction over all\n"
        f"{summary.settings['tests']} tests of the report. {BRACKETS}",
    )


def dialogue_and_summary(summary: Summary) -> Sheet:
    """Section 5.3: the same turns as a dialogue and as a summary."""
    tests = [row for row in summary.multi_single if row["by"].get("target") in (None, "answer")]
    rows = []
    for row in tests:
        name = "accuracy" if row["quantity"] == "accuracy" else shown_name(row["by"].get("method"))
        difference = row["difference"]
        rows.append(
            (
                Cell(shown_name(row["by"].get("dataset"))),
                Cell(shown_name(row["by"].get("model"))),
                Cell(name),
                Cell(percent(row["multi"])),
                Cell(percent(row["single"])),
                Cell(tested(difference), significant=is_significant(difference)),
                Cell(str(row["n"])),
            )
        )
    order = {row: place for place, row in enumerate(dict.fromkeys(row[:2] for row in rows))}
    rows.sort(key=lambda row: (order[row[:2]], row[2].text != "accuracy"))
    return Sheet(
        name="multi_single",
        title="The same turns as a dialogue and as a single-turn summary",
        heads=("dataset", "model", "accuracy, confidence of", "dialogue", "summary", "difference", "N"),
        rows=tuple(rows),
        records=summary.multi_single,
        note="Difference: dialogue less summary, in points; N: turns with both. Star: p < 0.05 of a sign-flip test\n"
        f"over entities, after Holm's correction over all {summary.settings['tests']} tests of the report.\n{BRACKETS}",
        text_columns=3,
    )


def gold_monotonicity(summary: Summary) -> Sheet:
    """Figure 3's data: tau of the confidence in the gold answer."""
    found = [row for row in summary.gold_tau if row["by"].get("condition") in (None, "multi")]
    datasets, lines = axes(found)

    def cells(row: Row) -> list[Cell]:
        ends = row["intervals"]
        difference = {"mean": row["difference"], "interval": ends.get("difference")}
        taus = [Cell(with_ends(row[name], ends.get(name))) for name in ("tau_gold", "tau_answer")]
        return [*taus, Cell(tested(difference)), Cell(str(row["dialogues_gold"]))]

    heads = ("tau gold", "tau own", "difference", "dialogues")
    return Sheet(
        name="gold_tau",
        title="Monotonicity of the confidence in the gold answer, beside that in the model's own",
        heads=("model", "method", *(head for name in datasets for head in headed(name, heads))),
        rows=laid_out(lines, datasets, cells, len(heads)),
        records=summary.gold_tau,
        note=f"Difference: gold less own over dialogues with both, in points. {BRACKETS}",
    )


def _distinct(rows: Iterable[Row], key: str) -> list[Any]:
    return list(dict.fromkeys(row["by"].get(key) for row in rows))


def _best(rivals: Sequence[Row], name: str, choose: Callable[[Iterable[float]], float]) -> float | None:
    values = [row[name] for row in rivals if row[name] is not None]
    return choose(values) if values else None
