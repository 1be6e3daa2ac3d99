"""Tables beyond the paper's: every group, and methods against exact references."""

from hinterguesser.flow.metrics import Summary
from hinterguesser.report.layout import BRACKETS, is_main, shown_name
from hinterguesser.report.sheets import Cell, Sheet, with_ends
from hinterguesser.report.tables import percent


def all_groups(summary: Summary) -> Sheet:
    """Every group and its headline numbers; the records hold all there are."""
    keys = summary.settings["by"]
    names = ("accuracy", "info_ece", "tau", "ece", "brier", "auroc", "aurc")
    rows = tuple(
        (
            *(Cell(shown_name(group["by"][key])) for key in keys),
            *(Cell(str(group[name])) for name in ("dialogues", "n")),
            Cell(percent(group["unscored_share"])),
            *(Cell(with_ends(group[name], group["intervals"].get(name))) for name in names),
        )
        for group in summary.groups
    )
    left_out = ("accuracy_by_level", "unscored_reasons")
    return Sheet(
        name="groups",
        title="Every group of predictions",
        heads=(*keys, "dialogues", "N", "unscored", "accuracy", "InfoECE", "tau", "ECE", "Brier", "AUROC", "AURC"),
        rows=rows,
        records=tuple({key: value for key, value in group.items() if key not in left_out} for group in summary.groups),
        note=f"N: scored predictions. An estimate that could not be read is left out.\n{BRACKETS}",
        text_columns=len(keys),
    )


def exact_references(summary: Summary) -> Sheet:
    """Each method against correctness and against true uniqueness, where certificates say how many entities fit."""
    found = [row for row in summary.references if is_main(row["by"])]
    rows = []
    for row in found:
        for truth, name in (("correctness", "right"), ("uniqueness", "unique")):
            numbers = row[truth]
            if numbers is None:
                continue
            ends = numbers["intervals"]
            rows.append(
                (
                    *(Cell(shown_name(row["by"].get(key))) for key in ("dataset", "model", "method")),
                    Cell(name),
                    *(
                        Cell(with_ends(numbers[key], ends.get(key)))
                        for key in ("info_ece", "ece", "auroc", "brier", "regret")
                    ),
                    Cell(str(numbers["n"])),
                )
            )
    return Sheet(
        name="references",
        title="Confidence against correctness and against true uniqueness",
        heads=("dataset", "model", "method", "truth", "InfoECE", "ECE", "AUROC", "Brier", "regret", "N"),
        rows=tuple(rows),
        records=summary.references,
        note="right: the model's answer is right; unique: one entity still fits all hints. Regret: Brier score less "
        f"that of the exact reference\n(1/n_candidates; uniqueness itself) on the same turns. {BRACKETS}",
        text_columns=4,
    )
