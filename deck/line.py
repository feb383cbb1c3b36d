"""An event as one line of JSON, and back.

{"v":1,"id":"0199...","kind":"review","item":"ssu_batch4_004","at":"2026-11-21T14:25:00.123Z",
 "offset":60,"day":"2026-11-21","rating":3,"ms":5300,"model":"FSRS-6","params":"9c0f1a2b",
 "next":12}

`next` is what a review led to: study days, or [learning step, seconds].
"""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta
from typing import Any

from deck.event import Event, Unknown, What
from deck.ids import is_event_id
from deck.line_kinds import fields, text, what, whole

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
    record |= {"offset": event.offset, "day": event.day.isoformat()} | fields(event.what)
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
        raise LineError(f"it has no {error}" if missing else str(error)) from error


def _event(record: dict[str, Any]) -> Event:
    event_id, item, day = text(record, "id"), text(record, "item"), text(record, "day")
    if not is_event_id(event_id):
        raise ValueError("its id is not an event's")
    at = datetime.fromisoformat(text(record, "at")).astimezone(UTC)
    event_day = date.fromisoformat(day)
    if at.year not in _YEARS or abs(event_day - at.date()) > timedelta(days=3):
        raise ValueError("its study day does not fit its time")
    offset = whole(record, "offset", -1440, 1440)
    return Event(event_id, item, at, offset, event_day, _what(record))


def _what(record: dict[str, Any]) -> What:
    kind = text(record, "kind")
    return Unknown(kind) if whole(record, "v", 1, 10**6) > VERSION else what(kind, record)
