"""What the learner does with a card, and what is said of it; a disk that refuses is a sentence."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from tui.key_names import key_for
from tui.screens.confirm import Choice, ConfirmScreen
from tui.text import counted

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from tui.app import DeltadeckApp
    from tui.sitting import Given
    from tui.study_session import Session

Done = TypeVar("Done")


class Doing:
    """On one sitting; `show` draws its present item, `advance` goes on to the next one."""

    def __init__(
        self,
        app: DeltadeckApp,
        session: Session,
        show: Callable[[], None],
        advance: Callable[[], None],
    ) -> None:
        self._app, self._session = app, session
        self._show, self._advance = show, advance

    def _key(self, action: str) -> str:
        """How it is pressed on the study screen."""
        return key_for(self._app, f"study.{action}")

    def rate(self, rating: int, check: Mapping[str, Any] | None) -> Given | None:
        """The answer; None where it was not taken."""
        given = self._tried(lambda: self._session.rate(rating, check), "This rating was not taken.")
        if given is not None and given.leech:
            aside = self._app.open_collection.is_suspended(given.item_id)
            ways = f"rewrite it, or set it aside with {self._key('suspend')}"
            done = "it is set aside" if aside else ways
            self._app.say(f"{given.item_id} was forgotten {counted(given.lapses, 'time')}: {done}.")
        return given

    def undo(self) -> None:
        taken = self._tried(self._session.undo, "Nothing was undone.")
        if taken:
            self._show()
        elif taken is not None:
            self._app.say("There is no rating left to take back.")

    def suspend(self) -> None:
        if name := self._tried(self._session.suspend, "This card was not suspended."):
            self._app.say(f"{name} is suspended; {self._key('undo')} takes it up again.")
            self._advance()

    def bury(self) -> None:
        if name := self._tried(self._session.bury, "This card was not put off."):
            self._app.say(f"{name} comes back tomorrow; {self._key('undo')} takes it up again.")
            self._advance()

    def reset(self) -> None:
        """After a question: it costs the card its schedule."""
        item = self._session.item
        if item is None:
            return
        undo = self._key("undo")
        words = f"Make {item.id} new again? Its answers stay in the history; {undo} takes it back."
        choices = (Choice("r", "reset", "Make it new"), Choice("escape", "stay", "Leave it"))
        self._app.push_screen(ConfirmScreen(words, choices), self._reset)

    def _reset(self, chosen: str | None) -> None:
        if chosen != "reset":
            return
        if name := self._tried(self._session.reset, "This card was not reset."):
            self._app.say(f"{name} is new again; {self._key('undo')} takes that back.")
            self._advance()

    def _tried(self, work: Callable[[], Done], refused: str) -> Done | None:
        """What was done; None, and a sentence, where it could not be."""
        from deck.errors import CollectionError, JournalError

        try:
            return work()
        except JournalError as error:
            said = f"{refused} {error}"
            if error.recorded != 0:
                said = f"{error} Do it again: it counts once."
            self._app.say(said, error=True)
        except CollectionError as error:  # the card went away under the program
            self._app.say(f"{refused} {error}", error=True)
            self._advance()
        return None
