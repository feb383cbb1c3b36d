"""Saving a card: refusals, questions, conflicts."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from tui.drafts import (
    Buffer,
    Left,
    UnreadableError,
    digest,
    left_behind,
    on_disk,
    taken_by,
)
from tui.screens.base import DeckScreen
from tui.screens.dialogs import Choice, ConfirmScreen, DifferenceScreen
from tui.widgets.editors import CardEditor

if TYPE_CHECKING:
    from textual.timer import Timer

    from cards.model import Card, CardError, Problem
    from deck.collection import Collection

# Saving what is edited: what is refused, what is asked first, and what outlives a crash.

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
            self.deltadeck.say(refusal(error.problem), error=True)
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
        if words := id_refusal(card, collection, self._path):
            self.deltadeck.say(words, error=True)
            return False
        question = None if renamed else id_question(card, collection, self._path)
        if question is None:
            return True

        def answered(chosen: str | None) -> None:
            if chosen == "new":
                self.save(seen, renamed=True)

        self.app.push_screen(ConfirmScreen(question.text, question.choices), answered)
        return False

    def _refused(self, error: CardError, seen: str | None, renamed: bool) -> None:
        """The text stays in the editor; a file that changed meanwhile is a question."""
        found = conflict(self._path, seen)
        if found is None:
            self.deltadeck.say(refusal(error.problem), error=True)
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
        mine = self.editor.text
        screen = DifferenceScreen(found.text, found.choices, found.there, mine)
        self.app.push_screen(screen, answered)


# What stands between a card's text and its file: what is refused, and what is asked first.

_STAY = Choice("escape", "stay", "Go on editing")


@dataclass(frozen=True, slots=True)
class Question:
    """Asked before a save goes on; the last choice leaves everything as it is."""

    text: str
    choices: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class Conflict(Question):
    """The file is not what the editor was opened on; `there` is its text, None where it is gone."""

    there: str | None


def refusal(problem: Problem) -> str:
    """Why nothing was saved, with the line."""
    place = f"line {problem.line}: " if problem.line > 1 else ""
    return f"Not saved: {place}{problem.message} {problem.hint}"


def id_refusal(card: Card, collection: Collection, path: Path) -> str:
    """Why a card of this id must not be saved at `path`; empty where it may."""
    taken = taken_by(card.id, collection, path)
    if taken is None:
        return ""
    return f"Not saved: the id {card.id} is taken by {taken.name}. Choose another one."


def id_question(card: Card, collection: Collection, path: Path) -> Question | None:
    """To be asked where a new id would leave the reviews of the old one behind."""
    before = left_behind(card, collection, path)
    if not before:
        return None
    words = (
        f"The id changes from {before} to {card.id}: the reviews stay with {before}, "
        "and the card begins as a new one."
    )
    return Question(words, (Choice("n", "new", "Save it as a new card"), _STAY))


def conflict(path: Path, seen: str | None) -> Conflict | None:
    """What to ask where the file at `path` is no longer the text `seen` (None: there was none)."""
    try:
        there = on_disk(path) if path.exists() else None
    except (OSError, UnreadableError):
        return None
    if there == seen:
        return None
    if there is None:
        if not path.parent.is_dir():
            return None  # the folder is gone with it: the refusal says so
        words = f"{path.name} was removed by another program since it was opened here."
        return Conflict(words, (Choice("w", "mine", "Write it again"), _STAY), None)
    happened = "made" if seen is None else "changed"
    words = f"{path.name} was {happened} by another program since it was opened here."
    mine, disk = Choice("m", "mine", "Save mine over it"), Choice("d", "disk", "Take the file's")
    return Conflict(words, (mine, disk, _STAY), there)


# The learner's own editor, on a draft: nothing is lost, whatever it does.


class OutsideError(Exception):
    """Its text is a sentence with the way out."""


def edit_outside(text: str, name: str) -> str:
    """What $EDITOR makes of `text`; the terminal must have been given up before."""
    from tui.commands import UsageError
    from tui.commands.common import read_text
    from tui.commands.editor import edit_draft

    try:
        draft = edit_draft(text, name)
        edited = read_text(str(draft))
    except UsageError as error:
        raise OutsideError(str(error)) from error
    shutil.rmtree(draft.parent, ignore_errors=True)
    return edited
