"""An app that writes to the terminal only what is not on its screen already."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on
from textual.app import App
from textual.events import Mount, Resize

from tui.repaint import Shown

if TYPE_CHECKING:
    from rich.console import RenderableType
    from textual.driver import Driver
    from textual.screen import Screen


class RepaintingApp(App[int]):
    """What the terminal shows is forgotten where another program may have written on it."""

    def __init__(self, driver: type[Driver] | None = None, ansi_color: bool | None = None) -> None:
        super().__init__(driver, ansi_color=ansi_color)
        self._shown = Shown()

    def _display(self, screen: Screen[object], renderable: RenderableType | None) -> None:
        super()._display(screen, self._shown.repainting(renderable))

    @on(Mount)
    def _watch(self) -> None:
        self.app_resume_signal.subscribe(self, self._forget, immediate=True)

    @on(Resize)
    def _forget(self, _: object) -> None:
        self._shown.forget()

    def action_redraw(self) -> None:
        """Paint all of it again: something else wrote on the terminal."""
        self._shown.forget()
        self.refresh()
