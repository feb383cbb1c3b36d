"""`?`: the keys of the screen beneath."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult, SystemCommand
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen, Screen
from textual.widgets import Static

from tui.labelled import labelled

if TYPE_CHECKING:
    from textual.app import App

Key = tuple[str, str]

#: Columns that the box takes beside its text: border, padding, scroll bar.
_EDGES = 9


def keys_of(screen: Screen[object]) -> list[Key]:
    """What can be pressed on `screen` now: a key as it is shown, and what it does."""
    found: dict[str, Key] = {}
    for active in screen.active_bindings.values():
        binding = active.binding
        # Ours have ids; the toolkit's own (scroll left, copy) would bury them.
        if not active.enabled or not binding.description or not binding.id:
            continue
        key, words = found.get(binding.action, ("", binding.tooltip or binding.description))
        shown = screen.app.get_key_display(binding)
        joined = shown if not key or shown == key else f"{key} {shown}"
        found[binding.action] = (joined, words)
    return list(found.values())


def commands_of(app: App[int], screen: Screen[object]) -> Iterator[SystemCommand]:
    """What the keys of `screen` do, for the command palette; moving about is left to the keys."""
    seen: set[str] = set()
    for active in screen.active_bindings.values():
        binding = active.binding
        wanted = binding.id and (binding.show or binding.tooltip) and active.enabled
        if not wanted or binding.action in seen:
            continue
        seen.add(binding.action)
        words = binding.tooltip or binding.description
        run = partial(app.run_action, binding.action, active.node)
        yield SystemCommand(words, f"Key: {app.get_key_display(binding)}", run)


class HelpScreen(ModalScreen[None]):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark,f1,enter,space", "close", "Close", id="help.close")
    ]

    def __init__(self, keys: list[Key]) -> None:
        super().__init__()
        self._keys = keys

    def compose(self) -> ComposeResult:
        with VerticalScroll(classes="box"):
            yield Static("Keys here", classes="title", markup=False)
            yield Static(id="keys")
            yield Static("escape closes this", classes="keys", markup=False)

    def on_resize(self) -> None:
        width = max(20, self.size.width * 9 // 10 - _EDGES)
        keys = labelled(self._keys, width, "bold $footer-key-foreground")
        self.query_one("#keys", Static).update(keys)

    def action_close(self) -> None:
        self.dismiss(None)
