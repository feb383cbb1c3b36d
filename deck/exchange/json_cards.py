"""JSON: a list of cards, an object that holds one, a card a line, or what our own export writes.

A card is an object with the names that a table's columns have (`deck.exchange.named`); beside
them `fields` (more frontmatter), `items` (each with its `reviews`) and `media`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import IO, Any

from cards.files import open_regular
from cards.links import Found, definitions, retargeted
from cards.model import Value
from deck.exchange.bundle import Bundle, ExchangeError, ForeignCard, Lost, Own
from deck.exchange.draft import Draft, finished
from deck.exchange.encoding import NotTextError, decoded
from deck.exchange.json_history import items_of
from deck.exchange.json_lines import VERSION, OwnFile, media_in, own_file, refuse_newer
from deck.exchange.named import named, role_of
from deck.exchange.naming import Keys
from deck.exchange.pictures import Pictures, renamed
from deck.exchange.source import Source

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


def read(path: Path) -> Bundle:
    """The cards of a JSON file, with their histories.  Raises ExchangeError."""
    lost: list[Lost] = []
    own = own_file(path)
    if own is not None:
        reading = _Reading(path, lost, own.media, own=True)
        return Bundle("json", str(path), own.total, partial(_own, reading, own), own.media, lost)
    data = _loaded(path)
    records, about = _records(data, path)
    media = media_in(data, path.name, lost)
    ours = isinstance(data, dict) and data.get("format") == "deltadeck"
    if ours:
        refuse_newer(path, str(data.get("version", VERSION)))
    reading = _Reading(path, lost, media, ours)
    cards = partial(reading.cards, records, about)
    return Bundle("json", str(path), len(records), cards, media, lost)


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
        self._pictures = Pictures(Source(path, lost))
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
        own = drafted(record, self.path.stem, where, []) if self._own else None
        draft.items = items_of(record, draft, where, self.lost) or draft.items
        self._put_media(draft, record.get("media"))
        draft.key = self._keys.unique(draft.key)
        card = finished(draft, self.lost)
        if card is not None:
            yield replace(card, own=own) if own and own.card_id else card

    def _put_media(self, draft: Draft, names: Any) -> None:
        """Shows what the file holds under its name there; what it does not is looked for beside."""
        inside = names if isinstance(names, dict) else {}

        def name_of(found: Found) -> str | None:
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


def drafted(record: Mapping[str, Any], file: str, where: str, lost: list[Lost]) -> Own:
    """A card of our own export, as it is written there."""
    texts = {name: record.get(name, "") for name in ("wanted_id", "type", "question", "solution")}
    draft = named({k: v if isinstance(v, str) else "" for k, v in texts.items()}, file, where, lost)
    fields = {**draft.fields, **_fields(record.get("fields", {}), where, lost)}
    card_id, digest = draft.wanted_id, str(record.get("digest", ""))
    return Own(card_id, draft.type, draft.question, draft.solution, fields, digest)


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
