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
from textual.widgets import Static
from textual.widgets.option_list import Option

from tui.exams import ExamLine, Exams, coming
from tui.first_look import keep, stamp
from tui.newest import NewestOnly
from tui.overview import Overview, overview
from tui.screens.home_keys import KEYS
from tui.screens.home_panel import (
    COUNTS,
    NUMBERS,
    WIDE,
    day_panel,
    deck_row,
    exam_panel,
    reading_panel,
    tree_columns,
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
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE, "-wide")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = KEYS

    def __init__(self, first: Overview | None = None) -> None:
        """`first` is what it shows until the collection is open."""
        super().__init__()
        self._seen = first
        self._exams: tuple[ExamLine, ...] = ()
        self._plans = Exams()
        self._looking = NewestOnly(self, self._look, self._show)
        self._planning = NewestOnly(self, self._plan, self._show_exams)

    def compose(self) -> ComposeResult:
        yield TopLine("deltadeck")
        with Horizontal(id="home"):
            with Vertical(id="decks"):
                yield Static(id="columns")
                yield KeyedList("Study", id="tree")
                yield Static(id="empty", markup=False)
            with Vertical(id="beside"):
                yield Static(id="today")
                yield Static(id="exams")
        yield Static(id="troubles", markup=False)
        yield Footer()

    def on_mount(self) -> None:
        self.query_one("#tree").display = False
        self._reading = self.set_interval(READING_SECONDS, self._show_reading)
        if self._seen is not None:
            self._show(self._seen)
        else:
            self._show_reading()
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
        """Say it when the folder goes away under the program, and take it up when it is back."""
        collection = self.deltadeck.collection
        if collection is None or self._seen is None or self.app.screen is not self:
            return
        if self._seen.gone != (not collection.root.is_dir()):
            self.action_reload()

    # What there is: asked in threads, since a large collection takes a moment.

    @on(ScreenResume)
    def show_counts(self) -> None:
        """Show the collection as it is now; nothing while it is still being opened."""
        if self._seen is not None and self.deltadeck.collection is not None:
            self._looking.ask(self.deltadeck.clock())
            self._plan_exams()

    collection_changed = show_counts

    def begin(self, seen: Overview) -> None:
        """The collection is open, and this is what it holds."""
        self._show(seen)
        self._plan_exams()
        self.catch_up()

    def _plan_exams(self) -> None:
        now = self.deltadeck.clock()
        if self._exams or coming(self.deltadeck.open_collection, now):
            self._planning.ask(now)

    def _look(self, now: datetime) -> Overview:
        folder = self.deltadeck.folder
        found = stamp(folder)
        seen = overview(self.deltadeck.open_collection, now)
        keep(folder, seen, found, now)
        return seen

    def _plan(self, now: datetime) -> tuple[ExamLine, ...]:
        return self._plans.lines(self.deltadeck.open_collection, now)

    @on(Resize)
    def _draw_again(self) -> None:
        self.query_one(Footer).show_command_palette = self.size.width >= WIDE
        if self._seen is not None:
            self._show(self._seen)
            self._show_exams(self._exams)

    def _show(self, seen: Overview) -> None:
        self._seen = seen
        now, root = self.deltadeck.clock(), self.deltadeck.folder.absolute()
        top = self.query_one(TopLine)
        top.left = f"deltadeck · {root.name}"
        top.right = f"{now:%a} {now.day} {now:%b}"
        self._show_decks(seen)
        self.query_one("#today", Static).update(day_panel(seen))
        self._show_troubles(seen)
        self.refresh_bindings()

    def _show_exams(self, exams: tuple[ExamLine, ...]) -> None:
        self._exams = exams
        panel = self.query_one("#exams", Static)
        panel.display = bool(exams)
        panel.update(exam_panel(exams, self.size.width >= WIDE))

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
        broken = " Press p to see what cannot be read." if any_problem else ""
        empty.update(f"There are no cards here yet. Press a to write the first one.{broken}")

    def _show_troubles(self, seen: Overview) -> None:
        said = troubles_line(seen, self.deltadeck.folder)
        self.query_one("#troubles").display = bool(said)
        self.query_one("#troubles", Static).update(said)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if parameters == ("problems",):
            return bool(self._seen and self._seen.problems)
        needs = {"own": self._rows, "more": self._rows, "exam": self._exams}
        if action in needs:
            return bool(needs[action])
        return self._seen is not None or action not in ("add", "reload", "go")
