"""What `compare` found as tables: accuracy, every measure of confidence, and what the two sides have in common."""

from collections.abc import Sequence

from hinterguesser.flow.compare import Compared
from hinterguesser.flow.pairing import Side
from hinterguesser.report.layout import BRACKETS, Row, is_main, is_significant, shown_name, tested
from hinterguesser.report.sheets import Cell, Sheet, with_ends
from hinterguesser.report.tables import MISSING, percent, printable

NAMES = {"info_ece": "InfoECE", "ece": "ECE", "brier": "Brier", "auroc": "AUROC"}
"""Measures that are written otherwise than in the code."""


def contrast_tables(compared: Compared, *, main_only: bool = False) -> list[Sheet]:
    """All tables that have rows; `main_only`: of confidence, the condition `multi` and the target `answer`."""
    confidence = [row for row in compared.rows if row["measure"] != "accuracy"]
    coverage = list(compared.coverage)
    if main_only and any(is_main(row["by"]) for row in confidence):
        confidence = [row for row in confidence if is_main(row["by"])]
        coverage = [row for row in coverage if is_main(row["by"])]
    accuracy = [row for row in compared.rows if row["measure"] == "accuracy"]
    sheets = [_accuracy(compared, accuracy), _confidence(compared, confidence), _coverage(compared, coverage)]
    return [sheet for sheet in sheets if sheet.rows]


def named(side: Side) -> str:
    """A side as readers know it."""
    return printable(str(side.path) if side.model is None else f"{side.model} ({side.path})")


def _accuracy(compared: Compared, rows: Sequence[Row]) -> Sheet:
    return Sheet(
        name="accuracy_differences",
        title=f"Accuracy of {named(compared.second)} less {named(compared.first)}, on the same turns",
        heads=(
            "dataset",
            "condition",
            "first",
            "second",
            "difference",
            "p",
            "p (Holm)",
            "N",
            "dialogues",
            "unanswered",
        ),
        rows=tuple((*_names(row, "dataset", "condition"), *_cells(row)) for row in rows),
        records=tuple(rows),
        note=f"N: turns that both answered.\n{_tests(compared)}",
    )


def _confidence(compared: Compared, rows: Sequence[Row]) -> Sheet:
    lines = []
    before: tuple[Cell, ...] = ()
    for row in rows:
        names = _names(row, "dataset", "condition", "method", "target")
        measure = Cell(NAMES.get(row["measure"]) or row["measure"])
        lines.append((*(names if names != before else [Cell("")] * len(names)), measure, *_cells(row)))
        before = names
    heads = ("dataset", "condition", "method", "target", "measure", "first", "second", "difference", "p", "p (Holm)")
    return Sheet(
        name="confidence_differences",
        title=f"Confidence of {named(compared.second)} less {named(compared.first)}, on the same turns",
        heads=(*heads, "N", "dialogues", "unscored"),
        rows=tuple(lines),
        records=tuple(rows),
        note="confidence: its mean. InfoECE, ECE and Brier: 0 is best; tau and AUROC: 100 % is best.\n"
        f"N: turns that both scored and whose answers are known to be right or wrong.\n{_tests(compared)}",
        text_columns=5,
    )


def _coverage(compared: Compared, rows: Sequence[Row]) -> Sheet:
    keys = ("n", "common", "only_first_has", "only_second_has", "only_first_scored", "only_second_scored")
    heads = ("used (N)", "in both", "only in first", "only in second", "only first scored", "only second scored")
    by = ("dataset", "condition", "method", "target")
    return Sheet(
        name="common_turns",
        title=f"Turns that {named(compared.first)} and {named(compared.second)} have in common",
        heads=(*by, *heads, "neither scored"),
        rows=tuple(
            (*_names({"by": {"method": row["quantity"], **row["by"]}}, *by),
             *(Cell(str(row[key])) for key in (*keys, "neither_scored")))
            for row in rows
        ),
        records=tuple(rows),
        note="Scored: has a confidence; for accuracy, has an answer that is known to be right or wrong. Differences\n"
        "are of turns in both that both scored. The exact references (oracle_...) are no model's and are left out.",
        text_columns=4,
    )  # fmt: skip


def _names(row: Row, *names: str) -> tuple[Cell, ...]:
    return tuple(Cell(shown_name(row["by"].get(name))) for name in names)


def _cells(row: Row) -> list[Cell]:
    ends = row["intervals"]
    moved = {"mean": row["difference"], "interval": ends["difference"], "p_holm": row["p_holm"]}
    unscored = [percent(row["first_unscored_share"]), percent(row["second_unscored_share"])]
    return [
        Cell(with_ends(row["first"], ends["first"])),
        Cell(with_ends(row["second"], ends["second"])),
        Cell(tested(moved), significant=is_significant(moved)),
        Cell(_p(row["p_sign_flip"])),
        Cell(_p(row["p_holm"])),
        Cell(str(row["n"])),
        Cell(str(row["dialogues"])),
        Cell(unscored[0] if unscored[0] == unscored[1] else " / ".join(unscored)),
    ]


def _p(p: float | None) -> str:
    if p is None:
        return MISSING
    return "<0.0001" if p < 0.0001 else f"{p:.4f}"


def _tests(compared: Compared) -> str:
    return (
        "Difference: second less first, in points; both sides are resampled together. p: a sign-flip test over\n"
        "entities, each of which counts alike, of accuracy, mean confidence and Brier. Star (underlined in LaTeX):\n"
        f"p < 0.05 after Holm's correction over all {compared.settings['tests']} tests of the report. {BRACKETS}"
    )
