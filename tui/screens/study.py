"""StudyScreen: the question, the reveal, the rating."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar, TypeVar, cast

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.events import Click, Key
from textual.widgets import Input, Static

from deck.errors import CollectionError, JournalError
from tui.latest import is_mounted
from tui.screens.base import NO_EXERCISE
from tui.screens.card import ReaderScreen
from tui.screens.dialogs import Choice, ConfirmScreen
from tui.screens.edit import EditScreen
from tui.study.answers import WordAnswer
from tui.study.prefetch import ExerciseLookup, Prefetcher
from tui.study.session import StudyQueue, StudySession
from tui.study.text import (
    compared,
    finished,
    heading,
    practice_line,
    progress,
    rating_at,
    ratings_line,
)
from tui.text import plural
from tui.widgets.card_page import BarePage, CardPage, OptionsView
from tui.widgets.frame import Fitted, Footer, TopLine, hidden, scrolling

if TYPE_CHECKING:
    from cards.model import Card
    from deck.queue import SessionRequest
    from tui.lab.requests import ExerciseLookupResult
    from tui.lab.visit import LabResult
    from tui.screens.base import DeckApp

Done = TypeVar("Done")

PICKS = "abcdefghijklmnopqrst"
SUSPENDED = "Suspend: set this card aside for good"
BURIED = "Bury: not today, tomorrow again"
RESET = "Reset: make this card new again"
LETTERED = {"check": "C", "edit": "E", "suspend": "S"}
"""Actions on keys that are letters of options too."""


def _pick(letter: str, show: bool = False) -> Binding:
    """The first one shown stands for all."""
    action, about = f"pick('{letter.upper()}')", "Pick an option"
    named = f"study.pick-{letter}"
    return Binding(letter, action, "Pick", show, "a b …", id=named, tooltip=about)


KEYS: list[BindingType] = [
    _pick("a", show=True),
    Binding("space", "reveal", "Reveal", id="study.reveal", key_display="space"),
    hidden("enter", "reveal", "Reveal", id="study.reveal-enter"),
    # Shown above the footer, with the intervals.
    hidden("1", "rate(1)", "Again", id="study.again", tooltip="Again: I did not know it"),
    hidden("2", "rate(2)", "Hard", id="study.hard", tooltip="Hard: I knew it with much effort"),
    hidden("3", "rate(3)", "Good", id="study.good", tooltip="Good: I knew it"),
    hidden("4", "rate(4)", "Easy", id="study.easy", tooltip="Easy: I knew it without any effort"),
    Binding("space,enter", "go_on", "Go on", id="study.go-on", key_display="space"),
    Binding("c", "check", "Check", id="study.check", tooltip="Check my derivation in the lab"),
    Binding("e", "edit", "Edit", id="study.edit", tooltip="Edit this card"),
    Binding("u", "undo", "Undo", id="study.undo", tooltip="Undo the last action"),
    hidden("minus", "bury", "Bury", id="study.bury", key_display="-", tooltip=BURIED),
    hidden("at,s", "suspend", "Suspend", id="study.suspend", key_display="@", tooltip=SUSPENDED),
    hidden("R", "reset", "Reset", id="study.reset", key_display="R", tooltip=RESET),
    *scrolling("study", "space,enter,pagedown,ctrl+d"),
    Binding("escape,q", "back", "Back", id="study.back", key_display="esc"),
    # Last in the footer's order; c, e and s are letters of options first (see check_action).
    *map(_pick, PICKS[1:]),
]


class StudyScreen(ReaderScreen[None]):
    """One card after the other, updated in place.

    `asked` is what to study; `chosen` are its items, where these are known already.
    """

    IS_SITTING = True
    BLANK = True  # what is to be seen are its parts
    BINDINGS: ClassVar[list[BindingType]] = KEYS

    def __init__(self, asked: SessionRequest, chosen: Sequence[str] = ()) -> None:
        super().__init__()
        self._asked, self._chosen = asked, chosen
        self._session: StudySession | None = None
        self._finding = ExerciseLookup(self, self._found_out)

    @property
    def session(self) -> StudySession:
        """The sitting, once its cards are gathered."""
        assert self._session is not None
        return self._session

    @property
    def page(self) -> CardPage:
        return self.query_one(CardPage)

    def place(self) -> Card | str | None:
        return (self._session and self._session.card) or self._asked.deck

    @property
    def picks_letters(self) -> bool:
        card = self._session.card if self._session else None
        return card is not None and card.is_choice

    def compose(self) -> ComposeResult:
        yield TopLine("Study")
        yield BarePage(id="card")
        yield Fitted(id="finished", markup=False)
        yield TypedAnswer(id="typed", compact=True, max_length=200)
        yield Static(id="compared", markup=False)
        yield RatingsLine(id="ratings")
        yield Footer()

    def on_mount(self) -> None:
        """At once with what is due; from a thread where the cards must be gathered."""
        self.set_interval(1, self._tick)
        if self._chosen:
            self._begin(StudyQueue(self.collection, chosen=self._chosen))
        elif self._asked.is_live:
            self._begin(StudyQueue(self.collection, self._asked.deck))
        else:
            for part in ("#card", "#ratings", "#typed", "#compared"):
                self.query_one(part).display = False
            self.query_one("#finished", Static).update("Gathering the cards …")
            self.run_worker(self._gather, thread=True)

    def _gather(self) -> None:
        from deck.search.query import SearchError  # no first card waits for it

        app = self.deltadeck
        found: StudyQueue | str
        try:
            found = StudyQueue.of(app.open_collection, self._asked, app.clock())
        except SearchError as error:
            found = str(error)
        app.call_from_thread(self._gathered, found)

    def _gathered(self, found: StudyQueue | str) -> None:
        if not is_mounted(self):
            return
        if isinstance(found, str):
            self.deltadeck.say(found, error=True)
            self.dismiss(None)
        else:
            self._begin(found)

    def _begin(self, waiting: StudyQueue) -> None:
        app = self.deltadeck
        self._session = StudySession(app.open_collection, self._asked, app.clock, waiting)
        ask = self._finding.ask
        self._ahead = Prefetcher(self, self.reading, self._session, ask, self.page)
        self._session.advance()
        self._show()

    # What is shown.

    def _show(self, keep_place: bool = False) -> None:
        """Everything of the present item, from its beginning."""
        session, page = self.session, self.page
        item, card = session.item, session.card
        self._finding.look_at(card)
        page.display = item is not None
        self.query_one("#finished").display = item is None
        if item is None:
            clock = self.deltadeck.clock
            self.query_one(Fitted).lay(lambda width: finished(session, clock(), width, self.key))
        else:
            at = page.scroll_y
            page.show_pages(self._ahead.pages(item, card), focus=not self.asks)
            self._ask()
            if keep_place:
                self.call_after_refresh(page.scroll_to, y=at, animate=False)
        self._show_progress()
        self._ahead.begin()

    def _show_progress(self) -> None:
        """What a reveal, a pick or a second changes."""
        session, page = self.session, self.page
        revealed, card = session.revealed, session.card
        page.reveal(revealed)
        if card is not None:
            page.mark(session.picked, card.correct_letters if revealed else None)
            page.letters = session.letters
            self.query_one(RatingsLine).update(self._ratings() if revealed else Content(""))
        self.query_one("#ratings").display = revealed and card is not None
        self.query_one("#typed").display = self.asks
        self.put("#compared", compared(session, self.size.width - 4) if revealed else "")
        self._show_heading()
        self.refresh_bindings()

    @property
    def asks(self) -> bool:
        """Whether something is to be typed now."""
        session = self._session
        return session is not None and session.asks_for is not None and not session.revealed

    def _ask(self) -> None:
        """The field as it is for the present item, with the focus where it asks."""
        if self.asks:
            field, checks = self.query_one(TypedAnswer), self.key("study.reveal-enter")
            field.takes_words = isinstance(self.session.asks_for, WordAnswer)
            what = "answer" if field.takes_words else "number"
            field.placeholder = f"Your {what}; {checks} checks it"
            field.value, field.display = self.session.typed, True
            field.cursor_position = len(field.value)
            self.set_focus(field)

    @on(Input.Changed, "#typed")
    def _typed(self, event: Input.Changed) -> None:
        if self.asks:
            self.session.typed = event.value
            self.refresh_bindings()

    def _ratings(self) -> Content:
        suggestion, width = self.session.suggestion, self.size.width - 4
        if self.session.practice:
            return practice_line(suggestion, width, self.key)
        return ratings_line(self.session.preview(), suggestion, width, self.key)

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
        self._session.freshen()
        self._show_heading()

    def collection_changed(self) -> None:
        """A file changed on the disk: where it is the one that is shown, show it anew."""
        if (session := self._session) is None:
            return
        before, was = session.item, session.card
        self._ahead.forget()
        session.refresh()
        if before is None:
            self._show()
        elif session.item is None or session.item.id != before.id:
            self.deltadeck.say(f"{before.id} is gone or no longer readable; this is the next card.")
            self._show()
        elif session.card is not was:
            self._show(keep_place=True)

    def _found_out(self, known: ExerciseLookupResult) -> None:
        """What the card's exercise is, which the helper process was asked."""
        if known.problem and self._session and (card := self._session.card) is not None:
            self.deltadeck.say(f"{card.id}: {known.problem}", error=True)
        self.refresh_bindings()

    # Keys.

    def why_not(self, action: str) -> str:
        if self._session is None or self._session.item is None:
            return ""
        reveal = self.key("study.reveal")
        said = {"check": NO_EXERCISE, "rate": f"Reveal the answer first: {reveal}."}
        return said.get(action, "")

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

    @on(OptionsView.Picked)
    def _clicked(self, message: OptionsView.Picked) -> None:
        if message.letter in self.session.letters:
            self.action_pick(message.letter)

    def action_reveal(self) -> None:
        session = self.session
        if session.asks_for is not None:
            session.typed = self.query_one(TypedAnswer).value
            if session.typed.strip() and session.asks_for.read(session.typed) is None:
                said = f"{session.typed} is no number; 4.5, 12,5, 1e3 and 3/4 are."
                self.deltadeck.say(said, error=True)
                return
        session.revealed = True
        with self.app.batch_update():
            self.set_focus(self.page)
            self._show_progress()
            self.page.bring_solution_up()

    def action_go_on(self) -> None:
        self.session.go_on()
        self._show()

    def _next(self) -> None:
        self.session.advance()
        with self.app.batch_update():
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
        """Check the derivation in the lab."""
        item, card = self.session.item, self.session.card
        if item is not None and card is not None:
            then = partial(self._checked, item.id)
            await self.practise(item.id, card, self._finding, then)

    def _checked(self, item_id: str, result: LabResult | None) -> None:
        self.session.note_check(item_id, result)
        self._show_progress()

    # What is recorded of a card; a disk that refuses is a sentence.

    def _tried(self, work: Callable[[], Done], refused: str) -> Done | None:
        """What was done; None, and a sentence, where it could not be."""
        try:
            return work()
        except JournalError as error:
            once = f"{error} Do it again: it counts once."
            self.deltadeck.say(f"{refused} {error}" if error.recorded == 0 else once, error=True)
        except CollectionError as error:  # the card went away under the program
            self.deltadeck.say(f"{refused} {error}", error=True)
            self._next()
        return None

    def action_rate(self, rating: int) -> None:
        session = self.session
        given = self._tried(lambda: session.rate(rating), "This rating was not taken.")
        if given is None:
            return
        if given.leech:
            aside = session.collection.is_suspended(given.item_id)
            ways = f"rewrite it, or suspend it with {self.key('study.suspend')}"
            done = "it is suspended" if aside else ways
            times = plural(given.lapses, "time")
            self.deltadeck.say(f"{given.item_id} was forgotten {times}: {done}.")
        self._next()

    def action_undo(self) -> None:
        taken = self._tried(self.session.undo, "Nothing was undone.")
        if taken:
            self._show()
        elif taken is not None:
            self.deltadeck.say("There is nothing to undo.")

    def action_suspend(self) -> None:
        said = "is suspended; {undo} undoes that"
        self._put_away(self.session.suspend, "This card was not suspended.", said)

    def action_bury(self) -> None:
        said = "comes back tomorrow; {undo} undoes that"
        self._put_away(self.session.bury, "This card was not buried.", said)

    def action_reset(self) -> None:
        """After a question: it costs the card its schedule."""
        item, undo = self.session.item, self.key("study.undo")
        if item is None:
            return

        def answered(chosen: str | None) -> None:
            if chosen == "reset":
                said = "is new again; {undo} undoes that"
                self._put_away(self.session.reset, "This card was not reset.", said)

        words = f"Make {item.id} new again? Its answers stay in the history; {undo} undoes that."
        choices = (Choice("r", "reset", "Make it new"), Choice("escape", "stay", "Leave it"))
        self.app.push_screen(ConfirmScreen(words, choices), answered)

    def _put_away(self, work: Callable[[], str | None], refused: str, said: str) -> None:
        """Go on to the next card, where this one was; `said` is said of it."""
        if name := self._tried(work, refused):
            self.deltadeck.say(f"{name} {said.format(undo=self.key('study.undo'))}.")
            self._next()


class RatingsLine(Static):
    """A click on a rating is its key."""

    async def on_click(self, event: Click) -> None:
        at, line = event.get_content_offset(self), str(self.content).split("\n")[-1]
        if at is not None and at.y == 1 and (rating := rating_at(line, at.x)):
            await self.screen.run_action(f"rate({rating})")


class TypedAnswer(Input):
    """Typed before the reveal; where a number is asked for, a key that none has is the screen's."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "screen.reveal", "Check", id="study.reveal-enter")
    ]
    takes_words = False

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        return action != "submit"

    def check_consume_key(self, key: str, character: str | None) -> bool:  # noqa: ARG002
        """Whether what is typed may go on with this."""
        if character is None or not character.isprintable():
            return False
        if self.takes_words:  # none begin with a space: that just reveals
            return self.value + character != " "
        return character in "0123456789.,+-/%" + ("eE" if self.value else "")

    async def _on_key(self, event: Key) -> None:
        # At once: of a burst, the keys behind it are no longer meant for the field.
        taken = self.check_consume_key(event.key, event.character)
        if self.screen.focused is self and taken:
            await super()._on_key(event)
        elif event.is_printable or event.key == "enter":
            event.stop()
            event.prevent_default()
            if not await self.app._check_bindings(event.key):
                cast("DeckApp", self.app).on_key(event)
