"""The line in which the statistics are narrowed to what a search means."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static

from deck.config import Config


class SearchLine(Vertical):
    """Says while typing what cannot be read, with a caret under the place."""

    DEFAULT_CSS = """
    SearchLine { height: auto; padding: 0 1; background: $surface; display: none; }
    SearchLine.-open { display: block; }
    SearchLine Input { border: none; height: 1; padding: 0 1; background: $surface; }
    SearchLine Input:focus { border: none; background: $panel; }
    SearchLine #fault { height: auto; padding: 0 1; color: $text-warning; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Cancel", id="statistics.search-cancel", key_display="esc"),
    ]

    class Found(Message):
        """A search that can be read; `text` is empty for everything."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class Left(Message):
        """All stays as it was."""

    def __init__(self, config: Config, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._config = config

    def compose(self) -> ComposeResult:
        yield Input(placeholder="tag:cnn -is:suspended   (docs/search.md)", select_on_focus=False)
        yield Static(id="fault")

    def open(self, text: str) -> None:
        self.add_class("-open")
        field = self.query_one(Input)
        field.value = text
        field.cursor_position = len(text)
        field.focus()

    def close(self) -> None:
        self.remove_class("-open")

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
            self.close()
            self.post_message(self.Found(event.value.strip()))

    def action_leave(self) -> None:
        self.close()
        self.post_message(self.Left())


def fault_in(text: str, config: Config) -> list[str]:
    """What is wrong with a search: a caret under its place, and the way out; empty for nothing."""
    from deck.search import SearchError
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
