"""All figures there are, in the order of a report."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from hinterguesser.flow.metrics import Summary
from hinterguesser.flow.profiles import Profile, Profiles
from hinterguesser.flow.replay import Replayed
from hinterguesser.report.figures.conditions import info_ece, multi_single, of_answer, placebo
from hinterguesser.report.figures.controllers import accuracy_cost
from hinterguesser.report.figures.depths import ece_by_depth, risk_by_depth, transitions
from hinterguesser.report.figures.figure import Figure
from hinterguesser.report.figures.levels import label_mass, levels, unscored
from hinterguesser.report.figures.pages import Page, Panel, pages, panel_key
from hinterguesser.report.figures.risk import risk_coverage
from hinterguesser.report.figures.style import is_reference, looks
from hinterguesser.report.figures.surfaces import reliability
from hinterguesser.report.figures.tau import MOST_COLUMNS, gold_tau
from hinterguesser.report.figures.words import method_of
from hinterguesser.report.layout import is_main

By = Mapping[str, Any]
MOST_FORESTS = 9
"""Panels of rows on a page."""


def evaluation_figures(summary: Summary, profiles: Profiles) -> list[Figure]:
    """Every figure of an evaluation that has something to show."""
    known = looks(method_of(profile.by) for profile in profiles.groups)
    main = [profile for profile in profiles.groups if is_main(profile.by)]
    own = [profile for profile in main if not is_reference(method_of(profile.by))]
    right = [each for each in profiles.accuracy if each.by.get("condition") in (None, "multi")]
    both = [
        profile
        for profile in profiles.groups
        if of_answer(profile.by)
        and profile.by.get("condition") in ("multi", "single")
        and not is_reference(method_of(profile.by))
    ]
    two = any(profile.by["condition"] == "single" for profile in both)
    eces = [
        group
        for group in summary.groups
        if of_answer(group["by"])
        and group["by"].get("condition") in ("multi", "single")
        and not is_reference(method_of(group["by"]))
    ]
    tests = _ordered((test for test in summary.placebo_tests if of_answer(test["by"])), known)
    shares = {
        (*panel_key(profile.by), method_of(profile.by)): profile.unscored_share
        for profile in profiles.groups
        if profile.by.get("target") == "gold" and profile.by.get("condition") in (None, "multi")
    }
    taus = _ordered((row for row in summary.gold_tau if row["by"].get("condition") in (None, "multi")), known)
    return [
        *_drawn(_pages(main), lambda page: levels(page, known, right)),
        *_drawn(pages(((row["by"], row) for row in taus), MOST_COLUMNS), lambda page: gold_tau(page, shares)),
        *_drawn(_pages(both, MOST_FORESTS) if two else [], lambda page: multi_single(page, profiles, summary)),
        *_drawn(pages(((group["by"], group) for group in eces), MOST_FORESTS), info_ece),
        *_drawn(
            pages(((test["by"], test) for test in tests), MOST_FORESTS), lambda page: placebo(page, summary.groups)
        ),
        *_drawn(_single(_pages(own)), reliability),
        *_drawn(_pages(main), lambda page: risk_coverage(page, known)),
        *_drawn(_pages(own), lambda page: label_mass(page, known)),
        *_drawn(_pages(own), lambda page: unscored(page, known)),
    ]


def replay_figures(replayed: Replayed) -> list[Figure]:
    """Every figure of a replay that has something to show."""
    made = [accuracy_cost(replayed), risk_by_depth(replayed), ece_by_depth(replayed), transitions(replayed)]
    return [figure for figures in made for figure in figures]


def _ordered(rows: Iterable[By], known: Iterable[str]) -> list[By]:
    """Methods in the order of the groups."""
    order = list(known)
    return sorted(rows, key=lambda row: order.index(method_of(row["by"])))


def _pages(profiles: Iterable[Profile], most: int | None = None) -> list[Page[Profile]]:
    items = [(profile.by, profile) for profile in profiles]
    return pages(items) if most is None else pages(items, most)


def _single(every: list[Page[Profile]]) -> list[Page[Profile]]:
    """A page for each panel."""
    panels: list[Panel[Profile]] = [panel for page in every for panel in page.panels]
    several = len(panels) > 1
    return [
        Page(f"-{number}" if several else "", f" ({panel.name})" if several else "", (panel,))
        for number, panel in enumerate(panels, start=1)
    ]


def _drawn(every: "list[Page[Any]]", draw: Callable[[Page[Any]], Figure | None]) -> list[Figure]:
    return [figure for page in every if (figure := draw(page)) is not None]
