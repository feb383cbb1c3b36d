"""What was done with a card's items, out of a JSON file: answers, what is put aside, due days."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Literal

from cards.cloze import items_of as items_of_card
from deck.events import is_event_id
from deck.exchange.bundle import ForeignItem, ForeignReview, Lost
from deck.exchange.draft import Draft

_RATINGS = {"1": 1, "2": 2, "3": 3, "4": 4, "again": 1, "hard": 2, "good": 3, "easy": 4}
#: Seconds since 1970 are below, milliseconds above.
_SECONDS = 100_000_000_000
_LONGEST = 36500
_DAY_MS = 86_400_000
_IS_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
#: An instant, of which is not said what a clock showed there (RFC 3339, section 4.3).
_NO_CLOCK = ("Z", "z", "-00:00")


def items_of(
    record: Mapping[str, Any], draft: Draft, where: str, lost: list[Lost]
) -> list[ForeignItem]:
    """The items of a card's record: those under `items`, or the record's own history."""
    given = record.get("items")
    if not isinstance(given, list):
        given = [record] if record.keys() & {"reviews", "due", "suspended"} else []
    known = items_of_card("x", draft.type, draft.question, draft.solution)
    suffixes = {item.id.removeprefix("x") for item in known}
    found: dict[str, ForeignItem] = {}
    for each in given:
        if not isinstance(each, dict):
            lost.append(Lost(where, "One of its items is no object; it was left out."))
            continue
        suffix = _suffix(each, record)
        if suffix not in suffixes or suffix in found:
            lost.append(Lost(where, f"It has no item {suffix[:40]!r} of its own; it was left out."))
            continue
        found[suffix] = _item(each, suffix, where, lost)
    return [item for item in found.values() if item != ForeignItem(item.suffix)]


def _suffix(item: Mapping[str, Any], record: Mapping[str, Any]) -> str:
    if item is record:
        return ""
    if isinstance(item.get("suffix"), str):
        return str(item["suffix"])
    name, own = item.get("id", item.get("item", "")), record.get("id", record.get("key", ""))
    name = name if isinstance(name, str) else ""
    return name.removeprefix(own) if isinstance(own, str) else name


def _item(item: Mapping[str, Any], suffix: str, where: str, lost: list[Lost]) -> ForeignItem:
    before = _reviews(item.get("before_reset"), where, lost)
    reset = item.get("reset")
    reviews = _reviews(item.get("reviews"), where, lost)
    if before:
        at = before[-1].at + timedelta(milliseconds=1)
        key, event_id = f"reset {before[-1].key}", ""
        if isinstance(reset, dict) and (told := _time(reset.get("at"), where, lost)):
            at, event_id = told, _event_id(reset.get("key"), told)
        day = _day(reset.get("day")) if isinstance(reset, dict) else None
        before.append(ForeignReview(at, 0, key=key, what="reset", event_id=event_id, day=day))
    practice = _reviews(item.get("practice"), where, lost, "cram")
    done = sorted((*before, *reviews, *practice), key=lambda review: review.at)
    schedule = item.get("schedule")
    more = schedule if isinstance(schedule, dict) else {}
    due, interval = _due(item, where, lost), None
    if due and more.get("state") == "review" and not (reviews and reviews[-1].days):
        interval = _whole(more.get("stability"), 0, _LONGEST)  # no answer led to that day
    return ForeignItem(
        suffix,
        tuple(done),
        suspended=item.get("suspended") is True,
        due=due,
        interval=interval,
        buried=_day(more.get("buried_until")),
    )


def _due(item: Mapping[str, Any], where: str, lost: list[Lost]) -> datetime | None:
    """A day without a time is that study day, wherever it begins: its last second is within it."""
    said = item.get("due")
    if not said:
        return None
    day = _day(item.get("due_day")) or _day(said)
    if day is None:
        return _time(said, where, lost)
    return _time(f"{day}T23:59:59", where, lost)


def _reviews(
    given: Any, where: str, lost: list[Lost], what: Literal["answer", "cram"] = "answer"
) -> list[ForeignReview]:
    found = []
    for each in given if isinstance(given, Iterable) and not isinstance(given, str | dict) else ():
        at = (
            _time(each.get("at", each.get("time")), where, lost) if isinstance(each, dict) else None
        )
        rating = _RATINGS.get(str(each.get("rating")).lower()) if isinstance(each, dict) else None
        if at is None or rating is None:
            lost.append(Lost(where, "An answer has no time or no rating from 1 to 4; left out."))
            continue
        key = (
            each.get("key") if isinstance(each.get("key"), str) else at.astimezone(UTC).isoformat()
        )
        took = _whole(each.get("milliseconds", each.get("ms")), 0, 86_400_000) or 0
        days = _whole(each.get("days"), 1, _LONGEST)
        seconds = None if days is not None else _whole(each.get("wait"), 1, _LONGEST * 86400)
        wait = None if seconds is None else timedelta(seconds=seconds)
        event_id = _event_id(key, at)
        day = _day(each.get("day")) or _day(each.get("at", each.get("time")))
        told = (at, rating, took, days, str(key), wait, what, event_id)
        found.append(ForeignReview(*told, day=day))
    return sorted(found, key=lambda review: review.at)


def _event_id(key: Any, at: datetime) -> str:
    """The key, where it is the id of an event of this time: in every journal it keeps it."""
    if not isinstance(key, str) or not is_event_id(key):
        return ""
    milliseconds = int(key[:8] + key[9:13], 16)
    # A clock that was set back gives an id that is later than its answer.
    return key if abs(milliseconds - at.timestamp() * 1000) <= _DAY_MS else ""


def _whole(value: Any, lowest: int, highest: int) -> int | None:
    try:
        number = round(float(str(value)))
    except (ValueError, OverflowError):
        return None
    return number if lowest <= number <= highest else None


def _time(value: Any, where: str, lost: list[Lost]) -> datetime | None:
    """ISO 8601, or seconds or milliseconds since 1970; the study day is that of its own zone.

    What names no zone, or only the instant (seconds, `Z`), was on a clock as this machine's.
    """
    text = str(value).strip()
    try:
        at = _number(text) or _moment(text)
        if not 1 < at.year < 9999:
            raise ValueError("no clock of another zone can show it")
    except (ValueError, OverflowError, OSError):
        lost.append(Lost(where, f"The time {text[:40]!r} cannot be read."))
        return None
    return at


def _number(text: str) -> datetime | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return datetime.fromtimestamp(number / 1000 if number > _SECONDS else number, UTC).astimezone()


def _moment(text: str) -> datetime:
    if _IS_DAY.fullmatch(text):
        # No time of day: at noon.
        return datetime.combine(date.fromisoformat(text), time(12)).astimezone()
    at = datetime.fromisoformat(text)
    return at.astimezone() if at.tzinfo is None or text.endswith(_NO_CLOCK) else at


def _day(value: Any) -> date | None:
    try:
        is_day = isinstance(value, str) and _IS_DAY.fullmatch(value)
        return date.fromisoformat(value) if is_day else None
    except ValueError:
        return None
