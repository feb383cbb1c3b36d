"""What a sitting asks next: whatever is due, or what was gathered when it began.  No widgets."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import islice
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from deck.collection import Collection
    from deck.queue import Session as Asked

AGAIN = 1
#: After so long the order by retrievability is worth a new look.
_OLD: Final = timedelta(minutes=10)


class Waiting(Protocol):
    """The items that a sitting has before it."""

    @property
    def left(self) -> int:
        """How many can be asked now."""

    @property
    def next_due(self) -> datetime | None:
        """When one comes that cannot be asked yet."""

    def look(self, now: datetime) -> str | None:
        """The item to ask now."""

    def after(self, item_id: str) -> str | None:
        """The item that most likely comes next, asked of nobody."""

    def answered(self, item_id: str, rating: int) -> None:
        """It was rated."""

    def put_away(self, item_id: str) -> None:
        """It is not to be asked again in this sitting."""

    def put_back(self, item_id: str) -> None:
        """What was done with it was taken back: it comes first."""

    def forget(self) -> None:
        """Another program changed something: what was known may be old."""


def is_live(asked: Asked) -> bool:
    """Whether a sitting is what is due now, and not gathered when it begins."""
    return asked.kind == "study" and not asked.search and asked.most is None and not asked.order


class DueNow:
    """The collection's queue of a deck (None: of all).

    An answer takes its item off, and the step that it leads to comes when it is due; so the queue
    is asked again only where it may be another: when all is answered, something else came due or
    was done, or a while has passed.
    """

    def __init__(self, collection: Collection, deck: str | None) -> None:
        self._collection, self._deck = collection, deck
        self._ids: dict[str, None] = {}
        self._steps: dict[str, datetime] = {}
        self._later: datetime | None = None
        self._asked: datetime | None = None

    @property
    def left(self) -> int:
        return len(self._ids)

    @property
    def next_due(self) -> datetime | None:
        known = [*self._steps.values(), *([self._later] if self._later else [])]
        return min(known, default=None)

    def look(self, now: datetime) -> str | None:
        came = [item for item, due in self._steps.items() if due <= now]
        if self._is_old(now) or (not self._ids and not came):
            self._ask(now)
        elif came:
            for item in came:
                del self._steps[item]
            self._ids = {**dict.fromkeys(came), **self._ids}
        first = next(iter(self._ids), None)
        while first is not None and not self._collection.can_read(first):
            self.put_away(first)  # its card went away meanwhile
            if not self._ids:
                self._ask(now)
            first = next(iter(self._ids), None)
        return first

    def _is_old(self, now: datetime) -> bool:
        if self._asked is None or not timedelta(0) <= now - self._asked < _OLD:
            return True
        return self._later is not None and self._later <= now

    def _ask(self, now: datetime) -> None:
        queue = self._collection.queue(now, self._deck)
        self._ids = dict.fromkeys(entry.item_id for entry in queue.entries)
        self._later, self._asked = queue.next_due, now
        self._steps = {}

    def after(self, item_id: str) -> str | None:
        return next((each for each in self._ids if each != item_id), None)

    def answered(self, item_id: str, rating: int) -> None:  # noqa: ARG002
        from deck.replay import Learning

        self._ids.pop(item_id, None)
        state = self._collection.state(item_id)
        if isinstance(state, Learning) and not self._collection.is_suspended(item_id):
            self._steps[item_id] = state.due

    def put_away(self, item_id: str) -> None:
        self._ids.pop(item_id, None)
        self._steps.pop(item_id, None)

    def put_back(self, item_id: str) -> None:  # noqa: ARG002
        self.forget()

    def forget(self) -> None:
        self._asked = None


class Gathered:
    """Items that were chosen once: by a search, ahead of time, to be crammed.

    What a rating sends into a learning step comes back when that is due; crammed, what was not
    known comes back at the end.
    """

    def __init__(self, collection: Collection, ids: list[str], cram: bool) -> None:
        self._collection, self._cram = collection, cram
        self._ids = dict.fromkeys(ids)
        self._steps: dict[str, datetime] = {}
        self._due: list[str] = []

    @classmethod
    def of(cls, collection: Collection, asked: Asked, now: datetime) -> Gathered:
        """What `asked` means now; its minutes are the clock's business, and cut nothing.

        Raises:
            SearchError: its search cannot be read.
        """
        from dataclasses import replace

        queue = collection.session(replace(asked, minutes=None), now)
        return cls(collection, [entry.item_id for entry in queue.entries], asked.kind == "cram")

    @property
    def left(self) -> int:
        return len(self._ids) + len(self._due)

    @property
    def next_due(self) -> datetime | None:
        return min(self._steps.values(), default=None)

    def look(self, now: datetime) -> str | None:
        known = self._collection.has_item
        self._steps = {item: at for item, at in self._steps.items() if known(item)}
        while (first := self._first(now)) is not None and not self._collection.can_read(first):
            self.put_away(first)
        return first

    def _first(self, now: datetime) -> str | None:
        due = sorted((at, item) for item, at in self._steps.items() if at <= now)
        self._due = [item for _, item in due]
        return next(iter(self._due or self._ids), None)

    def after(self, item_id: str) -> str | None:
        return next((each for each in (*self._due, *islice(self._ids, 2)) if each != item_id), None)

    def answered(self, item_id: str, rating: int) -> None:
        from deck.replay import Learning

        self.put_away(item_id)
        state = self._collection.state(item_id)
        if self._cram:
            self._ids |= {item_id: None} if rating == AGAIN else {}
        elif isinstance(state, Learning):
            self._steps[item_id] = state.due

    def put_away(self, item_id: str) -> None:
        self._steps.pop(item_id, None)
        self._ids.pop(item_id, None)

    def put_back(self, item_id: str) -> None:
        self.put_away(item_id)
        self._ids = {item_id: None, **self._ids}

    def forget(self) -> None:
        """What was gathered stays."""
