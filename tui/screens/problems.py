"""The list of what could not be read, each with its place and the way out."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from cards.model import Problem
from deck.files import is_card_name
from tui.key_names import key_for
from tui.screens.base import DeckScreen
from tui.screens.edit import EditScreen
from tui.text import counted, visible
from tui.widgets.footer import Footer
from tui.widgets.lists import KeyedList
from tui.widgets.top_line import TopLine


class ProblemsScreen(DeckScreen[None]):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "back", "Back", id="problems.back", key_display="esc"),
    ]

    def compose(self) -> ComposeResult:
        yield TopLine("Problems")
        yield Static("", id="empty", markup=False)
        yield KeyedList("Open the card", markup=False)
        yield Footer()

    def on_mount(self) -> None:
        self._fill()

    def _fill(self) -> None:
        collection = self.deltadeck.open_collection
        self._problems = collection.problems
        rows = self.query_one(KeyedList)
        rows.clear_options()
        rows.add_options([Option(_row(problem, collection.root)) for problem in self._problems])
        rows.display = bool(self._problems)
        empty = self.query_one("#empty", Static)
        empty.display = not self._problems
        back = key_for(self.app, "problems.back")
        empty.update(f"Every card can be read. Press {back} to go back.")
        self.query_one(TopLine).right = counted(len(self._problems), "problem")
        if self._problems:
            rows.highlighted = 0
            rows.focus()

    @on(OptionList.OptionSelected)
    def _open(self, event: OptionList.OptionSelected) -> None:
        problem = self._problems[event.option_index]
        if problem.path is None or not is_card_name(problem.path.name):
            self.deltadeck.say("This one is not in a card: what to do is written beside it.")
            return
        self.app.push_screen(EditScreen(problem.path, problem.line), lambda _: self._fill())

    def place(self) -> Path | None:
        at = self.query_one(KeyedList).highlighted
        return self._problems[at].path if at is not None else None

    def action_back(self) -> None:
        self.dismiss(None)


def _row(problem: Problem, root: Path) -> Content:
    path = problem.path
    shown = "a card" if path is None else path
    if isinstance(shown, Path) and shown.is_relative_to(root):
        shown = shown.relative_to(root)
    style = "bold $text-error" if problem.severity == "error" else "bold $text-warning"
    return Content.assemble(
        (f"{visible(str(shown))}:{problem.line}:{problem.column}", style),
        f"\n{visible(problem.message)} ",
        (visible(problem.hint), "$foreground-muted"),
    )
