"""The Textual app: one collection, a stack of screens, and how it starts and ends."""

from __future__ import annotations

import asyncio
import re
import signal
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, cast

from rich.console import RenderableType
from textual import on
from textual.binding import Binding, BindingType
from textual.command import Command, CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.events import MouseDown, MouseUp, Resize
from textual.screen import Screen, SystemModalScreen

from deck.errors import CollectionError
from tui.collection_service import Changed, Failed, LeftError
from tui.drafts import Draft, keep, leave_dead_terminal
from tui.garbage import begin_collecting
from tui.home_state import overview, read
from tui.keymap import KeyAction, available_actions, key_for
from tui.latest import is_mounted
from tui.screens.base import HEIGHT, WIDTH, DeckApp, DeckScreen, TooSmallScreen
from tui.screens.dialogs import Choice, ConfirmScreen, HelpScreen
from tui.screens.home import HomeScreen
from tui.terminal import note_crash, plain
from tui.text import Clock, now
from tui.theme import DARK, Themes

if TYPE_CHECKING:
    from textual.driver import Driver
    from textual.geometry import Offset
    from textual.widgets import Input, TextArea

    from cards.model import Card
    from deck.collection import Collection
    from deck.queue import SessionRequest
    from tui.home_state import HomeState


_COPY = "Copy the selection; without one, quit"
_STOP = "Pause and go to the shell; `fg` comes back"
_PALETTE = "Find any action by its name"
_ADD, _HELP = "Write a new card", "The keys of this screen"
#: A key that goes before whatever has the focus.
_first = partial(Binding, show=False, priority=True)
#: The keys of every screen, but for dialogs, which answer to none but their own and ctrl's.
KEYS: list[BindingType] = [
    _first("ctrl+c", "interrupt", "Copy", id="app.leave", tooltip=_COPY),
    Binding("f12", "redraw", "Redraw", id="app.redraw", key_display="F12", show=False),
    _first("ctrl+z", "suspend_process", "Stop", id="app.suspend", tooltip=_STOP),
    _first("ctrl+q", "quit", "Quit", id="app.quit"),
    _first("ctrl+p", "command_palette", "palette", id="app.palette", tooltip=_PALETTE),
    Binding("a", "add", "Add", id="app.add", show=False, tooltip=_ADD),
    # Where text is written, and where letters are answers.
    Binding("f3", "add(True)", "Add", id="app.add-f3", key_display="F3", show=False, tooltip=_ADD),
    Binding("question_mark", "help", "Help", id="app.help", key_display="?", tooltip=_HELP),
    # The footer shows this one where text is written, and `?` with it.
    Binding("f1", "help", "Help", id="app.help-f1", key_display="F1", tooltip=_HELP),
]

#: Within this time a second ctrl+c leaves.
AGAIN = timedelta(seconds=2)


# The command palette.


_THERE = "on the decks' screen"
#: Of the decks' screen: what begins a sitting.  There is one at a time.
_SITTINGS = ("list.enter", "home.custom", "home.timed", "home.ahead", "home.cram", "home.exam")
#: From a screen as often until something asks back: marks, a list or a field may be open.
_BACKS = 3
#: A card is looked for by so many letters; so many are listed.
_LEAST, _MOST_CARDS = 3, 8
_THEME = "Theme: "


@dataclass(frozen=True, slots=True)
class PaletteCommand:
    words: str
    run: Callable[[], Awaitable[Any] | None]
    key: str = ""
    where: str = ""
    """Where the key works, unless that is here."""
    names: tuple[str, ...] = ()
    """It is found by these, too."""
    listed: bool = True
    """Whether it is shown before anything is typed."""

    def shown(self, words: Content) -> Content:
        """A row: the words, of which what is searched may be lit, and the key."""
        key = f"  {self.key}" if self.key else ""
        where = f" {self.where}" if self.where else ""
        return Content.assemble(words, (key, "bold $accent"), (where, "dim"))


class Commands(Provider):
    """Rows for `app.COMMANDS`."""

    async def discover(self) -> Hits:
        for one in commands(cast("DeltadeckApp", self.app), self.screen):
            if one.listed:
                yield DiscoveryHit(one.shown(Content(one.words)), one.run, text=one.words)

    async def search(self, query: str) -> Hits:
        app, matcher = cast("DeltadeckApp", self.app), self.matcher(query)
        for one in commands(app, self.screen):
            score = max(map(matcher.match, (one.words, *one.names)))
            if score > 0:
                row = one.shown(matcher.highlight(one.words))
                yield Hit(score, row, one.run, text=one.words)
        if app.collection is not None and len(query) >= _LEAST:
            for card, words in await asyncio.to_thread(_cards, app, query):
                row = Content.assemble(words, (f"  {card.id}", "dim"))
                yield Hit(0, row, partial(app.open_screen, "card", card), text=words)


def _cards(app: DeltadeckApp, query: str) -> list[tuple[Card, str]]:
    """The first cards that a search finds, with their first words; none of what is no search."""
    from deck.search.query import SearchError  # the decks are painted before
    from tui.widgets.item_list import title

    collection = app.open_collection
    found: dict[str, Card] = {}
    with suppress(SearchError):
        for item in collection.search(query, app.clock())[: 4 * _MOST_CARDS]:
            with suppress(CollectionError):  # it was just deleted
                card = collection.card_of(item)
                found.setdefault(card.id, card)
    return [(card, title(card)) for card in [*found.values()][:_MOST_CARDS]]


def commands(app: DeltadeckApp, screen: Screen[Any]) -> Iterator[PaletteCommand]:
    """First what `screen` itself does, then where one can go, then what the program does."""
    here = [deed for deed in available_actions(screen) if deed.binding.action != "command_palette"]
    here.sort(key=lambda deed: (not deed.matters, deed.node is app))
    yield from (_command(app, deed) for deed in here)
    yield from _elsewhere(app, screen, {deed.words for deed in here})
    yield from _program(app)


def _command(app: DeltadeckApp, deed: KeyAction, where: str = "") -> PaletteCommand:
    name, words = deed.binding.description, deed.words
    if not words.casefold().startswith(name.casefold()):
        words = f"{name}: {words}"
    run = partial(app.run_action, deed.binding.action, deed.node)
    return PaletteCommand(words, run, " ".join(deed.keys), where, deed.ids)


def _elsewhere(app: DeltadeckApp, screen: Screen[Any], known: set[str]) -> Iterator[PaletteCommand]:
    """What the decks' screen leads to, without going back there first."""
    stack = app.screen_stack
    home = next((each for each in stack if isinstance(each, HomeScreen)), None)
    if home is None or screen is home:
        return
    yield PaletteCommand("Decks: back to the first screen", partial(go_home, app), names=("home",))
    sitting = any(screen.IS_SITTING for screen in app._ours)
    for deed in available_actions(home):
        begins = sitting and any(name in _SITTINGS for name in deed.ids)
        if deed.matters and deed.words not in known and not begins:
            yield _command(app, deed, _THERE)


def _program(app: DeltadeckApp) -> Iterator[PaletteCommand]:
    yield PaletteCommand("Theme: another look", app.action_change_theme)

    def picture() -> None:
        """Once the palette is gone from the screen."""
        app.set_timer(0.1, app.deliver_screenshot)

    yield PaletteCommand("Screenshot: keep a picture of this screen", picture, names=("svg",))
    for name in sorted(app.available_themes):
        yield PaletteCommand(f"{_THEME}{name}", partial(setattr, app, "theme", name), listed=False)


async def go_home(app: DeltadeckApp) -> None:
    """Leave one screen after the other as its own key does; one that asks something stays."""
    backs = 0
    while not isinstance(app.screen, HomeScreen) and backs < _BACKS:
        before = app.screen
        if not await app.run_action("screen.back"):
            return
        backs = backs + 1 if app.screen is before else 0


# The app.


class DeltadeckApp(DeckApp):
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
        super().__init__(folder, clock, theme, themes, driver)
        self._asked, self._live = asked, live
        self._pressed: Offset | None = None
        """Where the mouse went down last."""
        self._drawn = False
        """Whether it was drawn over something then: a ctrl+c is meant to copy that."""
        self._interrupted: datetime | None = None
        """When ctrl+c was pressed last, and nothing was selected."""
        self.kept: tuple[str, ...] | None = None
        """Where unsaved text was put when the app had to stop, in sentences."""

    @property
    def _ours(self) -> list[DeckScreen[Any]]:
        """The screens that are open, but for the toolkit's own."""
        return [screen for screen in self.screen_stack if isinstance(screen, DeckScreen)]

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
        self.run_worker(self.open, thread=True, name="open the collection")

    def open(self) -> None:
        """Called from a thread: opens the collection, and shows what home shows of it."""
        try:
            collection = self.life.open(self._live)
            seen = overview(collection, self.clock())
        except CollectionError as error:
            self.call_from_thread(self.exit, 2, 2, plain(str(error)))
        except LeftError:
            return
        else:
            self.call_from_thread(self._opened, collection, seen)

    def _opened(self, collection: Collection, seen: HomeState) -> None:
        self.collection = collection
        if not is_mounted(self):
            return
        self.take_keys()
        for screen in self.screen_stack:
            if isinstance(screen, HomeScreen):
                screen.begin(seen)
        if self._asked is not None:
            self.open_screen("study", self._asked)
        if self._live:
            self.call_later(self.life.keep, self)

    @on(Changed)
    def _tell(self) -> None:
        """The screen that is seen; the others look again when they are gone back to."""
        self.take_keys()
        if isinstance(self.screen, DeckScreen):
            self.screen.collection_changed()

    @on(Failed)
    def _failed(self, message: Failed) -> None:
        self.say(message.sentence, error=True)

    @on(CommandPalette.OptionHighlighted)
    def _look_at_theme(self, message: CommandPalette.OptionHighlighted) -> None:
        """A theme under the palette's cursor is shown."""
        option = message.highlighted_event.option
        said = option.hit.text or "" if isinstance(option, Command) else ""
        name = said.removeprefix(_THEME)
        self.preview_theme(name if name in self.available_themes else "")

    @on(CommandPalette.Closed)
    def _choose_theme(self, message: CommandPalette.Closed) -> None:
        if message.option_selected:
            self.keep_theme()
        else:
            self.preview_theme("")

    def action_help(self) -> None:
        notes = self.screen.notes() if isinstance(self.screen, DeckScreen) else ()
        self.push_screen(HelpScreen(available_actions(self.screen, soon=True), notes))

    def action_add(self, anywhere: bool = False) -> None:  # noqa: ARG002
        """Where the topmost screen says that a new card goes."""
        places = (screen.place() for screen in reversed(self._ours))
        self.open_screen("add", next((place for place in places if place is not None), None))

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
                for screen in self._ours:
                    screen.give_up()
                self.exit(0)

        lost = self._unsaved()
        if not lost:
            chosen("leave")
            return
        choices = (Choice("l", "leave", "Leave without it"), Choice("escape", "stay", "Stay"))
        if not isinstance(self.screen, ConfirmScreen):
            self.push_screen(ConfirmScreen(lost, choices), chosen)

    def _unsaved(self) -> str:
        """What would be lost by leaving now, as a sentence; empty where nothing would."""
        found = next(filter(None, (screen.unsaved() for screen in self._ours)), "")
        tried = "What you tried in the lab is not in the journal, which did not take it."
        return found or (tried if self.unrecorded else "")

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
            lost = [Draft(f"{item}.txt", data["answer"]) for item, data, _ in self.unrecorded]
            drafts = filter(None, [*(screen.draft() for screen in self._ours), *lost])
            self.kept = tuple(keep(draft, self.clock()) for draft in drafts)
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
