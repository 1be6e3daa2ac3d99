"""Which panels a figure has: one a dataset and model, on as many pages as stay legible."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from hinterguesser.report.figures.style import shortened

Item = TypeVar("Item")

MOST_PANELS = 16
"""On one page; of more, every model has a page of its own."""

COLUMNS = 4
"""Panels side by side, at most."""


@dataclass(frozen=True, slots=True)
class Panel(Generic[Item]):
    """What is drawn in one pair of axes."""

    dataset: str | None
    model: str | None
    items: tuple[Item, ...]

    @property
    def title(self) -> str:
        """Dataset and model, each on a line; nothing for what is not known."""
        return "\n".join(shortened(name, 30) for name in (self.dataset, self.model) if name is not None)

    @property
    def name(self) -> str:
        """As sentences name it."""
        known = [shortened(name, 40) for name in (self.dataset, self.model) if name is not None]
        return ", ".join(known) or "all rows"


@dataclass(frozen=True, slots=True)
class Page(Generic[Item]):
    """What is drawn in one figure."""

    suffix: str
    """Of the figure's name: empty, or -1, -2, ... where there are several pages."""
    of: str
    """Of the figure's title: empty, or the model of the page."""
    panels: tuple[Panel[Item], ...]

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns: datasets side by side and models below each other where they fit."""
        datasets = list(dict.fromkeys(panel.dataset for panel in self.panels))
        models = list(dict.fromkeys(panel.model for panel in self.panels))
        full = len(datasets) * len(models) == len(self.panels)
        columns = len(datasets) if full and 1 < len(datasets) <= COLUMNS else min(len(self.panels), COLUMNS)
        return -(-len(self.panels) // columns), columns


def pages(items: Iterable[tuple[Mapping[str, Any], Item]], most: int = MOST_PANELS) -> list[Page[Item]]:
    """Lay out items by dataset and model, datasets of one model side by side.

    Args:
        items: Each with what tells it apart; other columns than those of the design are named with the dataset.
        most: Panels on a page.
    """
    panels: dict[tuple[str | None, str | None], list[Item]] = {}
    for by, item in items:
        panels.setdefault(panel_key(by), []).append(item)
    models = list(dict.fromkeys(model for model, _ in panels))
    datasets = list(dict.fromkeys(dataset for _, dataset in panels))
    laid = [
        Panel(dataset, model, tuple(panels[model, dataset]))
        for model in models
        for dataset in datasets
        if (model, dataset) in panels
    ]
    if len(laid) <= most:
        return [Page("", "", tuple(laid))] if laid else []
    by_model = [[panel for panel in laid if panel.model == model] for model in models]
    parts = [some[at : at + most] for some in by_model for at in range(0, len(some), most)]
    return [
        Page(f"-{number}", f" ({shortened(part[0].model, 40)})" if part[0].model else "", tuple(part))
        for number, part in enumerate(parts, start=1)
    ]


def panel_key(by: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """Model, and dataset with whatever else tells groups apart: rows with the same go in one panel."""
    others = [
        f"{key} {value}"
        for key, value in by.items()
        if key not in ("dataset", "model", "condition", "method", "target") and value is not None
    ]
    known = [name for name in (by.get("dataset"), *others) if name is not None]
    return by.get("model"), ", ".join(known) or None


def span(values: Sequence[int]) -> str:
    """Whole numbers as one, or from the least to the greatest."""
    low, high = min(values), max(values)
    return f"{low}" if low == high else f"{low} to {high}"
