"""A long list whose rows are read when seen, and items as its rows."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding, BindingType
from textual.events import Click
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from cards.cloze import revealed
from cards.math import typeset
from deck.errors import CollectionError
from deck.replay import Learning, New
from deck.study_day import study_day
from tui.text import initials, interval, visible, visible_line

if TYPE_CHECKING:
    from cards.model import Card
    from deck.collection import Collection
    from deck.search.match import Highlights

# A list of any length: only the rows that are seen are ever asked for, a few at a time.

#: A piece of a row: its text, and the names of its styles (component classes without "row--").
RowPiece = tuple[str, tuple[str, ...]]
#: A row's pieces, by its id, for a width in cells.
DrawRow = Callable[[str, int], Sequence[RowPiece]]
#: Whether a row can be drawn without reading anything.
Ready = Callable[[str], bool]
#: Rows read before the first paint; the rest follow.
_AT_ONCE = 4
#: Drawn rows that are kept.
_KEPT = 1000
STYLES = ("dim", "found", "marked", "late", "new", "bold")


class LongList(ScrollView, can_focus=True):
    """`draw` gives the pieces of a row for a width in cells; ids name the rows.

    A row that is not `ready` takes its time: of those only some are drawn with a key, so that a key
    is answered at once wherever it leads.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {f"row--{name}" for name in (*STYLES, "cursor")}
    DEFAULT_CSS = """
    LongList { background: $background; scrollbar-size-vertical: 1; overflow-x: hidden; }
    LongList .row--cursor { background: $primary-muted; }
    LongList .row--dim { color: $text-muted; }
    LongList .row--found { color: $text-warning; text-style: bold underline; }
    LongList .row--marked { color: $text-accent; text-style: bold; }
    LongList .row--late { color: $text-error; }
    LongList .row--new { color: $text-primary; }
    LongList .row--bold { text-style: bold; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "go(1)", "Down", show=False, id="rows.down"),
        Binding("k,up", "go(-1)", "Up", show=False, id="rows.up"),
        Binding("pagedown,ctrl+d", "page(1)", "Page down", show=False, id="rows.page-down"),
        Binding("pageup,ctrl+u", "page(-1)", "Page up", show=False, id="rows.page-up"),
        Binding("g,home", "edge(0)", "First", show=False, id="rows.first"),
        Binding("G,end", "edge(-1)", "Last", show=False, id="rows.last"),
        Binding("space", "mark", "Mark", id="rows.mark", key_display="space"),
        Binding("asterisk", "mark_all", "Mark all", show=False, id="rows.mark-all"),
        Binding("enter", "open", "Open", id="rows.open"),
    ]

    @dataclass
    class Highlighted(Message):
        """The cursor stands on another row; None where there is none."""

        item: str | None

    @dataclass
    class Opened(Message):
        item: str

    @dataclass
    class Marked(Message):
        """What is marked changed."""

    def __init__(self, draw: DrawRow, ready: Ready, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._draw, self._ready = draw, ready
        self._left = 0
        self._drawn: dict[tuple[str, int, bool, bool], Strip] = {}
        self._styles: dict[tuple[str, ...], Style] = {}
        self.items: Sequence[str] = ()
        self.cursor = 0
        self.marked: set[str] = set()

    @property
    def current(self) -> str | None:
        """The row under the cursor."""
        return self.items[self.cursor] if self.items else None

    @property
    def chosen(self) -> list[str]:
        """The marked rows in their order, else the one under the cursor."""
        if self.marked:
            return [item for item in self.items if item in self.marked]
        return [self.current] if self.current is not None else []

    def show(self, items: Sequence[str], from_top: bool = False) -> None:
        """Replace the rows.  The cursor stays on its row if that is still there, else, or with
        `from_top`, it goes to the first."""
        before = None if from_top else self.current
        self.items = items
        self.marked &= set(items) if self.marked else set()
        self.virtual_size = Size(0, len(items))
        self.cursor = -1
        self._move(items.index(before) if before in items else 0)
        self._drawn.clear()  # the same rows may say something else now
        self.refresh()

    # Drawing.

    def render_lines(self, crop: Region) -> list[Strip]:
        self._left = _AT_ONCE
        strips = super().render_lines(crop)
        if self._left < 0:
            self.call_after_refresh(self.refresh)
        return strips

    def render_line(self, y: int) -> Strip:
        width, at = self.scrollable_content_region.width, y + self.scroll_offset.y
        if at >= len(self.items):
            return Strip.blank(width, self._style(()))
        item = self.items[at]
        key = (item, width, item in self.marked, at == self.cursor)
        if (strip := self._drawn.get(key)) is None:
            strip = self._read(*key)
        return strip

    def _read(self, item: str, width: int, marked: bool, here: bool) -> Strip:
        """A row as it is drawn, or the ground of one that must wait."""
        ground = ("cursor",) if here else ()
        if not self._ready(item):
            self._left -= 1
            if self._left < 0:
                return Strip.blank(width, self._style(ground))
        mark: RowPiece = ("● ", ("marked",)) if marked else ("  ", ())
        segments = [
            Segment(text, self._style(ground + names))
            for text, names in (mark, *self._draw(item, width - 2))
        ]
        while len(self._drawn) >= _KEPT:
            del self._drawn[next(iter(self._drawn))]
        strip = Strip(segments).adjust_cell_length(width, self._style(ground))
        self._drawn[item, width, marked, here] = strip
        return strip

    def _style(self, names: tuple[str, ...]) -> Style:
        """The row's ground, and the colours of letters on it."""
        if (style := self._styles.get(names)) is None:
            style = self.rich_style
            for name in names:
                s = self.get_component_rich_style(f"row--{name}")
                letters = Style(color=s.color, bold=s.bold, underline=s.underline)
                style += s if name == "cursor" else letters
            self._styles[names] = style
        return style

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._styles.clear()
        self._drawn.clear()

    # Moving.

    def _move(self, place: int) -> None:
        place = max(0, min(place, len(self.items) - 1))
        if place == self.cursor:
            return
        before, self.cursor = self.cursor, place
        for row in (before, place):  # only these: the rest of the terminal stays as it is
            self.refresh(Region(0, row - self.scroll_offset.y, self.outer_size.width, 1))
        self.scroll_to_region(Region(0, place, 1, 1), animate=False, force=True)
        self.post_message(self.Highlighted(self.current))

    def action_go(self, rows: int) -> None:
        self._move(self.cursor + rows)

    def action_page(self, pages: int) -> None:
        self._move(self.cursor + pages * max(1, self.size.height - 2))

    def action_edge(self, side: int) -> None:
        self._move(0 if side == 0 else len(self.items) - 1)

    def on_click(self, event: Click) -> None:
        place = event.y + self.scroll_offset.y
        if place < len(self.items):
            again = place == self.cursor
            self._move(place)
            if again and event.chain > 1:
                self.action_open()

    # Marking and opening.

    def action_mark(self) -> None:
        if (item := self.current) is not None:
            self.marked ^= {item}
            self.post_message(self.Marked())
            self.refresh()
            self._move(self.cursor + 1)

    def action_mark_all(self) -> None:
        """All; where all are marked, none."""
        self.marked = set() if len(self.marked) == len(self.items) else set(self.items)
        self.post_message(self.Marked())
        self.refresh()

    def action_open(self) -> None:
        if (item := self.current) is not None:
            self.post_message(self.Opened(item))


# An item as a row of the browser; each is read when it is first seen, and the latest are kept.

_ROWS: Final = 2000


@dataclass(frozen=True, slots=True)
class ItemRow:
    item_id: str
    title: tuple[Bit, ...]
    """The question's first words, formulas set, on one line."""
    course: str
    type: str
    due: str
    """When it comes, short: "new", "today", "3 d", "-2 d" where it is overdue."""
    suspended: bool
    missing: bool = False
    """The card went away after the search found it."""
    part: str = ""
    """Which of its card's items it is: "c2" of a cloze card, "r" of a reversed one's second."""


class ItemRows:
    """The rows of items, as the collection has them at `now`."""

    def __init__(self, collection: Collection, now: datetime) -> None:
        self._collection, self._now = collection, now
        self._kept: OrderedDict[str, ItemRow] = OrderedDict()

    def __call__(self, item_id: str) -> ItemRow:
        row = self._kept.get(item_id)
        if row is None:
            row = self._kept[item_id] = self._read(item_id)
            if len(self._kept) > _ROWS:
                self._kept.popitem(last=False)
        return row

    def knows(self, item_id: str) -> bool:
        """Whether a row is there without reading anything."""
        return item_id in self._kept

    def forget(self) -> None:
        """Something changed: read every row again."""
        self._kept.clear()

    def _read(self, item_id: str) -> ItemRow:
        try:
            card = self._collection.card_of(item_id)
            return ItemRow(
                item_id,
                bits(card),
                visible_line(card.course),
                card.type.replace("_", " "),
                self._due(item_id),
                self._collection.is_suspended(item_id),
                part=item_id.removeprefix(card.id).removeprefix("/"),
            )
        except CollectionError:
            return ItemRow(item_id, (Bit(item_id),), "", "", "gone", suspended=False, missing=True)

    def _due(self, item_id: str) -> str:
        state = self._collection.state(item_id)
        if isinstance(state, New):
            return "new"
        if isinstance(state, Learning):
            wait = state.due - self._now
            return interval(wait) if wait > timedelta() else "now"
        days = (state.due_day - study_day(self._now, self._collection.config.rollover)).days
        if days == 0:
            return "today"
        span = interval(timedelta(days=abs(days)))
        return span if days > 0 else f"-{span}"


# What a row says of a card: its first words, formulas set, and what of them is lit up.

_FORMULA = re.compile(r"\$\$(.+?)\$\$|\$(.+?)\$", re.DOTALL)
#: Marks of Markdown that a single line of text is better without.
_MARKS = re.compile(
    r"^\s*(?:[#>]+|[-*+]|\d+[.)])\s+|\*\*|__|`|!?\[(?=[^\]]*\]\()|\]\([^)]*\)|\[\[|\]\]"
)
#: Letters of a question that are looked at, and of a title that are drawn: wider is no screen.
_LONGEST: Final = 400
_SHOWN: Final = 200
#: Stand for a formula's number while the text around it is tidied; no text may hold them.
_OPEN, _CLOSE = "\ufdd0", "\ufdd1"
_HELD = re.compile(f"{_OPEN}(\\d+){_CLOSE}")


class Bit(NamedTuple):
    """A piece of a title."""

    text: str
    """On one line."""
    source: str = ""
    """The LaTeX of a formula, which is what a search reads of it; a formula is lit whole."""


def title(card: Card) -> str:
    """The first words of a card's question, on one line, its formulas set."""
    return "".join(bit.text for bit in bits(card))


def bits(card: Card) -> tuple[Bit, ...]:
    """The `title` in pieces."""
    text = revealed(card)[:_LONGEST].replace(_OPEN, "").replace(_CLOSE, "")
    sources: list[str] = []

    def held(found: re.Match[str]) -> str:
        sources.append(found[1] or found[2])
        return f"{_OPEN}{len(sources) - 1}{_CLOSE}"

    lines = (_MARKS.sub("", line) for line in _FORMULA.sub(held, text).splitlines())
    words = " ".join(" ".join(line for line in lines if line.strip()).split())
    made: list[Bit] = []
    for number, part in enumerate(_HELD.split(visible(words))):
        if sum(len(bit.text) for bit in made) >= _SHOWN:
            break
        if number % 2:
            tex = sources[int(part)]
            made.append(Bit(" ".join(visible(_typeset(tex)).split()), tex))
        elif part:
            made.append(Bit(part))
    return tuple(made) if any(bit.text for bit in made) else (Bit(card.id),)


def lit(found: Sequence[Bit], sought: Highlights) -> list[tuple[int, int]]:
    """The spans of the title that a search asks for."""
    spans = sought.spans("".join(bit.source or bit.text for bit in found), "question")
    shown: list[tuple[int, int]] = []
    read = drawn = 0
    for bit in found if spans else ():
        size, end = len(bit.source or bit.text), drawn + len(bit.text)
        inside = [
            (max(a, read), min(b, read + size)) for a, b in spans if a < read + size and b > read
        ]
        if bit.source:
            shown += [(drawn, end)] * bool(inside)
        else:
            shown += [(drawn + start - read, drawn + until - read) for start, until in inside]
        read, drawn = read + size, end
    return shown


@lru_cache(maxsize=4096)
def _typeset(tex: str) -> str:
    return typeset(tex, display=False, mode="line")


# A row of the browser in pieces, for any width.

_DUE, _TYPE, _COURSE = 8, 16, 22
#: Widths from which a row has the course's initials, the type, the course's whole name.
_INITIALS, _TYPES, _NAMES = 48, 72, 96


LEGEND = (
    ("●", "marked"),
    ("‖", "suspended"),
    ("c2, r", "the item of a card that has several: its second cloze, its reverse"),
    ("new", "never answered"),
    ("now, today", "due"),
    ("3 d", "due in 3 days; -3 d: 3 days overdue"),
    ("gone", "the card was deleted meanwhile"),
)
"""What a row's marks mean."""


def heads(width: int, order: str) -> str:
    """What stands above the columns, an arrow at the one that the rows are ordered by."""
    due = "Due ▾" if order == "due" else "Due"
    columns = [_cell("Course", _COURSE if width >= _NAMES else 9)] if width >= _INITIALS else []
    columns += [_cell("Type", _TYPE)] if width >= _TYPES else []
    columns.append(due.rjust(_DUE - 1) + " ")
    return _cell("Question", width - sum(map(cell_len, columns))) + "".join(columns)


def pieces(row: ItemRow, width: int, sought: Highlights | None = None) -> list[RowPiece]:
    """Title, part and due day always; the type where there is room, and the course.  What a search
    asks of the words is lit up."""
    columns: list[RowPiece] = [(f"{row.part} ", ("dim",))] if row.part else []
    if width >= _NAMES:
        found = sought.spans(row.course) if sought else []
        columns += _lit(_cell(row.course, _COURSE), ("dim",), found)
    elif width >= _INITIALS:
        columns.append((_cell(initials(row.course), 9), ("dim",)))
    if width >= _TYPES:
        columns.append((_cell(row.type, _TYPE), ("dim",)))
    columns.append((row.due.rjust(_DUE - 1) + " ", _urgency(row)))
    room = width - sum(cell_len(text) for text, _ in columns)
    style = ("dim",) if row.suspended or row.missing else ()
    text, mark = "".join(bit.text for bit in row.title), "‖ " if row.suspended else ""
    found = lit(row.title, sought) if sought else []
    return [(mark, style), *_lit(_cell(text, room - len(mark)), style, found), *columns]


def _cell(text: str, width: int) -> str:
    """Exactly so many cells, the last of them blank."""
    text = text[: 8 * width]  # a sign may be of several letters; counting them all takes its time
    if cell_len(text) >= width:
        text = set_cell_size(text, max(0, width - 2)).rstrip() + "…"
    return set_cell_size(text, width)


def _lit(text: str, style: tuple[str, ...], spans: Sequence[tuple[int, int]]) -> Iterator[RowPiece]:
    """A text that was cut, in pieces; `spans` are of all of it."""
    at, last = 0, len(text.rstrip(" …"))
    for start, end in spans:
        if start < last:
            yield text[at:start], style
            yield text[start : min(end, last)], ("found",)
            at = min(end, last)
    yield text[at:], style


def _urgency(row: ItemRow) -> tuple[str, ...]:
    if row.suspended:
        return ("dim",)
    if row.due.startswith("-"):
        return ("late",)
    return {"new": ("new",), "now": ("bold",), "today": ("bold",)}.get(row.due, ("dim",))
