"""The Textual app: one collection, a stack of screens, and how it starts and ends."""

from __future__ import annotations

import asyncio
import re
import signal
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Protocol, runtime_checkable

from rich.console import RenderableType
from textual import on
from textual.binding import Binding, BindingType
from textual.events import MouseDown, MouseUp, Resize
from textual.screen import SystemModalScreen

from deck.errors import CollectionError
from tui.collection_service import Changed, CollectionService, Failed, begin_collecting, is_mounted
from tui.drafts import Drafting, keep, leave_dead_terminal
from tui.home_state import read
from tui.keymap import Commands, OwnKeys, available_actions, key_for
from tui.screens.base import HEIGHT, WIDTH, CollectionListener, DeckScreen, TooSmallScreen
from tui.screens.home import HomeScreen
from tui.terminal import TerminalApp, note_crash, plain
from tui.text import Clock, now, visible
from tui.theme import DARK, Themes

if TYPE_CHECKING:
    from textual.driver import Driver
    from textual.geometry import Offset
    from textual.widgets import Input, TextArea

    from deck.collection import Collection
    from deck.queue import SessionRequest
    from tui.home_state import HomeState
    from tui.widgets.painter import Painter


HELP, ADD = "The keys of this screen", "Write a new card"
#: The keys of every screen, but for dialogs, which answer to none but their own and ctrl's.
KEYS: list[BindingType] = [
    Binding(
        "ctrl+c",
        "interrupt",
        "Copy",
        id="app.leave",
        show=False,
        priority=True,
        tooltip="Copy what the mouse was drawn over; leave where nothing is selected",
    ),
    Binding("f12", "redraw", "Paint anew", id="app.redraw", key_display="F12", show=False),
    Binding(
        "ctrl+z",
        "suspend_process",
        "Stop",
        id="app.suspend",
        show=False,
        priority=True,
        tooltip="Stop for now and go to the shell; `fg` there comes back",
    ),
    Binding("ctrl+q", "quit", "Quit", id="app.quit", show=False, priority=True),
    Binding(
        "ctrl+p",
        "command_palette",
        "palette",
        id="app.palette",
        show=False,
        priority=True,
        tooltip="All that can be done, by its name",
    ),
    Binding("a", "add", "Add", id="app.add", show=False, tooltip=ADD),
    # Where text is written, and where letters are answers.
    Binding("f3", "add(True)", "Add", id="app.add-f3", key_display="F3", show=False, tooltip=ADD),
    Binding("question_mark", "help", "Help", id="app.help", key_display="?", tooltip=HELP),
    # The footer shows this one where text is written, and `?` with it.
    Binding("f1", "help", "Help", id="app.help-f1", key_display="F1", tooltip=HELP),
]

#: Within this time a second ctrl+c leaves.
AGAIN = timedelta(seconds=2)


@runtime_checkable
class Keeper(Protocol):
    """A screen that may hold what is not on disk yet."""

    def unsaved(self) -> str:
        """What would be lost, as a sentence; empty where nothing would."""

    def give_up(self) -> None:
        """It is not wanted: the next start is not to offer it."""


class DeltadeckApp(TerminalApp):
    """`folder` is opened in the background after the first paint."""

    CSS_PATH = Path(__file__).with_name("app.tcss")
    TITLE = "deltadeck"
    COMMANDS = {Commands}  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = KEYS

    def __init__(
        self,
        folder: Path,
        clock: Clock = now,
        theme: str = DARK,
        asked: SessionRequest | None = None,
        live: bool = False,
        themes: Themes | None = None,
        driver: type[Driver] | None = None,
    ) -> None:
        """`asked` is studied at once; `live` follows the files and backs up once, from threads."""
        super().__init__(theme, themes, driver)
        self.life = CollectionService(folder, clock)
        self._asked, self._live = asked, live
        self.folder, self.clock = folder, clock
        self._keys = OwnKeys()
        self._pressed: Offset | None = None
        """Where the mouse went down last."""
        self._drawn = False
        """Whether it was drawn over something then: a ctrl+c is meant to copy that."""
        self._interrupted: datetime | None = None
        """When ctrl+c was pressed last, and nothing was selected."""
        self.collection: Collection | None = None
        self.painter: Painter | None = None
        """Draws pictures, where the terminal can."""
        self.kept: tuple[str, ...] | None = None
        """Where unsaved text was put when the app had to stop, in sentences."""

    @property
    def open_collection(self) -> Collection:
        assert self.collection is not None, "screens that need it exist once it is open"
        return self.collection

    def on_mount(self) -> None:
        for number in (signal.SIGTERM, signal.SIGHUP):
            # Not on every platform, and not but in the main thread.
            with suppress(NotImplementedError, RuntimeError, ValueError):
                loop = asyncio.get_running_loop()
                loop.add_signal_handler(number, self._signalled, number)
        # Where there is something to paint, loading the rest waits for it.
        first = read(self.folder, self.clock())
        self.push_screen(HomeScreen(first))
        self.call_after_refresh(begin_collecting)
        if first is None:
            self._begin()
        else:
            self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        begin = partial(self.life.begin, self, self._live)
        self.run_worker(begin, thread=True, name="open the collection")

    def opened(self, collection: Collection, seen: HomeState) -> None:
        """Called once, when the collection is there."""
        self.collection = collection
        if not is_mounted(self):
            return
        self._keys.take(self)
        for screen in self.screen_stack:
            if isinstance(screen, HomeScreen):
                screen.begin(seen)
        if self._asked is not None:
            from tui.screens.study import StudyScreen

            self.push_screen(StudyScreen(self._asked))
        if self._live:
            self.call_later(self.life.keep, self)

    @on(Changed)
    def _tell(self) -> None:
        """The screen that is seen; the others look again when they are gone back to."""
        self._keys.take(self)
        if isinstance(self.screen, CollectionListener):
            self.screen.collection_changed()

    @on(Failed)
    def _failed(self, message: Failed) -> None:
        self.say(message.sentence, error=True)

    def reread(self) -> bool:
        """Read again what changed on the disk; where that cannot be, say why and return False."""
        try:
            self.open_collection.reload(self.clock())
        except CollectionError as error:
            self.say(str(error), error=True)
            return False
        self._keys.take(self)
        return True

    def say(self, sentence: str, *, error: bool = False) -> None:
        """Tell the learner something that needs no answer; said again, it is still shown once."""
        words = visible(sentence)
        for said in [note for note in self._notifications if note.message == words]:
            self._unnotify(said, refresh=False)
        self.notify(
            words,
            severity="error" if error else "information",
            markup=False,
            timeout=12 if error else 5,
        )

    def action_help(self) -> None:
        from tui.screens.dialogs import HelpScreen

        self.push_screen(HelpScreen(available_actions(self.screen, soon=True)))

    def action_add(self, anywhere: bool = False) -> None:  # noqa: ARG002
        from tui.screens.forms import AddScreen, place_for_new

        self.push_screen(AddScreen(place_for_new(self.screen_stack)))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Cards are written from our screens; `a` writes none where it picks an option.  A shell
        that the program could stop for is there in a terminal only, and where text is written the
        same key takes the last of it back."""
        if action == "suspend_process":
            in_terminal = self._driver is not None and self._driver.can_suspend
            return in_terminal and not hasattr(self.focused, "undo")
        if action != "add":
            return True
        # The palette asks what can be done on the screen below it.
        screen = self.screen_stack[-2 if isinstance(self.screen, SystemModalScreen) else -1]
        there = self.collection is not None
        return there and isinstance(screen, DeckScreen) and screen.adds(bool(parameters))

    def export_screenshot(self, *, title: str | None = None, simplify: bool = False) -> str:
        """An SVG that fetches nothing: the toolkit's names fonts at addresses elsewhere."""
        drawn = super().export_screenshot(title=title, simplify=simplify)
        return re.sub(r"@font-face\s*\{.*?\}\s*", "", drawn, flags=re.DOTALL)

    # Ctrl+C both copies and leaves.

    def action_interrupt(self) -> None:
        """Copy what is selected where one writes, else on the page; leave where nothing is."""
        field = self._field()
        text = (field.selected_text if field else "") or self.screen.get_selected_text()
        if text:
            self.copy_to_clipboard(text)
            self.say(f"Copied. {key_for(self, 'app.quit')} leaves.")
        elif self._unsaved() or self._leaves_now():
            self.call_later(self.action_quit)
        else:
            key = key_for(self, "app.leave")
            self.say(f"Nothing is selected. Press {key} again to leave.")

    def _field(self) -> Input | TextArea | None:
        """The field in which one writes now.  The widgets are loaded by whoever shows one."""
        from textual.widgets import Input, TextArea

        return self.focused if isinstance(self.focused, Input | TextArea) else None

    def _leaves_now(self) -> bool:
        """Not where ctrl+c may have been meant to copy; the next one does."""
        before, self._interrupted = self._interrupted, self.clock()
        if before is not None and timedelta(0) <= self._interrupted - before <= AGAIN:
            return True
        return not (self._drawn or self._field() is not None)

    def on_mouse_down(self, event: MouseDown) -> None:
        self._pressed = event.screen_offset

    def on_mouse_up(self, event: MouseUp) -> None:
        self._drawn = self._pressed is not None and self._pressed != event.screen_offset

    async def action_quit(self) -> None:
        """Leave the program; where something would be lost by that, ask first."""

        def chosen(result: str | None) -> None:
            if result == "leave":
                for screen in self._keepers():
                    screen.give_up()
                self.exit(0)

        lost = self._unsaved()
        if not lost:
            chosen("leave")
            return
        from tui.screens.dialogs import Choice, ConfirmScreen

        choices = (Choice("l", "leave", "Leave without it"), Choice("escape", "stay", "Stay"))
        if not isinstance(self.screen, ConfirmScreen):
            self.push_screen(ConfirmScreen(lost, choices), chosen)

    def _keepers(self) -> list[Keeper]:
        return [screen for screen in self.screen_stack if isinstance(screen, Keeper)]

    def _unsaved(self) -> str:
        """What would be lost by leaving now, as a sentence; empty where nothing would."""
        return next(filter(None, (screen.unsaved() for screen in self._keepers())), "")

    def exit(
        self,
        result: int | None = None,
        return_code: int = 0,
        message: RenderableType | None = None,
    ) -> None:
        self.life.leave()
        super().exit(result, return_code, message)

    # The terminal: too small, going away, or left behind by a crash.

    def on_resize(self, event: Resize) -> None:
        small = event.size.width < WIDTH or event.size.height < HEIGHT
        shown = isinstance(self.screen, TooSmallScreen)
        if small and not shown:
            self.push_screen(TooSmallScreen())
        elif shown and not small:
            self.pop_screen()

    def _signalled(self, number: int) -> None:
        self._keep_drafts()
        self.exit(None, 128 + number)

    def _keep_drafts(self) -> None:
        """Put unsaved text away, before anything that may fail on a terminal that is gone."""
        if self.kept is None:
            self.kept = ()
            drafts = [
                screen.draft() for screen in self.screen_stack if isinstance(screen, Drafting)
            ]
            self.kept = tuple(keep(draft, self.clock()) for draft in drafts if draft)
        leave_dead_terminal()

    def panic(self, *renderables: RenderableType) -> None:
        """The toolkit gives up, for instance because it cannot read the terminal."""
        self._keep_drafts()
        super().panic(*renderables)

    def _fatal_error(self) -> None:
        """A fault of ours: a sentence on a clean terminal, the traceback in a file."""
        self._keep_drafts()
        self.bell()
        self._exit_renderables.append(plain(note_crash()))
        self._close_messages_no_wait()
