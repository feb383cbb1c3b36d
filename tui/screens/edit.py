"""A card's source beside the card itself; what is wrong is shown before anything is saved."""

from __future__ import annotations

import shlex
from pathlib import Path
from time import monotonic
from typing import ClassVar

from textual import on
from textual.app import ComposeResult, SuspendNotSupported
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import Static, TextArea

from cards.model import Problem
from tui.drafts import Draft
from tui.external import OutsideError, edit_outside
from tui.files import UnreadableError, on_disk
from tui.newest import NewestOnly
from tui.problem_lines import problem_lines
from tui.screens.confirm import Choice, ConfirmScreen
from tui.screens.edit_beside import BESIDE_KEYS, BesideScreen
from tui.screens.edit_saving import KEEP_AFTER
from tui.text import counted
from tui.widgets.card_editor import CardEditor
from tui.widgets.card_page import CardPage
from tui.widgets.completion_list import CompletionList
from tui.widgets.editor import excess
from tui.widgets.footer import Footer
from tui.widgets.top_line import TopLine
from tui.writing.completing import Offer, offer

#: Seconds after the last key until the card beside is set anew: a burst of keys sets it once.
_SET_AFTER = 0.15
#: The same for its problems, which the first key behind a rest shows at once.
_READ_AFTER, _RESTED = 0.1, 0.3

_Asked = tuple[list[str], int, int]


class EditScreen(BesideScreen):
    """Edits the file at `path`, the cursor on `line`.

    `text` is the draft of a new card there, which is left as soon as it is saved.  Returns the card
    as last saved, or None.
    """

    CSS_PATH = "edit.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "save", "Save", id="edit.save", priority=True, tooltip="Save the card"),
        *BESIDE_KEYS,
        Binding("f8", "next_problem", "Next problem", id="edit.next-problem"),
        Binding("f4,ctrl+o", "outside", "$EDITOR", id="edit.outside", tooltip="Open in $EDITOR"),
        Binding("escape", "back", "Back", id="edit.back", key_display="esc"),
    ]

    def __init__(self, path: Path, line: int = 1, text: str | None = None) -> None:
        super().__init__(path, text)
        self._line = line
        self._problems: tuple[Problem, ...] = ()
        self._linter: NewestOnly[str, tuple[Problem, ...]] = NewestOnly(
            self, self._lint, self._show_problems
        )
        self._completer: NewestOnly[_Asked, Offer | None] = NewestOnly(
            self, self._complete, self._offer
        )
        self._offered_row = 0
        self._changed_at = 0.0

    def compose(self) -> ComposeResult:
        yield TopLine()
        with Horizontal(id="writing"):
            editor = CardEditor(id="source", show_line_numbers=True, soft_wrap=True)
            editor.cursor_blink = False
            editor.indent_width = 2
            yield editor
            yield CardPage(id="beside")
        yield Static(id="found")
        yield CompletionList()
        yield Footer()

    def on_mount(self) -> None:
        editor = self.editor
        editor.popup = self.query_one(CompletionList)
        if self._draft is None:
            try:
                self._seen = _editable(self._path)
            except UnreadableError as error:
                self.deltadeck.say(str(error), error=True)
                self.dismiss(None)
                return
        self.lay(self.size.width)
        self.load(self._seen if self._draft is None else self._draft)
        editor.move_cursor((max(0, self._line - 1), 0), center=True)
        editor.focus()
        if self._draft is not None:
            editor.is_new = True
            editor.action_next_blank()
        self.ask_about_left()
        self.ask_about_others()

    def load(self, text: str | None) -> None:
        super().load(text)
        self.show_top()

    def place(self) -> Path:
        return self._path

    def draft(self) -> Draft | None:
        if not self.unsaved():
            return None
        return Draft(self._path.name, self._text, self.leave_for_next)

    # While one writes.

    @on(TextArea.Changed, "#source")
    def _changed(self) -> None:
        self.show_top()
        row, column = self.editor.cursor_location
        self._completer.ask((self.editor.document.lines, row, column))
        rested, self._changed_at = monotonic() - self._changed_at > _RESTED, monotonic()
        if rested:
            self._look_over()
        else:
            self.soon(_READ_AFTER, self._look_over)
        self.soon(_SET_AFTER, self.set_card)
        self.soon(KEEP_AFTER, self.keep)

    @on(TextArea.SelectionChanged, "#source")
    def _moved(self) -> None:
        offered = self.editor.offered
        row, column = self.editor.cursor_location
        if offered and not (row == self._offered_row and column >= offered.place.column):
            self.editor.offer(None)

    def _complete(self, asked: _Asked) -> Offer | None:
        from tui.writing.vocabulary import vocabulary_of

        vocabulary = vocabulary_of(self.deltadeck.open_collection, self.deltadeck.clock())
        return offer(*asked, vocabulary)

    def _offer(self, found: Offer | None) -> None:
        self._offered_row = self.editor.cursor_location[0]
        self.editor.offer(found)

    def _look_over(self) -> None:
        self._linter.ask(self.editor.text)

    def _lint(self, text: str) -> tuple[Problem, ...]:
        from tui.exercises import problems_of

        collection = self.deltadeck.collection
        return problems_of(text, self._path, collection.config.macros if collection else None)

    def _show_problems(self, problems: tuple[Problem, ...]) -> None:
        self._problems = problems
        marks = {one.line - 1: "warning" for one in problems}
        marks |= {one.line - 1: "error" for one in problems if one.severity == "error"}
        self.editor.mark(marks)
        self.query_one("#found", Static).update(problem_lines(problems))
        self.show_top()

    def show_top(self) -> None:
        top = self.query_one(TopLine)
        top.left = f"Edit · {self._path.name}"
        top.middle = "not saved" if self.unsaved() else ""
        errors = sum(problem.severity == "error" for problem in self._problems)
        top.right = counted(errors, "problem") if errors else ""

    def action_next_problem(self) -> None:
        if not self._problems:
            self.deltadeck.say("There is no problem in this card.")
            return
        here = self.editor.cursor_location
        places = sorted({(problem.line - 1, problem.column - 1) for problem in self._problems})
        self.editor.move_cursor(next((place for place in places if place > here), places[0]))
        self.action_source()

    # Leaving, and the learner's own editor.

    def action_outside(self) -> None:
        try:
            with self.app.suspend():
                text = edit_outside(self._text, self._path.name)
        except (OutsideError, SuspendNotSupported) as error:
            here = "Your own editor opens in a terminal only: here, this screen is the editor."
            self.deltadeck.say(str(error) if isinstance(error, OutsideError) else here, error=True)
            return
        if text != self._text:
            self.editor.replace(text, (0, 0), self.editor.document.end)
        self.refresh(layout=True)

    def action_back(self) -> None:
        if self._instead:
            self.action_source()
            return
        if not (loss := self.unsaved()):
            self.leave()
            return
        choices = (
            Choice("s", "save", "Save"),
            Choice("d", "drop", "Drop the changes"),
            Choice("escape", "stay", "Go on editing"),
        )
        self.app.push_screen(ConfirmScreen(loss, choices), self._leave)

    def _leave(self, chosen: str | None) -> None:
        if chosen == "save":
            self._leaving = True
            self.save(self._seen)
        elif chosen == "drop":
            self.leave()


def _editable(path: Path) -> str:
    """The file's text.  Raises UnreadableError also where it is too large for the editor here."""
    text = on_disk(path)
    if too_much := excess(text):
        way = f"`deltadeck edit {shlex.quote(str(path))}` opens it in $EDITOR"
        raise UnreadableError(f"{path.name} is too large for this editor: {too_much}. {way}.")
    return text
