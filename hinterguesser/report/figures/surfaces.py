"""Where confidence can be relied on: by information level and by confidence itself."""

from functools import partial

from hinterguesser.flow.profiles import SURFACE_BINS, Profile
from hinterguesser.report.figures.figure import Figure
from hinterguesser.report.figures.heat import Cell, Heat, draw_heat
from hinterguesser.report.figures.pages import Page
from hinterguesser.report.figures.style import shortened, signed
from hinterguesser.report.figures.words import cell_heads, cells, counted, listed, method_of
from hinterguesser.report.tables import percent

COLUMNS = 3
"""Methods side by side, at most."""

FEWEST = 10
"""Rows of a cell that may have a star: the bootstrap has little to say about fewer."""

RANGES = tuple(f"{100 * at // SURFACE_BINS}–{100 * (at + 1) // SURFACE_BINS}" for at in range(SURFACE_BINS))


def reliability(page: Page[Profile]) -> Figure | None:
    """Accuracy less confidence by level and confidence, a panel a method.

    Args:
        page: A single panel: a surface has no room for more datasets and models.
    """
    [panel] = page.panels
    shown = [profile for profile in panel.items if profile.surface]
    if not shown:
        return None
    heats, rows, told = [], [], []
    for profile in shown:
        grid: list[list[Cell | None]] = [[None] * SURFACE_BINS for _ in range(SURFACE_BINS)]
        for at in profile.surface:
            ends = at.gap.interval
            sure = at.n >= FEWEST and ends is not None and (ends[0] > 0 or ends[1] < 0)
            value = at.accuracy - at.confidence
            grid[at.bin - 1][at.level - 1] = Cell(value, (f"{signed(value, 0)}{'*' if sure else ''}", f"{at.n}"))
            who = panel.dataset, panel.model, method_of(profile.by)
            rows.append((*who, at.level, at.bin, at.confidence, at.accuracy, *cells(at.gap)))
        n = sum(at.n for at in profile.surface)
        count = f"N = {n}, {percent(profile.unscored_share)} unscored"
        heats.append(Heat(shortened(method_of(profile.by)), count, RANGES, RANGES, tuple(map(tuple, grid))))
        worst = min(profile.surface, key=lambda at: (at.accuracy - at.confidence) * at.n)
        told.append(
            f"{shortened(method_of(profile.by))} {100 * (worst.accuracy - worst.confidence):+.0f} points "
            f"(N = {worst.n}) at level {RANGES[worst.level - 1]} %, confidence {RANGES[worst.bin - 1]} %"
        )
    columns = min(len(heats), COLUMNS)
    return Figure(
        name=f"reliability{page.suffix}",
        title=f"Where confidence can be relied on{page.of}",
        caption=f"Accuracy less mean confidence, in points, by information level and confidence ({panel.name}); the "
        f"small number is N. Orange and below 0: too sure. A star (only where N is {FEWEST} or more): the 95 % "
        "interval from a bootstrap over entities, which stands in the data beside the figure, does not reach 0. "
        f"{counted(page)}",
        alt=f"{panel.name}, the cell that weighs most towards too sure: {listed(told)}.",
        heads=(
            *("dataset", "model", "method", "level_fifth", "confidence_fifth", "confidence", "accuracy"),
            *cell_heads("gap"),
        ),
        rows=tuple(rows),
        draw=partial(
            draw_heat,
            heats,
            (-(-len(heats) // columns), columns),
            (0.5, 0.4),
            ("information level i/L (%)", "confidence (%)"),
            "accuracy − confidence (points)",
        ),
    )
