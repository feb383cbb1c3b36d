"""The lab's widgets: board, sliders, verdict, formula."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content, Span
from textual.events import Click
from textual.message import Message
from textual.reactive import reactive
from textual.widgets import Static

from engine.verdict import Counterexample
from tui.lab import grids
from tui.lab import verdict as lab_text
from tui.lab.grids import MAXIMUM, OFF, Lattice, Titled
from tui.lab.requests import Cell, InputView, PoolingView, Rows
from tui.lab.text import MARKS, blocks, grid, labels
from tui.lab.verdict import window_at

if TYPE_CHECKING:
    from cards.math.typesetter.box import Box
    from engine.verdict import Verdict
    from tui.lab.requests import ExerciseInfo, MarkedLine
    from tui.lab.text import Hint


class Steady(Static):
    """Text that is replaced at every key: `put` is `update`, and cheap while the text keeps its
    number of rows, for a new layout of the screen takes its time."""

    _rows = -1

    def put(self, text: Content | str) -> None:
        content = Content(text) if isinstance(text, str) else text
        width = self.content_size.width
        # Without a width it is hidden, or not laid out yet.
        rows = rows_of(content, width) if width and content else -1
        self.update(content, layout=rows < 0 or rows != self._rows)
        self._rows = rows


def rows_of(content: Content, width: int) -> int:
    """As many as it has when it is wrapped; to wrap it takes a millisecond, to look does not."""
    lines = content.plain.split("\n")
    if all(cell_len(line) <= width for line in lines):
        return len(lines)
    return len(content.wrap(width))


# The lab's board: the input that is shown, stepped through window by window.

#: What stands beside an input: the learner's message, the engine's, or what of that has flowed
#: back up to a window.
Told = Literal["yours", "engine", "flow"]

#: Rows from which on a screen is no longer short.
TALL = 28


class Board(Steady, can_focus=True):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,space", "screen.window(1)", "Window", id="board.next", key_display="→"),
        Binding("left", "screen.window(-1)", "Previous window", show=False, id="board.before"),
    ]

    _state: tuple[InputView, int, Told] | None = None

    def show(self, picture: InputView, at: int, told: Told) -> None:
        if self._state != (state := (picture, at, told)):
            self._state = state
            self._draw()

    def on_resize(self) -> None:
        # Now, the toolkit may still owe a layout of its own, and would forget ours.
        self.call_after_refresh(self._draw)

    def _draw(self) -> None:
        if self._state is not None:
            width, height = self.app.size
            # As in lab.tcss: a short screen has no rows for the lines between its cells.
            tall = height >= TALL
            rows = height // 2 - 2 if tall else height * 9 // 20
            self.put(drawn(*self._state, max(20, width - 1), rows, tall))


def drawn(
    picture: InputView, at: int, told: Told, width: int, height: int, outlines: bool
) -> Content:
    """At window `at`, in `width` columns; with `outlines` of windows where they fit into `height`
    rows, and without its caption where even plain grids do not."""
    if picture.pooling is None:
        return grids.beside(_arrays(picture, told), width)
    board = _Board(picture, picture.pooling, at, told)
    tall = outlines and board.fits(width, height)
    columns = board.columns(tall)
    # In two bands, what is low stands with what is low.
    orders = (columns, [columns[0], *columns[2:], columns[1]]) if len(columns) > 2 else (columns,)
    room = min((grids.arranged(order, width) for order in orders), key=lambda one: one.height)
    captioned = tall or told == "flow" or room.height < height
    return Content("\n").join([board.caption(width)] * captioned + [room.content()])


def _arrays(picture: InputView, told: Told) -> list[Titled]:
    """The grids of an exercise without windows."""
    yours = _blank(picture.right) if picture.yours is None else picture.yours
    case = Counterexample(
        picture.target, (), picture.inputs, {}, yours, picture.right, cells=list(picture.off)
    )
    *arrays, mine, right = blocks(case)
    columns: list[Titled] = [
        (block.title, grids.rows(block.rows, shaded=block.title != "δ")) for block in arrays
    ]
    least = grids.widest(labels(right.rows), 1)
    title, shown, marks = mine.title, mine, dict.fromkeys(mine.marks, OFF)
    if told == "engine":
        title, shown, marks = f"{picture.target}, engine", right, {}
    columns.append((title, grids.rows(shown.rows, marks, least=least, crossed=True)))
    return columns


def _blank(values: Any) -> Any:
    """An array of the same shape with nothing in it."""
    return [_blank(part) for part in values] if isinstance(values, list) else None


class _Board:
    """The grids of max pooling at one of its windows."""

    def __init__(self, picture: InputView, pooling: PoolingView, at: int, told: Told) -> None:
        self._picture, self._pooling = picture, pooling
        self._order = list(pooling.maxima)
        self._number = at % len(self._order)
        self._here = self._order[self._number]
        self._home = pooling.maxima[self._here]
        self._jacobian = picture.target != "dx"
        self._told = "yours" if told == "flow" and self._jacobian else told
        self._x = grid(picture.inputs["x"])
        self._delta = [] if self._jacobian else grid(picture.inputs["δ"])
        # As wide as they come to be: nothing moves while messages flow back.
        self._least = grids.widest(labels(grid(picture.right)), 1)

    def fits(self, width: int, height: int) -> bool:
        """Whether lattices with lines stand beside each other and leave a row for the caption."""
        sizes = [
            (rows, max(columns, cell_len(title) + 1))
            for title, lattice in self._lattices(tall=True)
            for rows, columns in [lattice.size]
        ]
        if not self._jacobian:
            messages = len(self._delta[0]) * (1 + grids.widest(labels(self._delta), 1))
            sizes.append((0, max(messages, 2)))
        taken = sum(columns for _, columns in sizes) + len(sizes) - 1
        return taken <= width and max(rows for rows, _ in sizes) + 1 < height

    def columns(self, tall: bool) -> list[Titled]:
        """On x the windows are drawn, and where lines have rows of their own on the messages."""
        columns: list[Titled] = [(title, each.rows()) for title, each in self._lattices(tall)]
        if not tall:
            title, rows, marks = self._message()
            columns.append((title, grids.rows(rows, marks, least=self._least, crossed=True)))
        if not self._jacobian:
            above = [Content("")] if tall else []
            delta = above + grids.rows(self._delta, {self._here: MAXIMUM})
            columns.insert(1, ("δ", delta))
        return columns

    def _lattices(self, tall: bool) -> list[tuple[str, Lattice]]:
        windows = [window_at(window, self._pooling) for window in self._order]
        here = windows[self._number]
        lit = dict.fromkeys(self._pooling.maxima.values(), MAXIMUM)
        lattices = [("x", Lattice(self._x, windows, here, self._home, lit, tall))]
        if tall:
            title, rows, marks = self._message()
            lattice = Lattice(rows, windows, here, None, marks, tall, False, self._least)
            lattices.append((title, lattice))
        return lattices

    def _message(self) -> tuple[str, Rows, dict[Cell, str]]:
        """What is told of the message; of a Jacobian, of the row of the window here."""
        right: Any = self._picture.right
        yours: Any = self._picture.yours
        off, name = set(self._picture.off), "dx"
        if self._jacobian:
            k, l = self._here  # noqa: E741  (the field's letters)
            name = f"df[{k},{l}]/dx"
            right, yours = right[k][l], yours and yours[k][l]
            off = {cell[2:] for cell in off if cell[:2] == self._here}
        if self._told == "engine":
            return f"{name}, engine", right, {self._home: MAXIMUM}
        if self._told == "flow":
            title = f"{name}, after {self._number + 1} of {len(self._order)}"
            return title, self._flowed(), {self._home: MAXIMUM}
        marks = {(cell[0], cell[1]): OFF for cell in off}
        rows = _blank(right) if yours is None else yours
        undefined = any(value != value for row in rows for value in row)
        return f"{name}, yours{' (? is undefined)' * undefined}", rows, marks

    def _flowed(self) -> Rows:
        """What the messages of the windows up to here have added up to."""
        found = [[0.0] * len(row) for row in self._x]
        for window in self._order[: self._number + 1]:
            i, j = self._pooling.maxima[window]
            found[i][j] += self._delta[window[0]][window[1]]
        return found

    def caption(self, width: int) -> Content:
        (k, l), (i, j) = self._here, self._home  # noqa: E741  (the field's letters)
        window, home = f" window ({k},{l}) of {len(self._order)}:", f"[{i},{j}]"
        said = [f"{window} its maximum is x{home}"]
        if self._told == "flow":
            [[sent]] = labels([[self._delta[k][l]]])
            short = f"{window} maximum x{home}, message {sent} to dx{home}"
            said = [f"{said[0]}, so its message {sent} goes to dx{home}", short]
        elif self._lattices(tall=False)[0][1].overlaps:
            said.insert(0, f"{said[0]}; the deeper an entry is shaded, the more windows hold it")
        return Content.styled(next((s for s in said if len(s) <= width), said[-1]), "dim")


# Numbers and words to turn up and down: one line, ‹2› between its arrows.

_KERNELS, _STRIDES = ("1", "2", "3", "4", "5"), ("1", "2", "3", "4")
#: Of an arrow that turns no further.
_STUCK = "$foreground 25%"


@dataclass(frozen=True, slots=True)
class Slider:
    name: str
    values: tuple[str, ...]
    at: int = 0

    @property
    def value(self) -> str:
        return self.values[self.at]


def sliders_for(brief: ExerciseInfo) -> tuple[Slider, ...]:
    """What the exercise leaves free."""
    values = (Slider("values", brief.values),) if brief.values else ()
    if brief.window is None:
        return values
    kernel = Slider("kernel", _KERNELS, brief.window.kernel - 1)
    stride = Slider("stride", _STRIDES, brief.window.stride - 1)
    return (kernel, stride, Slider("padding", _paddings(kernel)), *values)


def _paddings(kernel: Slider) -> tuple[str, ...]:
    """Half of the kernel at most."""
    return tuple(map(str, range(int(kernel.value) // 2 + 1)))


class Sliders(Static, can_focus=True):
    """Left and right choose one, up and down turn it; a click on ‹ or › turns too."""

    DEFAULT_CSS = "Sliders { height: 1; padding: 0 1; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        # Not by h: a letter of the lab's own does the same wherever nothing is written.
        Binding("left", "choose(-1)", "Left", show=False, id="sliders.left"),
        Binding("right", "choose(1)", "Right", show=False, id="sliders.right"),
        Binding("up,k,plus,equals_sign", "turn(1)", "More", id="sliders.more", key_display="↑"),
        Binding("down,j,minus", "turn(-1)", "Less", id="sliders.less", key_display="↓"),
    ]

    at: reactive[int] = reactive(0)
    """Which of them the keys turn."""
    sliders: reactive[tuple[Slider, ...]] = reactive(())
    instead: reactive[str] = reactive("")
    """What is shown in their place until one is turned, or ""."""

    class Turned(Message):
        """One of them has another value."""

    def __init__(self, sliders: tuple[Slider, ...], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.set_reactive(Sliders.sliders, sliders)

    @property
    def values(self) -> dict[str, str]:
        return {slider.name: slider.value for slider in self.sliders}

    def watch_has_focus(self, focused: bool) -> None:
        super().watch_has_focus(focused)
        self.refresh()

    def action_choose(self, step: int) -> None:
        self.at = (self.at + step) % len(self.sliders)

    def action_turn(self, step: int) -> None:
        turned = self.sliders[self.at]
        at = turned.at + step
        if not 0 <= at < len(turned.values):
            return
        sliders = {slider.name: slider for slider in self.sliders}
        sliders[turned.name] = turned = replace(turned, at=at)
        if turned.name == "kernel":
            paddings = _paddings(turned)
            least = min(sliders["padding"].at, len(paddings) - 1)
            sliders["padding"] = Slider("padding", paddings, least)
        self.sliders = tuple(sliders.values())
        self.post_message(self.Turned())

    def render(self) -> Content:
        if self.instead and not self.has_focus:
            return Content.styled(self.instead, "dim")
        parts: list[tuple[str, str]] = []
        for n, slider in enumerate(self.sliders):
            chosen = self.has_focus and n == self.at
            more, less = slider.at + 1 < len(slider.values), slider.at > 0
            parts += [
                (f"{slider.name} ", "dim"),
                ("‹", "$text-primary" if less else _STUCK),
                (slider.value, "bold reverse" if chosen else "bold"),
                ("›", "$text-primary" if more else _STUCK),
                ("  ", ""),
            ]
        return Content.assemble(*parts)

    def on_click(self, event: Click) -> None:
        at = event.get_content_offset(self)
        start = 0
        for n, slider in enumerate(self.sliders if at is not None else ()):
            left = start + len(slider.name) + 1
            right = left + 1 + len(slider.value)
            if at is not None and start <= at.x <= right:
                self.at = n
                if at.x in (left, right):
                    self.action_turn(1 if at.x == right else -1)
            start = right + 3


class PartsList(Static, can_focus=True):
    """The messages that are asked for, each with a mark where it was given."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,left,k", "choose(-1)", "Part before", show=False, id="parts.before"),
        Binding("down,right,j", "choose(1)", "Next part", show=False, id="parts.next"),
        Binding("enter", "go", "Write it", id="parts.go", tooltip="Write this part"),
    ]

    at: reactive[int] = reactive(0)

    class Chosen(Message):
        """A part is to be written."""

        def __init__(self, part: str) -> None:
            super().__init__()
            self.part = part

    def __init__(self, parts: Sequence[str]) -> None:
        super().__init__(id="parts")
        self._parts = parts
        self._given: Collection[str] = ()

    def show(self, given: Collection[str]) -> None:
        self._given = given
        self.refresh()

    def watch_has_focus(self, focused: bool) -> None:
        super().watch_has_focus(focused)
        self.refresh()

    def render(self) -> Content:
        chosen = self.at if self.has_focus else None
        return lab_text.checklist(self._parts, self._given, chosen)

    def action_choose(self, step: int) -> None:
        self.at = (self.at + step) % len(self._parts)

    def action_go(self) -> None:
        self.post_message(self.Chosen(self._parts[self.at]))


class VerdictPane(Vertical):
    """The verdict in a line, and below it all that is told of it."""

    def compose(self) -> ComposeResult:
        yield Steady(id="headline")
        with VerticalScroll(id="details"):
            yield Steady(id="said")

    def show(
        self,
        verdict: Verdict | None,
        answer: str,
        hints: Sequence[Hint],
        brief: ExerciseInfo,
        offer: str,
    ) -> None:
        """`offer`: how to go on, where nothing is written or all is right."""
        if verdict is None:
            # Where nothing is written, there is room to say what may be.
            said = lab_text.notation(brief).stylize("$foreground-muted")
        else:
            said = lab_text.details(verdict, answer, max(20, self.size.width - 4), hints)
            if offer:
                said = Content("\n").join([Content.styled(offer, "$foreground-muted"), said])
        self._put(lab_text.headline(verdict, self.size.width - 2, offer), said)

    def show_notation(self, brief: ExerciseInfo) -> None:
        self._put(Content.styled("How an answer is written", "bold"), lab_text.notation(brief))

    def to_top(self) -> None:
        self.query_one("#details").scroll_home(animate=False)

    def _put(self, headline: Content, said: Content) -> None:
        self.query_one("#headline", Steady).put(headline)
        self.query_one("#said", Steady).put(said)


_STYLES = {"bold": "bold", "italic": "italic", "warning": "$text-warning"}


class Typeset(Steady):
    """A formula as it was read, typeset."""

    _last: Box | None = None

    def show(self, box: Box | None, keep: bool) -> None:
        """With no box, the last one stays if it may, faint: half of a formula cannot be read."""
        self._last = box or (self._last if keep else None)
        self.set_class(self._last is None, "-empty")
        self.put(formula(self._last, "" if box else "dim") if self._last is not None else "")

    def show_lines(self, lines: Sequence[MarkedLine], rows: int) -> None:
        """A derivation in so many rows, each side behind its mark, with the first that is wrong."""
        self._last = None
        self.set_class(False, "-empty")
        self.put(_seen(lines, rows))


#: Styles of the marks before the sides of a derivation.
_MARKED = {
    "follows": "$text-success",
    "again": "$text-success",
    "wrong": "bold $text-error",
    "carried": "$text-warning",
}


def _seen(lines: Sequence[MarkedLine], rows: int) -> Content:
    """As many sides as there is room for, and how many more there are."""
    first, last = _span(lines, rows)
    if last - first < len(lines):
        first, last = _span(lines, rows - 1)
    told = [f"{n} {at}" for n, at in ((first, "above"), (len(lines) - last, "below")) if n]
    note = [Content.styled(f"  more lines: {', '.join(told)}", "$foreground-muted")] if told else []
    return Content("\n").join([*map(_marked, lines[first:last]), *note])


def _span(lines: Sequence[MarkedLine], rows: int) -> tuple[int, int]:
    """From and to which side: the first that is wrong or else the last, with the one behind it, and
    then those before and behind them."""
    wrong = next((n for n, one in enumerate(lines) if one.mark in ("wrong", "unread")), None)
    at = len(lines) - 1 if wrong is None else wrong
    first, last, room = at, at + 1, rows - len(lines[at].box.rows)
    for n in (at + 1, *range(at - 1, -1, -1), *range(at + 2, len(lines))):
        if n in (first - 1, last) and n < len(lines) and len(lines[n].box.rows) <= room:
            first, last, room = min(first, n), max(last, n + 1), room - len(lines[n].box.rows)
    return first, last


def _marked(line: MarkedLine) -> Content:
    sign, style = MARKS[line.mark][0], _MARKED.get(line.mark, "$foreground-muted")
    faint = "$foreground-muted" if line.mark == "unread" else ""
    rows = formula(line.box, faint).split("\n")
    for n, row in enumerate(rows):
        mark = (f"{sign} ", style) if n == line.box.baseline else "  "
        rows[n] = Content.assemble(mark, row)
    return Content("\n").join(rows)


def formula(box: Box, style: str = "") -> Content:
    """The rows of a box as text with its styles; `style` is for all of it."""
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
