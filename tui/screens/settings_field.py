"""The line in which a setting's value is written."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widgets import Input


class SettingField(Input):
    """Hidden until a value is asked for."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "Set", id="settings.set", tooltip="Empty: what holds by default")
    ]

    def __init__(self, id: str) -> None:
        super().__init__(id=id, select_on_focus=True, compact=True)
        self.display = False

    def ask(self, value: str) -> None:
        """Begin to write, over the value as it is."""
        self.value, self.display = value, True
        self.focus()
