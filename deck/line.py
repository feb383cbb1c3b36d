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

from deck.days import to_milliseconds
from deck.event import Event, Unknown, What
from deck.ids import is_event_id
from deck.line_kinds import fields, text, what, whole

VERSION = 1
#: Years that a schedule can be computed for; others are a broken line, not a date.
_YEARS = range(1970, 3000)
#: No more of a stranger's text than this is repeated in a sentence.
_QUOTED = 120
#: What a power cut, an editor or another system puts around a line.
_AROUND = b"\0 \t\r\n"
_CONFLICT = (b"<<<<<<<", b"|||||||", b"=======", b">>>>>>>")


class LineError(ValueError):
    """A line that is no event; its text says why."""


class NewerLineError(LineError):
    """A line of a later version of the journal, in a form that is not known here."""


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
        NewerLineError: it is one of a later version, which must be kept.
        LineError: it is not one.
    """
    try:
        record = json.loads(line.strip(_AROUND).decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise LineError("it is not UTF-8 text") from error
    except (ValueError, RecursionError) as error:
        raise LineError(_no_json(line)) from error
    if not isinstance(record, dict):
        raise LineError("it is not a JSON object")
    try:
        return _event(record)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        version = record.get("v")
        if type(version) is int and version > VERSION:
            raise NewerLineError("a newer deltadeck wrote it") from error
        missing = isinstance(error, KeyError)
        raise LineError(shortly(f"it has no {error}" if missing else str(error))) from error


def shortly(text: str) -> str:
    """`text`, or its beginning: a broken line may hold megabytes of it."""
    return text if len(text) <= _QUOTED else f"{text[:_QUOTED]}..."


def _no_json(line: bytes) -> str:
    if not line.strip(_AROUND):
        return "it holds nothing but NUL bytes, as a power cut leaves them"
    if line.lstrip().startswith(_CONFLICT):
        return "it is the mark of an unfinished merge in git"
    return "it is not JSON"


def _event(record: dict[str, Any]) -> Event:
    event_id, item, day = text(record, "id"), text(record, "item"), text(record, "day")
    if not is_event_id(event_id):
        raise ValueError("its id is not an event's")
    at = _instant(text(record, "at"))
    event_day = date.fromisoformat(day)
    if at.year not in _YEARS or abs(event_day - at.date()) > timedelta(days=3):
        raise ValueError("its study day does not fit its time")
    offset = whole(record, "offset", -1440, 1440)
    return Event(event_id, item, at, offset, event_day, _what(record))


def _instant(written: str) -> datetime:
    """In UTC, to the millisecond, as the index keeps it."""
    at = datetime.fromisoformat(written)
    if at.tzinfo is None:  # else each machine would read it in its own zone
        raise ValueError("its time names no zone")
    return to_milliseconds(at)


def _what(record: dict[str, Any]) -> What:
    kind = text(record, "kind")
    return Unknown(kind) if whole(record, "v", 1, 10**6) > VERSION else what(kind, record)
