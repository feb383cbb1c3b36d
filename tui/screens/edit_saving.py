"""Saving what is edited: what is refused, what is asked first, and what outlives a crash."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from tui import saving
from tui.screens.base import DeckScreen
from tui.screens.confirm import Choice, ConfirmScreen
from tui.widgets.card_editor import CardEditor
from tui.writing.buffer import Buffer, Left, digest

if TYPE_CHECKING:
    from textual.timer import Timer

    from cards.model import Card, CardError

#: Seconds between what is typed and its copy on the disk.
KEEP_AFTER = 1.5
#: A text with a longer line is not wrapped.
LONG_LINE = 20_000


class SavingScreen(DeckScreen["Card | None"]):
    """The text in the editor, and the file that it goes to."""

    def __init__(self, path: Path, text: str | None) -> None:
        super().__init__()
        self._path = path
        self._draft = text
        """The text of a card that is new."""
        self._seen: str | None = None
        """The file's text when it was last read or written."""
        self._clean = ""
        """What the editor holds where nothing was changed; of a new card, nothing."""
        self._untouched = ""
        """The same; of a new card, what there is to be written over."""
        self._saved: Card | None = None
        self._leaving = False
        """Whether the screen is left as soon as the text is saved."""
        self._buffer = Buffer(path)
        self._waiting: dict[str, Timer] = {}

    @property
    def editor(self) -> CardEditor:
        return self.query_one(CardEditor)

    @property
    def _text(self) -> str:
        """What a save writes: the file's own text while nothing was changed."""
        text = self.editor.text
        return self._seen if text == self._clean and self._seen is not None else text

    def unsaved(self) -> str:
        editors = self.query(CardEditor)
        if not editors or editors.first().text == self._clean:
            return ""
        return f"{self._path.name} has changes that are not saved."

    def load(self, text: str | None) -> None:
        """Show the text of the file, or of a new card."""
        # The toolkit lays a wrapped line out anew for each of its rows.
        self.editor.soft_wrap = max(map(len, (text or "").split("\n"))) < LONG_LINE
        self.editor.load_text(text or "")
        # The text as the editor gives it back: where a file mixes line endings, it differs.
        self._untouched = self.editor.text
        self._clean = self._untouched if self._draft is None else ""

    def leave(self) -> None:
        """Without what is not saved."""
        self.give_up()
        self.dismiss(self._saved)

    def give_up(self) -> None:
        self._buffer.drop()

    def soon(self, seconds: float, work: Callable[[], None]) -> None:
        """Do it once no key was pressed for so long."""
        if waiting := self._waiting.pop(work.__name__, None):
            waiting.stop()
        self._waiting[work.__name__] = self.set_timer(seconds, work)

    def show_top(self) -> None:
        """Say at the top whether all is saved."""
        raise NotImplementedError

    # What outlives a crash.

    def keep(self) -> None:
        """Copy what is not saved to where it outlives this program."""
        if not self._is_written:
            self._buffer.drop(taken=False)
            return
        text, seen, now = self.editor.text, self._seen, self.deltadeck.clock()
        turn = self._buffer.turn

        def work() -> None:
            trouble = self._buffer.keep(text, seen, now, turn)
            if trouble:
                self.app.call_from_thread(self.deltadeck.say, trouble, error=True)

        self.run_worker(work, thread=True, group="keep", exclusive=True)

    def leave_for_next(self, now: datetime) -> None:
        """The program has to stop: its next start offers what is not saved, as after a kill."""
        if self._is_written:
            self._buffer.keep(self.editor.text, self._seen, now)
        self._buffer.seal()

    @property
    def _is_written(self) -> bool:
        """Whether the editor holds what nothing else does."""
        return bool(self.unsaved()) and self.editor.text != self._untouched

    def ask_about_left(self) -> None:
        """Where an editor of this card never came to its end, offer what it held."""
        left = self._buffer.left()
        if left is None:
            return
        if left.text == self.editor.text:
            if self._draft is None:
                left.drop()  # it was saved since then
            else:
                self._buffer.take(left)
            return
        from tui.screens.difference import DifferenceScreen

        words = f"{self._path.name} was being edited at {left.at:%H:%M on %d %B}, and never saved."
        if left.seen != digest(self._seen):
            words += " The file was changed since then."
        choices = (
            Choice("r", "take", "Take up that text"),
            Choice("d", "drop", "Drop it"),
            Choice("escape", "later", "Ask again later"),
        )
        screen = DifferenceScreen(words, choices, self.editor.text, left.text)
        self.app.push_screen(screen, lambda chosen: self._left(chosen, left))

    def _left(self, chosen: str | None, left: Left) -> None:
        if chosen == "take":
            editor = self.editor
            self._buffer.take(left)
            editor.replace(left.text, (0, 0), editor.document.end)
        elif chosen == "drop":
            left.drop()

    # Saving.

    def action_save(self) -> None:
        self._leaving = self._draft is not None
        self.save(self._seen)

    def save(self, seen: str | None, *, renamed: bool = False) -> None:
        """Save over the text `seen`; `renamed`: the learner knows that the id changes."""
        from cards import CardError, parse_card, save_card

        text = self._text
        try:
            card = parse_card(text, self._path)
        except CardError as error:
            self.deltadeck.say(saving.refusal(error.problem), error=True)
            return
        if not self._may_have_id(card, seen, renamed):
            return
        try:
            self._saved = save_card(self._path, text, seen, self.deltadeck.open_collection.root)
        except CardError as error:
            self._refused(error, seen, renamed)
            return
        self._seen, self._draft = text, None
        self._clean = self.editor.text
        self._buffer.drop()
        self.show_top()
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
                self.save(seen, renamed=True)

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
                self.save(found.there, renamed=renamed)
            elif chosen == "disk":
                self._seen, self._draft = found.there, None
                self.load(found.there)

        if found.there is None:
            self.app.push_screen(ConfirmScreen(found.text, found.choices), answered)
            return
        from tui.screens.difference import DifferenceScreen

        mine = self.editor.text
        screen = DifferenceScreen(found.text, found.choices, found.there, mine)
        self.app.push_screen(screen, answered)
