"""Writes to the terminal only what is not on its screen already.

Textual paints every row that a changed layout touches, each run of it with its whole style: some
10 KB for a key. A pty hands on 4 KB at a time, and a line over ssh less; so the screen that was
written last is kept, and what is the same is left alone.

What an update holds is private to Textual: where a version of it holds something else, updates are
written as they are.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from functools import lru_cache
from operator import ne
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from rich.cells import split_graphemes
from rich.color import ColorSystem
from rich.style import Style
from textual import on
from textual.app import App
from textual.events import Mount, Resize
from textual.strip import Strip

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
    from textual.driver import Driver
    from textual.screen import Screen

try:
    from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate
except ImportError:
    _UPDATES: tuple[type, ...] = ()
    CompositorUpdate: Any = object  # type: ignore[no-redef]
else:
    _UPDATES = (ChopsUpdate, LayoutUpdate)

#: Cells that are the same and yet written, since to go past them takes as many bytes.
_GAP: Final = 8
_MOST: Final = 2048


class CellStyle(NamedTuple):
    """How a cell is written: the codes of its attributes and of its colours, the link that it is
    part of."""

    codes: str
    front: str
    back: str
    link: str


PLAIN: Final = CellStyle("", "", "", "")

#: Each look once: cells are compared soon that share theirs.
_STYLES: Final[dict[Hashable, CellStyle]] = {}


class Cells:
    """Cells of a row that stand side by side, from column `start` on."""

    def __init__(self, row: int, start: int) -> None:
        self.row, self.start = row, start
        self.texts: list[str | None] = []
        """The character, with what combines with it; "" is the second half of a wide one, None is
        not known."""
        self.looks: list[CellStyle | None] = []

    @property
    def end(self) -> int:
        return self.start + len(self.texts)

    def show(self, piece: Cells) -> Iterator[tuple[int, int]]:
        """Hold the piece from now on; of it the ranges that differ from what was held before."""
        where = slice(piece.start, piece.end)
        more = [None] * max(0, piece.end - self.end)
        self.texts += more
        self.looks += more
        texts, looks = self.texts[where], self.looks[where]
        if texts == piece.texts and looks == piece.looks:
            return
        if "" in piece.texts or "" in texts:
            # Terminals disagree about how wide some characters are: all of it, from its left end.
            yield 0, len(texts)
        else:
            others = map(ne, texts, piece.texts), map(ne, looks, piece.looks)
            start = end = -1
            for at, (other_text, other_look) in enumerate(zip(*others, strict=True)):
                if not other_text and not other_look:
                    continue
                if start >= 0 and at - end > _GAP:
                    yield start, end
                    start = at
                start, end = (at if start < 0 else start), at + 1
            yield start, end
        # Of a wide character that this cuts, no more is known.
        if piece.start and self.texts[piece.start] == "":
            self.texts[piece.start - 1] = None
        if self.texts[piece.end : piece.end + 1] == [""]:
            self.texts[piece.end] = None
        self.texts[where], self.looks[where] = piece.texts, piece.looks


class TerminalState:
    """What the terminal shows, as far as it is known."""

    def __init__(self) -> None:
        self._rows: dict[int, Cells] = {}

    def forget(self) -> None:
        """The terminal was given to another program, or changed its size."""
        self._rows.clear()

    def repainting(self, found: RenderableType | None) -> RenderableType | None:
        """The same, but for what is shown already."""
        if isinstance(found, _UPDATES):
            return Repaint(self, found)
        if found is not None:
            self.forget()
        return found

    def written(self, pieces: Iterable[Cells]) -> str:
        """The sequences that bring the pieces upon the screen, which shows them from now on."""
        out: list[str] = []
        look: CellStyle | None = PLAIN
        changed = [
            (piece, start, end)
            for piece in pieces
            for start, end in self._rows.setdefault(piece.row, Cells(piece.row, 0)).show(piece)
        ]
        # Single cells last: those of a scrollbar look alike.
        for piece, start, end in sorted(changed, key=lambda each: each[2] - each[1] == 1):
            look = _write(out, piece, start, end, look)
        _change(out, look, PLAIN)
        return "".join(out)


class RepaintingApp(App[int]):
    """Paints what is not on the screen already; where another program may have written on it, what
    it shows is forgotten."""

    def __init__(self, driver: type[Driver] | None, ansi_color: bool | None) -> None:
        super().__init__(driver, ansi_color=ansi_color)
        self._terminal = TerminalState()
        self._dropped = False
        """Whether something was to be painted amid a batch."""

    @on(Mount)
    def _watch(self) -> None:
        self.app_resume_signal.subscribe(self, self._forget, immediate=True)

    def owes_paint(self) -> bool:
        """Whether what would be painted now has to wait for the end of a batch."""
        self._dropped |= self._batch_count > 0
        return self._batch_count > 0

    def _display(self, screen: Screen[object], renderable: RenderableType | None) -> None:
        self._dropped |= renderable is not None and self._batch_count > 0
        super()._display(screen, self._terminal.repainting(renderable))

    def _end_batch(self) -> None:
        """Paint all that a batch dropped: Textual takes it for painted.

        (A layout amid a batch is painted a little later, when the batch may still wait for widgets
        to be mounted.)
        """
        super()._end_batch()
        if self._dropped and not self._batch_count:
            self._dropped = False
            self.screen.refresh()

    @on(Resize)
    def _forget(self, _: object) -> None:
        self._terminal.forget()

    def action_redraw(self) -> None:
        """Paint all of it again: something else wrote on the terminal."""
        self._terminal.forget()
        self.refresh()


def _write(
    out: list[str], piece: Cells, start: int, end: int, look: CellStyle | None
) -> CellStyle | None:
    """Add a range of the piece; the look that the terminal writes with then.

    Behind a character of several code points, whose width terminals disagree about, the cursor is
    put where it ought to be: what follows must not be shifted.
    """
    first = piece.start + start
    out.append(f"\x1b[{piece.row + 1};{first + 1}H")
    unsure = False
    cells = zip(piece.texts[start:end], piece.looks[start:end], strict=True)
    for column, (text, wanted) in enumerate(cells, first + 1):
        if wanted is not look and wanted != look:
            _change(out, look, wanted)
            look = wanted
        if unsure and text:
            out.append(f"\x1b[{column}G")
            unsure = False
        assert text is not None
        out.append(text)
        unsure = unsure or len(text) > 1
    return look


def _change(out: list[str], before: CellStyle | None, after: CellStyle | None) -> None:
    before, after = before or PLAIN, after or PLAIN
    if after.link != before.link:
        out.append(f"\x1b]8;;{after.link}\x1b\\")
    if after.codes != before.codes:
        out.append(f"\x1b[{';'.join(filter(None, ('0', *after[:3])))}m")
    elif after[1:3] != before[1:3]:
        front = (after.front or "39") if after.front != before.front else ""
        back = (after.back or "49") if after.back != before.back else ""
        out.append(f"\x1b[{front}{';' if front and back else ''}{back}m")


class Repaint(CompositorUpdate):
    """An update of Textual's, written by `TerminalState`; whole where it writes more than cells."""

    def __init__(self, shown: TerminalState, update: Any) -> None:
        self._shown, self._update = shown, update

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        found: RenderResult = self._update.__rich_console__(console, options)
        return found

    def render_segments(self, console: Console) -> str:
        try:
            pieces = _pieces(_strips(self._update), _system(console))
        except (AttributeError, TypeError, ValueError):  # not the Textual that this was written for
            pieces = None
        if pieces is None:
            self._shown.forget()
            whole: str = self._update.render_segments(console)
            return whole
        return self._shown.written(pieces)


def _system(console: Console) -> ColorSystem:
    found = {"standard": ColorSystem.STANDARD, "256": ColorSystem.EIGHT_BIT}
    return found.get(console.color_system or "", ColorSystem.TRUECOLOR)


def _strips(update: Any) -> Iterator[tuple[int, int, Strip]]:
    """(row, column, strip) of all that an update paints."""
    if isinstance(update, LayoutUpdate):
        for row, line in enumerate(update.strips, update.region.y):
            column = update.region.x
            for strip in line:
                yield row, column, strip
                column += strip.cell_length
        return
    for row, start, end in update.spans:
        ends = update.chop_ends[row]
        for until, (column, part) in zip(ends, update.chops[row].items(), strict=False):
            if part is not None and column < end and until > start:
                yield row, column, part.crop(0, end - column) if until > end else part


def _pieces(strips: Iterable[tuple[int, int, Strip]], system: ColorSystem) -> list[Cells] | None:
    """The cells of the strips; None where one holds more, such as a picture."""
    found: list[Cells] = []
    for row, column, strip in strips:
        if not found or found[-1].row != row or found[-1].end != column:
            found.append(Cells(row, column))
        piece = found[-1]
        for text, style, control in strip:
            if control:
                return None
            before, cells = _cells(text)
            if before and piece.texts:
                piece.texts[-1] = f"{piece.texts[-1]}{before}"
            piece.texts += cells
            piece.looks += [_look(style, not text.strip(" "), system)] * len(cells)
    return found


def _cells(text: str) -> tuple[str, Sequence[str]]:
    """What combines with the cell before the text, and the text of each of its cells."""
    return ("", text) if text.isascii() and text.isprintable() else _graphemes(text)


@lru_cache(maxsize=1024)
def _graphemes(text: str) -> tuple[str, Sequence[str]]:
    before, found = "", []
    for start, end, width in split_graphemes(text)[0]:
        if width == 0:
            before += text[start:end]
        else:
            found += [text[start:end], *[""] * (width - 1)]
    return before, tuple(found)


def _look(style: Style | None, blank: bool, system: ColorSystem) -> CellStyle:
    """Of a blank only what can be seen of it."""
    if style is None:
        return PLAIN
    seen = style.underline or style.underline2 or style.reverse or style.strike or style.overline
    # Not by the style itself, which also says where on its page a cell is.
    key: tuple[object, ...]
    if is_bare := blank and not seen and not style.link:
        key = (style.bgcolor, system)
    else:
        attributes = style._attributes & style._set_attributes
        key = (style.color, style.bgcolor, attributes, style.link, system)
    found = _STYLES.get(key)
    if found is None:
        if len(_STYLES) >= _MOST:
            _STYLES.clear()
        style = Style(bgcolor=style.bgcolor) if is_bare else style
        parts = style.without_color, Style(color=style.color), Style(bgcolor=style.bgcolor)
        codes, front, back = (Strip.render_ansi(part, system) for part in parts)
        found = _STYLES[key] = CellStyle(codes, front, back, style.link or "")
    return found
