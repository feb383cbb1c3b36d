"""Where the keys of the decks' screen lead; what is pressed before the collection is open waits."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from textual import on
from textual.events import ScreenResume
from textual.widgets import OptionList

from tui import garbage
from tui.exams import ExamLine, coming
from tui.key_names import key_for
from tui.overview import Overview, Row
from tui.screens.home_left import HomeLeft
from tui.text import counted
from tui.widgets.lists import KeyedList

if TYPE_CHECKING:
    from deck.queue import Session as Asked

#: Seconds since another screen was left, until what it held is swept away.
_REST: Final = 2.0


class HomeWays(HomeLeft):
    def __init__(self, seen: Overview | None, exams: tuple[ExamLine, ...]) -> None:
        super().__init__()
        self._seen, self._exams = seen, exams
        self._rows: tuple[Row, ...] = ()
        self._wanted: Callable[[], None] | None = None
        """What was asked for before the collection was open."""

    def show_counts(self) -> None:
        """Show the collection as it is now."""
        raise NotImplementedError

    @on(ScreenResume)
    def _tidy(self) -> None:
        if self.deltadeck.collection is not None:
            self.set_timer(_REST, self._sweep)

    def _sweep(self) -> None:
        if self.app.screen is self:
            garbage.sweep_all()

    def catch_up(self) -> None:
        """The collection is open: do what was asked for, and say what was left."""
        self.look_for_left()
        wanted, self._wanted = self._wanted, None
        if wanted is not None:
            wanted()

    @property
    def _deck(self) -> str | None:
        """The key of the deck under the cursor; None for all."""
        at = self.query_one("#tree", KeyedList).highlighted
        return self._rows[at].key if at is not None and at < len(self._rows) else None

    def place(self) -> str | None:
        return self._deck

    @on(OptionList.OptionSelected, "#tree")
    def _study(self, event: OptionList.OptionSelected) -> None:
        key = self._rows[event.option_index].key

        def work() -> None:
            from deck.queue import Session

            self.study(Session(deck=key))

        self._once_open(work)

    def _once_open(self, work: Callable[[], None]) -> None:
        """Now, or as soon as the collection is there; of several keys the last one counts."""
        if self.deltadeck.collection is None:
            self._wanted = work
        else:
            work()

    def action_starter(self) -> None:
        def work() -> None:
            from cards import CardError
            from tui.starter import copy_starter

            try:
                copied = copy_starter(self.deltadeck.folder)
            except CardError as error:
                self.deltadeck.say(f"The starter deck was not copied: {error}", error=True)
                return
            self.deltadeck.reread()
            self.show_counts()
            self.deltadeck.say(f"{counted(copied, 'card')} to begin with; each is a file of yours.")

        self._once_open(work)

    def study(self, asked: Asked | None) -> None:
        """Begin a sitting; None: the learner thought better of it."""
        if asked is not None:
            from tui.screens.study import StudyScreen

            self.app.push_screen(StudyScreen(asked))

    def action_own(self, field: str) -> None:
        """A session of its own kind, begun at this field of its form."""

        def work() -> None:
            from tui.screens.own_session import OwnSessionScreen

            self.app.push_screen(OwnSessionScreen(self._deck, field), self.study)

        self._once_open(work)

    def action_more(self) -> None:
        def work() -> None:
            from tui.screens.more_today import MoreTodayScreen

            self.app.push_screen(MoreTodayScreen(self._deck), lambda _: self.show_counts())

        self._once_open(work)

    def action_exam(self) -> None:
        def work() -> None:
            from tui.screens.exam import ExamScreen

            courses = coming(self.deltadeck.open_collection, self.deltadeck.clock())
            if courses:
                self.app.push_screen(ExamScreen(courses, (self._deck or "").split(" › ")[0]))
            else:
                key = key_for(self.app, "home.settings")
                way = f"{key} leads to the settings, where each course has its own: set its exam."
                self.deltadeck.say(f"No exam is ahead. {way}")

        self._once_open(work)

    def action_add(self) -> None:
        def work() -> None:
            from tui.screens.add import AddScreen

            self.app.push_screen(AddScreen(self._deck))

        self._once_open(work)

    def action_go(self, name: str) -> None:
        """To a screen that needs nothing of this one."""

        def work() -> None:
            from tui.screens.ways import screen_of

            self.app.push_screen(screen_of(name))

        self._once_open(work)

    def action_reload(self) -> None:
        def work() -> None:
            if self.deltadeck.open_collection.root.is_dir():
                self.deltadeck.reread()
            self.show_counts()

        self._once_open(work)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "left":
            return self.any_left
        if parameters == ("problems",):
            return bool(self._seen and self._seen.problems)
        if action == "starter":
            return bool(self._seen and not self._rows and not self._seen.problems)
        needs = {"own": self._rows, "more": self._rows, "exam": self._rows}
        if action in needs:
            return bool(needs[action])
        return self._seen is not None or action not in ("add", "reload", "go")
