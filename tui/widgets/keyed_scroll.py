"""A page that scrolls by vim's keys beside the arrows."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType

from tui.widgets.step_scroll import StepScroll


class KeyedScroll(StepScroll, can_focus=True, inherit_bindings=False):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "lines(1)", "Down", show=False, id="page.down"),
        Binding("k,up", "lines(-1)", "Up", show=False, id="page.up"),
        Binding("pagedown,ctrl+d", "pages(1)", "Page down", show=False, id="page.page-down"),
        Binding("pageup,ctrl+u", "pages(-1)", "Page up", show=False, id="page.page-up"),
        Binding("g,home", "scroll_home", "To the top", show=False, id="page.top"),
        Binding("G,end", "scroll_end", "To the bottom", show=False, id="page.bottom"),
    ]

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A key that would do nothing is not named: these, while everything is seen."""
        if action in ("lines", "pages", "scroll_home", "scroll_end") and not self.scrolls:
            return False
        return super().check_action(action, parameters)

    def action_lines(self, lines: int) -> None:
        self.scroll_lines(lines)

    def action_pages(self, pages: int) -> None:
        self.scroll_pages(pages)
