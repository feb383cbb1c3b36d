"""A page that scrolls by vim's keys beside the arrows."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll


class KeyedScroll(VerticalScroll, can_focus=True, inherit_bindings=False):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "scroll_down", "Down", show=False, id="page.down"),
        Binding("k,up", "scroll_up", "Up", show=False, id="page.up"),
        Binding("pagedown,ctrl+d", "page_down", "Page down", show=False, id="page.page-down"),
        Binding("pageup,ctrl+u", "page_up", "Page up", show=False, id="page.page-up"),
        Binding("g,home", "scroll_home", "To the top", show=False, id="page.top"),
        Binding("G,end", "scroll_end", "To the bottom", show=False, id="page.bottom"),
    ]

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A key that would do nothing is not named: these, while everything is seen."""
        if action.startswith(("scroll_", "page_")) and not self.max_scroll_y:
            return False
        return super().check_action(action, parameters)
