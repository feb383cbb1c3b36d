"""Journal events, their ids, and their lines of JSON."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from hashlib import blake2b
from json.encoder import encode_basestring_ascii as quoted
from types import MappingProxyType
from typing import Any, NamedTuple

from deck.fsrs import Rating
from deck.study_day import to_milliseconds

# == The journal's events, as values.  Writing and reading their lines is in deck/events.py.


class Interval(NamedTuple):
    """An answer's promise: the item is in review, and comes back after so many study days."""

    days: int


class LearningStep(NamedTuple):
    """An answer's promise: the item is in the learning step `step` (from 0) for `wait`."""

    step: int
    wait: timedelta


Outcome = Interval | LearningStep

#: A review whose model begins so was given in another program, and imported.
IMPORTED = "import:"


@dataclass(frozen=True, slots=True)
class Reviewed:
    """An item was answered."""

    rating: Rating
    milliseconds: int
    """How long it took."""
    model: str
    """The scheduler's model when it was given, such as "FSRS-6"; of an imported review, where it
    is from: `IMPORTED` and the program's name."""
    parameters: str
    """The hash of the model's parameters then."""
    status: str = ""
    """The card's `status:` before the answer, so that an undo can put it back."""
    check: Mapping[str, Any] | None = None
    """A verdict that belongs to the answer."""
    promise: Outcome | None = None
    """What the answer led to, as it was shown under its key; None where the line does not say."""


@dataclass(frozen=True, slots=True)
class Undone:
    """A review is taken back."""

    target: str
    """The id of that review."""


@dataclass(frozen=True, slots=True)
class Suspended:
    """An item was put aside, or (`on` False) taken up again."""

    on: bool


@dataclass(frozen=True, slots=True)
class Checked:
    """A derivation was checked: the verdict and the answer as plain data."""

    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Reset:
    """An item was forgotten on purpose: it is new again, its history is kept."""


@dataclass(frozen=True, slots=True)
class Buried:
    """An item is not asked before the study day `until` (or, on its own day, is taken up)."""

    until: date


@dataclass(frozen=True, slots=True)
class Rescheduled:
    """Items in review fall due on other study days: after a change of parameters, or by hand."""

    due: Mapping[str, date]
    """Item id to study day."""
    interval: int | None = None
    """Days; where it is given, items that are not in review are put there, and are due on exactly
    that day: "Set Due Date" of another program.  An item without an answer gets a memory as stable
    as this interval."""


@dataclass(frozen=True, slots=True)
class ParametersChanged:
    """From here on, a model with these parameters schedules.  The settings hold them as well;
    this keeps every set that was ever used, so that its hash in a review can be read."""

    model: str
    parameters: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Practised:
    """An item was practised without touching its schedule."""

    rating: Rating
    milliseconds: int


@dataclass(frozen=True, slots=True)
class LimitsRaised:
    """The limits of this one study day are raised (or, below 0, lowered)."""

    new: int
    reviews: int
    course: str = ""
    """"" for the limits of the whole collection."""


@dataclass(frozen=True, slots=True)
class StatusLines:
    """A card's `status:` lines before and after they followed an event, each with its line feed, or
    "" for none: what an undo of the event could not put back by the word alone."""

    target: str
    """The id of that event."""
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """Of a kind or version that this program does not know: kept, and left out of the fold."""

    name: str


EventPayload = (
    Reviewed
    | Undone
    | Suspended
    | Checked
    | Reset
    | Buried
    | Rescheduled
    | ParametersChanged
    | Practised
    | LimitsRaised
    | StatusLines
    | Unknown
)

#: As in the journal.
KINDS: Mapping[type, str] = MappingProxyType(
    {
        Reviewed: "review",
        Undone: "undo",
        Suspended: "suspend",
        Checked: "check",
        Reset: "reset",
        Buried: "bury",
        Rescheduled: "move",
        ParametersChanged: "model",
        Practised: "cram",
        LimitsRaised: "raise",
        StatusLines: "status",
    }
)


@dataclass(frozen=True, slots=True)
class Event:
    """One line of the journal."""

    id: str
    item: str
    """"" for an event of the whole collection."""
    at: datetime
    """UTC, to the millisecond."""
    offset: int
    """Minutes east of UTC on the learner's clock."""
    day: date
    """The study day."""
    what: EventPayload

    @property
    def kind(self) -> str:
        """As in the journal; of an unknown kind, its name."""
        return self.what.name if isinstance(self.what, Unknown) else KINDS[type(self.what)]

    @property
    def rating(self) -> Rating | None:
        """Of a review; None for every other kind."""
        return self.what.rating if isinstance(self.what, Reviewed) else None

    @property
    def items(self) -> tuple[str, ...]:
        """The items whose state it may change; `item` is "" where it is about no single one."""
        if isinstance(self.what, Rescheduled):
            return tuple(self.what.due)
        return (self.item,) if self.item else ()


# == Ids of events: unique, and sorted as they were written.
#
# The form is a UUID of version 7 (RFC 9562): 48 bits of milliseconds, a 12-bit counter, 62 random
# bits.  A new id always sorts after every id that its writer had seen, whatever its clock says
# (a hybrid logical clock): a clock set back changes no order, and an answer is always folded
# after
# the answers that were on the screen when it was given.


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_FORM = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
#: The end of the year 9999 as an id begins: one beyond it is not ours, and would push all later
#: ids there.
_LATEST = "e677d21f-dbff"
RANDOM_BYTES = 8


def is_event_id(text: str) -> bool:
    """Whether `text` is an id of this form."""
    return _FORM.fullmatch(text) is not None and is_possible(text)


def is_possible(text: str) -> bool:
    """Whether the time of an id of this form is one that a clock can have shown."""
    return text[:13] <= _LATEST


def next_id(seen: str, now: datetime, random: bytes) -> str:
    """An id after `seen` (the last id in sorting order, or ""), for the time `now`.

    `random` has `RANDOM_BYTES` bytes; they keep two devices apart in the same millisecond.
    """
    time, count = (now - _EPOCH) // _MILLISECOND, 0
    last, last_count = _time_and_count(seen) if seen else (-1, 0)
    if time <= last:
        time, count = (last, last_count + 1) if last_count < 0xFFF else (last + 1, 0)
    tail = int.from_bytes(random[:RANDOM_BYTES]) & (2**62 - 1) | 2**63
    text = f"{max(time, 0):012x}7{count:03x}{tail:016x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def fixed_id(at: datetime, *names: str) -> str:
    """The id of what happened at `at` in another program: the same on every device.

    Its random bits are a digest of `names`, so that who imports it twice, or on two devices, has
    one event, and two programs' events of one millisecond stay apart.
    """
    digest = blake2b("\0".join(names).encode("utf-8", "surrogatepass"), digest_size=RANDOM_BYTES)
    tail = int.from_bytes(digest.digest()) & (2**62 - 1) | 2**63
    # As `next_id` after nothing, written for speed: an import has a million.
    text = f"{max((at - _EPOCH) // _MILLISECOND, 0):012x}7000{tail:016x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def _time_and_count(text: str) -> tuple[int, int]:
    return int(text[:8] + text[9:13], 16), int(text[15:18], 16)


# == What each kind of event adds to its line: fields for JSON, and back.


#: No interval and no learning step is longer, in days.
_LONGEST = 36500
_MOST = 10**6


def fields(what: EventPayload) -> dict[str, Any]:
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
        case Rescheduled(due, interval):
            found = {"due": {item: day.isoformat() for item, day in due.items()}}
            return found | ({} if interval is None else {"interval": interval})
        case ParametersChanged(model, parameters):
            return {"model": model, "parameters": list(parameters)}
        case Practised(rating, milliseconds):
            return {"rating": int(rating), "ms": milliseconds}
        case LimitsRaised(new, reviews, course):
            return {"new": new, "reviews": reviews} | ({"course": course} if course else {})
        case StatusLines(target, before, after):
            return {"target": target, "before": before, "after": after}
        case Unknown(name):
            raise ValueError(f"An event of the unknown kind {name!r} cannot be written.")


def what(kind: str, record: Mapping[str, Any]) -> EventPayload:
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
        case Interval(count):
            found["next"] = count
        case LearningStep(index, wait):
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


def _promise(value: Any) -> Outcome | None:
    """None also for what no program of ours writes: the settings decide then."""
    if isinstance(value, list):
        numbers = len(value) == 2 and all(type(number) in (int, float) for number in value)
        if not numbers or not 0 <= value[0] <= _MOST or not 0 < value[1] <= _LONGEST * 86400:
            return None
        return LearningStep(int(value[0]), timedelta(seconds=value[1]))
    return Interval(value) if type(value) is int and 1 <= value <= _LONGEST else None


def _moved(record: Mapping[str, Any]) -> Rescheduled:
    due = record["due"]
    if not isinstance(due, dict) or not all(isinstance(day, str) for day in due.values()):
        raise TypeError("its due is no table of study days")
    interval = record.get("interval")
    known = type(interval) is int and 1 <= interval <= _LONGEST
    days = {item: date.fromisoformat(day) for item, day in due.items()}
    return Rescheduled(days, interval if known else None)


def _adopted(record: Mapping[str, Any]) -> ParametersChanged:
    numbers = record["parameters"]
    if not isinstance(numbers, list) or not all(type(n) in (int, float) for n in numbers):
        raise TypeError("its parameters are no list of numbers")
    return ParametersChanged(text(record, "model"), tuple(map(float, numbers)))


def _checked(record: Mapping[str, Any]) -> Checked:
    data = record["data"]
    return Checked(data if isinstance(data, dict) else {"data": data})


def _crammed(record: Mapping[str, Any]) -> Practised:
    return Practised(Rating(whole(record, "rating", 1, 4)), whole(record, "ms", 0, 10**12))


def _raised(record: Mapping[str, Any]) -> LimitsRaised:
    course = text(record, "course") if "course" in record else ""
    by = [whole(record, key, -_MOST, _MOST) for key in ("new", "reviews")]
    return LimitsRaised(by[0], by[1], course)


_READERS: dict[str, Callable[[Mapping[str, Any]], EventPayload]] = {
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
    "status": lambda r: StatusLines(text(r, "target"), text(r, "before"), text(r, "after")),
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


# == An event as one line of JSON, and back.
#
# {"v":1,"id":"0199...","kind":"review","item":"ssu_batch4_004","at":"2026-11-21T14:25:00.123Z",
#  "offset":60,"day":"2026-11-21","rating":3,"ms":5300,"model":"FSRS-6","params":"9c0f1a2b",
#  "next":12}
#
# `next` is what a review led to: study days, or [learning step, seconds].


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


def _rest(what: EventPayload) -> str:
    """The fields of an event's kind, each behind a comma."""
    if isinstance(what, Reviewed) and what.check is None and isinstance(what.promise, Interval):
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


def _what(record: dict[str, Any]) -> EventPayload:
    kind = text(record, "kind")
    return Unknown(kind) if whole(record, "v", 1, 10**6) > VERSION else what(kind, record)
