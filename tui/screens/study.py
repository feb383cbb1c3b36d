"""One card after the other: the question, the reveal, the rating.  One screen, updated in place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.widgets import Static

from tui.lab_finding import Finding
from tui.ratings import practice_line, ratings_line
from tui.screens.edit import EditScreen
from tui.screens.study_keys import KEYS, LETTERED
from tui.screens.study_sitting import SittingScreen
from tui.study_ahead import Ahead
from tui.study_doing import Doing
from tui.study_finish import finished
from tui.study_heading import heading, progress
from tui.study_queue import Waiting
from tui.study_results import Results
from tui.study_session import Session
from tui.study_start import start
from tui.widgets.card_page import BarePage, CardPage
from tui.widgets.clicked import OptionsView, RatingsLine
from tui.widgets.fitted import Fitted
from tui.widgets.footer import Footer
from tui.widgets.top_line import TopLine

if TYPE_CHECKING:
    from deck.queue import Session as Asked
    from tui.lab_brief import Known
    from tui.lab_result import LabResult


class StudyScreen(SittingScreen):
    BLANK = True  # what is to be seen are its parts
    BINDINGS: ClassVar[list[BindingType]] = KEYS

    def __init__(self, asked: Asked, chosen: Sequence[str] = ()) -> None:
        super().__init__(asked, chosen)
        self._finding = Finding(self, self._found_out)
        self._results = Results()

    def compose(self) -> ComposeResult:
        yield TopLine("Study")
        yield BarePage(id="card")
        yield Fitted(id="finished", markup=False)
        yield RatingsLine(id="ratings")
        yield Footer()

    def on_mount(self) -> None:
        self.set_interval(1, self._tick)
        if not start(self, self._asked, self._chosen, self._begin):
            self.query_one("#card").display = self.query_one("#ratings").display = False
            self.query_one("#finished", Static).update("Gathering the cards …")

    def _begin(self, waiting: Waiting) -> None:
        app = self.deltadeck
        self._session = Session(app.open_collection, self._asked, app.clock, waiting)
        self._doing = Doing(app, self._session, self._show, self._next)
        page = self.query_one(CardPage)
        self._ahead = Ahead(self, self._session, self._finding.ask, lambda: page.text_width)
        self._session.advance()
        self._show()

    # What is shown.

    def _show(self, keep_place: bool = False) -> None:
        """Everything of the present item, from its beginning."""
        session = self.session
        item, card = session.item, session.card
        self._finding.look_at(card)
        self.query_one("#card").display = item is not None
        self.query_one("#finished").display = item is None
        if item is None:
            clock = self.deltadeck.clock
            self.query_one(Fitted).lay(lambda width: finished(session, clock(), width, self._key))
        else:
            view = self.query_one(CardPage)
            at = view.scroll_y
            view.show_pages(self._ahead.pages(item, card))
            if keep_place:
                self.call_after_refresh(view.scroll_to, y=at, animate=False)
        self._show_progress()
        self._ahead.begin()

    def _show_progress(self) -> None:
        """What a reveal, a pick or a second changes."""
        session = self.session
        revealed = session.revealed
        page = self.query_one(CardPage)
        page.reveal(revealed)
        if (card := session.card) is not None:
            page.mark(session.picked, card.correct_letters if revealed else None)
            page.letters = session.letters
            self.query_one(RatingsLine).put(self._ratings() if revealed else Content(""))
        self.query_one("#ratings").display = revealed and card is not None
        self._show_heading()
        self.refresh_bindings()

    def _ratings(self) -> Content:
        suggestion, width = self._results.suggestion(self.session), self.size.width - 4
        if self.session.practice:
            return practice_line(suggestion, width, self._key)
        return ratings_line(self.session.preview(), suggestion, width, self._key)

    def _show_heading(self) -> None:
        top, session = self.query_one(TopLine), self.session
        (top.left, top.short, top.middle), top.right = heading(session), progress(session)

    def _tick(self) -> None:
        """Once a second: the stopwatch; and a learning card that came due meanwhile."""
        if self.app.screen is not self or self._session is None:
            return
        if self._session.item is None and self._session.came_due():
            self._session.advance()
            self._show()
        self._show_heading()

    def collection_changed(self) -> None:
        """A file changed on the disk: where it is the one that is shown, show it anew."""
        session = self._session
        if session is None:
            return
        before = session.item.id if session.item else None
        was = session.card
        self._ahead.forget()
        session.refresh()
        now = session.item.id if session.item else None
        if before is not None and now != before:
            self.deltadeck.say(f"{before} is gone or cannot be read any more: this is the next.")
            self._show()
        elif session.card is not was:
            self._show(keep_place=True)
        elif before is None:
            self._show()

    def _found_out(self, known: Known) -> None:
        """What the card's exercise is, which the helper process was asked."""
        if known.problem and self._session and (card := self._session.card) is not None:
            self.deltadeck.say(f"{card.id}: {known.problem}", error=True)
        self.refresh_bindings()

    # Keys.

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        session = self._session
        if session is None:
            return action == "back"
        if session.item is None:
            over = session.time_is_up and session.left > 0
            return action in ("back", "undo") or (action == "go_on" and over)
        if action == "pick":
            return parameters[0] in session.letters
        if LETTERED.get(action) in session.letters and action != "suspend":
            return False
        if action == "check":
            return self._finding.likely
        if action == "rate":
            return session.revealed or None
        if action == "reveal":
            return not session.revealed
        if action == "reset":
            return session.is_begun
        return action != "go_on" and super().check_action(action, parameters)

    def action_pick(self, letter: str) -> None:
        self.session.pick(letter)
        self._show_progress()

    def action_reveal(self) -> None:
        self.session.revealed = True
        with self.app.batch_update():
            self._show_progress()
            self.query_one(CardPage).bring_solution_up()

    def action_rate(self, rating: int) -> None:
        item = self.session.item
        given = self._doing.rate(rating, self._results.mark(item.id)) if item else None
        if given is not None:
            self._results.put(given.item_id, None)
            self._next()

    def _next(self) -> None:
        self.session.advance()
        with self.app.batch_update():
            self._show()

    def action_undo(self) -> None:
        self._doing.undo()

    def action_suspend(self) -> None:
        self._doing.suspend()

    def action_bury(self) -> None:
        self._doing.bury()

    def action_reset(self) -> None:
        self._doing.reset()

    def action_go_on(self) -> None:
        self.session.go_on()
        self._show()

    def action_edit(self) -> None:
        card = self.session.card
        if card is None or card.path is None:
            self.deltadeck.say("This card has no file to edit.", error=True)
            return
        self.app.push_screen(EditScreen(card.path), lambda _: self._edited())

    def _edited(self) -> None:
        self.session.refresh()
        self._show()

    async def action_check(self) -> None:
        """Open the lab; where the exercise is on its way still, once it is known."""
        from tui.screens.lab import LabScreen

        brief = await self._finding.brief()
        item, card = self.session.item, self.session.card
        if item is None or card is None or brief is None:
            return
        lab = LabScreen(item.id, card, brief, self._results.of(item.id))
        self.app.push_screen(lab, lambda result: self._checked(item.id, result))

    def _checked(self, item_id: str, result: LabResult | None) -> None:
        self._results.put(item_id, result)
        if result is not None:
            self.session.note_check()
        self._show_progress()

    @on(OptionsView.Picked)
    def _clicked(self, message: OptionsView.Picked) -> None:
        if message.letter in self.session.letters:
            self.action_pick(message.letter)

    def action_back(self) -> None:
        self.dismiss(None)
