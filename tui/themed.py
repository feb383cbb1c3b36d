"""An app that follows its terminal: its background, and how many colours it has."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from textual import on
from textual.theme import Theme

from tui.background import Background
from tui.repainting import RepaintingApp
from tui.sixteen import shades, sixteen
from tui.theme import DARK, Themes

if TYPE_CHECKING:
    from textual.driver import Driver


_SHEET = Path(__file__).with_name("sixteen.tcss")


class ThemedApp(RepaintingApp):
    """`themes` keeps what is chosen; without it, `theme` is shown, or the dark one."""

    def __init__(self, theme: str, themes: Themes | None, driver: type[Driver] | None) -> None:
        super().__init__(driver, ansi_color=True if themes and themes.few else None)
        self.themes = themes
        for each in sixteen():
            self.register_theme(each)
        self.theme = known.name if (known := self.get_theme(theme)) else DARK

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return shades(self.current_theme)

    def watch_theme(self) -> None:
        """The sheet for few colours is read when it is needed: it would hold up every start."""
        if self.native_ansi_color and not self.stylesheet.has_source(str(_SHEET)):
            self.stylesheet.read(_SHEET)

    def follow_terminal(self) -> None:
        """To be called once it runs."""
        self.theme_changed_signal.subscribe(self, self._theme_taken)

    def say(self, sentence: str, *, error: bool = False) -> None:
        """Tell the learner something that needs no answer."""
        raise NotImplementedError

    def _theme_taken(self, theme: Theme) -> None:
        if self.themes is not None and (trouble := self.themes.taken(theme.name)):
            self.say(trouble, error=True)

    @on(Background)
    def _background_seen(self, seen: Background) -> None:
        if self.themes is not None and (suits := self.themes.seen(seen.light)):
            self.theme = suits
