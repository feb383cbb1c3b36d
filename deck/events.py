"""The journal's events: their types, their ids, and their lines of JSON.

{"v":1,"id":"0199...","kind":"review","item":"ssu_batch4_004","at":"2026-11-21T14:25:00.123Z",
 "offset":60,"day":"2026-11-21","rating":3,"ms":5300,"model":"FSRS-6","params":"9c0f1a2b",
 "next":12}

`FORMS` says for each type of event which keys its line has beside those that every line has
(docs/journal-format.md).  deck/index/lines.py reads what nearly all lines are five times as fast.
"""

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
from typing import Any, Final, NamedTuple

from deck.fsrs import Rating
from deck.study_day import milliseconds, to_milliseconds


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
        return self.what.name if isinstance(self.what, Unknown) else FORMS[type(self.what)].kind

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


# Ids: UUIDs of version 7 (RFC 9562): 48 bits of milliseconds, a 12-bit counter, 62 random bits.
# A new id sorts after every id that its writer had seen, whatever its clock says (a hybrid logical
# clock): a clock set back changes no order, and an answer is always folded after the answers that
# were on the screen when it was given.

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
    time, count = milliseconds(now), 0
    if seen:
        last, last_count = int(seen[:8] + seen[9:13], 16), int(seen[15:18], 16)
        if time <= last:
            time, count = (last, last_count + 1) if last_count < 0xFFF else (last + 1, 0)
    return _id_of(max(time, 0), count, random)


def fixed_id(at: datetime, *names: str) -> str:
    """The id of what happened at `at` in another program: the same on every device.

    Its random bits are a digest of `names`, so that who imports it twice, or on two devices, has
    one event, and two programs' events of one millisecond stay apart.
    """
    digest = blake2b("\0".join(names).encode("utf-8", "surrogatepass"), digest_size=RANDOM_BYTES)
    return _id_of(max(milliseconds(at), 0), 0, digest.digest())


def _id_of(time: int, count: int, random: bytes) -> str:
    tail = int.from_bytes(random[:RANDOM_BYTES]) & (2**62 - 1) | 2**63
    text = f"{time:012x}7{count:03x}{tail:016x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


# What each type of event adds to its line.


@dataclass(frozen=True, slots=True)
class _Field:
    """An attribute of an event as a key of its line."""

    name: str
    read: Callable[[Any, str], Any]
    """From the value and the key.  Raises TypeError or ValueError with what is wrong."""
    write: Callable[[Any], Any] = lambda value: value
    key: str = ""
    """Where it is not the name."""
    optional: bool = False
    absent: Any = None
    """What an `optional` one is where the line does not have it."""


class EventForm(NamedTuple):
    kind: str
    """As in the line."""
    fields: tuple[_Field, ...]


#: No interval and no learning step is longer, in days.
_LONGEST: Final = 36500
_MOST: Final = 10**6


def _text(value: Any, key: str) -> str:
    if not isinstance(value, str):
        raise TypeError(f"its {key} is not a text")
    return value


def _whole(lowest: int, highest: int) -> Callable[[Any, str], int]:
    def read(value: Any, key: str) -> int:
        if type(value) is not int or not lowest <= value <= highest:
            raise ValueError(f"its {key} is not a whole number from {lowest} to {highest}")
        return value

    return read


_any_rating = _whole(1, 4)


def _is_span(value: Any) -> bool:
    """Whether it is an interval in days."""
    return type(value) is int and 1 <= value <= _LONGEST


def _promise(value: Any, _: str) -> Outcome | None:
    """None also for what no program of ours writes: the settings decide then."""
    if isinstance(value, list):
        numbers = len(value) == 2 and all(type(number) in (int, float) for number in value)
        if not numbers or not 0 <= value[0] <= _MOST or not 0 < value[1] <= _LONGEST * 86400:
            return None
        return LearningStep(int(value[0]), timedelta(seconds=value[1]))
    return Interval(value) if _is_span(value) else None


def _plain_promise(promise: Outcome) -> int | list[float]:
    if isinstance(promise, Interval):
        return promise.days
    seconds = promise.wait.total_seconds()
    return [promise.step, int(seconds) if seconds.is_integer() else seconds]


def _days(value: Any, _: str) -> dict[str, date]:
    if not isinstance(value, dict) or not all(isinstance(day, str) for day in value.values()):
        raise TypeError("its due is no table of study days")
    return {item: date.fromisoformat(day) for item, day in value.items()}


def _numbers(value: Any, _: str) -> tuple[float, ...]:
    if not isinstance(value, list) or not all(type(n) in (int, float) for n in value):
        raise TypeError("its parameters are no list of numbers")
    return tuple(map(float, value))


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


_ANSWER = (
    _Field("rating", lambda value, key: Rating(_any_rating(value, key)), int),
    _Field("milliseconds", _whole(0, 10**12), key="ms"),
)
_TARGET = _Field("target", _text)
_BY = _whole(-_MOST, _MOST)

FORMS: Final[Mapping[type, EventForm]] = MappingProxyType({
    Reviewed: EventForm("review", (
        *_ANSWER,
        _Field("model", _text),
        _Field("parameters", _text, key="params"),
        _Field("promise", _promise, _plain_promise, "next", optional=True),
        _Field("status", lambda value, _: value if isinstance(value, str) else "",
               optional=True, absent=""),
        _Field("check", lambda value, _: value if isinstance(value, dict) else None,
               _plain, optional=True),
    )),
    Undone: EventForm("undo", (_TARGET,)),
    Suspended: EventForm("suspend", (_Field("on", lambda value, _: value is True),)),
    Checked: EventForm("check", (
        _Field("data", lambda value, _: value if isinstance(value, dict) else {"data": value},
               _plain),
    )),
    Reset: EventForm("reset", ()),
    Buried: EventForm("bury", (
        _Field("until", lambda value, key: date.fromisoformat(_text(value, key)), date.isoformat),
    )),
    Rescheduled: EventForm("move", (
        _Field("due", _days, lambda due: {item: day.isoformat() for item, day in due.items()}),
        _Field("interval", lambda value, _: value if _is_span(value) else None, optional=True),
    )),
    ParametersChanged: EventForm("model", (
        _Field("model", _text), _Field("parameters", _numbers, list),
    )),
    Practised: EventForm("cram", _ANSWER),
    LimitsRaised: EventForm("raise", (
        _Field("new", _BY), _Field("reviews", _BY),
        _Field("course", _text, optional=True, absent=""),
    )),
    StatusLines: EventForm("status", (_TARGET, _Field("before", _text), _Field("after", _text))),
})  # fmt: skip
_TYPES: Final = {form.kind: what for what, form in FORMS.items()}


def fields(what: EventPayload) -> dict[str, Any]:
    """What an event adds to its line."""
    if isinstance(what, Unknown):
        raise ValueError(f"An event of the unknown kind {what.name!r} cannot be written.")
    found = {}
    for each in FORMS[type(what)].fields:
        value = getattr(what, each.name)
        if not (each.optional and value == each.absent):
            found[each.key or each.name] = each.write(value)
    return found


def _read_what(record: Mapping[str, Any]) -> EventPayload:
    """Raises KeyError, TypeError, ValueError with what is wrong."""
    kind = _text(record["kind"], "kind")
    known = _TYPES.get(kind)
    if known is None or _any_version(record["v"], "v") > VERSION:
        return Unknown(kind)
    values = {}
    for each in FORMS[known].fields:
        key = each.key or each.name
        if not each.optional or key in record:
            values[each.name] = each.read(record[key], key)
        else:
            values[each.name] = each.absent
    what: EventPayload = known(**values)
    return what


# Lines.

VERSION = 1
_ENCODE = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode
#: Years that a schedule can be computed for; others are a broken line, not a date.
_YEARS = range(1970, 3000)
#: Days between an event's time in UTC and its study day, and minutes of a zone's offset, at most.
_APART, _FARTHEST = 3, 1440
_any_version, _any_offset = _whole(1, 10**6), _whole(-_FARTHEST, _FARTHEST)
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
    event_id, item, day = (_text(record[key], key) for key in ("id", "item", "day"))
    if not is_event_id(event_id):
        raise ValueError("its id is not an event's")
    at = datetime.fromisoformat(_text(record["at"], "at"))
    if at.tzinfo is None:  # else each machine would read it in its own zone
        raise ValueError("its time names no zone")
    at = to_milliseconds(at)  # as the index keeps it
    event_day = date.fromisoformat(day)
    offset = _any_offset(record["offset"], "offset")
    check_times(at, event_day, offset)
    return Event(event_id, item, at, offset, event_day, _read_what(record))


def check_times(at: datetime, day: date, offset: int) -> None:
    """Raises ValueError for times that no event can have."""
    if at.year not in _YEARS or abs(day.toordinal() - at.toordinal()) > _APART:
        raise ValueError("its study day does not fit its time")
    if abs(offset) > _FARTHEST:
        raise ValueError(f"its offset is not a whole number from -{_FARTHEST} to {_FARTHEST}")
