"""What screens stand on: the app as they know it, their base, and the smallest terminal."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from time import monotonic as _time
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeVar, cast

from textual.app import ComposeResult
from textual.content import Content
from textual.events import Event, Key
from textual.message_pump import MessagePump
from textual.screen import Screen
from textual.widgets import Static

from deck.errors import CollectionError
from tui.collection_service import CollectionService
from tui.keymap import key_for, known_keys, read_keys
from tui.terminal import TerminalApp

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from textual.driver import Driver

    from cards.model import Card
    from deck.collection import Collection
    from tui.drafts import Draft
    from tui.lab.visit import LabResult
    from tui.page.page import RenderContext
    from tui.painter import Painter
    from tui.screens.bulk import Changing
    from tui.screens.dialogs import Notes
    from tui.study.prefetch import ExerciseLookup
    from tui.text import Clock
    from tui.theme import Themes

Result = TypeVar("Result")

#: Seconds within which a key follows closely on the one before; for which a widget is waited for.
_CLOSELY, _PATIENCE = 0.025, 0.5

#: Of a card that the lab cannot check.
NO_EXERCISE = "This card has no exercise to check; `exercise:` in its frontmatter gives it one."
#: Each is imported when it is opened first: the decks are painted before.
SCREENS: Final = {
    "add": "tui.screens.forms:AddScreen",
    "browse": "tui.screens.browse:BrowseScreen",
    "card": "tui.screens.card:CardScreen",
    "edit": "tui.screens.edit:EditScreen",
    "exam": "tui.screens.exam:ExamScreen",
    "lab": "tui.screens.lab:LabScreen",
    "more": "tui.screens.forms:MoreTodayScreen",
    "own": "tui.screens.forms:OwnSessionScreen",
    "problems": "tui.screens.edit:ProblemsScreen",
    "settings": "tui.screens.settings:SettingsScreen",
    "statistics": "tui.screens.statistics:StatisticsScreen",
    "study": "tui.screens.study:StudyScreen",
}


class DeckApp(TerminalApp):
    """What a screen asks of the app: the collection, the time, and other screens."""

    def __init__(
        self,
        folder: Path,
        clock: Clock,
        theme: str,
        themes: Themes | None,
        driver: type[Driver] | None,
    ) -> None:
        super().__init__(theme, themes, driver)
        self.folder, self.clock = folder, clock
        self.unrecorded: list[tuple[str, dict[str, Any], datetime]] = []
        """What was tried in the lab, at which item and when, that the journal did not take yet."""
        self.life = CollectionService(folder, clock)
        self.collection: Collection | None = None
        self.painter: Painter | None = None
        """Draws pictures, where the terminal can."""
        self.changing: Changing | None = None
        """Bulk actions, once there was one."""
        self._keys: Any = None
        """`[keys]` of config.toml as it was last taken up."""
        self._key: Key | None = None
        """The last one, until the app has it back from the widgets."""
        self._key_at = 0.0
        """When it was seen last."""
        self._text = False
        """Whether it was written into a field, and moves nothing."""
        self._held: deque[Key] = deque()
        self._passing: asyncio.Task[None] | None = None
        """Hands out the keys that were held."""

    @property
    def open_collection(self) -> Collection:
        assert self.collection is not None, "screens that need it exist once it is open"
        return self.collection

    # The toolkit gives a key to what has the focus as it comes, and runs its action when it has
    # gone up through the widgets: of a burst, the keys behind one that moves the focus or opens a
    # screen would go where the focus was.

    async def on_event(self, event: Event) -> None:
        if not isinstance(event, Key):
            await super().on_event(event)
        elif event.is_forwarded:  # back from the widgets, with its action to be run
            await super().on_event(event)
            if event is self._key:
                self._key, self._key_at = None, _time()
        elif self._passing or (not self._text and self._follows(event)):
            self._held.append(event)
            self._passing = self._passing or asyncio.create_task(self._pass_on())
        else:
            await self._take(event)

    def _follows(self, key: Key) -> bool:
        """Whether the key before may not have done yet all that it does."""
        return self._is_on_its_way or key.time - self._key_at < _CLOSELY

    @property
    def _is_on_its_way(self) -> bool:
        return self._key is not None and not self._key._stop_propagation

    async def _take(self, key: Key) -> None:
        self._key, self._key_at = key, _time()
        field = self.focused
        self._text = field is not None and field.check_consume_key(key.key, key.character)
        await super().on_event(key)
        if not key.is_forwarded:
            self._key = None

    async def _pass_on(self) -> None:
        """Hand out each key when the one before has done all that it does."""
        while self._held and self.return_code is None:
            # First its way up and its action; then what that asked for, perhaps of a new screen.
            for _ in range(2 if not self._text else 0):
                await self._settle([*(self.focused or self.screen).ancestors_with_self][:-1])
                await self._settle([self], None)
            taken = asyncio.get_running_loop().create_future()
            self.call_later(self._hand_out, self._held.popleft(), taken)
            await taken
        self._passing = None

    async def _hand_out(self, key: Key, taken: asyncio.Future[None]) -> None:
        try:
            await self._take(key)
        finally:
            taken.set_result(None)

    async def _settle(
        self, nodes: Sequence[MessagePump], patience: float | None = _PATIENCE
    ) -> None:
        """Until each of the nodes in turn has done all that waits for it, or went away."""
        ended = asyncio.get_running_loop().create_future()

        def through(rest: Sequence[MessagePump]) -> None:
            if not rest:
                with suppress(asyncio.InvalidStateError):  # it was given up
                    ended.set_result(None)
            elif not rest[0].call_later(through, rest[1:]):
                through(rest[1:])

        through(nodes)
        await asyncio.wait({ended}, timeout=patience)

    def on_key(self, event: Key) -> None:
        """Say why a key cannot work, where nothing else takes it."""
        if isinstance(self.screen, DeckScreen) and (why := self.screen.refusal(event.key)):
            self.say(why)

    def open_screen(
        self, name: str, *given: Any, then: Callable[[Any], None] | None = None
    ) -> None:
        """Open one of `SCREENS`, made with what is `given`; `then` gets what it returns."""
        module, _, screen = SCREENS[name].partition(":")
        self.push_screen(getattr(import_module(module), screen)(*given), then)

    def reread(self) -> bool:
        """Read again what changed on the disk; where that cannot be, say why and return False."""
        try:
            self.open_collection.reload(self.clock())
        except CollectionError as error:
            self.say(str(error), error=True)
            return False
        self.take_keys()
        return True

    def take_keys(self) -> None:
        """Bind the keys that config.toml says now; what it cannot say is told, and stays as it
        was."""
        table = self.open_collection.config.extra.get("keys")
        if table == self._keys:
            return
        self._keys = table
        keys = read_keys(table or {}, known_keys())
        self.set_keymap(dict(keys.keymap))
        for problem in keys.problems:
            self.say(f"config.toml, [keys]: {problem}", error=True)


class DeckScreen(Screen[Result]):
    """A screen of the app, returning a `Result` when it is dismissed."""

    MAY_ADD: ClassVar[bool] = True
    """Whether a new card can be written from here."""
    IS_SITTING: ClassVar[bool] = False
    """Whether cards are studied here: there is one such screen at a time."""

    # What the app asks of every screen.

    @property
    def picks_letters(self) -> bool:
        """Whether letters answer what is shown: `a` writes no card then."""
        return False

    def why_not(self, action: str) -> str:  # noqa: ARG002
        """Why an action of this screen cannot be done now, as a sentence; "" says nothing."""
        return ""

    def notes(self) -> Notes:
        """What the help says of this screen beside its keys."""
        return ()

    def refusal(self, key: str) -> str:
        """Why a key does nothing now; "" where it does something, or is none of this screen."""
        active = self.active_bindings.get(key)
        if active is not None and active.enabled:
            return ""
        refused = self._bindings.key_to_bindings.get(key, ())
        reasons = (self.why_not(binding.action.partition("(")[0]) for binding in refused)
        return next(filter(None, reasons), "")

    def adds(self, anywhere: bool) -> bool:
        """Whether a new card can be written now; `anywhere`: by a key that is no letter."""
        return self.MAY_ADD and (anywhere or not self.picks_letters)

    def place(self) -> Card | Path | str | None:
        """Where a new card belongs: beside a card or a file, or in a deck (`DeckCount.key`)."""
        return None

    def collection_changed(self) -> None:
        """Another program changed a card, the journal or the settings."""

    def unsaved(self) -> str:
        """What would be lost by leaving, as a sentence; empty where nothing would."""
        return ""

    def give_up(self) -> None:
        """What is unsaved is not wanted: the next start is not to offer it."""

    def draft(self) -> Draft | None:
        """What is written and not on the disk; None where nothing is.  Never raises."""
        return None

    def _compositor_refresh(self) -> None:
        """Nothing amid a batch, whose paints are dropped, and all is painted behind it."""
        if not self.deltadeck.owes_paint():
            super()._compositor_refresh()

    # What screens ask.

    def action_back(self) -> None:
        self.dismiss(None)

    @property
    def deltadeck(self) -> DeckApp:
        return cast(DeckApp, self.app)

    @property
    def collection(self) -> Collection:
        return self.deltadeck.open_collection

    def key(self, *actions: str) -> str:
        """The key of an action, as a sentence says it."""
        return key_for(self.app, *actions)

    async def practise(
        self,
        item: str,
        card: Card,
        lookup: ExerciseLookup,
        then: Callable[[LabResult | None], None] | None = None,
    ) -> None:
        """Open the lab for an item of a card, or say why there is none.

        `lookup` looks at the card; `then` gets the last answer.
        """
        brief = await lookup.brief()
        if brief is not None:
            self.deltadeck.open_screen("lab", item, card, brief, then=then)
        elif lookup.likely:
            self.deltadeck.say("The exercise is still being read; try again in a moment.")
        else:
            self.deltadeck.say(NO_EXERCISE)

    def put(self, selector: str, text: Content | str) -> None:
        """Show a text in one of the screen's `Static`s; where it is empty, hide that."""
        shown = self.query_one(selector, Static)
        shown.display = bool(text)
        shown.update(text)

    def reading(self, card: Card) -> RenderContext:
        """What a card's texts mean, as the collection is now."""
        from tui.page.page import render_context  # home is painted before it is loaded

        return render_context(card, self.collection, painter=self.deltadeck.painter)


#: Columns and rows of the smallest terminal that is of use.
WIDTH, HEIGHT = 60, 20


class TooSmallScreen(Screen[None]):
    """In front of everything while the terminal is smaller."""

    DEFAULT_CSS = """
    TooSmallScreen { background: $background; align: center middle; }
    TooSmallScreen Static { width: auto; max-width: 100%; height: auto; text-align: center; }
    """

    def compose(self) -> ComposeResult:
        yield Static(markup=False)

    def on_mount(self) -> None:
        # The learner's own keys are known once the collection is open.
        self.bindings_updated_signal.subscribe(self, lambda _: self.on_resize())

    def on_resize(self) -> None:
        width, height = self.app.size
        self.query_one(Static).update(
            f"deltadeck needs {WIDTH} by {HEIGHT}; here it has {width} by {height}. "
            f"Enlarge the terminal, or leave with {key_for(self.app, 'app.leave')}."
        )
