"""The engine, live: a random input with its windows, the answer, and the verdict while typing."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Footer, Static, TextArea

from tui import lab_input, verdict_text
from tui.drafts import Draft
from tui.lab_result import LabResult
from tui.lab_work import Asked, Found, find
from tui.newest import NewestOnly
from tui.screens.base import DeckScreen
from tui.text import visible
from tui.widgets.editor import Editor
from tui.widgets.picture import drawn
from tui.widgets.top_line import TopLine

if TYPE_CHECKING:
    from cards.model import Card
    from engine import Exercise, Verdict

#: A wrong answer counts as one the learner meant when it stood for this long.
MEANT_SECONDS = 4
#: Characters; the engine reads fewer, and says so.
LONGEST_ANSWER = 10_000


class LabScreen(DeckScreen[LabResult]):
    """Returns the last answer with its verdict, or None where nothing was answered."""

    VERTICAL_BREAKPOINTS = [(0, "-short"), (36, "-tall")]  # noqa: RUF012
    # Nothing here may be a letter: a text field has the focus.
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "back", "Back", id="lab.back", key_display="esc"),
        Binding("ctrl+r", "draw", "New input", id="lab.new-input", tooltip="Another random input"),
        Binding("ctrl+n", "window", "Window", id="lab.window", tooltip="The next window"),
        Binding(
            "ctrl+g",
            "geometry",
            "Shape",
            id="lab.geometry",
            tooltip="Other kernel, stride and padding",
        ),
        Binding("ctrl+t", "notation", "Notation", id="lab.notation", tooltip="How to write it"),
    ]

    def __init__(
        self, item_id: str, card: Card, exercise: Exercise, before: LabResult | None
    ) -> None:
        super().__init__()
        self._item_id = item_id
        self._card = card
        self._exercise = exercise
        self._before = before
        self._geometry, self._seed, self._at = 0, 1, 0
        self._slips = before.slips if before else 0
        self._verdict: Verdict | None = None
        self._picture: lab_input.Picture | None = None
        self._judged_at: datetime | None = None
        self._leaving = self._notation = False
        self._looking = False
        """Whether the learner asked for the input's picture since the last key."""
        self._checker: NewestOnly[Asked, Found] = NewestOnly(self, find, self._found)

    def compose(self) -> ComposeResult:
        yield TopLine(f"Lab · {self._card.id}")
        yield Static(visible(self._exercise.description), id="ask", markup=False)
        yield Static(id="picture")
        editor = Editor(
            self._before.answer if self._before else "",
            id="answer",
            placeholder="Write the message you derived, for example dx[i,j] = …",
            soft_wrap=True,
        )
        editor.cursor_blink = False
        editor.longest = LONGEST_ANSWER
        yield editor
        yield Static(id="headline")
        with VerticalScroll(id="details"):
            yield Static(id="said")
        yield Footer()

    def on_mount(self) -> None:
        self.query_one(Editor).move_cursor(self.query_one(Editor).document.end)
        self.query_one(Editor).focus()
        self._ask()

    @property
    def _answer(self) -> str:
        return self.query_one(Editor).text

    def draft(self) -> Draft | None:
        before = self._before.answer if self._before else ""
        editors = self.query(Editor)
        if not editors or not editors.first().text.strip() or editors.first().text == before:
            return None
        return Draft(f"{self._card.id}-answer.txt", editors.first().text)

    # Asking and hearing.

    def _ask(self) -> None:
        self._checker.ask(Asked(self._answer, self._exercise, self._geometry, self._seed))

    @on(TextArea.Changed, "#answer")
    def _typed(self) -> None:
        if self._was_meant():
            self._slips += 1
        self._verdict, self._judged_at, self._looking = None, None, False
        self.set_class(bool(self._answer.strip()), "-answered")
        self._ask()

    def _was_meant(self) -> bool:
        verdict, since = self._verdict, self._judged_at
        if verdict is None or since is None or verdict.verdict in ("correct", "unreadable"):
            return False
        return (self.deltadeck.clock() - since).total_seconds() >= MEANT_SECONDS

    def _found(self, found: Found) -> None:
        self._verdict, self._picture = found.verdict, found.picture
        self._judged_at = self.deltadeck.clock()
        failed = bool(found.verdict and found.verdict.counterexample)
        self.set_class(failed and not self._looking, "-told")
        self._show()
        if self._leaving:
            self.action_back()

    # Showing.

    def _show(self) -> None:
        if (picture := self._picture) is not None:
            shape = verdict_text.geometry(picture.kernel, picture.stride, picture.padding)
            top = self.query_one(TopLine)
            top.middle, top.right = shape, f"input {picture.seed}"
            columns = max(20, self.size.width - 2)
            self.query_one("#picture", Static).update(drawn(picture, self._at, columns))
        headline = self.query_one("#headline", Static)
        said = self.query_one("#said", Static)
        if self._notation:
            headline.update(Content.styled("How an answer is written", "bold"))
            said.update(notation(self._exercise))
        elif self._verdict is None:
            headline.update(Content.styled("the verdict appears here while you type", "dim"))
            said.update("")
        else:
            headline.update(verdict_text.headline(self._verdict))
            said.update(verdict_text.details(self._verdict, self._answer, self.size.width - 4))

    # Keys.

    def action_draw(self) -> None:
        self._seed += 1
        self._ask_for_picture()

    def action_geometry(self) -> None:
        self._geometry += 1
        self._at = 0
        self._ask_for_picture()

    def _ask_for_picture(self) -> None:
        self._look()
        self._ask()

    def _look(self) -> None:
        self._looking, self._notation = True, False
        self.remove_class("-told")

    def action_window(self) -> None:
        self._at += 1
        self._look()
        self._show()

    def action_notation(self) -> None:
        self._notation = not self._notation
        self.set_class(self._notation, "-told")
        self._show()

    def action_back(self) -> None:
        """Leave, with the verdict on what is written now: where it is on its way, wait for it."""
        if self._answer.strip() and self._verdict is None and self._checker.busy:
            self._leaving = True
            return
        self.dismiss(self._record())

    def _record(self) -> LabResult | None:
        verdict = self._verdict
        # What is too long was not read: the journal keeps none of it.
        if verdict is None or not self._answer.strip() or len(self._answer) > LONGEST_ANSWER:
            return self._before
        result = LabResult(self._answer, verdict, self._slips)
        if self._before is not None and self._before.answer == result.answer:
            return result
        from deck import JournalError

        try:
            self.deltadeck.open_collection.record_check(
                self._item_id, result.as_event(), self.deltadeck.clock()
            )
        except JournalError as error:
            self.deltadeck.say(f"The check is not in the journal. {error}", error=True)
        return result


def notation(exercise: Exercise) -> Content:
    """The symbols an answer may use, and one that is well formed."""
    lines = [
        Content.assemble((f"{symbol:24}", "bold"), meaning) for symbol, meaning in exercise.symbols
    ]
    lines.append(Content.assemble(("for example  ", "dim"), exercise.example))
    return Content("\n").join(lines)
