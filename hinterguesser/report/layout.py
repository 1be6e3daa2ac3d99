"""How tables are laid out: rows a model and method, a block of columns a dataset; and how cells say what was tested."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from hinterguesser.report.sheets import Cell, change
from hinterguesser.report.tables import MISSING, percent

Row = Mapping[str, Any]

SIGNIFICANT = 0.05
"""Of a Holm-adjusted p-value."""

BRACKETS = "Brackets: 95 % intervals from a bootstrap over entities."


def axes(rows: Iterable[Row]) -> tuple[list[Any], dict[tuple[Any, Any, Any], Row]]:
    """The datasets, and the rows by model, method and dataset."""
    lines = {tuple(row["by"].get(name) for name in ("model", "method", "dataset")): row for row in rows}
    return list(dict.fromkeys(key[2] for key in lines)), {(key[0], key[1], key[2]): row for key, row in lines.items()}


def laid_out(
    lines: Mapping[tuple[Any, Any, Any], Row], datasets: Sequence[Any], cells: Callable[[Row], list[Cell]], width: int
) -> tuple[tuple[Cell, ...], ...]:
    """One row a model and method, `width` cells a dataset; a model is named in its first row."""
    rows: list[tuple[Cell, ...]] = []
    before: tuple[Any] | None = None
    for model, method in sorted(dict.fromkeys(key[:2] for key in lines), key=_model_first(lines)):
        row = [Cell(shown_name(model) if (model,) != before else ""), Cell(shown_name(method))]
        for dataset in datasets:
            found = lines.get((model, method, dataset))
            row += [Cell(MISSING)] * width if found is None else cells(found)
        rows.append(tuple(row))
        before = (model,)
    return tuple(rows)


def _model_first(lines: Iterable[tuple[Any, Any, Any]]) -> Callable[[tuple[Any, Any]], int]:
    """Models in order of first appearance; a stable sort keeps the methods' order."""
    order = {model: place for place, model in enumerate(dict.fromkeys(key[0] for key in lines))}
    return lambda key: order[key[0]]


def is_main(by: Mapping[str, Any]) -> bool:
    """Whether rows are of the condition `multi` and the target `answer`, or name none."""
    return by.get("condition") in (None, "multi") and by.get("target") in (None, "answer")


def shown_name(label: str | None) -> str:
    """A name, or a dash for none."""
    return MISSING if label is None else label


def headed(dataset: str | None, heads: Iterable[str]) -> list[str]:
    """Column heads, with the dataset in front."""
    return [head if dataset is None else f"{dataset} {head}" for head in heads]


def changed(value: float | None, moved: Row) -> Cell:
    """A mean confidence and how it changed, with the mark of significance."""
    return Cell(f"{percent(value)} ({change(moved['mean'])})", significant=is_significant(moved))


def tested(moved: Row) -> str:
    """A difference in points, with its interval."""
    ends = moved["interval"]
    return change(moved["mean"]) + ("" if ends is None else f" [{change(ends[0])}, {change(ends[1])}]")


def is_significant(moved: Row) -> bool:
    """Whether a change is more than chance after correction."""
    return moved["p_holm"] is not None and moved["p_holm"] < SIGNIFICANT
