"""Cards as rows of Anki's tables."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from datetime import date, datetime, time
from typing import Any

from cards.model import Card, Item
from deck.decks import deck_path
from deck.exchange.export.apkg.fields import Maker, checksum, signed, sort_field, tag_of
from deck.exchange.export.apkg.schedule import Entry, entries, standing
from deck.exchange.export.apkg.settings import deck_name, stable_id
from deck.exchange.export.source import Past, Source
from deck.files import CONFIG, PRIVATE, stamp_of
from deck.search.dates import written_on
from deck.study_day import study_day

_GUID, _ANKI = "deltadeck:", "anki:"
#: Anki counts clozes so far.
_LAST_CLOZE = 499
_WAITING = 5000


def guid_of(card: Card) -> str:
    """What names the note for good, in Anki as here: its own GUID where it came from there."""
    for name in ("imported", "source"):
        said = card.extra.get(name)
        if isinstance(said, str) and said.startswith(_ANKI) and said != _ANKI:
            return said.removeprefix(_ANKI)
    return _GUID + card.id


class Rows:
    """Puts cards into the tables, many at a time."""

    def __init__(self, db: sqlite3.Connection, source: Source, maker: Maker) -> None:
        self._db, self._source, self._maker = db, source, maker
        self._report = maker.report
        self._config = source.collection.config
        self._notes: list[tuple[Any, ...]] = []
        self._cards: list[tuple[Any, ...]] = []
        self._log: list[tuple[Any, ...]] = []
        self._taken: dict[str, dict[int, int]] = {"note": {}, "card": {}, "log": {}}
        self._guids: set[str] = set()
        settings = stamp_of(source.root / PRIVATE / CONFIG)[1] // 10**9
        self._settings_changed = max(settings, 0)
        self.decks: dict[str, str] = {}
        """The names of decks, each with its course."""
        self.positions = 0
        """How many new cards there are."""
        self.first_day = self._today = study_day(source.now, self._config.rollover)
        """The first study day on which anything was answered."""

    def put(self, card: Card) -> None:
        pasts = [past for past in self._source.pasts(card) if self._has_place(card, past.item)]
        if not pasts:
            self._report.lose(card.id, "It asks nothing, so Anki has no place for it.")
            return
        changed = max(stamp_of(card.path)[1] // 10**9 if card.path else 0, self._settings_changed)
        kind, fields = self._maker.fields(card)
        fields = signed(fields, card.tags)
        note = self._free("note", self._made(card, pasts, changed))
        tags = " ".join(map(tag_of, card.tags))
        flat = "\x1f".join(fields)
        guid = guid_of(card)
        if guid in self._guids:  # a copy that a learner made of the file
            guid = guid_of(replace(card, extra={}))
        self._guids.add(guid)
        named = (note, guid, kind, changed, -1, f" {tags} " if tags else "")
        shown = (flat, sort_field(fields[0]), checksum(fields[0]), 0, "")
        self._notes.append((*named, *shown))
        deck = deck_name(deck_path(card, self._source.root))
        self.decks.setdefault(deck, card.course)
        for past in pasts:
            self._put_item(card, past, note, stable_id(f"deck {deck}"), changed)
        self._tell(card, pasts)
        if len(self._log) > _WAITING or len(self._notes) > _WAITING:
            self.flush()

    def _put_item(self, card: Card, past: Past, note: int, deck: int, changed: int) -> None:
        number = self._free("card", note)
        config = self._config.of_course(card.course)
        found = standing(past, self.positions + 1, config, self._source.now)
        self.positions += found.type == 0
        for entry in entries(past):
            self._log.append(self._log_row(entry, number))
        for done in past.done[:1]:
            self.first_day = min(self.first_day, done.event.day)
        named = (number, note, deck, ordinal(card, past.item), changed, -1)
        self._cards.append((*named, *found[:-1], 0, 0, 0, found.data))

    def _log_row(self, entry: Entry, card: int) -> tuple[Any, ...]:
        at, *rest = entry
        return (self._free("log", at), card, -1, *rest)

    def flush(self) -> None:
        for table, rows in (("notes", self._notes), ("cards", self._cards), ("revlog", self._log)):
            if rows:
                places = ", ".join("?" * len(rows[0]))
                self._db.executemany(f"INSERT INTO {table} VALUES ({places})", rows)
                rows.clear()

    def _has_place(self, card: Card, item: Item) -> bool:
        if 0 <= ordinal(card, item) <= _LAST_CLOZE:
            return True
        self._report.lose(item.id, f"Anki asks clozes up to {_LAST_CLOZE + 1} only.")
        return False

    def _made(self, card: Card, pasts: list[Past], changed: int) -> int:
        """When the note was made, in milliseconds: ids are that there."""
        day: date | None = written_on(card)
        if day is not None:
            noon = datetime.combine(day, time(12), self._source.now.tzinfo)
            return max(int(noon.timestamp() * 1000), 1)
        answers = [done.event.at for past in pasts for done in past.done[:1]]
        seconds = min((at.timestamp() for at in answers), default=float(changed))
        return max(int(min(seconds, changed or seconds) * 1000), 1)

    def _free(self, what: str, wanted: int) -> int:
        """`wanted`, or the next number that is free."""
        taken = self._taken[what]
        number = wanted
        while number in taken:
            number = taken[number]
        taken[wanted] = taken[number] = number + 1
        return number

    def _tell(self, card: Card, pasts: list[Past]) -> None:
        """What the format has no place for."""
        report = self._report
        report.count("cards")
        report.count("items", len(pasts))
        report.count("answers", sum(len(past.answers) for past in pasts))
        if card.type in ("derivation", "numeric") or card.is_choice:
            report.without(
                "Answers are not checked there: such cards are a question and an answer.", card.id
            )
        if any(past.buried is not None and past.buried > self._today for past in pasts):
            report.without(
                "Items that are put off until another day are not put off there.", card.id
            )


def ordinal(card: Card, item: Item) -> int:
    """Which of its note's cards an item is."""
    suffix = item.id.removeprefix(card.id)
    if suffix.startswith("/c"):
        return int(suffix[2:]) - 1
    return 1 if suffix == "/r" else 0
