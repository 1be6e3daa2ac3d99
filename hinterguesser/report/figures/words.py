"""What captions and alt texts say: N, the share left unscored, what intervals are."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hinterguesser.flow.profiles import Profile
from hinterguesser.report.figures.pages import Page, Panel, span
from hinterguesser.report.figures.style import is_reference, shortened
from hinterguesser.report.tables import percent
from hinterguesser.stats.profiles import Mean

BANDS = "Bands are 95 % intervals from a bootstrap over entities; a value from fewer than two entities has none."
WHISKERS = "Whiskers are 95 % intervals from a bootstrap over entities; a value from fewer than two entities has none."


def method_of(by: Mapping[str, Any]) -> str:
    """The method, or what a table without that column is about."""
    return by.get("method") or "confidence"


def own_of(profiles: Sequence[Profile]) -> list[Profile]:
    """Those of the model's own methods; those of exact references where there is nothing else."""
    return [profile for profile in profiles if not is_reference(method_of(profile.by))] or list(profiles)


def counted(page: Page[Profile]) -> str:
    """N of a figure: predictions, dialogues, and the share left unscored; exact references are not counted."""
    own = [profile for panel in page.panels for profile in own_of(panel.items)]
    rows, scored = sum(profile.rows for profile in own), sum(profile.n for profile in own)
    dialogues = sum(max(profile.dialogues for profile in own_of(panel.items)) for panel in page.panels)
    methods = len({method_of(profile.by) for profile in own})
    said = f"N = {scored} scored predictions by {methods} method{'s' * (methods > 1)} in {dialogues} dialogues"
    if rows == scored:
        return f"{said}; none is unscored."
    worst = max(own, key=lambda profile: profile.unscored_share or 0.0)
    return (
        f"{said}; {percent((rows - scored) / rows)} of {rows} are unscored and left out, at most "
        f"{percent(worst.unscored_share)} ({shortened(method_of(worst.by))})."
    )


def panel_counts(panel: Panel[Profile]) -> str:
    """N of a panel, as it stands above it."""
    own = own_of(panel.items)
    each = " a method" if len(own) > 1 else ""
    return f"N = {span([profile.n for profile in own])}{each}, {max(profile.dialogues for profile in own)} dialogues"


def also(page: Page[Any]) -> str:
    """How many panels an alt text does not tell of."""
    others = len(page.panels) - 1
    return "" if others == 0 else f" {others} more panel{'s' * (others > 1)} in the data beside it."


def cells(mean: Mean) -> tuple[float | None, float | None, float | None, int]:
    """A mean as data: value, both ends of the interval, N."""
    return mean.value, *ends_of(mean.interval), mean.n


def cell_heads(name: str) -> tuple[str, str, str, str]:
    """The heads of `cells`."""
    return name, f"{name}_lo", f"{name}_hi", f"{name}_n"


def ends_of(interval: Sequence[float] | None) -> tuple[float | None, float | None]:
    """Both ends, or None and None."""
    return (None, None) if interval is None else (interval[0], interval[1])


def listed(parts: Iterable[str], most: int = 9) -> str:
    """Parts of a sentence in a row; of very many, the first."""
    every = list(parts)
    return "; ".join(every[:most]) + (f"; and {len(every) - most} more" if len(every) > most else "")
