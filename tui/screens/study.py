"""One card after the other: the question, the reveal, the rating.  One screen, updated in place."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Footer, Static

from tui.lab_finding import Finding
from tui.lab_result import LabResult
from tui.ratings import ratings_line
from tui.reading import PLAIN
from tui.screens.base import DeckScreen
from tui.screens.card import follow
from tui.screens.edit import EditScreen
from tui.screens.study_keys import KEYS, LETTERED
from tui.study_session import Session, heading
from tui.suggest import Suggestion, from_check, from_choice
from tui.text import counted, stopwatch
from tui.today import back_again
from tui.widgets.card_page import CardPage
from tui.widgets.card_view import CardView
from tui.widgets.top_line import TopLine

if TYPE_CHECKING:
    from tui.lab_brief import Brief, Known


class StudyScreen(DeckScreen[None]):
    """`deck` is a deck's path, or None for all of them."""

    BINDINGS: ClassVar[list[BindingType]] = KEYS

    def __init__(self, deck: str | None = None) -> None:
        super().__init__()
        self._deck = deck
        self._finding = Finding(self, self._found_out)
        self._results: dict[str, LabResult] = {}

    def compose(self) -> ComposeResult:
        yield TopLine()
        yield CardPage(id="card")
        yield Static(id="finished", markup=False)
        yield Static(id="ratings")
        yield Footer()

    def on_mount(self) -> None:
        self._session = Session(self.deltadeck.open_collection, self._deck, self.deltadeck.clock)
        self._session.advance()
        self._show()
        self.set_interval(1, self._tick)

    # What is shown.

    def _show(self) -> None:
        """Everything of the present item, from its beginning."""
        item = self._session.item
        self._finding.look_at(self._session.card)
        self.query_one("#card").display = item is not None
        self.query_one("#finished").display = item is None
        if item is None:
            self._show_finished()
        else:
            card, library = self._session.card, self.library
            reading = library.reading(card) if card else PLAIN
            self.query_one(CardPage).show(card, item.prompt, item.answer, reading)
        self._show_progress()

    def _show_progress(self) -> None:
        """What a reveal, a pick or a second changes."""
        session = self._session
        revealed = session.revealed
        page = self.query_one(CardPage)
        page.reveal(revealed)
        if (card := session.card) is not None:
            page.mark(session.picked, card.correct_letters if revealed else None)
            page.letters = session.letters
            ratings = ratings_line(session.preview(), self._suggestion()) if revealed else ""
            self.query_one("#ratings", Static).update(ratings)
        self.query_one("#ratings").display = revealed and card is not None
        self._show_heading()
        self.refresh_bindings()

    def _show_heading(self) -> None:
        top, session = self.query_one(TopLine), self._session
        top.left, top.short, top.middle = heading(session)
        if session.item is None:
            top.right = ""
            return
        top.right = f"{session.number} of {session.total} · {stopwatch(session.seconds)}"

    def _show_finished(self) -> None:
        session = self._session
        done = session.done
        did = f"You rated {counted(done, 'card')}. " if done else ""
        self.query_one("#finished", Static).update(
            f"Nothing is due here now. {did}\n"
            f"{back_again(session.next_due, self.deltadeck.clock())}\n\n"
            "escape goes back to the decks" + (", u takes the last rating back." if done else ".")
        )

    def _tick(self) -> None:
        """Once a second: the stopwatch; and a learning card that came due meanwhile."""
        if self.app.screen is not self:
            return
        if self._session.item is None and self._session.came_due():
            self._session.advance()
            self._show()
        self._show_heading()

    def _found_out(self, known: Known) -> None:
        """What the card's exercise is, which the helper process was asked."""
        if known.problem and (card := self._session.card) is not None:
            self.deltadeck.say(f"{card.id}: {known.problem}", error=True)
        self.refresh_bindings()

    def _suggestion(self) -> Suggestion | None:
        session = self._session
        result = self._results.get(session.item.id) if session.item else None
        if result is not None:
            seconds = session.seconds_at_check
            clock = stopwatch(seconds)
            how = (result.hints, result.by_hand)
            return from_check(result.outcome, seconds, result.slips, clock, *how)
        if session.card is None:
            return None
        return from_choice(session.picked, session.card.correct_letters)

    # Keys.

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        session = self._session if self.is_mounted and hasattr(self, "_session") else None
        if session is None or session.item is None:
            return action in ("back", "undo")
        if action == "pick":
            return parameters[0] in session.letters
        if LETTERED.get(action) in session.letters:
            return False
        if action == "check":
            return self._finding.likely
        if action in ("rate", "reveal"):
            return session.revealed == (action == "rate")
        return True

    def action_pick(self, letter: str) -> None:
        self._session.pick(letter)
        self._show_progress()

    def action_reveal(self) -> None:
        self._session.revealed = True
        self._show_progress()
        self.call_after_refresh(self.query_one(CardPage).bring_solution_up)

    def action_rate(self, rating: int) -> None:
        from deck import JournalError

        item = self._session.item
        result = self._results.get(item.id) if item else None
        try:
            self._session.rate(rating, result.as_mark() if result else None)
        except JournalError as error:
            self.deltadeck.say(f"This rating was not taken. {error}", error=True)
            return
        if item is not None:
            self._results.pop(item.id, None)
        self._session.advance()
        self._show()

    def action_undo(self) -> None:
        from deck import JournalError

        try:
            taken = self._session.undo()
        except JournalError as error:
            self.deltadeck.say(f"Nothing was undone. {error}", error=True)
            return
        if not taken:
            self.deltadeck.say("There is no rating left to take back.")
            return
        self._show()

    def action_suspend(self) -> None:
        from deck import JournalError

        try:
            name = self._session.suspend()
        except JournalError as error:
            self.deltadeck.say(f"This card was not suspended. {error}", error=True)
            return
        self.deltadeck.say(f"{name} is suspended; u takes it up again.")
        self._session.advance()
        self._show()

    def action_edit(self) -> None:
        card = self._session.card
        if card is None or card.path is None:
            self.deltadeck.say("This card has no file to edit.", error=True)
            return
        path = self.deltadeck.open_collection.root / card.path
        self.app.push_screen(EditScreen(path), lambda _: self._edited())

    def _edited(self) -> None:
        self._session.refresh()
        self._show()

    def action_check(self) -> None:
        """Open the lab; where the exercise is on its way still, as soon as it is known."""
        self._finding.then(self._open_lab)

    def _open_lab(self, brief: Brief) -> None:
        from tui.screens.lab import LabScreen

        item, card = self._session.item, self._session.card
        if item is None or card is None or self.app.screen is not self:
            return
        lab = LabScreen(item.id, card, brief, self._results.get(item.id))
        self.app.push_screen(lab, lambda result: self._checked(item.id, result))

    def _checked(self, item_id: str, result: LabResult | None) -> None:
        self._results.pop(item_id, None)
        if result is not None:
            self._results[item_id] = result
            self._session.note_check()
        self._show_progress()

    def action_scroll(self, lines: int) -> None:
        self.query_one(CardPage).scroll_lines(lines)

    def action_page(self, pages: int) -> None:
        self.query_one(CardPage).scroll_pages(pages)

    @on(CardView.Followed)
    def _followed(self, message: CardView.Followed) -> None:
        follow(self.deltadeck, message)

    def action_back(self) -> None:
        self.dismiss(None)
