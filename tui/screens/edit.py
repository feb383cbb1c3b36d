"""A card's source with its problems below, shown before anything is saved."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult, SuspendNotSupported
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Footer, Static, TextArea

from cards.model import Card, CardError, Problem
from tui import saving
from tui.drafts import Draft
from tui.external import OutsideError, edit_outside
from tui.files import UnreadableError, on_disk
from tui.newest import NewestOnly
from tui.screens.base import DeckScreen
from tui.screens.confirm import Choice, ConfirmScreen
from tui.text import counted, visible
from tui.widgets.editor import Editor
from tui.widgets.top_line import TopLine


class EditScreen(DeckScreen[Card | None]):
    """Edits the file at `path`, the cursor on `line`; `text` is the draft of a new card there.

    Returns the card as last saved, or None.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "save", "Save", id="edit.save", priority=True, tooltip="Save the card"),
        Binding("f8", "next_problem", "Next problem", id="edit.next-problem"),
        Binding("f4,ctrl+o", "outside", "$EDITOR", id="edit.outside", tooltip="Open in $EDITOR"),
        Binding("escape", "back", "Back", id="edit.back", key_display="esc"),
    ]

    def __init__(self, path: Path, line: int = 1, text: str | None = None) -> None:
        super().__init__()
        self._path = path
        self._line = line
        self._draft = text
        self._seen: str | None = None
        self._clean = ""
        self._saved: Card | None = None
        self._leaving = False
        """Whether the screen is left as soon as the text is saved."""
        self._problems: tuple[Problem, ...] = ()
        self._linter: NewestOnly[str, tuple[Problem, ...]] = NewestOnly(
            self, self._lint, self._show_problems
        )

    def compose(self) -> ComposeResult:
        yield TopLine()
        editor = Editor(id="source", show_line_numbers=True, soft_wrap=True)
        editor.cursor_blink = False
        yield editor
        yield Static(id="found")
        yield Footer()

    def on_mount(self) -> None:
        editor = self.query_one(Editor)
        if self._draft is None:
            try:
                self._seen = on_disk(self._path)
            except UnreadableError as error:
                self.deltadeck.say(str(error), error=True)
                self.dismiss(None)
                return
        self._load(self._seen if self._draft is None else self._draft)
        editor.move_cursor((max(0, self._line - 1), 0), center=True)
        editor.focus()

    def _load(self, text: str | None) -> None:
        editor = self.query_one(Editor)
        editor.load_text(text or "")
        # The text as the editor gives it back: where a file mixes line endings, it differs.
        self._clean = editor.text if self._draft is None else ""
        self._show_top()

    @property
    def _text(self) -> str:
        """What a save writes: the file's own text while nothing was changed."""
        text = self.query_one(Editor).text
        return self._seen if text == self._clean and self._seen is not None else text

    def unsaved(self) -> str:
        editors = self.query(Editor)
        if not editors or editors.first().text == self._clean:
            return ""
        return f"{self._path.name} has changes that are not saved."

    def draft(self) -> Draft | None:
        return Draft(self._path.name, self._text) if self.unsaved() else None

    # Problems.

    @on(TextArea.Changed, "#source")
    def _changed(self) -> None:
        self._show_top()
        self._linter.ask(self._text)

    def _lint(self, text: str) -> tuple[Problem, ...]:
        from tui.exercises import problems_of

        collection = self.deltadeck.collection
        return problems_of(text, self._path, collection.config.macros if collection else None)

    def _show_problems(self, problems: tuple[Problem, ...]) -> None:
        self._problems = problems
        found = self.query_one("#found", Static)
        if not problems:
            found.update(Content.styled("✓ this card can be read", "$text-success"))
        else:
            shown = [_line(problem) for problem in problems[:5]]
            if len(problems) > 5:
                shown.append(Content.styled(f"and {len(problems) - 5} more", "dim"))
            found.update(Content("\n").join(shown))
        self._show_top()

    def _show_top(self) -> None:
        top = self.query_one(TopLine)
        top.left = f"Edit · {self._path.name}"
        top.middle = "not saved" if self.unsaved() else ""
        errors = sum(problem.severity == "error" for problem in self._problems)
        top.right = counted(errors, "problem") if errors else ""

    def action_next_problem(self) -> None:
        if not self._problems:
            self.deltadeck.say("There is no problem in this card.")
            return
        editor = self.query_one(Editor)
        here = editor.cursor_location
        places = sorted({(problem.line - 1, problem.column - 1) for problem in self._problems})
        editor.move_cursor(next((place for place in places if place > here), places[0]))
        editor.focus()

    # Saving.

    def action_save(self) -> None:
        self._leaving = False
        self._save(self._seen)

    def _save(self, seen: str | None, *, renamed: bool = False) -> None:
        """Save over the text `seen`; `renamed`: the learner knows that the id changes."""
        from cards import parse_card, save_card

        text = self._text
        try:
            card = parse_card(text, self._path)
        except CardError as error:
            self.deltadeck.say(saving.refusal(error.problem), error=True)
            return
        if not self._may_have_id(card, seen, renamed):
            return
        try:
            self._saved = save_card(self._path, text, seen)
        except CardError as error:
            self._refused(error, seen, renamed)
            return
        self._seen, self._draft = text, None
        self._clean = self.query_one(Editor).text
        self._show_top()
        self.deltadeck.say(f"Saved {self._path.name}.")
        self.deltadeck.reread()
        if self._leaving:
            self.dismiss(self._saved)

    def _may_have_id(self, card: Card, seen: str | None, renamed: bool) -> bool:
        """Whether the card's id is free and its reviews come along, or the learner was asked."""
        collection = self.deltadeck.open_collection
        self.deltadeck.reread()
        if words := saving.id_refusal(card, collection, self._path):
            self.deltadeck.say(words, error=True)
            return False
        question = None if renamed else saving.id_question(card, collection, self._path)
        if question is None:
            return True

        def answered(chosen: str | None) -> None:
            if chosen == "new":
                self._save(seen, renamed=True)

        self.app.push_screen(ConfirmScreen(question.text, question.choices), answered)
        return False

    def _refused(self, error: CardError, seen: str | None, renamed: bool) -> None:
        """The text stays in the editor; a file that changed meanwhile is a question."""
        found = saving.conflict(self._path, seen)
        if found is None:
            self.deltadeck.say(saving.refusal(error.problem), error=True)
            return

        def answered(chosen: str | None) -> None:
            if chosen == "mine":
                self._save(found.there, renamed=renamed)
            elif chosen == "disk":
                self._seen, self._draft = found.there, None
                self._load(found.there)

        self.app.push_screen(ConfirmScreen(found.text, found.choices), answered)

    # Leaving, and the learner's own editor.

    def action_outside(self) -> None:
        try:
            with self.app.suspend():
                text = edit_outside(self._text, self._path.name)
        except (OutsideError, SuspendNotSupported) as error:
            here = "Your own editor opens in a terminal only: here, this screen is the editor."
            self.deltadeck.say(str(error) if isinstance(error, OutsideError) else here, error=True)
            return
        editor = self.query_one(Editor)
        if text != self._text:
            editor.replace(text, (0, 0), editor.document.end)
        self.refresh(layout=True)

    def action_back(self) -> None:
        if not (loss := self.unsaved()):
            self.dismiss(self._saved)
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
            self._save(self._seen)
        elif chosen == "drop":
            self.dismiss(self._saved)


def _line(problem: Problem) -> Content:
    style = "bold $text-error" if problem.severity == "error" else "bold $text-warning"
    return Content.assemble(
        (f"line {problem.line}  ", style),
        f"{visible(problem.message)} ",
        (visible(problem.hint), "$text-muted"),
    )
