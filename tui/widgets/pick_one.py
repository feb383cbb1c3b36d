"""A few words side by side, of which one is chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.events import Click
from textual.message import Message
from textual.widgets import Static

_GAP = 3


class PickOne(Static, can_focus=True):
    """Left and right choose; a click does, too."""

    DEFAULT_CSS = "PickOne { height: 1; } PickOne:focus { background: $panel; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "turn(-1)", "Other", id="pick.left", key_display="← →"),
        Binding("right,l,space", "turn(1)", "Other", show=False, id="pick.right"),
    ]

    @dataclass
    class Picked(Message):
        name: str

    def __init__(self, names: Sequence[tuple[str, str]], at: str, *, id: str) -> None:
        """`names`: of each, what it is called in the program and on the screen."""
        super().__init__(id=id, markup=False)
        self._names = list(names)
        self._at = next((n for n, (name, _) in enumerate(self._names) if name == at), 0)

    @property
    def value(self) -> str:
        return self._names[self._at][0]

    def on_mount(self) -> None:
        self._draw()

    def _draw(self) -> None:
        words = [
            Content.styled(label, "bold reverse" if n == self._at else "$foreground-muted")
            for n, (_, label) in enumerate(self._names)
        ]
        self.update(Content(" " * _GAP).join(words))

    def action_turn(self, step: int) -> None:
        self._pick((self._at + step) % len(self._names))

    def _pick(self, at: int) -> None:
        self._at = at
        self._draw()
        self.post_message(self.Picked(self.value))

    def on_click(self, event: Click) -> None:
        start = 0
        for n, (_, label) in enumerate(self._names):
            if start <= event.x < start + len(label):
                self._pick(n)
            start += len(label) + _GAP
