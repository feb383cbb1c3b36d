"""The decks with what they hold for today, and the way into everything else.

The first screen that is painted: the others are imported when they are gone to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.events import Resize, ScreenResume
from textual.geometry import Size
from textual.widgets import Static
from textual.widgets.option_list import Option

from tui.around import Around, around
from tui.exams import ExamLine, Exams, coming
from tui.first_look import FirstLook, keep
from tui.key_names import key_for
from tui.newest import NewestOnly
from tui.overview import Overview, overview
from tui.screens.home_keys import KEYS
from tui.screens.home_panel import (
    BROAD,
    COUNTS,
    NUMBERS,
    WIDE,
    calendar_rows,
    deck_row,
    panel,
    reading_panel,
    tree_columns,
    tree_rows,
    troubles_line,
)
from tui.screens.home_ways import HomeWays
from tui.widgets.footer import Footer
from tui.widgets.lists import KeyedList
from tui.widgets.top_line import TopLine

if TYPE_CHECKING:
    from datetime import datetime


WATCH_SECONDS = 2
READING_SECONDS = 0.1


class HomeScreen(HomeWays):
    AUTO_FOCUS = ""  # nothing can be studied before the decks are there
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE, "-wide"), (BROAD, "-broad")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = KEYS

    def __init__(self, first: FirstLook | None = None) -> None:
        """`first` is what it shows until the collection is open."""
        super().__init__(first.seen if first else None, first.exams if first else ())
        self._first = first
        self._around: Around | None = None
        self._asked: Overview | None = None
        """What was seen when `around` and exams were last asked for."""
        self._drawn = Size(0, 0)
        self._plans = Exams()
        self._looking = NewestOnly(self, self._look, self._show_all)
        self._asking = NewestOnly(self, self._ask_around, self._show_around)
        self._planning = NewestOnly(self, self._plan, self._show_exams)

    def compose(self) -> ComposeResult:
        yield TopLine("deltadeck")
        with Horizontal(id="home"):
            with Vertical(id="decks"):
                yield Static(id="columns")
                yield KeyedList("Study", id="tree")
                yield Static(id="empty", markup=False)
            yield Static(id="beside")
        yield Static(id="calendar")
        yield Static(id="troubles", markup=False)
        yield Footer()

    def on_mount(self) -> None:
        self.query_one("#tree").display = False
        self._reading = self.set_interval(READING_SECONDS, self._show_reading)
        if self._seen is not None:
            self._show(self._seen)
        else:
            self._show_reading()
        if self._first is not None and self._first.around is not None:
            # It is drawn with what need not be loaded before the first paint.
            self.call_after_refresh(self._show_first, self._first.around)
        self.set_interval(WATCH_SECONDS, self.watch_folder)

    def _show_reading(self) -> None:
        app = self.deltadeck
        if app.collection is None and self._seen is not None:
            return
        if app.collection is None:
            width = tree_columns(self.size.width)
            page = reading_panel(app.life.progress, str(app.folder), width)
            self.query_one("#empty", Static).update(page)
        else:
            self._reading.stop()

    def watch_folder(self) -> None:
        """Say it when the folder goes away under the program, and take it up when it is back; and
        look again when what is shown holds no longer."""
        collection = self.deltadeck.collection
        if collection is None or self._seen is None or self.app.screen is not self:
            return
        if self._seen.gone != (not collection.root.is_dir()):
            self.action_reload()
        elif self._seen.made < self._seen.until <= self.deltadeck.clock():
            self.show_counts()

    # What there is: asked in threads, since a large collection takes a moment.

    @on(ScreenResume)
    def show_counts(self) -> None:
        """Show the collection as it is now; nothing while it is still being opened."""
        if self._seen is not None and self.deltadeck.collection is not None:
            self._looking.ask(self.deltadeck.clock())

    collection_changed = show_counts

    def begin(self, seen: Overview) -> None:
        """The collection is open, and this is what it holds."""
        self._show_all(seen)
        self.catch_up()

    def _show_all(self, seen: Overview) -> None:
        """The counts at once; what takes longer is asked for where it may be another now."""
        self._show(seen)
        if seen.holds != (self._asked.holds if self._asked else None) and not seen.gone:
            self._asked = seen
            self._asking.ask(seen)

    def _look(self, now: datetime) -> Overview:
        return overview(self.deltadeck.open_collection, now)

    def _ask_around(self, seen: Overview) -> Around:
        collection, now = self.deltadeck.open_collection, self.deltadeck.clock()
        found = around(collection, now)
        exams = self._exams if coming(collection, now) else ()
        keep(self.deltadeck.folder, FirstLook(seen, found, exams))
        return found

    def _plan(self, seen: Overview) -> tuple[ExamLine, ...]:
        now = self.deltadeck.clock()
        exams = self._plans.lines(self.deltadeck.open_collection, now)
        keep(self.deltadeck.folder, FirstLook(seen, self._around, exams))
        return exams

    # What is shown.

    @on(Resize)
    def _draw_again(self) -> None:
        self.query_one(Footer).show_command_palette = self.size.width >= WIDE
        if self._seen is not None and self._drawn != self.size:
            self._show(self._seen)

    def _show(self, seen: Overview) -> None:
        self._seen, self._drawn = seen, self.size
        now, root = self.deltadeck.clock(), self.deltadeck.folder.absolute()
        top = self.query_one(TopLine)
        top.left = f"deltadeck · {root.name}"
        top.right = f"{now:%a} {now.day} {now:%b}"
        self._show_decks(seen)
        self._show_troubles(seen)
        self._show_beside(seen)
        self.refresh_bindings()

    def _show_first(self, around: Around) -> None:
        if self._around is None and self._seen is not None:
            self._around = around
            self._show_beside(self._seen)

    def _show_around(self, around: Around) -> None:
        self._around = around
        if self._seen is not None:
            self._show_beside(self._seen)
        now = self.deltadeck.clock()
        if self._asked and (self._exams or coming(self.deltadeck.open_collection, now)):
            self._planning.ask(self._asked)

    def _show_exams(self, exams: tuple[ExamLine, ...]) -> None:
        self._exams = exams
        if self._seen is not None:
            self._show_beside(self._seen)
        self.refresh_bindings()

    def _show_beside(self, seen: Overview) -> None:
        """The panel, and the calendar in the room that is left."""
        size = self.size
        now = self.deltadeck.clock()
        page = panel(seen, self._around, self._exams, size, now, self._key)
        beside = self.query_one("#beside", Static)
        beside.display = bool(page)
        beside.update(page)
        calendar = self.query_one("#calendar", Static)
        found = self._around if seen.rows else None
        tall = page.plain.count("\n") + 1
        most = "100%" if size.width >= WIDE else tree_rows(size.height, tall)
        self.query_one("#tree").styles.max_height = most
        rows = calendar_rows(size, len(seen.rows), tall)
        calendar.display = bool(found and any(found.days) and rows)
        if found and calendar.display:
            from tui.screens.home_around import calendar as drawn

            calendar.update(drawn(found, size.width - 2, rows))

    def _show_decks(self, seen: Overview) -> None:
        tree = self.query_one("#tree", KeyedList)
        at = self._rows[tree.highlighted].key if tree.highlighted is not None else None
        width = tree_columns(self.size.width)
        self.query_one("#columns", Static).update(
            Content.styled(f"{'Decks':{width - NUMBERS}}{COUNTS}", "dim")
        )
        tree.clear_options()
        tree.add_options([Option(deck_row(row, width)) for row in seen.rows])
        self._rows = seen.rows
        self._show_emptiness(bool(seen.rows), bool(seen.problems))
        if seen.rows:
            keys = [row.key for row in seen.rows]
            tree.highlighted = keys.index(at) if at in keys else 0
            if self.app.screen is self:
                tree.focus()

    def _show_emptiness(self, any_deck: bool, any_problem: bool) -> None:
        self.query_one("#tree").display = any_deck
        self.query_one("#columns").display = any_deck
        empty = self.query_one("#empty", Static)
        empty.display = not any_deck
        said = f"There are no cards here yet. Press {self._key('home.add')} to write the first one"
        if any_problem:
            said += f". Press {self._key('home.problems')} to see what cannot be read."
        else:
            said += f", or {self._key('home.starter')} to begin with the starter deck."
        empty.update(said)

    def _key(self, action: str) -> str:
        return key_for(self.app, action)

    def _show_troubles(self, seen: Overview) -> None:
        said = troubles_line(seen, self.deltadeck.folder, self._key)
        self.query_one("#troubles").display = bool(said)
        self.query_one("#troubles", Static).update(said)
