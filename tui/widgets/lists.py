"""An option list whose enter key says what it does, with vim's keys beside the arrows."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.style import Style
from textual.widgets import OptionList


class KeyedList(OptionList):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "cursor_down", "Down", show=False, id="list.down"),
        Binding("k,up", "cursor_up", "Up", show=False, id="list.up"),
        Binding("pagedown,ctrl+d", "page_down", "Page down", show=False, id="list.page-down"),
        Binding("pageup,ctrl+u", "page_up", "Page up", show=False, id="list.page-up"),
        Binding("g,home", "first", "First", show=False, id="list.first"),
        Binding("G,end", "last", "Last", show=False, id="list.last"),
        Binding("enter", "select", "Choose", id="list.enter"),
    ]

    def __init__(
        self, enter: str, *, id: str | None = None, markup: bool = False, show: bool = True
    ) -> None:
        """`enter` is what that key does; `show`: it stands in the footer."""
        super().__init__(id=id, markup=markup)
        [usual] = self._bindings.key_to_bindings["enter"]
        self._bindings.key_to_bindings["enter"] = [replace(usual, description=enter, show=show)]

    def get_visual_style(self, *component_classes: str, partial: bool = False) -> Style:
        """With reverse video, which the toolkit leaves out; a terminal without colours needs it."""
        style = super().get_visual_style(*component_classes, partial=partial)
        found = (self.get_component_styles(name) for name in component_classes)
        if any(each.text_style.reverse for each in found):
            style += Style(reverse=True)
        return style
