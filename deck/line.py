"""An event as one line of JSON, and back.

{"v":1,"id":"0199...","kind":"review","item":"ssu_batch4_004","at":"2026-11-21T14:25:00.123Z",
 "offset":60,"day":"2026-11-21","rating":3,"ms":5300,"model":"FSRS-6","params":"9c0f1a2b",
 "next":12}

`next` is what a review led to: study days, or [learning step, seconds].
"""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from json.encoder import encode_basestring_ascii as quoted
from typing import Any

from deck.days import to_milliseconds
from deck.event import Days, Event, Reviewed, Unknown, What
from deck.ids import is_event_id
from deck.line_kinds import fields, text, what, whole

VERSION = 1
_ENCODE = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode
#: Years that a schedule can be computed for; others are a broken line, not a date.
_YEARS = range(1970, 3000)
#: Days between an event's time in UTC and its study day, and minutes of a zone's offset, at most.
_APART, _FARTHEST = 3, 1440
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
    at = event.at.astimezone(UTC).isoformat(timespec="milliseconds").removesuffix("+00:00")
    head = (
        f'{{"v":{VERSION},"id":"{event.id}","kind":"{event.kind}","item":{quoted(event.item)},'
        f'"at":"{at}Z","offset":{event.offset},"day":"{event.day}"'
    )
    return f"{head}{_rest(event.what)}}}\n".encode("ascii")


def _rest(what: What) -> str:
    """The fields of an event's kind, each behind a comma."""
    if isinstance(what, Reviewed) and what.check is None and isinstance(what.promise, Days):
        # What `fields` says, without a dictionary: nearly every line is one of these.
        status = f',"status":{quoted(what.status)}' if what.status else ""
        return (
            f',"rating":{what.rating:d},"ms":{what.milliseconds},"model":{quoted(what.model)},'
            f'"params":{quoted(what.parameters)},"next":{what.promise.days}{status}'
        )
    more = _ENCODE(fields(what))[1:-1]
    return f",{more}" if more else ""


def check_frame(event: Event) -> None:
    """Raises LineError for times that `read_line` would refuse."""
    try:
        _check_times(event.at, event.day, event.offset)
    except ValueError as error:
        raise LineError(str(error)) from error


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
    offset = whole(record, "offset", -_FARTHEST, _FARTHEST)
    _check_times(at, event_day, offset)
    return Event(event_id, item, at, offset, event_day, _what(record))


def _check_times(at: datetime, day: date, offset: int) -> None:
    if at.year not in _YEARS or abs(day.toordinal() - at.toordinal()) > _APART:
        raise ValueError("its study day does not fit its time")
    if abs(offset) > _FARTHEST:
        raise ValueError(f"its offset is not a whole number from -{_FARTHEST} to {_FARTHEST}")


def _instant(written: str) -> datetime:
    """In UTC, to the millisecond, as the index keeps it."""
    at = datetime.fromisoformat(written)
    if at.tzinfo is None:  # else each machine would read it in its own zone
        raise ValueError("its time names no zone")
    return to_milliseconds(at)


def _what(record: dict[str, Any]) -> What:
    kind = text(record, "kind")
    return Unknown(kind) if whole(record, "v", 1, 10**6) > VERSION else what(kind, record)
