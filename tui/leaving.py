"""Ctrl+C both copies and leaves: what it does now."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from textual.app import App
    from textual.geometry import Offset
    from textual.widgets import Input, TextArea

#: Within this time a second ctrl+c leaves.
AGAIN = timedelta(seconds=2)


@runtime_checkable
class Keeper(Protocol):
    """A screen that may hold what is not on disk yet."""

    def unsaved(self) -> str:
        """What would be lost, as a sentence; empty where nothing would."""

    def give_up(self) -> None:
        """It is not wanted: the next start is not to offer it."""


class Leaving:
    """Knows of the mouse and of the last ctrl+c: one that was meant to copy must not leave."""

    def __init__(self) -> None:
        self._pressed: Offset | None = None
        self._drawn = False
        self._asked: datetime | None = None

    def pressed(self, at: Offset) -> None:
        """The mouse went down."""
        self._pressed = at

    def released(self, at: Offset) -> None:
        """The mouse went up: somewhere else, and it was drawn over something."""
        self._drawn = self._pressed is not None and self._pressed != at

    def at_once(self, app: App[int], now: datetime) -> bool:
        """Whether ctrl+c leaves now; where it does not, the next one does."""
        asked, self._asked = self._asked, now
        if asked is not None and timedelta(0) <= now - asked <= AGAIN:
            return True
        return not (self._drawn or _field(app) is not None)


def asked_again(key: str) -> str:
    """What is said of a ctrl+c that did neither; `key` is what it is now."""
    return f"Nothing is selected. Press {key} again to leave."


def selected(app: App[int]) -> str:
    """The text that is selected where one writes, else on the page."""
    field = _field(app)
    if field is not None and field.selected_text:
        return field.selected_text
    return app.screen.get_selected_text() or ""


def loss(app: App[int]) -> str:
    """What would be lost by leaving now, as a sentence; empty where nothing would."""
    return next(filter(None, (screen.unsaved() for screen in _keepers(app))), "")


def leave(app: App[int]) -> None:
    """Leave the program; where something would be lost by that, ask first."""
    lost = loss(app)
    if not lost:
        _exit(app)
        return
    from tui.screens.confirm import Choice, ConfirmScreen

    def chosen(result: str | None) -> None:
        if result == "leave":
            _exit(app)

    choices = (Choice("l", "leave", "Leave without it"), Choice("escape", "stay", "Stay"))
    if not isinstance(app.screen, ConfirmScreen):
        app.push_screen(ConfirmScreen(lost, choices), chosen)


def _exit(app: App[int]) -> None:
    for screen in _keepers(app):
        screen.give_up()
    app.exit(0)


def _keepers(app: App[int]) -> list[Keeper]:
    return [screen for screen in app.screen_stack if isinstance(screen, Keeper)]


def _field(app: App[int]) -> Input | TextArea | None:
    """The field in which one writes now.  The widgets are loaded by whoever shows one."""
    from textual.widgets import Input, TextArea

    return app.focused if isinstance(app.focused, Input | TextArea) else None
