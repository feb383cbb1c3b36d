"""No key that the help of a screen names is dead: it reaches its action, and that is seen."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from textual.binding import ActiveBinding
from textual.dom import DOMNode
from textual.screen import Screen
from textual.widgets import Input, OptionList

from tests.tui.driving import Driver, running
from tui.app import DeltadeckApp
from tui.keymap import available_actions, meet
from tui.screens.dialogs import HelpScreen
from tui.screens.home import HomeScreen

#: Each screen by the keys that lead there from home, with its cursor on the first course; those
#: of a line are looked at in one run of the program.
SCREENS = {
    "home": {"home": "", "help": "question_mark"},
    "study": {
        "question": "enter",
        "answer": "enter space",
        "options": "j enter",
        "over": "j j enter space 4",
    },
    "lab": {
        "answer": "G enter c",
        "board": "G enter c tab",
        "sliders": "G enter c tab tab",
        "by hand": "G enter c ctrl+o 5",
    },
    "writing": {"edit": "enter e", "add": "a", "new card": "a ctrl+s"},
    "browse": {"rows": "b", "search": "b slash", "reader": "b enter"},
    "statistics": {"figures": "s", "search": "s slash"},
    "forms": {"own session": "t", "its kind": "t shift+tab shift+tab", "more today": "plus"},
    "others": {"settings": "comma", "problems": "p", "exam": "x"},
}
#: What was done already: a kind of screen, and the action's name.
SEEN: set[tuple[type, str | None]] = set()
#: A key goes from the program to the focused widget, and from there up again, once the one before
#: has done so.
TURNS = 24
#: Noted but not done: the program would be gone.
LEAVING = ("quit", "interrupt")
#: What these do is not seen: they read the disk, and paint what is painted.
UNSEEN = ("home.reload", "app.redraw")


class Reached:
    """The actions that were reached since it was last emptied, in their order."""

    def __init__(self) -> None:
        self.actions: list[tuple[DOMNode, str, tuple[Any, ...]]] = []
        self.only = False
        """Whether they are noted, and not done."""

    def has(self, app: DeltadeckApp, key: ActiveBinding) -> bool:
        node, name, parameters = app._parse_action(key.binding.action, key.node)
        return (node, name, parameters) in self.actions


@pytest.fixture
def reached(monkeypatch: pytest.MonkeyPatch) -> Reached:
    """Notes every action that a key leads to."""
    found = Reached()
    run = DeltadeckApp._dispatch_action

    async def noted(app: DeltadeckApp, node: DOMNode, name: str, parameters: Any) -> bool:
        found.actions.append((node, name, parameters))
        only = found.only or name in LEAVING
        return True if only else await run(app, node, name, parameters)

    monkeypatch.setattr(DeltadeckApp, "_dispatch_action", noted)
    return found


@pytest.mark.parametrize("seen", [False, pytest.param(True, marks=pytest.mark.long)])
@pytest.mark.parametrize("name", SCREENS)
async def test_every_key_that_is_named_works(
    cards: Path, reached: Reached, name: str, seen: bool
) -> None:
    """It leads to its action; and, `seen`, what that does is seen."""
    dead: dict[str, list[str]] = {}
    async with running(cards, (100, 24)) as driver:
        for state, way in SCREENS[name].items():
            on = On(driver, reached, way)
            await on.begin()
            keys = on.named()
            await on.the_help_names(keys)
            works = on.works if seen else on.leads
            dead[state] = [key for key in keys if not await works(key)]
            assert len(keys) > 1
    assert dead == {state: [] for state in SCREENS[name]}


@dataclass
class On:
    """A screen whose keys are pressed."""

    driver: Driver
    reached: Reached
    way: str
    _screen: Screen[Any] | None = None

    @property
    def _active(self) -> dict[str, ActiveBinding]:
        """What can be done now."""
        return {
            key: each
            for key, each in self.driver.app.screen.active_bindings.items()
            if each.enabled
        }

    def named(self) -> list[str]:
        """The keys that the help has, those of the footer among them."""
        active = self._active
        ids = {name for deed in available_actions(self.driver.app.screen) for name in deed.ids}
        # What config.toml gives keys to is looked through for conflicts between all of these.
        assert all(meet(one, other) for one in ids for other in ids)
        keys = [key for key, each in active.items() if each.binding.id in ids]
        shown = [key for key, each in active.items() if each.binding.show]
        assert {key for key in shown if active[key].binding.description} <= set(keys)
        return keys

    async def the_help_names(self, keys: list[str]) -> None:
        """The page itself, opened by its key."""
        app, screen = self.driver.app, self.driver.app.screen
        active = screen.active_bindings
        if "f1" in active and not isinstance(screen, HelpScreen):
            now = {app.get_key_display(active[key].binding) for key in keys}
            soon = {app.get_key_display(a.binding) for a in active.values() if not a.enabled}
            await self.driver.press("f1")
            assert isinstance(app.screen, HelpScreen)
            assert now <= {key for deed in app.screen._deeds for key in deed.keys} <= now | soon
            await self.driver.press("escape")
            assert app.screen is screen

    async def works(self, key: str) -> bool:
        """Whether the key reaches its action; and whether that is seen, here or further along.

        What several keys do, or one does in several states of a screen, is done once; and what
        the whole program does, on the first screen only.
        """
        await self.begin(key)
        found = self._active[key]
        deed = (type(self.driver.app.screen), found.binding.id)
        if deed in SEEN or (found.node is self.driver.app and self.way):
            return await self.leads(key)
        SEEN.add(deed)
        if await self._is_seen(key):
            return True
        for first in ("end", "home", "down", ""):
            await self.begin()
            if first in self._active and first != key:
                await self.driver.press(first)
            if key in self._active and await self._is_seen(key):
                return True
        return False

    async def leads(self, key: str) -> bool:
        """Whether it is taken down for its action, which is not done."""
        await self.begin(key)
        found, app = self._active[key], self.driver.app
        self.reached.actions.clear()
        self.reached.only = True
        app.simulate_key(key)
        for _ in range(TURNS):
            if not self.reached.has(app, found):
                await self.driver.turn()
        self.reached.only = False
        return self.reached.has(app, found)

    async def _is_seen(self, key: str) -> bool:
        """Press it, and see what comes of it."""
        found, before = self._active[key], self._sight()
        self.reached.actions.clear()
        await self.driver.press(key)
        assert self.reached.has(self.driver.app, found), key
        action = found.binding.action.removeprefix("app.")
        unseen = found.binding.id in UNSEEN or action in LEAVING
        return unseen or before != self._sight()

    def _sight(self) -> tuple[object, ...]:
        """All that a learner sees: letters with their colours, notifications, where one is."""
        app = self.driver.app
        return self.driver.pieces(), self.driver.said(), app.screen, app.focused

    async def begin(self, key: str = "") -> None:
        """Go to the screen, unless one is there still and `key` means something."""
        app = self.driver.app
        app.clear_notifications()
        app.animation_level = "none"
        if key and app.screen is self._screen and key in self._active:
            return
        while not isinstance(app.screen, HomeScreen):
            await app.pop_screen()
        await self.driver.settle()
        tree = app.screen.query_one("#tree", OptionList)
        tree.highlighted = 1  # a course; above it are all decks
        tree.focus()
        await self.driver.do(self.way)
        for field in app.screen.query(Input):
            field.cursor_blink = False
        self._screen = app.screen
