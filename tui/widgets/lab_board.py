"""The lab's board: the input that is shown, stepped through window by window."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from textual.binding import Binding, BindingType
from textual.screen import Screen

from tui import lab_text
from tui.lab_input import Picture
from tui.lab_state import Shown, Step
from tui.widgets.picture import drawn
from tui.widgets.sliders import Slider, Sliders
from tui.widgets.steady import Steady
from tui.widgets.top_line import TopLine

if TYPE_CHECKING:
    from tui.lab_brief import Brief

#: Rows from which on a screen is no longer short.
TALL = 28
_KERNELS, _STRIDES = ("1", "2", "3", "4", "5"), ("1", "2", "3", "4")


class Board(Steady, can_focus=True):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,space", "screen.window(1)", "Window", id="board.next", key_display="→"),
        Binding("left", "screen.window(-1)", "Window before", show=False, id="board.before"),
    ]

    _state: tuple[Picture, Step] | None = None

    def show(self, picture: Picture, step: Step) -> None:
        if self._state != (picture, step):
            self._state = (picture, step)
            self._draw()

    def on_resize(self) -> None:
        # Now, the toolkit may still owe a layout of its own, and would forget ours.
        self.call_after_refresh(self._draw)

    def _draw(self) -> None:
        if self._state is not None:
            width, height = self.app.size
            # As in lab.tcss: a short screen has no rows for the lines between its cells.
            tall = height >= TALL
            rows = height // 2 - (2 if tall else 0)
            self.put(drawn(*self._state, max(20, width - 4), rows, tall))


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


def name(screen: Screen[Any], brief: Brief, picture: Picture, shown: Shown) -> None:
    """Say which input it is, and how large its windows are where no slider does."""
    top, geometry = screen.query_one(TopLine), lab_text.geometry(picture)
    top.right = picture.named
    if brief.window is None:
        top.middle = geometry
    else:
        screen.query_one(Sliders).show_instead("" if shown.failing is None else geometry)
