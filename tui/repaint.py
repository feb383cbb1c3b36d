"""Writes to the terminal only what is not on its screen already.

Textual paints every row that a changed layout touches, each run of it with its whole style: some
10 KB for a key. A pty hands on 4 KB at a time, and a line over ssh less; so the screen that was
written last is kept, and what is the same is left alone.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from functools import lru_cache
from operator import ne
from typing import TYPE_CHECKING, Final, NamedTuple

from rich.cells import split_graphemes
from rich.color import ColorSystem
from rich.style import Style
from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate
from textual.strip import Strip

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult

#: Cells that are the same and yet written, since to go past them takes as many bytes.
_GAP: Final = 8
_MOST: Final = 2048


class CellStyle(NamedTuple):
    """How a cell is written: the codes of its style, the link that it is part of."""

    codes: str
    link: str


PLAIN: Final = CellStyle("", "")

#: Each look once: cells are compared soon that share theirs.
_STYLES: Final[dict[Hashable, CellStyle]] = {}


class AnsiWriter:
    """Writes runs of cells, changing the look only where it changes."""

    def __init__(self) -> None:
        self._out: list[str] = []
        self._look = PLAIN

    def write(self, row: int, column: int, cells: Sequence[tuple[str, CellStyle]]) -> None:
        """Behind a character of several code points, whose width terminals disagree about, the
        cursor is put where it ought to be: what follows must not be shifted."""
        self._out.append(f"\x1b[{row + 1};{column + 1}H")
        unsure = False
        for at, (text, look) in enumerate(cells, column + 1):
            if look is not self._look and look != self._look:
                self._change(look)
            if unsure and text:
                self._out.append(f"\x1b[{at}G")
                unsure = False
            self._out.append(text)
            unsure = unsure or len(text) > 1

    def _change(self, look: CellStyle) -> None:
        if look.link != self._look.link:
            self._out.append(f"\x1b]8;;{look.link}\x1b\\")
        if look.codes != self._look.codes:
            self._out.append(f"\x1b[0;{look.codes}m" if look.codes else "\x1b[0m")
        self._look = look

    def done(self) -> str:
        if self._out:
            self._change(PLAIN)
        return "".join(self._out)


class KnownRow:
    """The cells of a row from the left edge on, as far as they are known."""

    def __init__(self) -> None:
        self.texts: list[str | None] = []
        """The character, with what combines with it; "" is the second half of a wide one."""
        self.looks: list[CellStyle | None] = []

    def reach(self, end: int) -> None:
        more = max(0, end - len(self.texts))
        self.texts += [None] * more
        self.looks += [None] * more

    def take(self, piece: CellRun) -> None:
        """It shows the piece now; of a wide character that this cut, no more is known."""
        if piece.start and self.texts[piece.start] == "":
            self.texts[piece.start - 1] = None
        if self.texts[piece.end : piece.end + 1] == [""]:
            self.texts[piece.end] = None
        where = slice(piece.start, piece.end)
        self.texts[where], self.looks[where] = piece.texts, piece.looks


class CellRun:
    """Cells of a row that stand side by side."""

    def __init__(self, row: int, start: int) -> None:
        self.row, self.start = row, start
        self.texts: list[str] = []
        self.looks: list[CellStyle] = []

    @property
    def end(self) -> int:
        return self.start + len(self.texts)


class TerminalState:
    """What the terminal shows, as far as it is known."""

    def __init__(self) -> None:
        self._lines: dict[int, KnownRow] = {}

    def forget(self) -> None:
        """The terminal was given to another program, or changed its size."""
        self._lines.clear()

    def repainting(self, found: RenderableType | None) -> RenderableType | None:
        """The same, but for what is shown already."""
        if isinstance(found, ChopsUpdate | LayoutUpdate):
            return Repaint(self, found)
        if found is not None:
            self.forget()
        return found

    def written(self, pieces: Iterable[CellRun]) -> str:
        """The sequences that bring the pieces upon the screen, which shows them from now on."""
        pen = AnsiWriter()
        for piece in pieces:
            line = self._lines.setdefault(piece.row, KnownRow())
            line.reach(piece.end)
            where = slice(piece.start, piece.end)
            if line.texts[where] == piece.texts and line.looks[where] == piece.looks:
                continue
            for start, end in _changes(line, piece):
                cells = list(zip(piece.texts[start:end], piece.looks[start:end], strict=True))
                pen.write(piece.row, piece.start + start, cells)
            line.take(piece)
        return pen.done()


class Repaint(CompositorUpdate):
    """An update of Textual's, written by `TerminalState`; whole where it writes more than cells."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        return self._update.__rich_console__(console, options)

    def __init__(self, shown: TerminalState, update: ChopsUpdate | LayoutUpdate) -> None:
        self._shown, self._update = shown, update

    def render_segments(self, console: Console) -> str:
        pieces = _pieces(_strips(self._update), _system(console))
        if pieces is None:
            self._shown.forget()
            return self._update.render_segments(console)
        return self._shown.written(pieces)


def _system(console: Console) -> ColorSystem:
    found = {"standard": ColorSystem.STANDARD, "256": ColorSystem.EIGHT_BIT}
    return found.get(console.color_system or "", ColorSystem.TRUECOLOR)


def _strips(update: ChopsUpdate | LayoutUpdate) -> Iterator[tuple[int, int, Strip]]:
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


def _pieces(strips: Iterable[tuple[int, int, Strip]], system: ColorSystem) -> list[CellRun] | None:
    """The cells of the strips; None where one holds more, such as a picture."""
    found: list[CellRun] = []
    for row, column, strip in strips:
        if not found or found[-1].row != row or found[-1].end != column:
            found.append(CellRun(row, column))
        piece = found[-1]
        for text, style, control in strip:
            if control:
                return None
            before, cells = _cells(text)
            if before and piece.texts:
                piece.texts[-1] += before
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
        found = _STYLES[key] = CellStyle(Strip.render_ansi(style, system), style.link or "")
    return found


def _changes(line: KnownRow, piece: CellRun) -> Iterator[tuple[int, int]]:
    """Where the piece's cells are others than the line's, as ranges of the piece."""
    where = slice(piece.start, piece.end)
    texts, looks = line.texts[where], line.looks[where]
    if "" in piece.texts or "" in texts:
        # Terminals disagree about how wide some characters are: the whole of it, from its left end.
        yield 0, len(texts)
        return
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
