"""A small input filled in by hand: cells to fill in, and what each of them says."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.events import Click, Key
from textual.message import Message
from textual.reactive import reactive
from textual.widgets import Static

from engine.verdict import Verdict
from tui.lab import grids
from tui.lab import text as cases
from tui.lab.client import GoneError, TooLongError, shared_process
from tui.lab.grids import Lattice
from tui.lab.requests import Cell, ExerciseSpec
from tui.lab.verdict import geometry, window_at
from tui.lab.visit import LabResult
from tui.lab.worksheet import Worksheet, WorksheetRequest, explained, windows_right
from tui.latest import LatestOnly
from tui.screens.base import DeckScreen
from tui.widgets.frame import Footer, TopLine

if TYPE_CHECKING:
    from cards.model import Card

#: Digits that a cell takes.
_LONGEST = 6


class HandGrid(Static, can_focus=True):
    """Arrows and tab move, digits and - write; an empty cell is 0."""

    DEFAULT_CSS = "HandGrid { width: auto; height: auto; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1, 0)", "Up", show=False, id="hand.up"),
        Binding("down,j", "move(1, 0)", "Down", show=False, id="hand.down"),
        Binding("left,h", "move(0, -1)", "Left", show=False, id="hand.left"),
        Binding("right,l", "move(0, 1)", "Right", show=False, id="hand.right"),
        Binding("tab", "step(1)", "Next cell", id="hand.next", key_display="tab"),
        Binding("shift+tab", "step(-1)", "Previous cell", show=False, id="hand.before"),
        Binding("delete,ctrl+u", "clear", "Empty", show=False, id="hand.clear"),
    ]

    at: reactive[Cell] = reactive((0, 0))
    texts: reactive[dict[Cell, str]] = reactive(dict, layout=True)
    """What is written."""
    off: reactive[frozenset[Cell] | None] = reactive[frozenset[Cell] | None](None)
    """The cells that are wrong; None where none is marked."""
    shape: reactive[tuple[int, int]] = reactive((1, 1), layout=True)

    class Touched(Message):
        """The cursor is at another cell, or a number was changed."""

    def begin(self, shape: tuple[int, int]) -> None:
        """An empty grid."""
        self.shape, self.texts, self.off, self.at = shape, {}, None, (0, 0)

    @property
    def numbers(self) -> dict[Cell, int]:
        """What is written; a lone "-" is nothing yet."""
        return {cell: int(text) for cell, text in self.texts.items() if text.lstrip("-")}

    # Keys.

    def on_key(self, event: Key) -> None:
        text = self.texts.get(self.at, "")
        if event.key == "backspace":
            text = text[:-1]
        elif event.character is not None and event.character in "0123456789":
            text = (text + event.character)[:_LONGEST].lstrip("0") or "0"
        elif event.key in ("minus", "kp_minus"):
            text = text.removeprefix("-") if text.startswith("-") else f"-{text}"
        else:
            return
        event.stop()
        event.prevent_default()
        self._write(text)

    def action_clear(self) -> None:
        self._write("")

    def _write(self, text: str) -> None:
        written = {**self.texts, self.at: text}
        self.texts = {cell: text for cell, text in written.items() if text}
        self.post_message(self.Touched())

    def action_move(self, down: int, right: int) -> None:
        rows, columns = self.shape
        self.go(((self.at[0] + down) % rows, (self.at[1] + right) % columns))

    def action_step(self, step: int) -> None:
        """To the next cell, row by row."""
        rows, columns = self.shape
        self.go(divmod((self.at[0] * columns + self.at[1] + step) % (rows * columns), columns))

    def go(self, cell: Cell) -> None:
        self.at = cell
        self.post_message(self.Touched())

    def on_click(self, event: Click) -> None:
        if (at := event.get_content_offset(self)) is not None:
            cell = (at.y, at.x // (self._width + 2))
            if cell[0] < self.shape[0] and cell[1] < self.shape[1]:
                self.go(cell)

    # Drawing.

    @property
    def _width(self) -> int:
        """Of a number with a cross before it."""
        return max([5, *(1 + len(text) for text in self.texts.values())])

    def render(self) -> Content:
        rows, columns = self.shape
        lines = [Content("").join(self._cell((i, j)) for j in range(columns)) for i in range(rows)]
        return Content("\n").join(lines)

    def _cell(self, cell: Cell) -> Content:
        off = self.off is not None and cell in self.off
        style = "" if cell in self.texts else "dim"
        if off:
            style = "bold $text-error"
        elif self.off is not None and cell in self.texts:
            style = "bold $text-success"
        body = f"{'✗' if off else ''}{self.texts.get(cell, '·')}".rjust(self._width)
        if cell == self.at:
            # Brackets, so that it is seen without colours.
            return Content.styled(f"[{body}]", f"{style} reverse".strip())
        return Content.styled(f" {body} ", style)


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
        self._seed, self._window = 0, -1
        self._sheet: Worksheet | None = None
        self._checked = False
        self._slips = 0
        self._result: LabResult | None = None
        self._maker: LatestOnly[WorksheetRequest, Worksheet | None] = LatestOnly(
            self, _made, self._hear
        )

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
        self.action_draw()

    def action_draw(self) -> None:
        self._seed += 1
        self._maker.ask(WorksheetRequest(ExerciseSpec.of(self._card), self._seed))

    def _hear(self, sheet: Worksheet | None) -> None:
        self._sheet, self._checked, self._window = sheet, False, -1
        self.query_one("#hand").display = sheet is not None
        if sheet is None:
            self.put("#ask", f"{_NONE} {self.key('hand.back')} goes back.")
            return
        asked = f"Fill in {sheet.target} for this input."
        if sheet.messages is not None and len(sheet.messages) > 1:
            sent = ", ".join(str(message) for message in sheet.messages.values())
            asked += f" The messages are {sent}, so that every sum can be read."
        self.put("#ask", asked)
        top = self.query_one(TopLine)
        top.right = sheet.named
        if sheet.pooling is not None:
            top.middle = geometry(sheet.pooling)
        self.put("#title", f" {sheet.target}, by hand")
        self.refresh_bindings()
        self.query_one(HandGrid).begin(sheet.size)
        self._show()

    # Showing.

    @on(HandGrid.Touched)
    def _show(self) -> None:
        if (sheet := self._sheet) is None:
            return
        grid = self.query_one(HandGrid)
        given = [
            (name, self._x(sheet) if name == "x" and sheet.pooling else grids.rows(cases.grid(of)))
            for name, of in sheet.inputs.items()
        ]
        room = max(20, self.size.width - 7 * sheet.size[1] - 8)
        self.query_one("#given", Static).update(grids.beside(given, room))
        grid.off = sheet.off(grid.numbers) if self._checked else None
        self.query_one("#windows", Static).update(self._windows(sheet, grid))
        self.query_one("#explained", Static).update(self._explained(sheet, grid))

    def _x(self, sheet: Worksheet) -> list[Content]:
        """With a window that is asked for; of a Jacobian's row, the one asked about."""
        assert sheet.pooling is not None
        every = tuple(window_at(window, sheet.pooling) for window in sheet.messages or {})
        here = None
        if self._window >= 0 or len(every) == 1:
            here = every[max(0, self._window) % len(every)]
        return Lattice(cases.grid(sheet.inputs["x"]), every, here).rows()

    def _windows(self, sheet: Worksheet, grid: HandGrid) -> Content:
        """Each window with its mark."""
        if sheet.messages is None or not self._checked:
            return Content("")
        parts: list[tuple[str, str]] = [("windows  ", "dim")]
        for (k, l), right in windows_right(sheet, grid.numbers).items():  # noqa: E741
            sign = ("✓", "bold $text-success") if right else ("✗", "bold $text-error")
            parts += [(f"({k},{l}) ", ""), sign, ("   ", "")]
        return Content.assemble(*parts)

    def _explained(self, sheet: Worksheet, grid: HandGrid) -> Content:
        if not self._checked:
            key = self.key("hand.check")
            return Content.styled(f"{key} checks it; an empty cell is 0", "dim")
        if grid.off:
            wrong = f"✗ {len(grid.off)} of {len(sheet.cells)} cells are not right"
            head = Content.styled(wrong, "bold $text-error")
        else:
            head = Content.styled("✓ every cell is right", "bold $text-success")
        said = explained(sheet, grid.at, grid.numbers.get(grid.at, 0))
        return Content("\n").join([head, Content(said)])

    # Keys.

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        return action != "window" or (self._sheet is not None and self._sheet.pooling is not None)

    def action_check(self) -> None:
        """Mark the cells, from now on at each key; go to the first that is wrong."""
        if (sheet := self._sheet) is None:
            return
        grid = self.query_one(HandGrid)
        self._checked = True
        off = sheet.off(grid.numbers)
        rows, columns = sheet.size
        text = "\n".join(
            " ".join(str(grid.numbers.get((i, j), 0)) for j in range(columns)) for i in range(rows)
        )
        verdict = Verdict("wrong" if off else "correct", "", self._seed, 1, failed=int(bool(off)))
        self._result = LabResult(text, verdict, self._slips, by_hand=True)
        self._slips += bool(off)
        if off and grid.at not in off:
            grid.go(min(off))
        self._show()

    def action_window(self) -> None:
        self._window += 1
        self._show()

    def action_back(self) -> None:
        self.dismiss(self._result)


def _made(asked: WorksheetRequest) -> Worksheet | None:
    try:
        return shared_process().ask(asked)
    except (GoneError, TooLongError):
        return None
