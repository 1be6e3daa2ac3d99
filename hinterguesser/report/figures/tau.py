"""How steadily confidence in the gold answer rises (figure 3)."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from hinterguesser.report.figures.figure import Figure
from hinterguesser.report.figures.heat import Cell, Heat, draw_heat
from hinterguesser.report.figures.pages import Page, span
from hinterguesser.report.figures.style import shortened, signed
from hinterguesser.report.figures.words import ends_of, listed, method_of
from hinterguesser.report.tables import percent

MOST_COLUMNS = 8
"""Models and datasets beside each other."""


def gold_tau(page: Page[Mapping[str, Any]], groups: Mapping[tuple[Any, ...], float | None]) -> Figure | None:
    """Tau of the confidence in the gold answer: methods by model and dataset.

    Args:
        page: Rows of `Summary.gold_tau` of the condition `multi`.
        groups: The unscored share of the gold answer's estimates, by model, dataset (as panels name it) and method.
    """
    items = [(panel, row) for panel in page.panels for row in panel.items]
    if not items:
        return None
    methods = list(dict.fromkeys(method_of(row["by"]) for _, row in items))
    found = {(panel.model, panel.dataset, method_of(row["by"])): row for panel, row in items}
    columns = [(panel.model, panel.dataset) for panel in page.panels]
    cells = tuple(
        tuple(_cell(found.get((*column, method)), groups.get((*column, method))) for column in columns)
        for method in reversed(methods)
    )
    heat = Heat(
        title="",
        count=f"N = {span([row['dialogues_gold'] for _, row in items])} dialogues a cell",
        rows=tuple(shortened(method) for method in reversed(methods)),
        columns=tuple("\n".join(shortened(name, 16) for name in (p.dataset, p.model) if name) for p in page.panels),
        cells=cells,
    )
    shares = [share for share in (groups.get((*column, name)) for column in columns for name in methods) if share]
    told = (f"{shortened(method_of(row['by']))} ({panel.name}) {percent(row['tau_gold'])}" for panel, row in items)
    return Figure(
        name=f"gold_tau{page.suffix}",
        title=f"How steadily confidence in the gold answer rises{page.of}",
        caption="Kendall's tau of the confidence in the gold answer over the turns of a dialogue, averaged over "
        "dialogues (100 %: it rises at every turn; 0: as many pairs of turns rise as fall). Brackets: 95 % intervals "
        f"from a bootstrap over entities. N = {sum(row['dialogues_gold'] for _, row in items)} dialogues over all "
        f"cells; {f'up to {percent(max(shares))} of a cell' if shares else 'none'} unscored and left out.",
        alt=f"Tau of the confidence in the gold answer: {listed(told)}.",
        heads=(
            *("dataset", "model", "method", "tau_gold", "tau_gold_lo", "tau_gold_hi", "dialogues", "tie_share"),
            "unscored_share",
        ),
        rows=tuple(
            (
                *(panel.dataset, panel.model, method_of(row["by"]), row["tau_gold"]),
                *ends_of(row["intervals"].get("tau_gold")),
                *(row["dialogues_gold"], row["tie_share_gold"]),
                groups.get((panel.model, panel.dataset, method_of(row["by"]))),
            )
            for panel, row in items
        ),
        draw=partial(draw_heat, [heat], (1, 1), (0.98, 0.46), ("", ""), "tau (%)"),
    )


def _cell(row: Mapping[str, Any] | None, unscored: float | None) -> Cell | None:
    if row is None:
        return None if unscored is None else Cell(None, ("–", f"{100 * unscored:.0f} % unscored"))
    ends = row["intervals"].get("tau_gold")
    lines = [signed(row["tau_gold"])]
    if ends:
        lines.append(f"[{signed(ends[0])}, {signed(ends[1])}]")
    if unscored:
        lines.append(f"{100 * unscored:.0f} % unscored")
    return Cell(row["tau_gold"], tuple(lines))
