"""The plugin's schedule: in a comment behind a card, or in a note's frontmatter.

It keeps when a card is due and after how many days, not the answers.  One of them is certain: the
last, so many days before.  Which rating that had is not; it counts as Good.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from deck.exchange.bundle import ForeignItem, ForeignReview

COMMENT = re.compile(r"(?<![ \t])[ \t]*+<!--SR:(?P<what>[^<>]{0,5000}?)-->")
#: Stands for a card of several that was not studied yet.
_NEW = "2000-01-01"
_FORMATS = ("%Y-%m-%d", "%d-%m-%Y", "%a %b %d %Y")
_LONGEST = 36500


@dataclass(frozen=True, slots=True)
class Due:
    """When an item is due again, and how many days that is from its last answer."""

    at: datetime
    interval: int | None

    def item(self, suffix: str) -> ForeignItem:
        """The item with its day, and with its last answer where that is known."""
        if self.interval is None:
            return ForeignItem(suffix, due=self.at)
        try:
            at = self.at - timedelta(days=self.interval)
        except OverflowError:
            return ForeignItem(suffix, due=self.at)
        key = f"due {self.at.date()} {self.interval}"
        answer = ForeignReview(at, 3, days=self.interval, key=key, implied=True)
        return ForeignItem(suffix, (answer,), due=self.at)


def taken(text: str) -> tuple[str, list[Due | None], list[str]]:
    """A card's text without its comments, the schedule of each of its items, and what cannot be
    read of it.  None stands for an item that is new."""
    found: list[Due | None] = []
    unread: list[str] = []
    for comment in COMMENT.finditer(text):
        for each in comment["what"].strip().strip("!").split("!"):
            try:
                found.append(_due(each))
            except (ValueError, IndexError, OverflowError):
                unread.append(each[:60])
                found.append(None)
    return COMMENT.sub("", text).strip("\n"), found, unread


def of_note(fields: Mapping[str, object]) -> Due | None:
    """A note's own schedule (`sr-due`, `sr-interval`).  Raises ValueError."""
    due = fields.get("sr-due")
    if due is None:
        return None
    interval = fields.get("sr-interval")
    return Due(_day(str(due)), _days(str(interval)) if interval is not None else None)


def _due(text: str) -> Due | None:
    parts = [part.strip() for part in text.split(",")]
    if parts[0] == "fsrs":
        return Due(_moment(parts[1]), _days(parts[2]))
    if parts[0] == _NEW:
        return None
    return Due(_day(parts[0]), _days(parts[1]))


def _day(text: str) -> datetime:
    """Noon of a day: the day itself in every time zone, and in every setting of its beginning."""
    for form in _FORMATS:
        try:
            day = datetime.strptime(text.strip()[:15], form).date()
        except ValueError:
            continue
        return _local(day)
    raise ValueError(f"no day: {text}")


def _local(day: date) -> datetime:
    return datetime.combine(day, time(12)).astimezone()


def _moment(text: str) -> datetime:
    at = datetime.fromisoformat(text)
    return at if at.tzinfo else at.astimezone()


def _days(text: str) -> int | None:
    days = round(float(text))
    return days if 1 <= days <= _LONGEST else None
