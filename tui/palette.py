"""The command palette: all that can be done on the present screen, and the way to every other."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content

from tui.actions import Deed, deeds

if TYPE_CHECKING:
    from textual.screen import Screen

    from tui.app import DeltadeckApp

_THERE = "on the decks' screen"
#: Of the decks' screen: what begins a sitting.  There is one at a time.
_SITTINGS = ("list.enter", "home.search", "home.timed", "home.ahead", "home.cram", "home.exam")
#: From a screen as often until something asks back: marks, a list or a field may be open.
_BACKS = 3


@dataclass(frozen=True, slots=True)
class Command:
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
        matcher = self.matcher(query)
        for one in commands(cast("DeltadeckApp", self.app), self.screen):
            score = max(map(matcher.match, (one.words, *one.names)))
            if score > 0:
                row = one.shown(matcher.highlight(one.words))
                yield Hit(score, row, one.run, text=one.words)


def commands(app: DeltadeckApp, screen: Screen[Any]) -> Iterator[Command]:
    """First what `screen` itself does, then where one can go, then what the program does."""
    here = [deed for deed in deeds(screen) if deed.binding.action != "command_palette"]
    here.sort(key=lambda deed: (not deed.matters, deed.node is app))
    yield from (_command(app, deed) for deed in here)
    yield from _elsewhere(app, screen, {deed.words for deed in here})
    yield from _program(app)


def _command(app: DeltadeckApp, deed: Deed, where: str = "") -> Command:
    name, words = deed.binding.description, deed.words
    if not words.casefold().startswith(name.casefold()):
        words = f"{name}: {words}"
    run = partial(app.run_action, deed.binding.action, deed.node)
    return Command(words, run, " ".join(deed.keys), where, deed.ids)


def _elsewhere(app: DeltadeckApp, screen: Screen[Any], known: set[str]) -> Iterator[Command]:
    """What the decks' screen leads to, without going back there first."""
    from tui.screens.home import HomeScreen
    from tui.screens.study import StudyScreen

    stack = app.screen_stack
    home = next((each for each in stack if isinstance(each, HomeScreen)), None)
    if home is None or screen is home:
        return
    yield Command("Decks: back to the first screen", partial(go_home, app), names=("home",))
    sitting = any(isinstance(each, StudyScreen) for each in stack)
    for deed in deeds(home):
        begins = sitting and any(name in _SITTINGS for name in deed.ids)
        if deed.matters and deed.words not in known and not begins:
            yield _command(app, deed, _THERE)


def _program(app: DeltadeckApp) -> Iterator[Command]:
    yield Command("Theme: another look", app.action_change_theme)
    yield Command(
        "Screenshot: keep a picture of this screen", lambda: _picture(app), names=("svg",)
    )
    for name in sorted(app.available_themes):
        yield Command(f"Theme: {name}", partial(setattr, app, "theme", name), listed=False)


def _picture(app: DeltadeckApp) -> None:
    """Once the palette is gone from the screen."""
    app.set_timer(0.1, app.deliver_screenshot)


async def go_home(app: DeltadeckApp) -> None:
    """Leave one screen after the other as its own key does; one that asks something stays."""
    from tui.screens.home import HomeScreen

    backs = 0
    while not isinstance(app.screen, HomeScreen) and backs < _BACKS:
        before = app.screen
        if not await app.run_action("screen.back"):
            return
        backs = backs + 1 if app.screen is before else 0
