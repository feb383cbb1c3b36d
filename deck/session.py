"""A session other than "what is due now": by a search, ahead, crammed, for so many minutes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from deck.orders import ReviewOrder

if TYPE_CHECKING:
    from deck.queue import Queue

#: Seconds an answer takes, until there are answers to learn from.
PACE: Mapping[str, float] = MappingProxyType({"new": 60.0, "learning": 20.0, "review": 30.0})
#: From so many answers of a kind on, their median is believed.
ENOUGH = 20


@dataclass(frozen=True, slots=True)
class Session:
    """What the learner asked for."""

    kind: Literal["study", "ahead", "cram"] = "study"
    """ahead: reviews before their day, which count.  cram: practice that changes no schedule."""
    deck: str | None = None
    """A `DeckCount.key`."""
    search: str = ""
    days: int = 1
    """Of `ahead`: how many days."""
    most: int | None = None
    """Entries at most."""
    minutes: float | None = None
    order: ReviewOrder | None = None
    """Instead of the settings' order."""
    pace: Mapping[str, float] = field(default_factory=lambda: PACE)
    """Seconds an answer takes, by the entry's kind."""

    def cut(self, queue: Queue) -> Queue:
        """The entries that fit into the session; at least one, where there is one."""
        entries = queue.entries if self.most is None else queue.entries[: max(self.most, 0)]
        if self.minutes is not None:
            left, fitting = self.minutes * 60, 0
            for entry in entries:
                left -= self.pace.get(entry.kind, PACE[entry.kind])
                if left < 0 and fitting:
                    break
                fitting += 1
            entries = entries[:fitting]
        return replace(queue, entries=entries)


@dataclass(frozen=True, slots=True)
class TimeBox:
    """A session that ends on time: the answer that is being given is the last."""

    started: datetime
    minutes: float

    @property
    def ends(self) -> datetime:
        return self.started + timedelta(minutes=self.minutes)

    def over(self, now: datetime) -> bool:
        return now >= self.ends

    def left(self, now: datetime) -> timedelta:
        return max(self.ends - now, timedelta())
