"""Another version of the card, from another computer: shown and chosen where it is edited."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.files import UnreadableError, on_disk
from tui.screens.confirm import Choice
from tui.screens.edit_saving import SavingScreen

if TYPE_CHECKING:
    from deck.sync.conflicts import Conflict

_TOLD = "`deltadeck sync` tells the other computers."


class ChoosingScreen(SavingScreen):
    """Asks about each version that a sync left to be chosen, when the card is opened."""

    _taken: Conflict | None = None
    """The version that is in the editor now, and counts once it is saved."""

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
        from deck.sync.origin import origin_of, this_device
        from tui.screens.difference import DifferenceScreen

        try:
            other = on_disk(conflict.other)
        except (OSError, UnreadableError) as error:
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
            editor = self.editor
            editor.replace(other, (0, 0), editor.document.end)
            self._taken = conflict
            self.deltadeck.say("The other version is in the editor: change it as you like, save.")

    def save(self, seen: str | None, *, renamed: bool = False) -> None:
        super().save(seen, renamed=renamed)
        taken = self._taken
        if taken is not None and not self.unsaved():
            self._taken = None
            self._settle(taken, f"Saved {self._path.name}. {_TOLD}")

    def _settle(self, conflict: Conflict, words: str) -> None:
        from deck.errors import JournalError
        from deck.sync.conflicts import settle

        try:
            settle(self.deltadeck.open_collection.root, conflict)
        except JournalError as error:
            self.deltadeck.say(str(error), error=True)
            return
        self.deltadeck.reread()
        self.deltadeck.say(words)
