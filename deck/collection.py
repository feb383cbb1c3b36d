"""A collection: a folder of cards, its journal, and all that follows: the face of this room.

Behind it: parts.Parts (index, cards, history, settings), contents.Contents (what there is),
planner.Planner (what to study), recorder.Recorder (what is done), asking (searches and figures).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deck import asking
from deck.answering import Given
from deck.config import TEMPLATE
from deck.contents import Contents
from deck.days import Local
from deck.decks import DeckCount, TodayCount
from deck.errors import CollectionError, reason, refusal
from deck.event import Checked, Event, What
from deck.fsrs import Rating
from deck.index.progress import Progress, silent
from deck.parts import Parts
from deck.place import CONFIG, PRIVATE, make_private
from deck.planner import Planner
from deck.queue import Queue
from deck.recorder import Recorder
from deck.session import Session
from deck.state import Schedule
from deck.watch import Watcher

if TYPE_CHECKING:
    from deck.exam.belief import Stake
    from deck.lately import Lately
    from deck.stats.report import Statistics


class Collection(Contents):
    """Made by `Collection.open`, which writes nothing.  Every `now` is an aware datetime."""

    def __init__(self, folder: Path, device: str | None = None) -> None:
        self.root = folder
        parts = Parts(folder, device)
        super().__init__(parts)
        self._planner, self._recorder = Planner(parts), Recorder(parts)

    @classmethod
    def open(
        cls,
        folder: Path | str,
        now: datetime | None = None,
        device: str | None = None,
        *,
        at_once: bool = False,
        progress: Progress = silent,
    ) -> Collection:
        """The collection in `folder`; `device` names this device in the journal.  With `at_once`
        the cards are those of the last time: call `reload` next, from another thread if need be.
        `progress` hears what a first start reads.  Raises CollectionError where the folder or its
        settings cannot be used."""
        made = cls(Path(folder), device)
        made._parts.start(now or datetime.now(Local()), at_once, progress)
        return made

    @classmethod
    def init(cls, folder: Path | str, now: datetime | None = None) -> Collection:
        """Makes `folder` a collection; what is there already stays.  Raises CollectionError."""
        make_collection(Path(folder))
        return cls.open(folder, now)

    # What to study.

    def decks(self, now: datetime) -> list[DeckCount]:
        """The tree of courses and folders, parents before their children."""
        return self._planner.decks(now)

    def queue(self, now: datetime, deck: str | None = None) -> Queue:
        """What to study at `now`, of everything or of one deck (a `DeckCount.key`)."""
        return self._planner.queue(now, deck)

    def session(self, session: Session, now: datetime) -> Queue:
        """What to study in a session of its own kind."""
        return self._planner.session(session, now)

    def preview(self, item_id: str, now: datetime) -> dict[Rating, Schedule]:
        """What each rating would lead to, exactly as `rate` would set it."""
        return self._planner.preview(item_id, now)

    def today(self, now: datetime) -> TodayCount:
        """What was done on the study day of `now`."""
        return self._planner.today(now)

    def statistics(
        self, now: datetime, search: str = "", days: int = 365, progress: Progress = silent
    ) -> Statistics:
        """All figures: of everything, or of the items that a search means."""
        return asking.statistics(self._parts, now, search, days, progress)

    def lately(self, now: datetime) -> Lately:
        """The days around today in a few figures; quick, and it holds nobody up."""
        return asking.lately(self._parts, now)

    def added(self, now: datetime, search: str = "") -> Mapping[date, int]:
        """Cards by the day they were added, as far as that can be told."""
        return asking.added(self._parts, now, search)

    def stakes(self, course: str, answers: int = 2000) -> tuple[list[Stake], dict[str, float]]:
        """What an exam of the course is about, and the pace of its last `answers`."""
        return asking.stakes(self._parts, course, answers)

    # What is done.  Each raises JournalError, with everything as before, where the disk refuses.

    def rate(
        self,
        item_id: str,
        rating: Rating,
        now: datetime,
        milliseconds: int,
        check: Mapping[str, Any] | None = None,
        settle: bool = True,
    ) -> Event:
        """Records an answer; it is on the disk when this returns.  Its card's `status:` line
        follows (where it cannot, that is a problem, no error); without `settle`, later."""
        return self._recorder.rate(Given(item_id, rating, milliseconds, check), now, settle)

    def settle(self) -> None:
        """Writes the `status:` line that the last answer owes, as whatever is done next would."""
        self._recorder.settle()

    def rate_each(self, answers: Iterable[Given], now: datetime) -> Iterator[Event]:
        """Records answers, many with one write; each is on the disk when it is yielded, and where
        an error ends it, no more was recorded."""
        return self._recorder.rate_each(answers, now)

    def finish_status(self) -> None:
        """Writes the `status:` line that a crash right after the last answer kept from its card."""
        self._recorder.finish_status()

    def undo(self, now: datetime, items: Container[str] | None = None) -> Event | None:
        """Takes the last review (of one of `items`, where they are given) back, on whichever device
        it was given; None where there is none.  The event names the item; its `what.target` is the
        review's id."""
        return self._recorder.undo(now, items)

    def record_check(self, item_id: str, data: Mapping[str, Any], now: datetime) -> Event:
        """Records a checked derivation: verdict and answer, as plain data for JSON."""
        return self.record(item_id, Checked(data), now)

    def record(self, item_id: str, what: What, now: datetime) -> Event:
        """Records what needs no more than its line: Reset, Buried, Crammed, and an Undone of one of
        them; with the item "" also Moved, Raised and Adopted."""
        return self._recorder.record(item_id, what, now)

    def record_each(self, deeds: Iterable[tuple[str, What]], now: datetime) -> Iterator[Event]:
        """`record`, and `suspend` by a Suspended, of many items, each once: many with one write.
        Each is on the disk when it is yielded, and where an error ends it, no more was recorded."""
        return self._recorder.record_each(deeds, now)

    def suspend(self, item_id: str, now: datetime, on: bool = True) -> Event:
        """Puts an item aside, or takes it up again, and its card's `status: suspended` away."""
        return self._recorder.suspend(item_id, now, on)

    def record_foreign(self, events: Iterable[Event]) -> None:
        """Writes what was done in another program, with ids of `deck.ids.fixed_id`; whatever is
        asked next knows of it.  Where an error ends it, a second time completes it."""
        self._recorder.record_foreign(events)

    # What changes on the disk.

    def reload(self, now: datetime, progress: Progress = silent) -> bool:
        """Reads again what changed on the disk; whether a card did.  Raises CollectionError where
        folder or settings cannot be used; every schedule stays."""
        return self._parts.reload(now, progress)

    def watch(self, changed: Callable[[], None]) -> Watcher:
        """Takes up changes of the files from now on; calls `changed` after each that tells, from a
        thread of its own, until the watcher's `stop`; at first everything is looked at.  The same
        collection may be used meanwhile, and sees the change from then on."""
        return Watcher(self.root, self._parts.telling(changed))

    def close(self) -> None:
        """Lets the index learn what is new, and closes it.  Leaving without it loses nothing."""
        self.settle()
        self._parts.flush()
        self._parts.store.close()


def make_collection(root: Path) -> None:
    """Makes `root` where it is missing, and its settings where it has none.

    Raises:
        CollectionError: it cannot be made.
    """
    try:
        root.mkdir(parents=True, exist_ok=True)
        make_private(root / PRIVATE)
        with (root / PRIVATE / CONFIG).open("x", encoding="utf-8") as file:
            file.write(TEMPLATE)
    except (OSError, ValueError) as error:
        if not isinstance(error, FileExistsError) or not (root / PRIVATE / CONFIG).is_file():
            raise _refused(root, error) from error


def _refused(root: Path, error: OSError | ValueError) -> CollectionError:
    """Why no collection can be made at `root`, with the very place that is in the way."""
    way = [*reversed(root.parents), root, root / PRIVATE]
    for place in way if isinstance(error, FileExistsError | NotADirectoryError) else ():
        if os.path.lexists(place) and not place.is_dir():
            what = "link that leads nowhere" if place.is_symlink() else "file"
            message = f"A {what} stands where a folder is needed."
            return refusal(place, message, "Move it away, or name another folder.")
    if isinstance(error, FileExistsError):
        message = "The settings are a folder, or a link that leads nowhere."
        return refusal(root / PRIVATE / CONFIG, message, "Move it away; a new file is made then.")
    why = reason(error) if isinstance(error, OSError) else str(error)
    message = f"No collection can be made here: {why}."
    return refusal(root, message, "Choose a folder that you can write to.")
