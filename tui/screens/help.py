"""`?`: the keys of the screen beneath."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from tui.actions import Deed
from tui.key_names import key_for
from tui.labelled import labelled
from tui.widgets.keyed_scroll import KeyedScroll

#: Columns that the box takes beside its text: border, padding, scroll bar.
_EDGES = 9
_NAMES = "What the actions are called in config.toml"


class HelpScreen(ModalScreen[None]):
    """Each action with its keys; `i` shows the names by which config.toml gives it others."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark,f1,enter,space", "close", "Close", id="help.close"),
        Binding("i", "names", "Names", id="help.names", tooltip=_NAMES),
    ]

    def __init__(self, deeds: list[Deed]) -> None:
        super().__init__()
        self._deeds = deeds
        self._names = False

    def compose(self) -> ComposeResult:
        with KeyedScroll(classes="box"):
            yield Static("Keys here", classes="title", markup=False)
            yield Static(id="keys")
            yield Static(classes="keys", markup=False, id="below")

    def on_resize(self) -> None:
        self._show()

    def _show(self) -> None:
        rows = [
            (" ".join(deed.keys), " ".join(deed.ids) if self._names else deed.words)
            for deed in self._deeds
        ]
        # What stands in the box.
        width = max(20, self.app.size.width * 9 // 10 - _EDGES)
        keys = labelled(rows, width, "bold $footer-key-foreground")
        self.query_one("#keys", Static).update(keys)
        close, names = (key_for(self.app, f"help.{name}") for name in ("close", "names"))
        other = "what they do" if self._names else "their names for config.toml"
        below = f"{close} closes this, {names} shows {other}"
        self.query_one("#below", Static).update(Content(below))

    def action_names(self) -> None:
        self._names = not self._names
        self._show()

    def action_close(self) -> None:
        self.dismiss(None)
