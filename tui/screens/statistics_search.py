"""The line in which the statistics are narrowed to what a search means; there while it is used."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from deck.config import Config


class SearchLine(Vertical):
    """Says while typing what cannot be read, with a caret under the place."""

    DEFAULT_CSS = """
    SearchLine { height: auto; padding: 0 1; background: $surface; }
    SearchLine Input { border: none; height: 1; padding: 0 1; background: $surface; }
    SearchLine Input:focus { border: none; background: $panel; }
    SearchLine #fault { height: auto; padding: 0 1; color: $text-warning; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Cancel", id="statistics.search-cancel", key_display="esc"),
    ]

    def __init__(self, text: str, config: Config, left: Callable[[str | None], None]) -> None:
        """Begins with `text`; `config` holds the saved searches.

        `left` gets the search when it is entered, empty for everything; None where it is given up.
        """
        super().__init__()
        self._text, self._config, self._left = text, config, left

    def compose(self) -> ComposeResult:
        yield Input(
            self._text,
            placeholder="tag:cnn -is:suspended   (docs/search.md)",
            select_on_focus=False,
        )
        yield Static(id="fault")

    def on_mount(self) -> None:
        field = self.query_one(Input)
        field.cursor_position = len(self._text)
        field.focus()

    @on(Input.Changed)
    def _check(self, event: Input.Changed) -> None:
        event.stop()
        fault = fault_in(event.value, self._config)
        shown = self.query_one("#fault", Static)
        shown.display = bool(fault)
        shown.update(Content("\n").join(Content(line) for line in fault))

    @on(Input.Submitted)
    def _submit(self, event: Input.Submitted) -> None:
        event.stop()
        if not fault_in(event.value, self._config):
            self._leave(event.value.strip())

    def action_leave(self) -> None:
        self._leave(None)

    def _leave(self, text: str | None) -> None:
        self.remove()
        self._left(text)


def fault_in(text: str, config: Config) -> list[str]:
    """What is wrong with a search: a caret under its place, and the way out; empty for nothing."""
    from deck.search.errors import SearchError
    from deck.searching import read_search
    from tui.report import under_caret

    try:
        read_search(text, config.searches)
    except SearchError as error:
        said = f"{error.message} {error.hint}".strip()
        if error.text.strip() == text.strip():
            return [under_caret(text, error.column)[1], said]
        return [said]
    return []
