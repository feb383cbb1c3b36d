"""The engine, live: a random input with its windows, the answer, and the verdict while typing."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container, VerticalScroll
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Footer, Static, TextArea

from engine.languages import language_of
from tui import lab_text
from tui.drafts import Draft
from tui.lab_hints import hints
from tui.lab_result import LabResult
from tui.lab_state import Shown
from tui.lab_work import LONGEST_ANSWER, Asked, Found, Task, checked
from tui.newest import NewestOnly
from tui.screens.base import DeckScreen
from tui.screens.lab_keys import KEYS
from tui.text import visible
from tui.widgets.answer_editor import AnswerEditor
from tui.widgets.lab_board import Board, sliders_for, window_of
from tui.widgets.sliders import Sliders
from tui.widgets.steady import Steady
from tui.widgets.top_line import TopLine

if TYPE_CHECKING:
    from cards.model import Card
    from engine import Exercise, Verdict

#: A wrong answer counts as one the learner meant when it stood for this long.
MEANT_SECONDS = 4
#: A function is run when nothing was typed for so long.
PAUSE_SECONDS = 0.3
#: After so long without an answer of the engine, the screen says that it is still at it.
SLOW_SECONDS = 0.4


class LabScreen(DeckScreen[LabResult]):
    """Returns the last answer with its verdict, or None where nothing was answered."""

    AUTO_FOCUS = "#answer"
    CSS_PATH = "lab.tcss"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (96, "-wide")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "-short"), (34, "-tall")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = KEYS

    def __init__(
        self, item_id: str, card: Card, exercise: Exercise, before: LabResult | None
    ) -> None:
        super().__init__()
        self._item_id = item_id
        self._card = card
        self._exercise = exercise
        self._before = before
        self._slips = before.slips if before else 0
        self._told = before.hints if before else 0
        """How many hints were asked for."""
        self._by_hand = before if before and before.by_hand else None
        self._shown = Shown(window=window_of(exercise))
        self._found: Found | None = None
        """What is known of the answer as it is written now."""
        self._judged_at: datetime | None = None
        self._leaving = self._notation = False
        self._pause: Timer | None = None
        self._slow: Timer | None = None
        self._checker: NewestOnly[Asked, Found] = NewestOnly(
            self, lambda asked: checked(asked, lambda: self._checker.waits), self._hear
        )

    @property
    def _written_before(self) -> str:
        return "" if self._before is None or self._before.by_hand else self._before.answer

    def compose(self) -> ComposeResult:
        yield TopLine(f"Lab · {self._card.id}")
        yield Static(visible(self._exercise.description), id="ask", markup=False)
        if sliders := sliders_for(self._exercise):
            yield Sliders(sliders, id="sliders")
        yield Board(id="board")
        with Container(id="write"):
            editor = AnswerEditor(
                self._written_before,
                id="answer",
                placeholder=lab_text.PLACEHOLDER,
                soft_wrap=True,
            )
            editor.cursor_blink = editor.highlight_cursor_line = False
            editor.longest = LONGEST_ANSWER
            yield editor
            yield Steady(id="formula")
        yield Steady(id="headline")
        with VerticalScroll(id="details"):
            yield Steady(id="said")
        yield Footer()

    def on_mount(self) -> None:
        editor = self.query_one(AnswerEditor)
        editor.move_cursor(editor.document.end)
        self._note_language()
        self.call_after_refresh(self._ask)

    def on_resize(self) -> None:
        if self._found is not None:
            self.call_after_refresh(self._ask)

    @property
    def _answer(self) -> str:
        return self.query_one(AnswerEditor).text

    def draft(self) -> Draft | None:
        editors = self.query(AnswerEditor)
        if not editors or not editors.first().text.strip():
            return None
        if editors.first().text == self._written_before:
            return None
        return Draft(f"{self._card.id}-answer.txt", editors.first().text)

    # Asking and hearing.

    def _ask(self) -> None:
        if self._pause is not None:
            self._pause.stop()
            self._pause = None
        # As in lab.tcss: the formula has seven parts of twelve beside the editor.
        width = self.app.size.width
        columns = width * 7 // 12 - 3 if self.has_class("-wide") else max(20, width - 4)
        look = self._shown.look
        self._checker.ask(Asked(self._answer, Task.of(self._card), look, columns))
        if self._slow is not None:
            self._slow.stop()
        self._slow = self.set_timer(SLOW_SECONDS, self._show_slowness)

    @on(TextArea.Changed, "#answer")
    def _typed(self) -> None:
        if self._was_meant():
            self._slips += 1
        self._found, self._judged_at, self._leaving = None, None, False
        self._shown = self._shown.at_random()
        self._note_language()
        if self._pause is not None:
            self._pause.stop()
        if self.has_class("-function"):
            self._checker.forget()
            self._pause = self.set_timer(PAUSE_SECONDS, self._ask)
        else:
            self._pause = None
            self._ask()

    def _note_language(self) -> None:
        self.set_class(bool(self._answer.strip()), "-answered")
        python = language_of(self._answer) == "function"
        if python != self.has_class("-function"):
            self.query_one(AnswerEditor).python = python
            self.set_class(python, "-function")
            self.refresh_bindings()

    def _was_meant(self) -> bool:
        since = self._judged_at
        verdict = self._found.verdict if self._found else None
        if verdict is None or since is None or verdict.verdict in ("correct", "unreadable"):
            return False
        return (self.deltadeck.clock() - since).total_seconds() >= MEANT_SECONDS

    def _hear(self, found: Found) -> None:
        self._found = found
        self._judged_at = self._judged_at or self.deltadeck.clock()
        failed = bool(found.verdict and found.verdict.counterexample)
        self.set_class(failed and not self._shown.looking, "-told")
        self._show()
        if self._leaving:
            self.action_back()

    # Showing.

    @property
    def _hints(self) -> tuple[str, ...]:
        verdict = self._found.verdict if self._found else None
        return hints(verdict, self._exercise, self._card) if verdict else ()

    def _show(self) -> None:
        found = self._found
        if found is None:
            return
        if found.picture is not None:
            top = self.query_one(TopLine)
            top.right = found.picture.named
            top.middle = lab_text.geometry(found.picture)
            self.query_one(Board).show(found.picture, self._shown.window_at, self._shown.stepping)
        self._show_formula(found)
        self._show_verdict(found.verdict)

    def _show_formula(self, found: Found) -> None:
        shown = self.query_one("#formula", Steady)
        if found.formula is not None:
            shown.put(lab_text.formula(found))
        elif found.verdict is None or self.has_class("-function"):
            shown.put("")

    def _show_verdict(self, verdict: Verdict | None) -> None:
        headline = self.query_one("#headline", Steady)
        said = self.query_one("#said", Steady)
        if self._notation:
            headline.put(Content.styled("How an answer is written", "bold"))
            said.put(lab_text.notation(self._exercise))
        else:
            told = self._hints[: self._told]
            headline.put(lab_text.headline(verdict))
            said.put(lab_text.said(verdict, self._answer, self.size.width - 4, told))

    def _show_slowness(self) -> None:
        if self._found is None and self._checker.busy and not self._notation:
            self.query_one("#headline", Steady).put(lab_text.STILL_AT_IT)

    # Keys.

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        return self.has_class("-function") if action == "run" else True

    def action_run(self) -> None:
        self._ask()

    def action_draw(self) -> None:
        self._look(self._shown.another())

    @on(Sliders.Turned)
    def _turned(self) -> None:
        values = self.query_one(Sliders)
        if "kernel" in values.values:
            most = int(values.values["kernel"]) // 2
            values.limit("padding", tuple(map(str, range(most + 1))))
        self._look(self._shown.turned(values.values))

    def action_failing(self) -> None:
        verdict = self._found.verdict if self._found else None
        if verdict is None or not verdict.failed:
            self.deltadeck.say(lab_text.nothing_fails(verdict))
            return
        self._look(self._shown.next_failing())

    def _look(self, shown: Shown) -> None:
        """Show an input; on a short screen, in place of the smallest case."""
        self._shown, self._notation = shown, False
        self.remove_class("-told")
        self._ask()

    def action_window(self, step: int) -> None:
        self._shown, self._notation = self._shown.stepped(step), False
        self.remove_class("-told")
        self._show()

    def action_hint(self) -> None:
        """One hint more; those given stay, also for the next answer."""
        verdict = self._found.verdict if self._found else None
        told = self._hints
        if not told:
            self.deltadeck.say(lab_text.no_hint(verdict))
            return
        if self._told >= len(told):
            self.deltadeck.say("That was the last hint.")
        self._told, self._notation = min(self._told + 1, len(told)), False
        self._shown = self._shown.not_looking()
        self.add_class("-told")
        self._show()
        self.query_one("#details").scroll_home(animate=False)

    def action_notation(self) -> None:
        self._notation = not self._notation
        self.set_class(self._notation, "-told")
        self._show()

    def action_go(self, step: int) -> None:
        parts = [self.query_one(AnswerEditor), self.query_one(Board), *self.query(Sliders)]
        parts += [self.query_one("#details", VerticalScroll)]
        there = [part for part in parts if part.display]
        at = there.index(self.focused) if self.focused in there else 0
        there[(at + step) % len(there)].focus()

    def action_by_hand(self) -> None:
        from tui.screens.lab_hand import HandScreen

        self.app.push_screen(HandScreen(self._card, self._exercise), self._filled)

    def _filled(self, result: LabResult | None) -> None:
        if result is not None:
            self._by_hand = result
        self.query_one(AnswerEditor).focus()

    def action_back(self) -> None:
        """Leave, with the verdict on what is written now: where it is on its way, wait for it."""
        if self._answer.strip() and self._found is None:
            self._leaving = True
            if self._pause is not None:
                self._ask()
            if self._checker.busy:
                return
        self.dismiss(self._record())

    def _record(self) -> LabResult | None:
        verdict = self._found.verdict if self._found else None
        # What is too long was not read: the journal keeps none of it.
        if verdict is None or not self._answer.strip() or len(self._answer) > LONGEST_ANSWER:
            return self._kept(self._by_hand) if self._by_hand else self._before
        return self._kept(LabResult(self._answer, verdict, self._slips, self._told))

    def _kept(self, result: LabResult) -> LabResult:
        """The result, in the journal if it is a new one."""
        before = self._before
        if before is not None and (before.answer, before.hints) == (result.answer, result.hints):
            return result
        from deck import JournalError

        try:
            self.deltadeck.open_collection.record_check(
                self._item_id, result.as_event(), self.deltadeck.clock()
            )
        except JournalError as error:
            self.deltadeck.say(f"The check is not in the journal. {error}", error=True)
        return result
