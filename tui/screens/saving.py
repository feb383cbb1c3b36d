"""Saving a card: what is refused, what is asked first, and what outlives a crash."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from cards.files import read_text
from cards.model import CardError
from tui.drafts import Buffer, LeftText, digest, left_behind, taken_by
from tui.screens.base import DeckScreen
from tui.screens.dialogs import Choice, ConfirmScreen, DifferenceScreen
from tui.widgets.editors import CardEditor

if TYPE_CHECKING:
    from textual.timer import Timer

    from cards.model import Card

#: Seconds between what is typed and its copy on the disk.
KEEP_AFTER = 1.5
#: A text with a longer line is not wrapped.
LONG_LINE = 20_000
_STAY = Choice("escape", "stay", "Go on editing")


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

    def replace_text(self, text: str) -> None:
        """As if it was typed: the editor can take it back."""
        self.editor.replace(text, (0, 0), self.editor.document.end)

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

    @property
    def _is_written(self) -> bool:
        """Whether the editor holds what nothing else does."""
        return bool(self.unsaved()) and self.editor.text != self._untouched

    def keep(self) -> None:
        """Copy what is not saved to where it outlives this program."""
        if not self._is_written:
            self._buffer.drop(taken=False)
            return
        text, seen, now = self.editor.text, self._seen, self.deltadeck.clock()
        turn = self._buffer.turn

        def work() -> None:
            if trouble := self._buffer.keep(text, seen, now, turn):
                self.app.call_from_thread(self.deltadeck.say, trouble, error=True)

        self.run_worker(work, thread=True, group="keep", exclusive=True)

    def leave_for_next(self, now: datetime) -> None:
        """The program has to stop: its next start offers what is not saved, as after a kill."""
        if self._is_written:
            self._buffer.keep(self.editor.text, self._seen, now)
        self._buffer.seal()

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

    def _left(self, chosen: str | None, left: LeftText) -> None:
        if chosen == "take":
            self._buffer.take(left)
            self.replace_text(left.text)
        elif chosen == "drop":
            left.drop()

    # Saving.

    def action_save(self) -> None:
        self.save(self._seen)

    def save(self, seen: str | None, *, renamed: bool = False) -> None:
        """Save over the text `seen`; `renamed`: the learner knows that the id changes."""
        from cards import parse_card, save_card  # no first card waits for it

        text = self._text
        try:
            card = parse_card(text, self._path)
        except CardError as error:
            self._refuse_for(error)
            return
        if not self._may_have_id(card, seen, renamed):
            return
        try:
            self._saved = save_card(self._path, text, seen, self.collection.root)
        except CardError as error:
            if not self._ask_about_file(seen, renamed):
                self._refuse_for(error)
            return
        self._seen, self._draft = text, None
        self._clean = self.editor.text
        self._buffer.drop()
        self.show_top()
        self.deltadeck.say(f"Saved {self._path.name}.")
        self.deltadeck.reread()
        if self._leaving:
            self.dismiss(self._saved)

    def _refuse(self, why: str) -> None:
        self.deltadeck.say(f"Not saved: {why}", error=True)

    def _refuse_for(self, error: CardError) -> None:
        problem = error.problem
        place = f"line {problem.line}: " if problem.line > 1 else ""
        self._refuse(f"{place}{problem.message} {problem.hint}")

    def _may_have_id(self, card: Card, seen: str | None, renamed: bool) -> bool:
        """Whether the card's id is free and its reviews come along, or the learner was asked."""
        collection = self.collection
        self.deltadeck.reread()
        if taken := taken_by(card.id, collection, self._path):
            self._refuse(f"the id {card.id} is taken by {taken.name}. Choose another one.")
            return False
        before = "" if renamed else left_behind(card, collection, self._path)
        if not before:
            return True

        def answered(chosen: str | None) -> None:
            if chosen == "new":
                self.save(seen, renamed=True)

        words = (
            f"The id changes from {before} to {card.id}: the reviews stay with {before}, "
            "and the card begins as a new one."
        )
        choices = (Choice("n", "new", "Save it as a new card"), _STAY)
        self.app.push_screen(ConfirmScreen(words, choices), answered)
        return False

    def _ask_about_file(self, seen: str | None, renamed: bool) -> bool:
        """Where the file is no longer the text `seen` (None: there was none), ask what counts; the
        text stays in the editor."""
        path = self._path
        try:
            there = read_text(path) if path.exists() else None
        except (OSError, CardError):
            return False
        # Where the folder is gone with the file, the refusal says so.
        if there == seen or (there is None and not path.parent.is_dir()):
            return False

        def answered(chosen: str | None) -> None:
            if chosen == "mine":
                self.save(there, renamed=renamed)
            elif chosen == "disk":
                self._seen, self._draft = there, None
                self.load(there)

        happened = "removed" if there is None else "made" if seen is None else "changed"
        words = f"{path.name} was {happened} by another program since it was opened here."
        if there is None:
            again = (Choice("w", "mine", "Write it again"), _STAY)
            self.app.push_screen(ConfirmScreen(words, again), answered)
        else:
            mine, disk = ("m", "mine", "Save mine over it"), ("d", "disk", "Take the file's")
            choices = (Choice(*mine), Choice(*disk), _STAY)
            difference = DifferenceScreen(words, choices, there, self.editor.text)
            self.app.push_screen(difference, answered)
        return True
