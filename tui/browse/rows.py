"""An item as a row of the browser; each is read when it is first seen, and the latest are kept."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from tui.browse.titles import Bit, bits
from tui.text import interval, one_line

if TYPE_CHECKING:
    from deck.collection import Collection

_KEPT: Final = 2000


@dataclass(frozen=True, slots=True)
class Row:
    item_id: str
    title: tuple[Bit, ...]
    """The question's first words, formulas set, on one line."""
    course: str
    type: str
    due: str
    """When it comes, short: "new", "today", "3 d", "-2 d" where it is overdue."""
    suspended: bool
    missing: bool = False
    """The card went away after the search found it."""


class Rows:
    """The rows of items, as the collection has them at `now`."""

    def __init__(self, collection: Collection, now: datetime) -> None:
        self._collection, self._now = collection, now
        self._kept: OrderedDict[str, Row] = OrderedDict()

    def __call__(self, item_id: str) -> Row:
        row = self._kept.get(item_id)
        if row is None:
            row = self._kept[item_id] = self._read(item_id)
            if len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return row

    def knows(self, item_id: str) -> bool:
        """Whether a row is there without reading anything."""
        return item_id in self._kept

    def forget(self) -> None:
        """Something changed: read each anew."""
        self._kept.clear()

    def _read(self, item_id: str) -> Row:
        from deck.errors import CollectionError

        try:
            card = self._collection.card_of(item_id)
            return Row(
                item_id,
                bits(card),
                one_line(card.course),
                card.type.replace("_", " "),
                self._due(item_id),
                self._collection.is_suspended(item_id),
            )
        except CollectionError:
            return Row(item_id, (Bit(item_id),), "", "", "gone", suspended=False, missing=True)

    def _due(self, item_id: str) -> str:
        from deck.replay import Learning, New
        from deck.study_day import study_day

        state = self._collection.state(item_id)
        if isinstance(state, New):
            return "new"
        if isinstance(state, Learning):
            wait = state.due - self._now
            return interval(wait) if wait > timedelta() else "now"
        days = (state.due_day - study_day(self._now, self._collection.config.rollover)).days
        if days == 0:
            return "today"
        span = interval(timedelta(days=abs(days)))
        return span if days > 0 else f"-{span}"
