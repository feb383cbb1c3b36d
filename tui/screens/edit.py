"""EditScreen: a card's source beside the card; what is wrong is shown before anything is saved.

And ProblemsScreen, the list of all that `deltadeck lint` says, which opens it.
"""

from __future__ import annotations

import shlex
import shutil
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, ClassVar, Final

from textual import on
from textual.app import ComposeResult, SuspendNotSupported
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.events import Key, Resize
from textual.widgets import OptionList, Static, TextArea
from textual.widgets.option_list import Option
from textual.worker import get_current_worker

from cards.files import read_text
from cards.model import Card, CardError, Problem
from cards.parse import analyse
from deck.errors import JournalError
from deck.files import is_card_name
from engine.exercise import ExerciseError
from tui.drafts import Draft, EditorError, edit_draft
from tui.exercises import CardChecker, with_exercise
from tui.lab.text import sentence
from tui.latest import LatestOnly, is_mounted
from tui.screens.base import DeckScreen
from tui.screens.dialogs import Choice, ConfirmScreen, DifferenceScreen
from tui.screens.saving import KEEP_AFTER, SavingScreen
from tui.text import plural, visible
from tui.widgets.card_completion import Offer, offer, vocabulary_of
from tui.widgets.card_page import CardPage
from tui.widgets.editors import CardEditor, CompletionList, excess
from tui.widgets.frame import Footer, KeyedList, TopLine

if TYPE_CHECKING:
    from deck.sync.conflicts import Conflict
    from engine.verdict import Proposal

#: The least width at which the card stands beside its source.
BESIDE = 100
#: Seconds from the last key to a new preview: a burst of keys renders it once.
_SET_AFTER = 0.15
#: The same for its problems, which the first key behind a rest shows at once.
_READ_AFTER, _RESTED = 0.1, 0.3
#: More problems than these are counted only: the text is what is to be seen.
_MOST: Final = 5

#: By severity, in the order in which problems are listed.
_STYLES = {
    "error": "bold $text-error",
    "warning": "bold $text-warning",
    "hint": "bold $foreground-muted",
}
#: Seconds between two looks at what was found of many cards.
_SHOWN_EACH: Final = 0.2

_TOLD = "`deltadeck sync` tells the other computers."

_Asked = tuple[list[str], int, int]


class EditScreen(SavingScreen):
    """Edits the file at `path`, the cursor on `line`.

    `text` is the draft of a new card there.  Returns the card
    as last saved, or None.
    """

    CSS_PATH = "edit.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "save", "Save", id="edit.save", priority=True, tooltip="Save the card"),
        Binding("f2", "preview", "Card", id="edit.preview", tooltip="The card as it will be seen"),
        Binding("f2", "source", "Source", id="edit.source", tooltip="Back to the card's source"),
        Binding("down", "lines(1)", "Card down", id="edit.down", show=False),
        Binding("up", "lines(-1)", "Card up", id="edit.up", show=False),
        Binding("pagedown", "pages(1)", "Card a page down", id="edit.page-down", show=False),
        Binding("pageup", "pages(-1)", "Card a page up", id="edit.page-up", show=False),
        Binding("f8", "next_problem", "Next problem", id="edit.next-problem"),
        Binding(
            "f9",
            "propose",
            "Exercise",
            id="edit.propose",
            tooltip="Propose an exercise from its text",
        ),
        Binding("f4,ctrl+o", "outside", "$EDITOR", id="edit.outside", tooltip="Open in $EDITOR"),
        Binding("escape", "back", "Back", id="edit.back", key_display="esc"),
    ]

    def __init__(self, path: Path, line: int = 1, text: str | None = None) -> None:
        super().__init__(path, text)
        self._line = line
        self._problems: tuple[Problem, ...] = ()
        self._linter: LatestOnly[str, tuple[Problem, ...]] = LatestOnly(
            self, self._lint, self._show_problems
        )
        self._completer: LatestOnly[_Asked, Offer | None] = LatestOnly(
            self, self._complete, self._offer
        )
        self._proposer: LatestOnly[Card, Proposal | ExerciseError] = LatestOnly(
            self, _proposed, self._put_exercise
        )
        self._offered_row = 0
        self._changed_at = 0.0
        self._preview = True
        """Whether the card is wanted beside its source."""
        self._instead = False
        """Whether it is in the place of its source now."""
        self._card: Card | None = None
        """The last one that could be read."""
        self._read: str | None = None
        """The text that was read last: a timer set before a key did so has nothing to do."""
        self._taken: Conflict | None = None
        """Another computer's version, which is in the editor now and counts once it is saved."""

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
            if self.deltadeck.collection is not None:
                self.deltadeck.collection.settle()  # else its `status:` line may follow meanwhile
            try:
                self._seen = read_text(self._path)
            except CardError as error:
                self._turn_back(f"{error.problem.message} {error.problem.hint}")
                return
            if too_much := excess(self._seen):
                way = f"`deltadeck edit {shlex.quote(str(self._path))}` opens it in $EDITOR."
                self._turn_back(f"It is too large for this editor: {too_much}. {way}")
                return
        self.lay(self.size.width)
        self.load(self._seen if self._draft is None else self._draft)
        editor.move_cursor((max(0, self._line - 1), 0), center=True)
        editor.focus()
        if self._draft is not None:
            editor.is_new = True
            # The question comes first; the blanks above it come last.
            rows = self._draft.split("\n")
            editor.move_cursor((rows.index("# Question") if "# Question" in rows else 0, 0))
            editor.action_next_blank()
        self.ask_about_left()
        self.ask_about_others()

    def _turn_back(self, why: str) -> None:
        """Leave a file that cannot be edited here."""
        self.deltadeck.say(f"{self._path.name} was not opened. {why}", error=True)
        self.dismiss(None)

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
            self.look_over()
        else:
            self.soon(_READ_AFTER, self.look_over)
        self.soon(_SET_AFTER, self.set_card)
        self.soon(KEEP_AFTER, self.keep)

    @on(TextArea.SelectionChanged, "#source")
    def _moved(self) -> None:
        offered = self.editor.offered
        row, column = self.editor.cursor_location
        if offered and not (row == self._offered_row and column >= offered.place.column):
            self.editor.offer(None)

    def _complete(self, asked: _Asked) -> Offer | None:
        vocabulary = vocabulary_of(self.collection, self.deltadeck.clock())
        return offer(*asked, vocabulary)

    def _offer(self, found: Offer | None) -> None:
        self._offered_row = self.editor.cursor_location[0]
        self.editor.offer(found)

    def look_over(self) -> None:
        self._linter.ask(self.editor.text)

    def _lint(self, text: str) -> tuple[Problem, ...]:
        found = CardChecker(self.deltadeck.collection).problems(text, self._path)
        return tuple(problem for problem in found if problem.severity != "hint")

    def _show_problems(self, problems: tuple[Problem, ...]) -> None:
        self._problems = problems
        by_weight = sorted(problems, key=lambda problem: problem.severity == "error")
        self.editor.mark({problem.line - 1: problem.severity for problem in by_weight})
        self.query_one("#found", Static).update(problem_lines(problems))
        self.show_top()

    def show_top(self) -> None:
        top = self.query_one(TopLine)
        top.left = f"Edit · {self._path.name}"
        top.middle = "not saved" if self.unsaved() else ""
        errors = sum(problem.severity == "error" for problem in self._problems)
        top.right = plural(errors, "problem") if errors else ""

    def action_next_problem(self) -> None:
        if not self._problems:
            self.deltadeck.say("This card has no problems.")
            return
        here = self.editor.cursor_location
        places = sorted({(problem.line - 1, problem.column - 1) for problem in self._problems})
        self.editor.move_cursor(next((place for place in places if place > here), places[0]))
        self.action_source()

    def action_propose(self) -> None:
        """Put an exercise that the card's text means into its frontmatter."""
        card, _ = analyse(self.editor.text, self._path)
        if card is None:
            self.deltadeck.say("An exercise is proposed as soon as the card can be read.")
        elif card.exercise is not None:
            self.deltadeck.say("This card has an exercise: remove it to have one proposed.")
        else:
            self.deltadeck.say("Trying what its text may mean ...")
            self._proposer.ask(card)

    def _put_exercise(self, found: Proposal | ExerciseError) -> None:
        if isinstance(found, ExerciseError):
            self.deltadeck.say(str(found), error=True)
            return
        try:
            self.replace_text(with_exercise(self.editor.text, found.keys, self._path))
        except CardError as error:
            self.deltadeck.say(f"{error.problem.message} {error.problem.hint}", error=True)
            return
        worth = sentence(found.verdict)
        self.deltadeck.say(" ".join([f"The solution under it: {worth}.", *found.remarks]))

    # The card as it will be seen: beside its source, or in its place.

    @property
    def page(self) -> CardPage:
        return self.query_one("#beside", CardPage)

    @property
    def picks_letters(self) -> bool:
        return self._instead  # they are typed

    def on_resize(self, event: Resize) -> None:
        if self._instead and event.size.width >= BESIDE:
            self.action_source()
        self.lay(event.size.width)
        self.refresh_bindings()

    def lay(self, width: int) -> None:
        """Show what there is room for, the card as its source says now."""
        seen, page = self.page.display, self.page
        self.editor.display = not self._instead
        page.display = self._instead or (self._preview and width >= BESIDE)
        page.set_class(self._instead, "-instead")
        if page.display and not seen and not self._instead:
            self.set_card()
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        if action in ("lines", "pages"):
            return self._instead and self.page.scrolls
        return action not in ("preview", "source") or self._instead == (action == "source")

    def action_preview(self) -> None:
        if self.size.width >= BESIDE:
            self._preview = not self._preview
            self.lay(self.size.width)
            return
        self._read_card(keep_place=False)
        if self._card is None:
            self.deltadeck.say("The card is shown as soon as it can be read.")
            return
        self._instead = True
        self.set_focus(None)
        self.lay(self.size.width)
        # Scrolled to the part in which the cursor is, as far down as it is in its source.
        line, sections = self.editor.cursor_location[0] + 1, self._card.sections
        first = min((each.line for each in sections), default=1)
        tops = (each.line for each in sections if each.title == "Solution")
        solved = min(tops, default=line + 1)
        part, begin, end = "question", first, solved
        if line >= solved:
            part, begin, end = "solution", solved, self.editor.document.line_count
        self.page.centre(part, min(1.0, max(0, line - begin) / max(1, end - begin)))

    def action_source(self) -> None:
        """Go on writing."""
        self._instead = False
        self.lay(self.size.width)
        self.set_focus(self.editor)

    def action_lines(self, lines: int) -> None:
        self.page.scroll_lines(lines)

    def action_pages(self, pages: int) -> None:
        self.page.scroll_pages(pages)

    def on_key(self, event: Key) -> None:
        """Typing while the card covers its source goes to the source."""
        if not self._instead or not (event.is_printable or event.key == "backspace"):
            return
        if event.key not in self.active_bindings:
            event.stop()
            event.prevent_default()
            self.action_source()
            self.editor.post_message(Key(event.key, event.character))

    def set_card(self) -> None:
        if self.page.display and self.editor.text != self._read:
            self._read_card()

    def _read_card(self, keep_place: bool = True) -> None:
        """Where it cannot be read now, the last card that could be stays."""
        self._read = self.editor.text
        card, _ = analyse(self._read, self._path)
        if card is None:
            return
        self._card = card
        top = self.page.scroll_y
        self.page.show_card(card, self.reading(card), focus=False)
        if keep_place:
            self.page.scroll_to(y=top, animate=False, force=True)

    # Another version of the card, which a sync left to be chosen.

    def ask_about_others(self) -> None:
        collection = self.deltadeck.collection
        if collection is None or self._draft is not None:
            return
        if not (collection.root / ".deltadeck" / "conflicts").is_dir():
            return
        from deck.sync.conflicts import conflicts_of

        card = collection.card_at(self._path)
        found = conflicts_of(collection.root, self._path, card.id if card else None)
        if found:
            self._ask(found[0], len(found))

    def _ask(self, conflict: Conflict, count: int) -> None:
        from deck.sync.conflicts import origin_of, this_device

        try:
            other = read_text(conflict.other)
        except CardError as error:
            self.deltadeck.say(str(error), error=True)
            return
        said = origin_of(conflict.other).words(this_device())
        words = f"{self._path.name} was changed on another computer too, in the same lines: {said}."
        if count > 1:
            words += f" There are {count} other versions; this is the first."
        choices = (
            Choice("k", "keep", "Keep this one"),
            Choice("t", "take", "Take the other one"),
            Choice("escape", "later", "Choose later"),
        )
        names = ("this one", "the other one")
        screen = DifferenceScreen(words, choices, self.editor.text, other, names)
        self.app.push_screen(screen, lambda chosen: self._chose(chosen, conflict, other))

    def _chose(self, chosen: str | None, conflict: Conflict, other: str) -> None:
        if chosen == "keep":
            self._settle(conflict, f"{self._path.name} stays as it is. {_TOLD}")
            self.ask_about_others()
        elif chosen == "take":
            self.replace_text(other)
            self._taken = conflict
            self.deltadeck.say("The other version is in the editor: change it as you like, save.")

    def save(self, seen: str | None, *, renamed: bool = False) -> None:
        super().save(seen, renamed=renamed)
        taken = self._taken
        if taken is not None and not self.unsaved():
            self._taken = None
            self._settle(taken, f"Saved {self._path.name}. {_TOLD}")

    def _settle(self, conflict: Conflict, words: str) -> None:
        from deck.sync.conflicts import keep

        try:
            keep(self.collection.root, conflict)
        except JournalError as error:
            self.deltadeck.say(str(error), error=True)
            return
        self.deltadeck.reread()
        self.deltadeck.say(words)

    # Leaving, and the learner's own editor.

    def action_outside(self) -> None:
        """On a draft: nothing is lost, whatever that editor does."""
        try:
            with self.app.suspend():
                draft = edit_draft(self._text, self._path.name)
                text = read_text(draft)
        except SuspendNotSupported:
            here = "Your own editor opens in a terminal only: here, this screen is the editor."
            self.deltadeck.say(here, error=True)
            return
        except (EditorError, CardError) as error:  # each names the draft
            self.deltadeck.say(str(error), error=True)
            return
        shutil.rmtree(draft.parent, ignore_errors=True)
        if text != self._text:
            self.replace_text(text)
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


def _proposed(card: Card) -> Proposal | ExerciseError:
    from tui.lab.client import tried_solution  # which only this needs

    try:
        return tried_solution(card, proposing=True)
    except ExerciseError as error:
        return error


def problem_lines(problems: Sequence[Problem]) -> Content:
    """The first problems, or a line that says there are none."""
    if not problems:
        return Content.styled("✓ this card can be read", "$text-success")
    some = problems[:_MOST]
    lines = [_line(f"{_said(problem)}line {problem.line}  ", problem) for problem in some]
    if len(problems) > _MOST:
        lines.append(Content.styled(f"and {len(problems) - _MOST} more", "dim"))
    return Content("\n").join(lines)


def _said(problem: Problem) -> str:
    """What it is, unless that is an error."""
    return "" if problem.severity == "error" else f"{problem.severity}: "


def _line(place: str, problem: Problem) -> Content:
    return Content.assemble(
        (visible(place), _STYLES[problem.severity]),
        f"{visible(problem.message)} ",
        (visible(problem.hint), "$foreground-muted"),
    )


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
        self._problems: list[Problem] = []
        self._show([*self.collection.problems], True)
        self.again(True)

    def collection_changed(self) -> None:
        self.again()

    def again(self, first: bool = False) -> None:
        """Look through all cards, in a thread; unless it is the first time, what was found before
        stays until that is done."""
        self.run_worker(lambda: self._look(first), thread=True, exclusive=True)

    def _look(self, first: bool) -> None:
        collection, worker = self.collection, get_current_worker()
        checker, found, shown = CardChecker(collection), [*collection.problems], monotonic()
        for card in map(collection.cards.get, collection.cards):
            found += checker.problems(card.source, card.path) if card else ()  # else it went away
            if worker.is_cancelled:
                return
            if first and monotonic() - shown > _SHOWN_EACH:
                self.app.call_from_thread(self._show, [*found], True)
                shown = monotonic()
        self.app.call_from_thread(self._show, found, False)

    def _show(self, found: list[Problem], goes_on: bool) -> None:
        """The errors first; the cursor stays on its problem, or on its row."""
        if not is_mounted(self):
            return
        rows, at, severities = self.query_one(KeyedList), self._at, [*_STYLES]
        found.sort(key=lambda problem: severities.index(problem.severity))
        if found != self._problems:
            here = self._problems[at] if at is not None else None
            self._problems = found
            rows.clear_options()
            rows.add_options([Option(_row(problem, self.collection.root)) for problem in found])
            stays = here and here in found
            at = found.index(here) if here and stays else min(at or 0, len(found) - 1)
            rows.highlighted = at if found else None
        rows.display = bool(found)
        none = f"Every card reads, and nothing is odd. {self.key('problems.back')} goes back."
        self.put("#empty", "" if found or goes_on else none)
        counts = Counter[str](problem.severity for problem in found)
        said = ", ".join(plural(counts[each], each) for each in severities if counts[each])
        self.query_one(TopLine).right = f"{said} …" if goes_on else said
        if found and self.app.screen is self:
            rows.focus()

    @on(OptionList.OptionSelected)
    def _open(self, event: OptionList.OptionSelected) -> None:
        problem = self._problems[event.option_index]
        if problem.path is None or not is_card_name(problem.path.name):
            self.deltadeck.say("This problem is not in a card; the text beside it says what to do.")
            return
        self.app.push_screen(EditScreen(problem.path, problem.line), lambda _: self.again())

    def place(self) -> Path | None:
        return self._problems[self._at].path if self._at is not None else None

    @property
    def _at(self) -> int | None:
        return self.query_one(KeyedList).highlighted


def _row(problem: Problem, root: Path) -> Content:
    path = problem.path
    if path is not None and path.is_relative_to(root):
        path = path.relative_to(root)
    place = f"{path or 'a card'}:{problem.line}:{problem.column}"
    return _line(f"{_said(problem)}{place}\n", problem)
