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
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta
from functools import partial
from pathlib import Path
from typing import IO, Any, Literal

from cards.cloze import items_of
from cards.files import open_regular
from cards.links import Link, retargeted
from cards.model import Value
from deck.events import is_event_id
from deck.exchange.model import (
    LONGEST_INTERVAL,
    ExchangeError,
    ForeignCard,
    ForeignItem,
    ForeignReview,
    ImportSource,
    Losses,
    OwnCard,
    Say,
    unreadable,
)
from deck.exchange.normalise import CardDraft, finished, named, role_of
from deck.exchange.source import NoteFolder, NotTextError, decoded, rename
from deck.study_day import iso_day

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
    if path.suffix.lower() in (".json", ".jsonl", ".ndjson"):
        return True
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    return start.startswith((b"{", b"[")) and start[1:].lstrip().startswith((b'"', b"{"))


def read(path: Path) -> ImportSource:
    """The cards of a JSON file, with their histories.  Raises ExchangeError."""
    reader = _CardReader(path)
    if (own := own_file(path)) is not None:
        reader.is_own = True
        reader.folder.media = own.media
        total, cards = own.total, partial(reader.own_cards, own)
    else:
        data = _loaded(path)
        records, about = _records(data, path)
        reader.read_media(data)
        reader.is_own = isinstance(data, dict) and data.get("format") == "deltadeck"
        if reader.is_own:
            _refuse_newer(path, str(data.get("version", VERSION)))
        total, cards = len(records), partial(reader.cards, records, about)
    return ImportSource("json", str(path), total, cards, reader.folder.media, reader.lost)


class _CardReader:
    """Reads the records of one import."""

    def __init__(self, path: Path) -> None:
        self._path, self.lost = path, Losses()
        self.is_own = False
        """Whether our own export wrote the file."""
        self.folder = NoteFolder(path, self.lost)
        """Its table of names holds what is inside the file as well as what is beside it."""

    def own_cards(self, own: OwnFile) -> Iterator[ForeignCard]:
        for number, line in own.lines():
            where = f"{self._path.name}:{number}"
            try:
                record = _loads(line)
            except (ValueError, RecursionError):
                self.lost.say(where, "The line is no JSON; its card was not read.")
                continue
            yield from self._card(record, where, {})

    def cards(self, records: list[Any], about: Mapping[str, Value]) -> Iterator[ForeignCard]:
        for number, record in enumerate(records, 1):
            yield from self._card(record, f"{self._path.name}, card {number}", about)

    def read_media(self, data: Any) -> None:
        """The media in a document that was read whole."""
        table = data.get("media") if isinstance(data, dict) else None
        for name, text in table.items() if isinstance(table, dict) else ():
            try:
                content = base64.b64decode(text, validate=True)
                self.folder.media[name] = partial(io.BytesIO, content)
            except (TypeError, ValueError, binascii.Error):
                what = f"The medium {name[:60]!r} is not Base64; it was left out."
                self.lost.say(self._path.name, what)

    def _card(self, record: Any, where: str, about: Mapping[str, Value]) -> Iterator[ForeignCard]:
        """The card of a record, or none, and why."""
        if not isinstance(record, dict):
            self.lost.say(where, "This is no object with a question; it was not read.")
            return
        values: dict[str, Value] = {}
        for name, value in {**about, **record}.items():
            if name in _PARTS or (self.is_own and name == "digest"):
                continue
            try:
                values[name] = _value(value)
            except ValueError as error:
                self.lost.say(where, f"Its {name[:40]!r} {error}; left out.")
        say, draft = self.lost.at(where), named(values, self._path.stem, where, self.lost)
        if "fields" in record:
            draft.fields = {**draft.fields, **_fields(record["fields"], say)}
        own = drafted_record(record, self._path.stem, where, Losses()) if self.is_own else None
        draft.items = _items(record, draft, say) or draft.items
        self._put_media(draft, record.get("media"))
        draft.key = self.folder.unique(draft.key)
        if (card := finished(draft, self.lost)) is not None:
            yield replace(card, own=own) if own and own.card_id else card

    def _put_media(self, draft: CardDraft, names: Any) -> None:
        """Shows what the file holds under its name there; what it does not is looked for beside."""
        told = names.items() if isinstance(names, dict) else ()
        inside = {target: name for target, name in told if isinstance(name, str)}

        def name_of(found: Link) -> str | None:
            name = inside.get(found.name, found.name)
            held = name in self.folder.media
            return name if held else self.folder.take(found, self._path, draft.where)

        rename(draft, name_of, {})
        media = self.folder.media
        linked = {t: n for t, n in inside.items() if n in media and n not in draft.media}
        if linked:
            draft.question = retargeted(draft.question, linked)
            draft.solution = retargeted(draft.solution, linked)
            draft.media = [*draft.media, *linked.values()]


def drafted_record(record: Mapping[str, Any], file: str, where: str, lost: Losses) -> OwnCard:
    """A card of our own export, as it is written there."""
    texts = {name: record.get(name, "") for name in ("wanted_id", "type", "question", "solution")}
    draft = named({k: v if isinstance(v, str) else "" for k, v in texts.items()}, file, where, lost)
    fields = {**draft.fields, **_fields(record.get("fields", {}), lost.at(where))}
    digest = str(record.get("digest", ""))
    return OwnCard(draft.wanted_id, draft.type, draft.question, draft.solution, fields, digest)


def _fields(fields: Any, say: Say) -> dict[str, Value]:
    try:
        value = _value(fields)
    except ValueError as error:
        say(f"Its fields {error}; left out.")
        return {}
    found = value if isinstance(value, dict) else {}
    return {name: each for name, each in found.items() if name not in ("id", "type")}


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


# A document that is read whole.


def _loaded(path: Path) -> Any:
    try:
        with open_regular(path) as file:
            data = file.read(LARGEST + 1)
        if len(data) > LARGEST:
            size = f"{LARGEST // 1_000_000} MB"
            raise ExchangeError(f"{path}: it is larger than {size}. Split it into several files.")
        text = decoded(data)
        return _loads(text)
    except RecursionError:
        what = "its lists and objects are nested too deeply. Cards need no more than a few levels."
        raise ExchangeError(f"{path}: {what}") from None
    except NotTextError as error:
        raise ExchangeError(f"{path}: {error}") from error
    except OSError as error:
        raise unreadable(path, error) from error
    except json.JSONDecodeError as error:
        lines = [line for line in text.splitlines() if line.strip()]
        if error.msg == "Extra data" and len(lines) > 1:
            return _each_line(lines, path)
        where = f"{path}:{error.lineno}:{error.colno}"
        raise ExchangeError(f"{where}: this is not JSON: {error.msg}. Mend it there.") from None


def _loads(text: str | bytes) -> Any:
    """JSON with every number as it is written.  Raises ValueError, RecursionError."""
    return json.loads(text, parse_float=str, parse_int=str, parse_constant=str)


def _each_line(lines: list[str], path: Path) -> list[Any]:
    found = []
    for number, line in enumerate(lines, 1):
        try:
            found.append(_loads(line))
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


# What was done with a card's items: answers, what is suspended, due days.

_RATINGS = {"1": 1, "2": 2, "3": 3, "4": 4, "again": 1, "hard": 2, "good": 3, "easy": 4}
#: Seconds since 1970 are below, milliseconds above.
_SECONDS = 100_000_000_000
_DAY_MS = 86_400_000
_IS_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
#: An instant, of which is not said what a clock showed there (RFC 3339, section 4.3).
_NO_CLOCK = ("Z", "z", "-00:00")


def _items(record: Mapping[str, Any], draft: CardDraft, say: Say) -> list[ForeignItem]:
    """The items of a card's record: those under `items`, or the record's own history."""
    given = record.get("items")
    if not isinstance(given, list):
        given = [record] if record.keys() & {"reviews", "due", "suspended"} else []
    known = items_of("x", draft.type, draft.question, draft.solution)
    suffixes = {item.id.removeprefix("x") for item in known}
    found: dict[str, ForeignItem] = {}
    for each in given:
        if not isinstance(each, dict):
            say("One of its items is no object; it was left out.")
            continue
        suffix = _suffix(each, record)
        if suffix not in suffixes or suffix in found:
            say(f"It has no item {suffix[:40]!r} of its own; it was left out.")
            continue
        found[suffix] = _item(each, suffix, say)
    return [item for item in found.values() if item != ForeignItem(item.suffix)]


def _suffix(item: Mapping[str, Any], record: Mapping[str, Any]) -> str:
    if item is record:
        return ""
    if isinstance(item.get("suffix"), str):
        return str(item["suffix"])
    name, own = item.get("id", item.get("item", "")), record.get("id", record.get("key", ""))
    name = name if isinstance(name, str) else ""
    return name.removeprefix(own) if isinstance(own, str) else name


def _item(item: Mapping[str, Any], suffix: str, say: Say) -> ForeignItem:
    before = _reviews(item.get("before_reset"), say)
    if before:
        told = item.get("reset")
        reset = told if isinstance(told, dict) else {}
        at = _time(reset["at"], say) if reset.get("at") else None
        event_id = _event_id(reset.get("key"), at) if at else ""
        at = at or before[-1].at + timedelta(milliseconds=1)
        key, day = f"reset {before[-1].key}", _day(reset.get("day"))
        before.append(ForeignReview(at, 0, key=key, what="reset", event_id=event_id, day=day))
    reviews = _reviews(item.get("reviews"), say)
    practice = _reviews(item.get("practice"), say, "cram")
    schedule = item.get("schedule")
    more = schedule if isinstance(schedule, dict) else {}
    due, interval = item.get("due") or None, None
    if due:  # a day without a time is that study day, wherever it begins: its last second is
        day = _day(item.get("due_day")) or _day(due)
        due = _time(f"{day}T23:59:59" if day else due, say)
    if due and more.get("state") == "review" and not (reviews and reviews[-1].days):
        interval = _whole(more.get("stability"), 0, LONGEST_INTERVAL)  # no answer led to that day
    every = tuple(sorted((*before, *reviews, *practice), key=lambda review: review.at))
    is_suspended, buried = item.get("suspended") is True, _day(more.get("buried_until"))
    return ForeignItem(suffix, every, is_suspended, due, interval, buried)


def _reviews(
    given: Any, say: Say, what: Literal["answer", "cram"] = "answer"
) -> list[ForeignReview]:
    found = []
    for each in given if isinstance(given, Iterable) and not isinstance(given, str | dict) else ():
        told = each if isinstance(each, dict) else {}
        said = told.get("at", told.get("time"))
        at = _time(said, say) if isinstance(each, dict) else None
        rating = _RATINGS.get(str(told.get("rating")).lower())
        if at is None or rating is None:
            say("An answer has no time or no rating from 1 to 4; left out.")
            continue
        key = told.get("key")
        key = key if isinstance(key, str) else at.astimezone(UTC).isoformat()
        days = _whole(told.get("days"), 1, LONGEST_INTERVAL)
        seconds = _whole(told.get("wait"), 1, LONGEST_INTERVAL * 86400) if days is None else None
        wait = None if seconds is None else timedelta(seconds=seconds)
        took = _whole(told.get("milliseconds", told.get("ms")), 0, _DAY_MS) or 0
        event_id, day = _event_id(key, at), _day(told.get("day")) or _day(said)
        found.append(ForeignReview(at, rating, took, days, key, wait, what, event_id, day=day))
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


def _time(value: Any, say: Say) -> datetime | None:
    """ISO 8601, or seconds or milliseconds since 1970; the study day is that of its own zone.

    What names no zone, or only the instant (seconds, `Z`), was on a clock as this machine's.
    """
    text = str(value).strip()
    try:
        at = _moment(text)
        if not 1 < at.year < 9999:
            raise ValueError("no clock of another zone can show it")
    except (ValueError, OverflowError, OSError):
        say(f"The time {text[:40]!r} cannot be read.")
        return None
    return at


def _moment(text: str) -> datetime:
    with suppress(ValueError):
        number = float(text)
        seconds = number / 1000 if number > _SECONDS else number
        return datetime.fromtimestamp(seconds, UTC).astimezone()
    if _IS_DAY.fullmatch(text):
        # No time of day: at noon.
        return datetime.combine(date.fromisoformat(text), time(12)).astimezone()
    at = datetime.fromisoformat(text)
    return at.astimezone() if at.tzinfo is None or text.endswith(_NO_CLOCK) else at


def _day(value: Any) -> date | None:
    return iso_day(value) if isinstance(value, str) and _IS_DAY.fullmatch(value) else None


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

    def lines(self) -> Iterator[tuple[int, bytes]]:
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
            _refuse_newer(path, version.decode("ascii", "replace"))
            return _surveyed(path, file)
    except OSError as error:
        raise unreadable(path, error) from error


def _refuse_newer(path: Path, version: str) -> None:
    """Raises ExchangeError for a version of the format that is not known here."""
    if not version.isdecimal() or int(version[:20]) > VERSION:
        raise ExchangeError(
            f"{path}: a later version of deltadeck wrote it. Update this one first."
        )


def _surveyed(path: Path, file: IO[bytes]) -> OwnFile | None:
    own = OwnFile(path, 0)
    while (line := file.readline(_LONGEST_LINE)).startswith(b"{"):
        own.total += 1
    while line == b"\n":  # of no card at all
        line = file.readline(_LONGEST_LINE)
    if line != _MEDIA:
        return None
    at = file.tell()
    while (line := file.readline(_LONGEST_LINE)).startswith(b'"'):
        # Base64 has no colon: the last one is the name's.
        start = line.rfind(b': "') + 3
        body = line.rstrip(b"\r\n").removesuffix(b",")
        size = len(body) - start - 1
        try:
            name = str(json.loads(line[: start - 3]))
        except ValueError:
            return None
        if size <= 0 or not body.endswith(b'"'):
            return None
        own.media[name] = partial(_medium, path, name, at + start, size)
        at = file.tell()
    return own if line.strip() == b"}}" else None


def _medium(path: Path, name: str, start: int, size: int) -> IO[bytes]:
    try:
        with open_regular(path) as file:
            file.seek(start)
            return io.BytesIO(base64.b64decode(file.read(size), validate=True))
    except (OSError, binascii.Error, ValueError) as error:
        raise ExchangeError(f"{path}: its medium {name!r} cannot be read: {error}.") from error
