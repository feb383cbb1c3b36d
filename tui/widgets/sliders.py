"""Numbers and words to turn up and down: one line, ‹2› between its arrows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.events import Click
from textual.message import Message
from textual.widgets import Static

#: Of an arrow that turns no further.
_STUCK = "$foreground 25%"


@dataclass(frozen=True, slots=True)
class Slider:
    name: str
    values: tuple[str, ...]
    at: int = 0


class Sliders(Static, can_focus=True):
    """Left and right choose one, up and down turn it; a click on ‹ or › turns too."""

    DEFAULT_CSS = "Sliders { height: 1; padding: 0 1; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "choose(-1)", "Left", show=False, id="sliders.left"),
        Binding("right,l", "choose(1)", "Right", show=False, id="sliders.right"),
        Binding("up,k,plus,equals_sign", "turn(1)", "More", id="sliders.more", key_display="↑"),
        Binding("down,j,minus", "turn(-1)", "Less", id="sliders.less", key_display="↓"),
    ]

    @dataclass
    class Turned(Message):
        name: str
        value: str

    def __init__(self, sliders: Sequence[Slider], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._sliders = list(sliders)
        self._at = 0
        self._instead = ""

    def on_mount(self) -> None:
        self._draw()

    def watch_has_focus(self, focused: bool) -> None:
        super().watch_has_focus(focused)
        self._draw()

    @property
    def values(self) -> dict[str, str]:
        return {slider.name: slider.values[slider.at] for slider in self._sliders}

    def limit(self, name: str, values: tuple[str, ...]) -> None:
        """Give a slider other values; it stays at its own, or goes to the last."""
        for n, slider in enumerate(self._sliders):
            if slider.name == name and slider.values != values:
                self._sliders[n] = Slider(name, values, min(slider.at, len(values) - 1))
        self._draw()

    def show_instead(self, text: str) -> None:
        """What is shown in their place until one is turned, or ""."""
        self._instead = text
        self._draw()

    def action_choose(self, step: int) -> None:
        self._at = (self._at + step) % len(self._sliders)
        self._draw()

    def action_turn(self, step: int) -> None:
        slider = self._sliders[self._at]
        at = slider.at + step
        if 0 <= at < len(slider.values):
            self._sliders[self._at] = Slider(slider.name, slider.values, at)
            self._draw()
            self.post_message(self.Turned(slider.name, slider.values[at]))

    def _draw(self) -> None:
        parts: list[tuple[str, str]] = []
        if self._instead and not self.has_focus:
            self.update(Content.styled(self._instead, "dim"))
            return
        for n, slider in enumerate(self._sliders):
            lit = "reverse" if self.has_focus and n == self._at else ""
            more, less = slider.at + 1 < len(slider.values), slider.at > 0
            parts += [
                (f"{slider.name} ", "dim"),
                ("‹", "$text-primary" if less else _STUCK),
                (slider.values[slider.at], f"bold {lit}".rstrip()),
                ("›", "$text-primary" if more else _STUCK),
                ("  ", ""),
            ]
        self.update(Content.assemble(*parts))

    def on_click(self, event: Click) -> None:
        at = event.get_content_offset(self)
        if at is None:
            return
        start = 0
        for n, slider in enumerate(self._sliders):
            left = start + len(slider.name) + 1
            right = left + 1 + len(slider.values[slider.at])
            if start <= at.x <= right:
                self._at = n
                self._draw()
                if at.x in (left, right):
                    self.action_turn(1 if at.x == right else -1)
            start = right + 3
