"""One small input, worked out by hand: cells to fill in, and what each of them says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from engine.verdict import Verdict
from tui import cases, lab_sheet, verdict_text
from tui.key_names import key_for
from tui.lab_hand import HandAsked
from tui.lab_result import LabResult
from tui.lab_sheet import Sheet
from tui.lab_work import Task
from tui.newest import NewestOnly
from tui.screens.base import DeckScreen
from tui.widgets import grids
from tui.widgets.footer import Footer
from tui.widgets.hand_grid import HandGrid
from tui.widgets.lattice import Lattice
from tui.widgets.top_line import TopLine

if TYPE_CHECKING:
    from cards.model import Card

_NONE = "No small input of this exercise has a message in whole numbers: write the formula instead."


class HandScreen(DeckScreen[LabResult]):
    """Returns what was filled in last and checked, or None."""

    AUTO_FOCUS = "#grid"
    CSS_PATH = "lab.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "back", "Back", id="hand.back", key_display="esc"),
        Binding("enter", "check", "Check", id="hand.check", key_display="enter"),
        Binding("r", "draw", "New", id="hand.new-input", tooltip="Another input"),
        Binding("w", "window", "Window", id="hand.window", tooltip="Draw the next window on x"),
    ]

    def __init__(self, card: Card) -> None:
        super().__init__()
        self._card = card
        self._seed, self._window = 1, -1
        self._sheet: Sheet | None = None
        self._checked = False
        self._slips = 0
        self._result: LabResult | None = None
        self._maker: NewestOnly[HandAsked, Sheet | None] = NewestOnly(self, _made, self._hear)

    def place(self) -> Card:
        return self._card

    def compose(self) -> ComposeResult:
        yield TopLine(f"Lab · {self._card.id} · by hand")
        yield Static(id="ask", markup=False)
        with VerticalScroll(id="page", can_focus=False):
            with Horizontal(id="hand"):
                yield Static(id="given")
                with Vertical(id="column"):
                    yield Static(id="title", markup=False)
                    yield HandGrid(id="grid")
            yield Static(id="windows")
            yield Static(id="explained")
        yield Footer()

    def on_mount(self) -> None:
        self.query_one("#hand").display = False
        self._maker.ask(HandAsked(Task.of(self._card), self._seed))

    def _hear(self, sheet: Sheet | None) -> None:
        self._sheet, self._checked, self._window = sheet, False, -1
        ask = self.query_one("#ask", Static)
        self.query_one("#hand").display = sheet is not None
        if sheet is None:
            ask.update(f"{_NONE} {key_for(self.app, 'hand.back')} goes back.")
            return
        ask.update(_question(sheet))
        top = self.query_one(TopLine)
        top.right = sheet.named
        if (pooling := sheet.pooling) is not None:
            top.middle = verdict_text.geometry(pooling.kernel, pooling.stride, pooling.padding)
        self.query_one("#title", Static).update(f" {sheet.target}, by hand")
        self.refresh_bindings()
        self.query_one(HandGrid).begin(*sheet.size)
        self._show()

    # Showing.

    def _show(self) -> None:
        if (sheet := self._sheet) is None:
            return
        grid = self.query_one(HandGrid)
        room = max(20, self.size.width - 7 * sheet.size[1] - 8)
        self.query_one("#given", Static).update(grids.beside(self._given(sheet), room))
        grid.mark(sheet.off(grid.numbers) if self._checked else None)
        self.query_one("#windows", Static).update(self._windows(sheet, grid))
        self.query_one("#explained", Static).update(self._explained(sheet, grid))

    def _given(self, sheet: Sheet) -> list[tuple[str, list[Content]]]:
        return [
            (name, self._x(sheet) if name == "x" and sheet.pooling else grids.rows(cases.grid(of)))
            for name, of in sheet.inputs.items()
        ]

    def _x(self, sheet: Sheet) -> list[Content]:
        """With a window that is asked for; of a Jacobian's row, the one asked about."""
        pooling, windows = sheet.pooling, list(sheet.messages or {})
        assert pooling is not None
        shape = pooling.kernel, pooling.stride, pooling.padding
        every = tuple(verdict_text.window_at(*window, *shape) for window in windows)
        here = None
        if self._window >= 0 or len(windows) == 1:
            here = every[max(0, self._window) % len(every)]
        return Lattice(cases.grid(sheet.inputs["x"]), every, here).rows()

    def _windows(self, sheet: Sheet, grid: HandGrid) -> Content:
        """Each window with its mark."""
        if sheet.messages is None or not self._checked:
            return Content("")
        parts: list[tuple[str, str]] = [("windows  ", "dim")]
        for (k, l), right in lab_sheet.windows_right(sheet, grid.numbers).items():  # noqa: E741
            sign, style = ("✓", "bold $text-success") if right else ("✗", "bold $text-error")
            parts += [(f"({k},{l}) ", ""), (sign, style), ("   ", "")]
        return Content.assemble(*parts)

    def _explained(self, sheet: Sheet, grid: HandGrid) -> Content:
        if not self._checked:
            key = key_for(self.app, "hand.check")
            return Content.styled(f"{key} checks it; an empty cell is 0", "dim")
        off = sheet.off(grid.numbers)
        said = lab_sheet.explained(sheet, grid.at, grid.numbers.get(grid.at, 0))
        if not off:
            head = Content.styled("✓ every cell is right", "bold $text-success")
        else:
            wrong = f"✗ {len(off)} of {len(sheet.cells)} cells are not right"
            head = Content.styled(wrong, "bold $text-error")
        return Content("\n").join([head, Content(said)])

    # Keys.

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        return action != "window" or (self._sheet is not None and self._sheet.pooling is not None)

    @on(HandGrid.Moved)
    def _moved(self) -> None:
        self._show()

    @on(HandGrid.Filled)
    def _filled(self) -> None:
        self._show()

    def action_check(self) -> None:
        """Mark the cells, from now on at each key; go to the first that is wrong."""
        if (sheet := self._sheet) is None:
            return
        grid = self.query_one(HandGrid)
        self._checked = True
        right = sheet.right(grid.numbers)
        self._result = _result(sheet, grid.numbers, self._seed, self._slips)
        self._slips += not right
        off = sorted(sheet.off(grid.numbers))
        if off and grid.at not in off:
            grid._go(off[0])
        self._show()

    def action_draw(self) -> None:
        self._seed += 1
        self._maker.ask(HandAsked(Task.of(self._card), self._seed))

    def action_window(self) -> None:
        self._window += 1
        self._show()

    def action_back(self) -> None:
        self.dismiss(self._result)


def _made(asked: HandAsked) -> Sheet | None:
    from tui.lab_checker import GoneError, TooLongError, shared_checker

    try:
        sheet: Sheet | None = shared_checker().ask(asked)
    except (GoneError, TooLongError):
        return None
    return sheet


def _question(sheet: Sheet) -> str:
    asked = f"Fill in {sheet.target} for this input"
    if sheet.messages is not None and len(sheet.messages) > 1:
        sent = ", ".join(str(message) for message in sheet.messages.values())
        return f"{asked}. The messages are {sent}, so that every sum can be read."
    return f"{asked}."


def _result(sheet: Sheet, numbers: dict[Any, int], seed: int, slips: int) -> LabResult:
    rows, columns = sheet.size
    text = "\n".join(
        " ".join(str(numbers.get((i, j), 0)) for j in range(columns)) for i in range(rows)
    )
    right = sheet.right(numbers)
    verdict = Verdict("correct" if right else "wrong", "", seed, tried=1, failed=int(not right))
    return LabResult(text, verdict, slips, by_hand=True)
