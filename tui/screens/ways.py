"""The screens that the decks' screen leads to as they are; each is imported when it is gone to."""

from __future__ import annotations

from textual.screen import Screen


def screen_of(name: str) -> Screen[None]:
    """ "browse", "statistics", "settings" or "problems"."""
    if name == "browse":
        from tui.screens.browse import BrowseScreen

        return BrowseScreen()
    if name == "statistics":
        from tui.screens.statistics import StatisticsScreen

        return StatisticsScreen()
    if name == "settings":
        from tui.screens.settings import SettingsScreen

        return SettingsScreen()
    from tui.screens.problems import ProblemsScreen

    return ProblemsScreen()
