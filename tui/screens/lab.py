"""LabScreen: an exercise, its inputs, the answer and its verdict."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, cast

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Static, TextArea

from deck.errors import JournalError
from engine.exercise import language_of
from tui.drafts import Draft
from tui.lab import verdict as lab_text
from tui.lab.requests import (
    LONGEST_ANSWER,
    ExerciseSpec,
    InputRequest,
    InputSelection,
    LabRequest,
    LabResponse,
)
from tui.lab.text import function_within, sentence
from tui.lab.visit import (
    MEANT_SECONDS,
    LabRequests,
    LabResult,
    LabSession,
    attempts,
    begins,
    completion,
)
from tui.page.page import pages_of
from tui.screens.base import DeckScreen
from tui.screens.dialogs import Choice, ConfirmScreen
from tui.screens.worksheet import HandScreen
from tui.text import interval
from tui.widgets.card_page import CardScroll
from tui.widgets.card_view import CardView
from tui.widgets.editors import AnswerEditor
from tui.widgets.frame import Footer, TopLine
from tui.widgets.item_list import title
from tui.widgets.lab_board import (
    TALL,
    Board,
    PartsList,
    Sliders,
    Steady,
    Told,
    Typeset,
    VerdictPane,
    sliders_for,
)

if TYPE_CHECKING:
    from cards.model import Card
    from engine.verdict import Verdict
    from tui.lab.requests import ExerciseInfo

_FAILING = "The next input on which the answer fails"
_HINT = "Next hint: the inputs that fail, the mistake, the correct line"
_WINDOW = "The next window, its maximum lit, and what flows back"
_QUESTION = "The whole question, or its last sentence"
_SIZE = "Another input, one larger each way; behind two of these, as at first"
_AGAIN = "Derive it once more, with nothing written and no hint in sight"
_BEFORE, _AFTER = "What you tried before this", "What you tried after this"
_ENGINE = "The engine's message on this input; before the first attempt, that is a hint"
_HAND = "Fill in the message of one small input by hand"

# No letter may be needed while the text field has the focus, and no key that it knows itself.
KEYS: list[BindingType] = [
    Binding("escape", "back", "Back", id="lab.back", key_display="esc"),
    Binding("f5,ctrl+s", "run", "Run", id="lab.run", tooltip="Run the function now"),
    Binding("ctrl+r,r", "draw", "New", id="lab.new-input", tooltip="Another random input"),
    Binding("ctrl+n,n", "failing", "Fails", id="lab.next-failing", tooltip=_FAILING),
    Binding("ctrl+g,h", "hint", "Hint", id="lab.hint", tooltip=_HINT),
    Binding("f4,e", "engine", "Engine", id="lab.engine", tooltip=_ENGINE),
    Binding("ctrl+o,b", "by_hand", "Hand", id="lab.by-hand", tooltip=_HAND),
    Binding("ctrl+l,w", "window(1)", "Window", show=False, id="lab.window", tooltip=_WINDOW),
    Binding("ctrl+t,t", "notation", "Notation", id="lab.notation", tooltip="How to write it"),
    Binding("f9,s", "size", "Size", show=False, id="lab.size", tooltip=_SIZE),
    Binding("f2", "question", "Question", id="lab.question", tooltip=_QUESTION),
    Binding("f8", "again", "Again", id="lab.again", show=False, tooltip=_AGAIN),
    Binding("ctrl+up", "attempt(-1)", "Before", id="lab.before", show=False, tooltip=_BEFORE),
    Binding("ctrl+down", "attempt(1)", "After", id="lab.after", show=False, tooltip=_AFTER),
    Binding("tab", "go(1)", "Go on", id="lab.next-part", show=False, tooltip="To the next part"),
    Binding("shift+tab", "go(-1)", "Go back", id="lab.part-before", show=False),
]

MAY_RUN = (Choice("y", "run", "run it"), Choice("n", "no", "do not run it"))
#: Rows from which on the whole question stands there from the beginning.
ROOMY = 36
#: Rows below which the formula goes where something is told of the answer.
LOW = 24
#: Columns from which on the formula stands beside the editor.
WIDE = 96
#: Where a sentence ends and another begins.
_SENTENCE = re.compile(r"(?<=[.?!])\s+(?=[^\W\d_a-z])")


def asked_last(card: Card) -> str:
    """The last sentence of a question's words, on one line."""
    words = [part for part in card.question.split("\n\n") if not part.strip().startswith("$$")]
    text = " ".join(words[-1:]).rpartition("$$")[2].strip() or card.question
    return title(replace(card, question=_SENTENCE.split(text)[-1]))


class LabEditor(AnswerEditor):
    """Where nothing is left to be undone, what was tried before comes back."""

    def action_undo(self) -> None:
        if self.history.undo_stack:
            super().action_undo()
        else:
            cast("LabScreen", self.screen).action_attempt(-1)


class LabScreen(DeckScreen[LabResult]):
    """Returns the last answer with its verdict, or None where nothing stands."""

    AUTO_FOCUS = "#answer"
    CSS_PATH = "lab.tcss"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE, "-wide")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "-short"), (TALL, "-tall")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = KEYS

    def __init__(self, item_id: str, card: Card, brief: ExerciseInfo) -> None:
        super().__init__()
        self._item_id = item_id
        self._card = card
        self._brief = brief
        self._shown = InputSelection(InputRequest(window=brief.window))
        self._found: LabResponse | None = None
        """What is known of the answer as it is written now."""
        self._leaving = self._notation = False
        self._engine = False  # whether its message is shown
        self._asked = ""  # the answer that was asked about last
        self._run = False  # whether a key asked to run it
        self._allowed = ""  # the function that may run though nothing confines it
        self._standing: Timer | None = None
        self._asking = LabRequests(self, self._hear, self._show_slowness)

    def place(self) -> Card:
        return self._card

    def compose(self) -> ComposeResult:
        self._write()
        left = [(data, at) for item, data, at in self.deltadeck.unrecorded if item == self._item_id]
        tried = attempts(self.collection.events(self._item_id), left)
        self._visit = LabSession(self._card, self._brief, tried)
        yield TopLine(f"Lab · {self._card.id}")
        yield Static(asked_last(self._card), id="ask", markup=False)
        with CardScroll(id="question"):
            yield CardView()
        if sliders := sliders_for(self._brief):
            yield Sliders(sliders, id="sliders")
        yield Board(id="board")
        if self._brief.parts:
            yield PartsList(self._brief.parts)
        with Container(id="write"):
            placeholder = lab_text.placeholder(self._brief)
            yield LabEditor(self._visit.text, placeholder, LONGEST_ANSWER, self._completed)
            yield Typeset(id="formula")
        yield VerdictPane(id="verdict")
        yield Footer()

    def on_mount(self) -> None:
        editor = self.query_one(AnswerEditor)
        editor.move_cursor(editor.document.end)
        prompt, reading = self.collection.item(self._item_id).prompt, self.reading(self._card)
        page = pages_of(self._card, prompt, "", reading).question
        self.query_one(CardView).show(page, reading.painter)
        self.set_class(self.app.size.height >= ROOMY, "-question")
        self._note_language()
        self._ask()

    def on_resize(self) -> None:
        self.set_class(self.size.height < LOW, "-low")
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

    def _ask(self, thorough: bool = True) -> None:
        # As in lab.tcss: the formula has seven parts of twelve beside the editor.
        width = self.app.size.width
        columns = width * 7 // 12 - 3 if width >= WIDE else max(20, width - 4)
        self._asked = self._answer
        task, allowed = ExerciseSpec.of(self._card), self._asked == self._allowed
        open_ = [part for part in self._brief.parts if part not in self._visit.given]
        look = replace(self._shown.look, part=open_[0] if open_ else "")
        self._asking.now(LabRequest(self._asked, task, look, columns, allowed, thorough))

    @on(TextArea.Changed, "#answer")
    def _typed(self) -> None:
        self._keep()
        self._visit.typed(self._answer)
        self._found, self._leaving, self._run = None, False, False
        self._shown = self._shown.at_random()
        self._note_language()
        if self.has_class("-function"):
            self._asking.after_pause(self._ask)
        else:
            self._ask(thorough=False)

    def _note_language(self) -> None:
        python = language_of(self._answer) == "function"
        if python != self.has_class("-function"):
            self.query_one(AnswerEditor).python = python
            self.set_class(python, "-function")
            self.refresh_bindings()

    def _hear(self, found: LabResponse) -> None:
        found = replace(found, verdict=self._visit.gathered(found.verdict))
        if self._found is None and found.picture and found.picture.yours is not None:
            self._engine = False  # what was typed has a message of its own
        self._found = found
        run, self._run = self._run, False
        if run and found.open_to_it and not self._leaving:
            question = f"{found.open_to_it}\n\nRun this function all the same?"
            self.app.push_screen(ConfirmScreen(question, MAY_RUN), self._may_run)
        self._visit.judged(self._asked, found.verdict, self.deltadeck.clock())
        self._show()
        if found.unexplained and not self._leaving:
            self._asking.after_pause(self._ask)
        if self._leaving:
            self._leave()
        elif self._standing is None:
            self._standing = self.set_timer(MEANT_SECONDS, self._keep)

    def _keep(self) -> None:
        """Record what has stood long enough: it outlives a crash."""
        if self._standing is not None:
            self._standing.stop()
        self._standing, now = None, self.deltadeck.clock()
        if (result := self._visit.meant(self._asked, self._verdict, now)) is not None:
            self._record(result)

    # Showing.

    @property
    def _verdict(self) -> Verdict | None:
        """On what is written now; None while it is on its way, and where nothing is written."""
        return self._found.verdict if self._found else None

    def _show(self) -> None:
        found = self._found
        if found is None:
            return
        if (picture := found.picture) is not None:
            top = self.query_one(TopLine)
            geometry = lab_text.geometry(picture.pooling) if picture.pooling else ""
            top.right = picture.named
            if self._brief.window is None:
                top.middle = geometry
            else:
                chosen = self._shown.look.failing is None
                self.query_one(Sliders).instead = "" if chosen else geometry
            self.query_one(Board).show(picture, self._shown.at, self._told)
            self.set_class(picture.pooling is not None, "-windows")
        for checklist in self.query(PartsList):
            checklist.show(self._visit.given)
        whole = not self.has_class("-function") and not function_within(self._answer)
        unread = found.verdict is not None and whole
        failed = bool(found.verdict and not found.verdict.ok)
        self.set_class(bool(found.lines), "-lines")
        if found.lines:
            self.query_one(Typeset).show_lines(found.lines, self._line_rows(failed))
        else:
            self.query_one(Typeset).show(found.formula, keep=unread)
        pane, hints = self.query_one(VerdictPane), self._visit.hints(found.verdict)
        if self._notation:
            pane.show_notation(self._brief)
        else:
            pane.show(found.verdict, self._answer, hints, self._brief, self._offer)
        # What is told of an answer needs the formula's rows more: it says what was read as well.
        self.set_class(self._notation or failed, "-told")
        self.set_class(found.verdict is not None, "-judged")

    @property
    def _offer(self) -> str:
        """The way on: of a right answer; where nothing is written, to what was tried last."""
        if self._verdict is not None:
            ways = {
                "lab.back": "to the card",
                "lab.new-input": "another input",
                "lab.size": "another size",
                "lab.again": "from memory",
            }
            if not self._brief.sized:
                del ways["lab.size"]
            told = (f"{self.key(key)} {way}" for key, way in ways.items())
            return " · ".join(told) if self._verdict.verdict == "correct" else ""
        last = self._visit.last
        if last is None or last.at is None:
            return ""
        ago = interval(self.deltadeck.clock() - last.at)
        said = sentence(last.verdict)[2:]
        return f"{self.key('lab.before')} brings back what you wrote {ago} ago: {said}"

    @property
    def _told(self) -> Told:
        if self._engine:
            return "engine"
        return "flow" if self._shown.stepping and self._visit.attempted else "yours"

    def _line_rows(self, told: bool) -> int:
        """Rows for the lines of a derivation, as in lab.tcss; `told`: where something is told."""
        height, narrow = self.size.height, self.has_class("-narrow")
        if height < TALL and (told or self._notation):
            return 4
        if height < TALL and not narrow:
            return 6
        return 3 if height < LOW else height * 33 // 100 if narrow else height // 2

    def _show_slowness(self) -> None:
        if self._found is None and not self._notation:
            self.query_one("#headline", Steady).put(lab_text.STILL_AT_IT)

    # Keys.

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        if action == "again":
            return self._verdict is not None and self._verdict.verdict == "correct"
        if action == "size":
            return self._brief.sized
        return self.has_class("-function") if action == "run" else True

    def why_not(self, action: str) -> str:
        return {
            "again": "The answer is not correct yet.",
            "size": "The card fixes the size.",
            "run": "A formula needs no key: it is judged as it is typed.",
        }.get(action, "")

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

    def action_size(self) -> None:
        self._look(self._shown.of_another_size())

    @on(Sliders.Turned)
    def _turned(self) -> None:
        self._look(self._shown.turned(self.query_one(Sliders).values))

    def action_failing(self) -> None:
        if self._verdict is None or not self._verdict.failed:
            self.deltadeck.say(lab_text.nothing_fails(self._verdict))
            return
        self._look(self._shown.next_failing())

    def _look(self, shown: InputSelection) -> None:
        """Show an input."""
        self._shown, self._notation = shown, False
        self._ask()

    def action_window(self, step: int) -> None:
        self._shown, self._engine = self._shown.stepped(step), False
        self._notation = False
        self._show()

    def action_engine(self) -> None:
        """Show the engine's message in place of the learner's, or that again."""
        self._engine = not self._engine
        if self._engine:
            self._visit.show_engine()
        self._show()

    def action_hint(self) -> None:
        """One hint more; those given stay while the answer is mended, and go with it."""
        if nothing := self._visit.another_hint(self._answer, self._verdict):
            self.deltadeck.say(nothing)
            return
        self._notation = False
        self._show()
        self.query_one(VerdictPane).to_top()

    def action_question(self) -> None:
        """Show the whole question, or its last sentence."""
        self.toggle_class("-question")

    def action_again(self) -> None:
        """Begin a right answer anew, with no hint in sight."""
        if result := self._visit.result(self._answer, self._verdict):
            self._record(result)
        self._visit.begin_again()
        self._engine, self._shown = False, self._shown.another()
        self.query_one(AnswerEditor).load_text("")
        self.query_one(AnswerEditor).focus()

    def action_attempt(self, step: int) -> None:
        """Write what was tried before what is written, or after it."""
        text = self._visit.stepped(self._answer, step)
        if text is None:
            self.deltadeck.say(lab_text.no_attempt(step))
            return
        editor = self.query_one(AnswerEditor)
        editor.load_text(text)
        editor.move_cursor(editor.document.end)

    def action_notation(self) -> None:
        self._notation = not self._notation
        self._show()

    def action_go(self, step: int) -> None:
        parts: list[Widget] = [self.query_one(AnswerEditor), self.query_one(Board)]
        parts += [*self.query(Sliders), *self.query(PartsList)]
        parts += [self.query_one("#details"), self.query_one(CardScroll)]
        there = [part for part in parts if part.display]
        at = there.index(self.focused) if self.focused in there else 0
        there[(at + step) % len(there)].focus()

    @on(PartsList.Chosen)
    def _chosen(self, chosen: PartsList.Chosen) -> None:
        """Go to the line of a part; where there is none in a formula, begin it."""
        editor = self.query_one(AnswerEditor)
        rows = editor.text.split("\n")
        line = next((n for n, row in enumerate(rows) if begins(row, chosen.part)), None)
        if line is not None:
            editor.move_cursor((line, len(rows[line])))
        else:
            editor.move_cursor(editor.document.end)
            if language_of(editor.text) == "formula":
                editor.insert("\n" * bool(rows[-1].strip()) + f"{chosen.part} = ")
        editor.focus()

    def action_by_hand(self) -> None:
        self.app.push_screen(HandScreen(self._card), self._filled)

    def _filled(self, result: LabResult | None) -> None:
        if result is not None:
            self._visit.by_hand = result
        self.query_one(AnswerEditor).focus()

    def action_back(self) -> None:
        """Close the notation; else leave."""
        if self._notation:
            self.action_notation()
        else:
            self._leave()

    def _leave(self) -> None:
        """Leave, with the verdict on what is written now: where it is on its way, wait for it."""
        if self._answer.strip() and (self._found is None or self._asking.paused):
            self._leaving = True
            if self._asking.paused:
                self._ask()
            if self._asking.busy:
                return
        # What was said here is about the answer: it must not cover the ratings.
        self.app.clear_notifications()
        result = self._visit.result(self._answer, self._verdict)
        if result is not None:
            self._record(result)
        self.dismiss(result)

    def _record(self, result: LabResult) -> None:
        """Write what is new into the journal."""
        now = self.deltadeck.clock()
        if self._visit.keep(result, now):
            self.deltadeck.unrecorded.append((self._item_id, result.as_event(), now))
            self._write()

    def _write(self) -> None:
        """Write all that the journal has not taken yet; where that cannot be, say so."""
        app = self.deltadeck
        try:
            while app.unrecorded:
                self.collection.record_check(*app.unrecorded[0])
                del app.unrecorded[0]
        except JournalError as error:
            del app.unrecorded[: error.recorded or 0]
            again = "It is written with the next one. " * bool(app.unrecorded)
            app.say(f"What you tried is not in the journal yet. {again}{error}", error=True)
