"""An option list whose enter key says what it does, with vim's keys beside the arrows."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.style import Style
from textual.widgets import OptionList


class KeyedList(OptionList):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "cursor_down", "Down", show=False, id="list.down"),
        Binding("k", "cursor_up", "Up", show=False, id="list.up"),
        Binding("g", "first", "First", show=False, id="list.first"),
        Binding("G", "last", "Last", show=False, id="list.last"),
    ]

    def __init__(self, enter: str, *, id: str | None = None, markup: bool = False) -> None:
        super().__init__(id=id, markup=markup)
        self._bindings.key_to_bindings["enter"] = [
            Binding("enter", "select", enter, id="list.enter")
        ]

    def get_visual_style(self, *component_classes: str, partial: bool = False) -> Style:
        """With reverse video, which the toolkit leaves out; a terminal without colours needs it."""
        style = super().get_visual_style(*component_classes, partial=partial)
        found = (self.get_component_styles(name) for name in component_classes)
        if any(each.text_style.reverse for each in found):
            style += Style(reverse=True)
        return style
