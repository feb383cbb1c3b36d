"""The lab's board: the input that is shown, stepped through window by window."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from tui.lab_input import Picture
from tui.widgets.picture import drawn
from tui.widgets.sliders import Slider, Sliders
from tui.widgets.steady import Steady

if TYPE_CHECKING:
    from tui.lab_brief import Brief

_KERNELS, _STRIDES = ("1", "2", "3", "4", "5"), ("1", "2", "3", "4")


class Board(Steady, can_focus=True):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,space", "screen.window(1)", "Next window", id="board.next", key_display="→"),
        Binding("left", "screen.window(-1)", "Window before", show=False, id="board.before"),
    ]

    _state: tuple[Picture, int, bool] | None = None

    def show(self, picture: Picture, window: int, stepping: bool) -> None:
        self._state = (picture, window, stepping)
        self._draw()

    def on_resize(self) -> None:
        self._draw()

    def _draw(self) -> None:
        if self._state is not None:
            self.put(drawn(*self._state, max(20, self.app.size.width - 4)))


def sliders_for(brief: Brief) -> list[Slider]:
    """What the exercise leaves free."""
    values = [Slider("values", brief.values)] if brief.values else []
    if brief.window is None:
        return values
    return [
        Slider("kernel", _KERNELS, brief.window.kernel - 1),
        Slider("stride", _STRIDES, brief.window.stride - 1),
        Slider("padding", ("0", "1")),
        *values,
    ]


def bounded(sliders: Sliders) -> dict[str, str]:
    """What the sliders say; a padding is at most half the kernel."""
    if "kernel" in sliders.values:
        most = int(sliders.values["kernel"]) // 2
        sliders.limit("padding", tuple(map(str, range(most + 1))))
    return sliders.values
