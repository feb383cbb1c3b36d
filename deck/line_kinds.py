"""What each kind of event adds to its line: fields for JSON, and back."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from datetime import date, timedelta
from typing import Any

from deck.event import (
    Adopted,
    Buried,
    Checked,
    Crammed,
    Days,
    Kept,
    Moved,
    Promise,
    Raised,
    Reset,
    Reviewed,
    Step,
    Suspended,
    Undone,
    Unknown,
    What,
)
from deck.fsrs import Rating

#: No interval and no learning step is longer, in days.
_LONGEST = 36500
_MOST = 10**6


def fields(what: What) -> dict[str, Any]:
    """The fields of an event, beside those that every line has."""
    match what:
        case Reviewed():
            return _review_fields(what)
        case Undone(target):
            return {"target": target}
        case Suspended(on):
            return {"on": on}
        case Checked(data):
            return {"data": _plain(data)}
        case Reset():
            return {}
        case Buried(until):
            return {"until": until.isoformat()}
        case Moved(due, interval):
            found = {"due": {item: day.isoformat() for item, day in due.items()}}
            return found | ({} if interval is None else {"interval": interval})
        case Adopted(model, parameters):
            return {"model": model, "parameters": list(parameters)}
        case Crammed(rating, milliseconds):
            return {"rating": int(rating), "ms": milliseconds}
        case Raised(new, reviews, course):
            return {"new": new, "reviews": reviews} | ({"course": course} if course else {})
        case Kept(target, before, after):
            return {"target": target, "before": before, "after": after}
        case Unknown(name):
            raise ValueError(f"An event of the unknown kind {name!r} cannot be written.")


def what(kind: str, record: Mapping[str, Any]) -> What:
    """The event of a line.  Raises KeyError, TypeError, ValueError with what is wrong."""
    read = _READERS.get(kind)
    return read(record) if read else Unknown(kind)


def text(record: Mapping[str, Any], key: str) -> str:
    value = record[key]
    if not isinstance(value, str):
        raise TypeError(f"its {key} is not a text")
    return value


def whole(record: Mapping[str, Any], key: str, lowest: int, highest: int) -> int:
    value = record[key]
    if isinstance(value, bool) or not isinstance(value, int) or not lowest <= value <= highest:
        raise ValueError(f"its {key} is not a whole number from {lowest} to {highest}")
    return value


def _review_fields(review: Reviewed) -> dict[str, Any]:
    found: dict[str, Any] = {
        "rating": int(review.rating),
        "ms": review.milliseconds,
        "model": review.model,
        "params": review.parameters,
    }
    match review.promise:
        case Days(count):
            found["next"] = count
        case Step(index, wait):
            seconds = wait.total_seconds()
            found["next"] = [index, int(seconds) if seconds.is_integer() else seconds]
    if review.status:
        found["status"] = review.status
    if review.check is not None:
        found["check"] = _plain(review.check)
    return found


def _review(record: Mapping[str, Any]) -> Reviewed:
    check, status = record.get("check"), record.get("status", "")
    return Reviewed(
        rating=Rating(whole(record, "rating", 1, 4)),
        milliseconds=whole(record, "ms", 0, 10**12),
        model=text(record, "model"),
        parameters=text(record, "params"),
        status=status if isinstance(status, str) else "",
        check=check if isinstance(check, dict) else None,
        promise=_promise(record.get("next")),
    )


def _promise(value: Any) -> Promise | None:
    """None also for what no program of ours writes: the settings decide then."""
    if isinstance(value, list):
        numbers = len(value) == 2 and all(type(number) in (int, float) for number in value)
        if not numbers or not 0 <= value[0] <= _MOST or not 0 < value[1] <= _LONGEST * 86400:
            return None
        return Step(int(value[0]), timedelta(seconds=value[1]))
    return Days(value) if type(value) is int and 1 <= value <= _LONGEST else None


def _moved(record: Mapping[str, Any]) -> Moved:
    due = record["due"]
    if not isinstance(due, dict) or not all(isinstance(day, str) for day in due.values()):
        raise TypeError("its due is no table of study days")
    interval = record.get("interval")
    known = type(interval) is int and 1 <= interval <= _LONGEST
    days = {item: date.fromisoformat(day) for item, day in due.items()}
    return Moved(days, interval if known else None)


def _adopted(record: Mapping[str, Any]) -> Adopted:
    numbers = record["parameters"]
    if not isinstance(numbers, list) or not all(type(n) in (int, float) for n in numbers):
        raise TypeError("its parameters are no list of numbers")
    return Adopted(text(record, "model"), tuple(map(float, numbers)))


def _checked(record: Mapping[str, Any]) -> Checked:
    data = record["data"]
    return Checked(data if isinstance(data, dict) else {"data": data})


def _crammed(record: Mapping[str, Any]) -> Crammed:
    return Crammed(Rating(whole(record, "rating", 1, 4)), whole(record, "ms", 0, 10**12))


def _raised(record: Mapping[str, Any]) -> Raised:
    course = text(record, "course") if "course" in record else ""
    by = [whole(record, key, -_MOST, _MOST) for key in ("new", "reviews")]
    return Raised(by[0], by[1], course)


_READERS: dict[str, Callable[[Mapping[str, Any]], What]] = {
    "review": _review,
    "undo": lambda record: Undone(text(record, "target")),
    "suspend": lambda record: Suspended(record["on"] is True),
    "check": _checked,
    "reset": lambda _: Reset(),
    "bury": lambda record: Buried(date.fromisoformat(text(record, "until"))),
    "move": _moved,
    "model": _adopted,
    "cram": _crammed,
    "raise": _raised,
    "status": lambda r: Kept(text(r, "target"), text(r, "before"), text(r, "after")),
}


def _plain(value: Any) -> Any:
    """`value` with infinities and NaN, which JSON has no numbers for, as "inf", "-inf", "nan"."""
    match value:
        case float():
            return value if math.isfinite(value) else str(value)
        case Mapping():
            return {str(key): _plain(entry) for key, entry in value.items()}
        case list() | tuple():
            return [_plain(entry) for entry in value]
    return value
