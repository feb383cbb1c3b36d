"""JSON: a list of cards, an object that holds one, a card a line, or what our own export writes.

A card is an object with the names that a table's columns have (`normalise.py`); beside them
`fields` (more frontmatter), `items` (each with its `reviews`) and `media`.
"""

from __future__ import annotations

import base64
import binascii
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta
from functools import partial
from pathlib import Path
from typing import IO, Any, Literal

from cards.cloze import items_of as items_of_card
from cards.files import open_regular
from cards.links import Link, definitions, retargeted
from cards.model import Value
from deck.events import is_event_id
from deck.exchange.media import NoteMedia, renamed
from deck.exchange.model import (
    ExchangeError,
    ForeignCard,
    ForeignItem,
    ForeignReview,
    ImportSource,
    Keys,
    Lost,
    OwnCard,
)
from deck.exchange.normalise import Draft, finished, named, role_of
from deck.exchange.source import NoteFiles, NotTextError, decoded

LARGEST = 300_000_000
_DEEPEST = 12
#: Where an object keeps its cards.
_LISTS = ("cards", "notes", "flashcards", "questions", "items", "data")
#: Of a card, what is not a value of it.
_PARTS = ("fields", "items", "reviews", "media", "schedule", "due", "suspended", "buried_until")
_ABOUT_ALL = ("deck", "folder", "course", "tags", "type")


def looks_like(path: Path, head: bytes) -> bool:
    """By its name and its first sign, or the first sign and what must follow it."""
    if path.is_dir():
        return False
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if path.suffix.lower() in (".json", ".jsonl", ".ndjson"):
        return True
    return start.startswith((b"{", b"[")) and start[1:].lstrip().startswith((b'"', b"{"))


def read(path: Path) -> ImportSource:
    """The cards of a JSON file, with their histories.  Raises ExchangeError."""
    lost: list[Lost] = []
    own = own_file(path)
    if own is not None:
        reading = _Reading(path, lost, own.media, own=True)
        return ImportSource(
            "json", str(path), own.total, partial(_own, reading, own), own.media, lost
        )
    data = _loaded(path)
    records, about = _records(data, path)
    media = media_in(data, path.name, lost)
    ours = isinstance(data, dict) and data.get("format") == "deltadeck"
    if ours:
        refuse_newer(path, str(data.get("version", VERSION)))
    reading = _Reading(path, lost, media, ours)
    cards = partial(reading.cards, records, about)
    return ImportSource("json", str(path), len(records), cards, media, lost)


def loads(text: str | bytes) -> Any:
    """JSON with every number as it is written.  Raises ValueError, RecursionError."""
    return json.loads(text, parse_float=str, parse_int=str, parse_constant=str)


def _own(reading: _Reading, own: OwnFile) -> Iterator[ForeignCard]:
    for number, line in own.cards():
        where = f"{reading.path.name}:{number}"
        try:
            record = loads(line)
        except (ValueError, RecursionError):
            reading.lost.append(Lost(where, "The line is no JSON; its card was not read."))
            continue
        yield from reading.card(record, where, {})


class _Reading:
    """One import; `media` are those in the file itself."""

    def __init__(
        self,
        path: Path,
        lost: list[Lost],
        media: dict[str, Callable[[], IO[bytes]]],
        own: bool,
    ) -> None:
        self._own = own
        self.path, self.lost, self.media = path, lost, media
        self._pictures = NoteMedia(NoteFiles(path, lost))
        self._pictures.media = media  # one table of names for what is inside and what is beside
        self._keys = Keys()

    def cards(self, records: list[Any], about: Mapping[str, Value]) -> Iterator[ForeignCard]:
        for number, record in enumerate(records, 1):
            yield from self.card(record, f"{self.path.name}, card {number}", about)

    def card(self, record: Any, where: str, about: Mapping[str, Value]) -> Iterator[ForeignCard]:
        """The card of a record, or none, and why."""
        if not isinstance(record, dict):
            self.lost.append(Lost(where, "This is no object with a question; it was not read."))
            return
        values: dict[str, Value] = {}
        for name, value in {**about, **record}.items():
            if name in _PARTS or (self._own and name == "digest"):
                continue
            try:
                values[name] = _value(value)
            except ValueError as error:
                self.lost.append(Lost(where, f"Its {name[:40]!r} {error}; left out."))
        draft = named(values, self.path.stem, where, self.lost)
        if "fields" in record:
            draft.fields = {**draft.fields, **_fields(record["fields"], where, self.lost)}
        own = drafted_record(record, self.path.stem, where, []) if self._own else None
        draft.items = items_of(record, draft, where, self.lost) or draft.items
        self._put_media(draft, record.get("media"))
        draft.key = self._keys.unique(draft.key)
        card = finished(draft, self.lost)
        if card is not None:
            yield replace(card, own=own) if own and own.card_id else card

    def _put_media(self, draft: Draft, names: Any) -> None:
        """Shows what the file holds under its name there; what it does not is looked for beside."""
        inside = names if isinstance(names, dict) else {}

        def name_of(found: Link) -> str | None:
            name = inside.get(found.name, found.name)
            if isinstance(name, str) and name in self.media:
                return name
            return self._pictures.take(found, self.path, draft.where)

        known = definitions(f"{draft.question}\n\n{draft.solution}")
        draft.question, shown = renamed(draft.question, name_of, known)
        draft.solution, more = renamed(draft.solution, name_of, known)
        linked = [
            name
            for target, name in inside.items()
            if isinstance(name, str) and name in self.media and name not in (*shown, *more)
        ]
        if linked:
            names = {each: name for each, name in inside.items() if name in linked}
            draft.question = retargeted(draft.question, names)
            draft.solution = retargeted(draft.solution, names)
        draft.media = [*shown, *more, *linked]


def drafted_record(record: Mapping[str, Any], file: str, where: str, lost: list[Lost]) -> OwnCard:
    """A card of our own export, as it is written there."""
    texts = {name: record.get(name, "") for name in ("wanted_id", "type", "question", "solution")}
    draft = named({k: v if isinstance(v, str) else "" for k, v in texts.items()}, file, where, lost)
    fields = {**draft.fields, **_fields(record.get("fields", {}), where, lost)}
    card_id, digest = draft.wanted_id, str(record.get("digest", ""))
    return OwnCard(card_id, draft.type, draft.question, draft.solution, fields, digest)


def _fields(fields: Any, where: str, lost: list[Lost]) -> dict[str, Value]:
    try:
        value = _value(fields)
    except ValueError as error:
        lost.append(Lost(where, f"Its fields {error}; left out."))
        return {}
    found = value if isinstance(value, dict) else {}
    return {name: each for name, each in found.items() if name not in ("id", "type")}


def _loaded(path: Path) -> Any:
    try:
        with open_regular(path) as file:
            data = file.read(LARGEST + 1)
        if len(data) > LARGEST:
            size = f"{LARGEST // 1_000_000} MB"
            raise ExchangeError(f"{path}: it is larger than {size}. Split it into several files.")
        text = decoded(data)
    except NotTextError as error:
        raise ExchangeError(f"{path}: {error}") from error
    except OSError as error:
        raise ExchangeError(f"{path}: it cannot be read: {error.strerror or error}.") from error
    return _parsed(text, path)


def _parsed(text: str, path: Path) -> Any:
    try:
        return loads(text)
    except RecursionError:
        what = "its lists and objects are nested too deeply. Cards need no more than a few levels."
        raise ExchangeError(f"{path}: {what}") from None
    except json.JSONDecodeError as error:
        lines = [line for line in text.splitlines() if line.strip()]
        if error.msg == "Extra data" and len(lines) > 1:
            return _each_line(lines, path)
        where = f"{path}:{error.lineno}:{error.colno}"
        raise ExchangeError(f"{where}: this is not JSON: {error.msg}. Mend it there.") from None


def _each_line(lines: list[str], path: Path) -> list[Any]:
    found = []
    for number, line in enumerate(lines, 1):
        try:
            found.append(loads(line))
        except (ValueError, RecursionError) as error:
            what = f"{path}:{number}: this is not JSON: {error}. Write one object a line."
            raise ExchangeError(what) from None
    return found


def _records(data: Any, path: Path) -> tuple[list[Any], dict[str, Value]]:
    """The cards, and what is said about all of them."""
    if isinstance(data, list):
        return data, {}
    if isinstance(data, dict):
        for name in _LISTS:
            if isinstance(data.get(name), list):
                about = {key: data[key] for key in _ABOUT_ALL if isinstance(data.get(key), str)}
                return data[name], about
        if any(role_of(str(name)) == "question" for name in data):
            return [data], {}
    raise ExchangeError(
        f'{path}: it holds no list of cards. Write a list of objects, or {{"cards": [...]}}, each '
        "with a question and an answer."
    )


def _value(value: Any, depth: int = 0) -> Value:
    """A value with every scalar as a text.  Raises ValueError, to be said behind a name."""
    if depth > _DEEPEST:
        raise ValueError("is nested too deeply")
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return [_value(each, depth + 1) for each in value]
    if isinstance(value, dict):
        return {str(name): _value(each, depth + 1) for name, each in value.items()}
    return "" if value is None else str(value).lower()


# What was done with a card's items: answers, what is suspended, due days.

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


# The file that our own export writes, read a line at a time: it may be of any size.  Each card and
# each medium has a line of its own there; a medium is found again by its place.

#: How such a file begins.
OWN = b'{"format": "deltadeck", "version": '
VERSION = 1
_CARDS, _MEDIA = b'"cards": [\n', b'], "media": {\n'
_LONGEST_LINE = 300_000_000


@dataclass(slots=True)
class OwnFile:
    """Where what is in the file."""

    path: Path
    total: int
    media: dict[str, Callable[[], IO[bytes]]] = field(default_factory=dict)

    def cards(self) -> Iterator[tuple[int, bytes]]:
        """The cards' lines, each with its number."""
        with open_regular(self.path) as file:
            file.readline()
            for number in range(2, self.total + 2):
                yield number, file.readline().rstrip(b"\r\n").removesuffix(b",")


def own_file(path: Path) -> OwnFile | None:
    """The file's parts; None for one of another make, or that was written anew by another program.

    Raises:
        ExchangeError: it cannot be read, or a later version of deltadeck wrote it.
    """
    try:
        with open_regular(path) as file:
            head = file.readline(1000)
            if not head.startswith(OWN) or not head.endswith(_CARDS):
                return None
            version = head[len(OWN) :].partition(b",")[0].strip()
            refuse_newer(path, version.decode("ascii", "replace"))
            return _surveyed(path, file)
    except OSError as error:
        raise ExchangeError(f"{path}: it cannot be read: {error.strerror or error}.") from error


def refuse_newer(path: Path, version: str) -> None:
    """Raises ExchangeError for a version of the format that is not known here."""
    if not version.isdecimal() or int(version[:20]) > VERSION:
        raise ExchangeError(
            f"{path}: a later version of deltadeck wrote it. Update this one first."
        )


def media_in(data: Any, name: str, lost: list[Lost]) -> dict[str, Callable[[], IO[bytes]]]:
    """The media in a document that was read whole."""
    found: dict[str, Callable[[], IO[bytes]]] = {}
    table = data.get("media") if isinstance(data, dict) else None
    for each, text in table.items() if isinstance(table, dict) else ():
        try:
            content = base64.b64decode(text, validate=True)
        except (TypeError, ValueError, binascii.Error):
            lost.append(Lost(name, f"The medium {each[:60]!r} is not Base64; it was left out."))
            continue
        found[each] = partial(io.BytesIO, content)
    return found


def _surveyed(path: Path, file: IO[bytes]) -> OwnFile | None:
    own = OwnFile(path, 0)
    while (line := file.readline(_LONGEST_LINE)).startswith(b"{"):
        own.total += 1
    if line not in (_MEDIA, b"\n"):
        return None
    while line == b"\n":  # of no card at all
        line = file.readline(_LONGEST_LINE)
    if line != _MEDIA:
        return None
    while True:
        at = file.tell()
        line = file.readline(_LONGEST_LINE)
        if not line.startswith(b'"'):
            return own if line.strip() == b"}}" else None
        name, start, size = _placed(line)
        if not size:
            return None
        own.media[name] = partial(_medium, path, name, at + start, size)


def _placed(line: bytes) -> tuple[str, int, int]:
    """The name in a medium's line, and where its Base64 stands; size 0 where the line is another's.

    Base64 has no colon: the last one is the name's.
    """
    start = line.rfind(b': "') + 3
    body = line.rstrip(b"\r\n").removesuffix(b",")
    try:
        name = json.loads(line[: start - 3])
    except ValueError:
        return "", 0, 0
    return str(name), start, max(len(body) - start - 1, 0) if body.endswith(b'"') else 0


def _medium(path: Path, name: str, start: int, size: int) -> IO[bytes]:
    try:
        with open_regular(path) as file:
            file.seek(start)
            return io.BytesIO(base64.b64decode(file.read(size), validate=True))
    except (OSError, binascii.Error, ValueError) as error:
        raise ExchangeError(f"{path}: its medium {name!r} cannot be read: {error}.") from error
