"""The engine, live: a random input with its windows, the answer, and the verdict while typing."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container
from textual.widget import Widget
from textual.widgets import Static, TextArea

from engine.languages import language_of
from tui import lab_text
from tui.drafts import Draft
from tui.lab_asking import Asking
from tui.lab_completion import completion
from tui.lab_mixed import function_within
from tui.lab_result import LabResult
from tui.lab_state import Shown
from tui.lab_visit import Visit, keep
from tui.lab_work import LONGEST_ANSWER, Asked, Found, Task
from tui.screens.base import DeckScreen
from tui.screens.confirm import Choice, ConfirmScreen
from tui.screens.lab_keys import KEYS
from tui.screens.lab_room import make_room
from tui.text import visible
from tui.widgets.answer_editor import AnswerEditor
from tui.widgets.footer import Footer
from tui.widgets.lab_board import TALL, Board, bounded, name, sliders_for
from tui.widgets.sliders import Sliders
from tui.widgets.top_line import TopLine
from tui.widgets.typeset import Typeset
from tui.widgets.verdict_pane import VerdictPane

if TYPE_CHECKING:
    from cards.model import Card
    from engine import Verdict
    from tui.lab_brief import Brief

MAY_RUN = (Choice("y", "run", "run it"), Choice("n", "no", "do not run it"))
#: Columns from which on the formula stands beside the editor.
WIDE = 96


class LabScreen(DeckScreen[LabResult]):
    """Returns the last answer with its verdict, or None where nothing stands."""

    AUTO_FOCUS = "#answer"
    CSS_PATH = "lab.tcss"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE, "-wide")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "-short"), (TALL, "-tall")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = KEYS

    def __init__(self, item_id: str, card: Card, brief: Brief, before: LabResult | None) -> None:
        super().__init__()
        self._item_id = item_id
        self._card = card
        self._brief = brief
        self._visit = Visit(card, brief, before)
        self._shown = Shown(window=brief.window)
        self._found: Found | None = None
        """What is known of the answer as it is written now."""
        self._leaving = self._notation = False
        self._asked = ""  # the answer that was asked about last
        self._run = False  # whether a key asked to run it
        self._allowed = ""  # the function that may run though nothing confines it
        self._asking = Asking(self, self._hear, self._show_slowness)

    def place(self) -> Card:
        return self._card

    def compose(self) -> ComposeResult:
        yield TopLine(f"Lab · {self._card.id}")
        yield Static(visible(lab_text.question(self._brief)), id="ask", markup=False)
        if sliders := sliders_for(self._brief):
            yield Sliders(sliders, id="sliders")
        yield Board(id="board")
        with Container(id="write"):
            placeholder = lab_text.placeholder(self._brief)
            yield AnswerEditor.made(self._visit.text, placeholder, LONGEST_ANSWER, self._completed)
            yield Typeset(id="formula")
        yield VerdictPane(id="verdict")
        yield Footer()

    def on_mount(self) -> None:
        editor = self.query_one(AnswerEditor)
        editor.move_cursor(editor.document.end)
        self._note_language()
        self._ask()

    def on_resize(self) -> None:
        if self._found is not None:
            self._ask()

    @property
    def _answer(self) -> str:
        return self.query_one(AnswerEditor).text

    def _completed(self, line: str, text: str) -> str:
        return completion(line, text, self._brief)

    def draft(self) -> Draft | None:
        editors = self.query(AnswerEditor)
        return self._visit.draft(editors.first().text) if editors else None

    # Asking and hearing.

    def _ask(self) -> None:
        # As in lab.tcss: the formula has seven parts of twelve beside the editor.
        width = self.app.size.width
        columns = width * 7 // 12 - 3 if width >= WIDE else max(20, width - 4)
        self._asked = self._answer
        task, allowed = Task.of(self._card), self._asked == self._allowed
        self._asking.now(Asked(self._asked, task, self._shown.look, columns, allowed))

    @on(TextArea.Changed, "#answer")
    def _typed(self) -> None:
        self._visit.typed(self._answer, self._verdict, self.deltadeck.clock())
        self._found, self._leaving, self._run = None, False, False
        self._shown = self._shown.at_random()
        self._note_language()
        if self.has_class("-function"):
            self._asking.after_pause(self._ask)
        else:
            self._ask()

    def _note_language(self) -> None:
        self.set_class(bool(self._answer.strip()), "-answered")
        python = language_of(self._answer) == "function"
        if python != self.has_class("-function"):
            self.query_one(AnswerEditor).python = python
            self.set_class(python, "-function")
            self.refresh_bindings()

    def _hear(self, found: Found) -> None:
        found = replace(found, verdict=self._visit.gathered(found.verdict))
        self._found = found
        run, self._run = self._run, False
        if run and found.open_to_it and not self._leaving:
            question = f"{found.open_to_it}\n\nRun this function all the same?"
            self.app.push_screen(ConfirmScreen(question, MAY_RUN), self._may_run)
        self._visit.judged(self._asked, found.verdict, self.deltadeck.clock())
        self._show()
        if self._leaving:
            self._leave()

    # Showing.

    @property
    def _verdict(self) -> Verdict | None:
        """On what is written now; None while it is on its way, and where nothing is written."""
        return self._found.verdict if self._found else None

    def _show(self) -> None:
        found = self._found
        if found is None:
            return
        if found.picture is not None:
            name(self, self._brief, found.picture, self._shown)
            self.query_one(Board).show(found.picture, self._shown.step)
        whole = not self.has_class("-function") and not function_within(self._answer)
        unread = found.verdict is not None and whole
        self.query_one(Typeset).show(found.formula, keep=unread)
        pane, hints = self.query_one(VerdictPane), self._visit.hints(found.verdict)
        if self._notation:
            pane.show_notation(self._brief)
        else:
            pane.show(found.verdict, self._answer, hints, self._brief)
        make_room(self, self._tells, asked_for=self._notation or bool(hints))

    @property
    def _tells(self) -> bool:
        """Whether what stands below the headline matters more than the input that is shown."""
        failed = bool(self._verdict and self._verdict.counterexample)
        return self._notation or (failed and not self._shown.looking)

    def _show_slowness(self) -> None:
        if self._found is None and not self._notation:
            self.query_one(VerdictPane).still_at_it()

    # Keys.

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        return self.has_class("-function") if action == "run" else True

    def action_run(self) -> None:
        """Run the function; where nothing confines it, ask each time."""
        self._run, self._allowed = True, ""
        self._ask()

    def _may_run(self, said: str | None) -> None:
        if said == "run":
            self._allowed = self._asked
            self._ask()

    def action_draw(self) -> None:
        self._look(self._shown.another())

    @on(Sliders.Turned)
    def _turned(self) -> None:
        self._look(self._shown.turned(bounded(self.query_one(Sliders))))

    def action_failing(self) -> None:
        if self._verdict is None or not self._verdict.failed:
            self.deltadeck.say(lab_text.nothing_fails(self._verdict))
            return
        self._look(self._shown.next_failing())

    def _look(self, shown: Shown) -> None:
        """Show an input; on a short screen, in place of the smallest case."""
        self._shown, self._notation = shown, False
        self._ask()

    def action_window(self, step: int) -> None:
        self._shown, self._notation = self._shown.stepped(step), False
        self._show()

    def action_hint(self) -> None:
        """One hint more; those given stay while the answer is mended, and go with it."""
        if nothing := self._visit.another_hint(self._answer, self._verdict):
            self.deltadeck.say(nothing)
            return
        self._notation, self._shown = False, self._shown.not_looking()
        self._show()
        self.query_one(VerdictPane).to_top()

    def action_notation(self) -> None:
        self._notation = not self._notation
        self._show()

    def action_go(self, step: int) -> None:
        parts: list[Widget] = [self.query_one(AnswerEditor), self.query_one(Board)]
        parts += [*self.query(Sliders), self.query_one("#details")]
        there = [part for part in parts if part.display]
        at = there.index(self.focused) if self.focused in there else 0
        there[(at + step) % len(there)].focus()

    def action_by_hand(self) -> None:
        from tui.screens.lab_hand import HandScreen

        self.app.push_screen(HandScreen(self._card), self._filled)

    def _filled(self, result: LabResult | None) -> None:
        if result is not None:
            self._visit.by_hand = result
        self.query_one(AnswerEditor).focus()

    def action_back(self) -> None:
        """Close the notation; else leave."""
        (self.action_notation if self._notation else self._leave)()

    def _leave(self) -> None:
        """Leave, with the verdict on what is written now: where it is on its way, wait for it."""
        if self._answer.strip() and self._found is None:
            self._leaving = True
            if self._asking.paused:
                self._ask()
            if self._asking.busy:
                return
        # What was said here is about the answer: it must not cover the ratings.
        self.app.clear_notifications()
        result = self._visit.result(self._answer, self._verdict)
        if result is not None and self._visit.is_new(result):
            keep(self.deltadeck, self._item_id, result)
        self.dismiss(result)
