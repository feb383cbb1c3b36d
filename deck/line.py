"""An event as one line of JSON, and back.

{"v":1,"id":"0199...","kind":"review","item":"ssu_batch4_004","at":"2026-11-21T14:25:00.123Z",
 "offset":60,"day":"2026-11-21","rating":3,"ms":5300,"model":"FSRS-6","params":"9c0f1a2b"}
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any

from deck.event import Checked, Event, Reviewed, Suspended, Undone, Unknown
from deck.fsrs import Rating
from deck.ids import is_event_id

VERSION = 1
#: Years that a schedule can be computed for; others are a broken line, not a date.
_YEARS = range(1970, 3000)


class LineError(ValueError):
    """A line that is no event; its text says why."""


def write_line(event: Event) -> bytes:
    """The line of `event`, with its line feed; ASCII, so that no editor or merge can break it."""
    record: dict[str, Any] = {"v": VERSION, "id": event.id, "kind": event.kind, "item": event.item}
    record["at"] = event.at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.") + (
        f"{event.at.microsecond // 1000:03d}Z"
    )
    record |= {"offset": event.offset, "day": event.day.isoformat()} | _fields(event)
    return json.dumps(record, separators=(",", ":"), allow_nan=False).encode("ascii") + b"\n"


def read_line(line: bytes) -> Event:
    """The event on a line (without its line feed).

    Raises:
        LineError: it is not one.
    """
    try:
        record = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise LineError("it is not UTF-8 text") from error
    except (ValueError, RecursionError) as error:
        raise LineError("it is not JSON") from error
    if not isinstance(record, dict):
        raise LineError("it is not a JSON object")
    try:
        return _event(record)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        missing = isinstance(error, KeyError)
        text = f"it has no {error}" if missing else str(error)
        raise LineError(text) from error


def _fields(event: Event) -> dict[str, Any]:
    match event.what:
        case Reviewed() as review:
            fields: dict[str, Any] = {
                "rating": int(review.rating),
                "ms": review.milliseconds,
                "model": review.model,
                "params": review.parameters,
            }
            if review.status:
                fields["status"] = review.status
            if review.check is not None:
                fields["check"] = _plain(review.check)
            return fields
        case Undone(target):
            return {"target": target}
        case Suspended(on):
            return {"on": on}
        case Checked(data):
            return {"data": _plain(data)}
        case Unknown(name):
            raise ValueError(f"An event of the unknown kind {name!r} cannot be written.")


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


def _event(record: dict[str, Any]) -> Event:
    event_id, item, day = _text(record, "id"), _text(record, "item"), _text(record, "day")
    if not is_event_id(event_id):
        raise ValueError("its id is not an event's")
    at = datetime.fromisoformat(_text(record, "at")).astimezone(UTC)
    event_day = date.fromisoformat(day)
    if at.year not in _YEARS or abs(event_day - at.date()) > timedelta(days=3):
        raise ValueError("its study day does not fit its time")
    offset = _whole(record, "offset", -1440, 1440)
    return Event(event_id, item, at, offset, event_day, _what(record))


def _what(record: dict[str, Any]) -> Reviewed | Undone | Suspended | Checked | Unknown:
    kind = _text(record, "kind")
    if _whole(record, "v", 1, 10**6) > VERSION:
        return Unknown(kind)
    match kind:
        case "review":
            check, status = record.get("check"), record.get("status", "")
            return Reviewed(
                rating=Rating(_whole(record, "rating", 1, 4)),
                milliseconds=_whole(record, "ms", 0, 10**12),
                model=_text(record, "model"),
                parameters=_text(record, "params"),
                status=status if isinstance(status, str) else "",
                check=check if isinstance(check, dict) else None,
            )
        case "undo":
            return Undone(_text(record, "target"))
        case "suspend":
            return Suspended(record["on"] is True)
        case "check":
            data = record["data"]
            return Checked(data if isinstance(data, dict) else {"data": data})
    return Unknown(kind)


def _text(record: dict[str, Any], key: str) -> str:
    value = record[key]
    if not isinstance(value, str):
        raise TypeError(f"its {key} is not a text")
    return value


def _whole(record: dict[str, Any], key: str, lowest: int, highest: int) -> int:
    value = record[key]
    if isinstance(value, bool) or not isinstance(value, int) or not lowest <= value <= highest:
        raise ValueError(f"its {key} is not a whole number from {lowest} to {highest}")
    return value
