"""The lab's widgets: board, sliders, verdict, formula."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content, Span
from textual.events import Click
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Static

from engine.verdict import Case
from tui.lab import verdict as lab_text
from tui.lab.requests import Cell, InputSelection, InputView, Pooling, Rows, Step
from tui.lab.text import blocks, grid, labels
from tui.lab.verdict import window_at
from tui.widgets import grids
from tui.widgets.frame import TopLine
from tui.widgets.grids import MAXIMUM, OFF, Lattice

if TYPE_CHECKING:
    from cards.math.typesetter.box import Box
    from engine.verdict import Verdict
    from tui.lab.requests import ExerciseInfo
    from tui.lab.text import Hint

# Text that is replaced at every key: a new layout of the screen only where its size changes.


class Steady(Static):
    """`put` is `update`, and cheap while the text keeps its number of rows."""

    _rows = -1
    _put = Content("")

    def put(self, text: Content | str) -> None:
        content = Content(text) if isinstance(text, str) else text
        self._put = content
        rows = self._height(content)
        self.update(content, layout=rows < 0 or rows != self._rows)
        self._rows = rows

    def rows_in(self, width: int) -> int:
        """How many rows it would have, also while it is hidden."""
        return rows_of(self._put, width) if self._put else 0

    def _height(self, content: Content) -> int:
        width = self.content_size.width
        if not width:  # hidden, or not laid out yet
            return -1
        if not content:
            return 0
        return rows_of(content, width)


def rows_of(content: Content, width: int) -> int:
    """As many as it has when it is wrapped; to wrap it takes a millisecond, to look does not."""
    lines = content.plain.split("\n")
    if all(cell_len(line) <= width for line in lines):
        return len(lines)
    return len(content.wrap(width))


# The lab's board: the input that is shown, stepped through window by window.

#: Rows from which on a screen is no longer short.
TALL = 28
_KERNELS, _STRIDES = ("1", "2", "3", "4", "5"), ("1", "2", "3", "4")


class Board(Steady, can_focus=True):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,space", "screen.window(1)", "Window", id="board.next", key_display="→"),
        Binding("left", "screen.window(-1)", "Window before", show=False, id="board.before"),
    ]

    _state: tuple[InputView, Step] | None = None

    def show(self, picture: InputView, step: Step) -> None:
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


def sliders_for(brief: ExerciseInfo) -> list[Slider]:
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


def name(
    screen: Screen[Any], brief: ExerciseInfo, picture: InputView, shown: InputSelection
) -> None:
    """Say which input it is, and how large its windows are where no slider does."""
    top = screen.query_one(TopLine)
    geometry = lab_text.geometry(picture.pooling) if picture.pooling else ""
    top.right = picture.named
    if brief.window is None:
        top.middle = geometry
    else:
        screen.query_one(Sliders).show_instead("" if shown.look.failing is None else geometry)


# The lab's input: the current window drawn on x, its maximum lit, messages flowing back.

Titled = tuple[str, list[Content]]
Marked = tuple[str, Rows, dict[Cell, str]]


def drawn(
    picture: InputView, step: Step, width: int, height: int, outlines: bool = True
) -> Content:
    """In `width` columns; with the outlines of windows where they fit into `height` rows, and
    without its caption where even plain grids do not.

    There is room for the learner's grid from the beginning, so that nothing moves when it comes.
    """
    if picture.pooling is None:
        return grids.beside(_arrays(picture), width)
    whole = picture if picture.yours is not None else replace(picture, yours=picture.right)
    measured = _Board(whole, picture.pooling, step)
    board = _Board(picture, picture.pooling, step)
    if outlines:
        count, rows = measured.size(width, tall=True)
        if count == 1 and rows < height:
            return board.content(width, True, measured.gap(width, tall=True))
    captioned = step.stepping or measured.size(width, tall=False)[1] < height
    return board.content(width, False, measured.gap(width, tall=False), captioned)


def _arrays(picture: InputView) -> list[Titled]:
    yours = picture.right if picture.yours is None else picture.yours
    case = Case(
        picture.target, (), picture.inputs, {}, yours, picture.right, cells=list(picture.off)
    )
    arrays = blocks(case)
    columns = []
    for block in arrays[:-2]:
        columns.append((block.title, grids.rows(block.rows, shaded=block.title != "δ")))
    mine, right = arrays[-2:]
    columns.append((f"{picture.target}, engine", grids.rows(right.rows)))
    if picture.yours is not None:
        marks = dict.fromkeys(mine.marks, OFF)
        columns.append((mine.title, grids.rows(mine.rows, marks, crossed=True)))
    return columns


def _is_yours(title: str) -> bool:
    """Whether a grid may have crosses: there is room for them from the beginning."""
    return title.endswith(", yours")


class _Board:
    """The grids of max pooling at one of its windows."""

    def __init__(self, picture: InputView, pooling: Pooling, step: Step) -> None:
        self._picture, self._pooling, self._stepping = picture, pooling, step.stepping
        self._order = list(pooling.maxima)
        self._number = step.at % len(self._order)
        self._here = self._order[self._number]
        self._jacobian = picture.target != "dx"
        # As wide as it comes to be: nothing moves while messages flow back.
        right: Any = picture.right
        whole = (
            [row for window in right for of in window for row in of] if self._jacobian else right
        )
        self._least = grids.widest(labels(whole), 1)

    def content(self, width: int, tall: bool, gap: int, captioned: bool = True) -> Content:
        columns: list[Titled] = []
        for title, rows, marks in self._grids():
            lattice = self._lattice(title, rows, marks, tall)
            drawn = (
                lattice.rows()
                if lattice
                else grids.rows(rows, marks, least=self._wide(title), crossed=_is_yours(title))
            )
            columns.append((title, [Content("")] * (tall and title == "δ") + drawn))
        body = grids.beside(columns, width, gap)
        return Content("\n").join([self._caption(width), body]) if captioned else body

    def size(self, width: int, tall: bool) -> tuple[int, int]:
        """How many rows of grids the content has, and how many rows of text below its caption."""
        return grids.bands(self._blocks(tall), width)

    def gap(self, width: int, tall: bool) -> int:
        """The columns between its grids."""
        return grids.gap_for([wide for _, wide in self._blocks(tall)], width)

    def _blocks(self, tall: bool) -> list[tuple[int, int]]:
        """The rows and columns of each grid with its title."""
        blocks = []
        for title, rows, marks in self._grids():
            if lattice := self._lattice(title, rows, marks, tall):
                high, wide = lattice.size
            else:
                high = len(rows) + (tall and title == "δ")
                wide = len(rows[0]) * (1 + grids.widest(labels(rows), self._wide(title)))
                wide += (len(rows[0]) - 1) * _is_yours(title)
            blocks.append((high + 1, max(wide, len(title) + 1)))
        return blocks

    def _grids(self) -> list[Marked]:
        """Every grid with the styles of its cells."""
        found = [("x", _grid(self._picture.inputs["x"]), self._lit())]
        if not self._jacobian:
            found.append(("δ", _grid(self._picture.inputs["δ"]), {self._here: MAXIMUM}))
        return [*found, *self._messages()]

    def _lattice(
        self, title: str, rows: Rows, marks: Mapping[Cell, str], tall: bool
    ) -> Lattice | None:
        """With the windows over it, where they are drawn: on x, and where there is room on dx."""
        is_x = title == "x"
        if title == "δ" or not (is_x or tall):
            return None
        pooling = self._pooling
        windows = tuple(window_at(window, pooling) for window in self._order)
        lit = pooling.maxima[self._here] if is_x else None
        least = self._wide(title)
        return Lattice(rows, windows, windows[self._number], lit, marks, tall, is_x, least)

    def _wide(self, title: str) -> int:
        return 1 if title in ("x", "δ") else self._least

    def _lit(self) -> dict[Cell, str]:
        return dict.fromkeys(self._pooling.maxima.values(), MAXIMUM)

    def _messages(self) -> list[Marked]:
        """The engine's message and the learner's; of a Jacobian, the row of the window here."""
        right: Any = self._picture.right
        yours: Any = self._picture.yours
        off = set(self._picture.off)
        name, home = "dx", {self._pooling.maxima[self._here]: MAXIMUM}
        if self._jacobian:
            k, l = self._here  # noqa: E741  (the field's letters)
            name = f"df[{k},{l}]/dx"
            right, yours = right[k][l], yours and yours[k][l]
            off = {cell[2:] for cell in off if cell[:2] == self._here}
        columns = [(f"{name}, engine", right, home)]
        if self._stepping and not self._jacobian:
            title = f"{name}, after {self._number + 1} of {len(self._order)}"
            columns = [(title, self._flowed(), home)]
        if yours is not None:
            marks = {(cell[0], cell[1]): OFF for cell in off}
            columns.append((f"{name}, yours", yours, marks))
        return columns

    def _flowed(self) -> Rows:
        """What the messages of the windows up to here have added up to."""
        x, delta = _grid(self._picture.inputs["x"]), _grid(self._picture.inputs["δ"])
        found = [[0.0] * len(row) for row in x]
        for window in self._order[: self._number + 1]:
            i, j = self._pooling.maxima[window]
            found[i][j] += delta[window[0]][window[1]]
        return found

    def _caption(self, width: int) -> Content:
        k, l = self._here  # noqa: E741  (the field's letters)
        i, j = self._pooling.maxima[self._here]
        window, home = f" window ({k},{l}) of {len(self._order)}:", f"[{i},{j}]"
        said = [f"{window} its maximum is x{home}"]
        if self._stepping and not self._jacobian:
            [[sent]] = labels([[_grid(self._picture.inputs["δ"])[k][l]]])
            short = f"{window} maximum x{home}, message {sent} to dx{home}"
            said = [f"{said[0]}, so its message {sent} goes to dx{home}", short]
        return Content.styled(next((s for s in said if len(s) <= width), said[-1]), "dim")


def _grid(values: Any) -> Rows:
    return grid(values)


# Numbers and words to turn up and down: one line, ‹2› between its arrows.

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


# The verdict in a line, and below it all that is told of it.


class VerdictPane(Vertical):
    def compose(self) -> ComposeResult:
        yield Steady(id="headline")
        with VerticalScroll(id="details"):
            yield Steady(id="said")

    def show(
        self, verdict: Verdict | None, answer: str, hints: Sequence[Hint], brief: ExerciseInfo
    ) -> None:
        if verdict is None:
            # Where nothing is written, there is room to say what may be.
            said = lab_text.notation(brief).stylize("$foreground-muted")
        else:
            said = lab_text.details(verdict, answer, max(20, self.size.width - 4), hints)
        self._put(lab_text.headline(verdict, self.size.width - 2), said)

    def show_notation(self, brief: ExerciseInfo) -> None:
        head = Content.styled("How an answer is written", "bold")
        self._put(head, lab_text.notation(brief))

    def still_at_it(self) -> None:
        self.query_one("#headline", Steady).put(lab_text.STILL_AT_IT)

    def rows_in(self, width: int) -> int:
        """How many rows stand below the headline."""
        return self.query_one("#said", Steady).rows_in(width)

    def to_top(self) -> None:
        self.query_one("#details").scroll_home(animate=False)

    def _put(self, headline: Content, said: Content) -> None:
        self.query_one("#headline", Steady).put(headline)
        self.query_one("#said", Steady).put(said)


# A typeset formula's box as text with its styles.


class Typeset(Steady):
    """A formula as it was read, typeset."""

    _last: Box | None = None

    def show(self, box: Box | None, keep: bool) -> None:
        """With no box, the last one stays if it may, faint: half of a formula cannot be read."""
        if box is None and not keep:
            self._last = None
        self._last = box or self._last
        self.set_class(self._last is None, "-empty")
        if self._last is None:
            self.put("")
        else:
            self.put(formula(self._last, "" if box else "dim"))


_STYLES = {"bold": "bold", "italic": "italic", "warning": "$text-warning"}


def formula(box: Box, style: str = "") -> Content:
    """The rows of a box; `style` is for all of it."""
    lines = []
    for number, row in enumerate(box.rows):
        spans = [Span(0, len(row), style)] if style else []
        if len(row) == box.width:  # else some sign is two cells wide, and marks are in cells
            spans += [
                Span(mark.start, mark.end, _STYLES[mark.style])
                for mark in box.marks
                if mark.row == number and mark.style in _STYLES
            ]
        lines.append(Content(row, spans).rstrip())
    return Content("\n").join(lines)
