"""A program whose index is damaged while it runs.

`QUESTIONS` and `DEEDS` have every public method of `Collection`; `DAMAGES` is what may befall the
index's files.  `python -m tests.bench.faults damaged` damages it at 200 random moments.
"""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from deck.collection import Collection
from deck.errors import CollectionError
from deck.events import Buried, Reset, Suspended, fixed_id
from deck.fsrs import Rating
from deck.index.lines import read_journal
from deck.index.store import index_path
from deck.queue import SessionRequest
from deck.recording import AnswerInput
from deck.replay import replay
from tests.deck.given import CLOZE, NOON, configure, later, review, streamed, write_card

ITEMS = ["a", "b", "c", "pair/c1", "pair/c2"]
LATER = later(days=3)

#: Questions, by the name of the method or property.
QUESTIONS: dict[str, Callable[[Collection], object]] = {
    "added": lambda c: c.added(LATER),
    "answers": lambda c: c.answers("a"),
    "as_one": lambda c: c.as_one(lambda: [c.called("Pair"), c.state("a")]),
    "called": lambda c: c.called("Pair"),
    "can_read": lambda c: c.can_read("b"),
    "card_at": lambda c: c.card_at(c.root / "a.md"),
    "card_of": lambda c: c.card_of("pair/c1"),
    "cards": lambda c: dict(c.cards),
    "decks": lambda c: c.decks(LATER),
    "deleted": lambda c: c.deleted(),
    "device": lambda c: c.device,
    "exam": lambda c: c.exam("Networks", LATER),
    "event_ids": lambda c: c.event_ids("a"),
    "events": lambda c: c.events("a"),
    "first_card": lambda c: c.first_card("Networks"),
    "folded_with": lambda c: c.folded_with("a", [review(Rating.EASY, "a", LATER)]),
    "has_item": lambda c: c.has_item("pair/c2"),
    "ids": lambda c: c.ids(),
    "is_suspended": lambda c: c.is_suspended("b"),
    "item": lambda c: c.item("pair/c2"),
    "lately": lambda c: c.lately(LATER),
    "outlines": lambda c: c.outlines(ITEMS),
    "preview": lambda c: c.preview("c", LATER),
    "problems": lambda c: c.problems,
    "queue": lambda c: c.queue(LATER),
    "search": lambda c: [c.search(text, LATER) for text in ("", "why", "is:due or tag:nn")],
    "session": lambda c: c.session(SessionRequest("ahead", search="why"), LATER),
    "state": lambda c: c.state("a"),
    "statistics": lambda c: [c.statistics(LATER, text) for text in ("", "why")],
    "suspended": lambda c: c.suspended(),
    "tags": lambda c: c.tags(),
    "today": lambda c: c.today(NOON),
    "touched": lambda c: c.touched(),
    "unrated": lambda c: c.unrated(LATER, 5),
    "why_unwritable": lambda c: c.why_unwritable(LATER),
}


def _foreign(collection: Collection) -> None:
    at = later(seconds=len(collection.events("b")))
    collection.record_foreign([replace(review(Rating.GOOD, "b", at), id=fixed_id(at, "b"))])


def _watch(collection: Collection) -> None:
    collection.watch(lambda: None).stop()


def _changing_files(collection: Collection) -> None:
    with collection.changing_files(LATER):
        path = collection.root / "a.md"
        path.write_text(path.read_text("utf-8") + "More.\n", "utf-8")


#: Deeds, each done twice or more in a row.
DEEDS: dict[str, Callable[[Collection], object]] = {
    "changing_files": _changing_files,
    "finish_status": lambda c: c.finish_status(),
    "init": lambda c: Collection.init(c.root, LATER).close(),
    "open": lambda c: Collection.open(c.root, LATER, "phone").close(),
    "rate": lambda c: c.rate("c", Rating.GOOD, LATER, 1000),
    "record": lambda c: c.record("a", Buried(later(days=9).date()), LATER),
    "record_check": lambda c: c.record_check("a", {"verdict": "correct"}, LATER),
    "record_each": lambda c: list(c.record_each([("a", Reset()), ("b", Suspended(True))], LATER)),
    "record_foreign": _foreign,
    "reload": lambda c: c.reload(LATER),
    "settle": lambda c: c.settle(),
    "stream": lambda c: streamed(c, [AnswerInput(item, Rating.HARD) for item in ITEMS], LATER),
    "suspend": lambda c: c.suspend("a", LATER),
    "undo": lambda c: c.undo(LATER),
    "watch": _watch,
}
#: Ends the collection.
LAST = {"close"}


def made(root: Path) -> Collection:
    """A collection that was closed and opened again: its index is in the file, not in the log."""
    for name in "abc":
        write_card(root, name, f"Why {name}? " * 20, tags="[nn]")
    write_card(root, "pair", CLOZE, type="cloze")
    configure(root, "write_status = true\n[courses.Networks]\nexam = 2026-12-24\n")
    first = Collection.open(root, NOON, "desk")
    for number, item in enumerate(ITEMS):
        first.rate(item, Rating(number % 4 + 1), later(minutes=number), 1000)
    first.statistics(NOON)
    first.close()
    return Collection.open(root, NOON, "desk")


def agrees(collection: Collection) -> None:
    """It knows all that the journal has, and stands where a fresh fold does."""
    events = read_journal(collection.root / ".deltadeck").events
    states = replay(events, collection.config)
    for item in ITEMS:
        assert collection.state(item) == states.get(item, collection.state(item))
        known = {event.id for event in collection.events(item)}
        assert known == {event.id for event in events if item in event.items}
    assert collection.search("", LATER) == ITEMS


# What may befall the index.

Damage = Callable[[Path, random.Random], None]


def _bytes(count: int, first: bool = False) -> Damage:
    def change(path: Path, chance: random.Random) -> None:
        size = path.stat().st_size
        with path.open("r+b") as file:
            file.seek(0 if first else chance.randrange(max(size - count, 1)))
            file.write(chance.randbytes(count))

    return change


def _cut(path: Path, chance: random.Random) -> None:
    os.truncate(path, chance.randrange(path.stat().st_size))


def _other(path: Path, chance: random.Random) -> None:
    path.unlink()
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.execute(f"CREATE TABLE meta (name, value DEFAULT {chance.random()})")


def _folder(path: Path, chance: random.Random) -> None:
    path.unlink()
    path.mkdir()
    (path / f"{chance.random()}").touch()


def _replaced(data: bytes) -> Damage:
    def change(path: Path, _: random.Random) -> None:
        path.unlink()
        path.write_bytes(data)

    return change


def _gone(end: str) -> Damage:
    def change(path: Path, _: random.Random) -> None:
        Path(f"{path}{end}").unlink()

    return change


def _link(path: Path, _: random.Random) -> None:
    path.unlink()
    path.symlink_to("nowhere")


def _log_cut(path: Path, _: random.Random) -> None:
    os.truncate(f"{path}-wal", 0)


DAMAGES: dict[str, Damage] = {
    "a byte": _bytes(1),
    "many bytes": _bytes(3000),
    "the header": _bytes(100, first=True),
    "cut": _cut,
    "emptied": lambda path, _: os.truncate(path, 0),
    "deleted": _gone(""),
    "replaced by an empty file": _replaced(b""),
    "replaced by a text": _replaced(b"no database\n" * 500),
    "replaced by another database": _other,
    "replaced by a folder": _folder,
    "replaced by a link that leads nowhere": _link,
    "its log deleted": _gone("-wal"),
    "its log cut": _log_cut,
    "its log's index deleted": _gone("-shm"),
    "all deleted": lambda path, _: shutil.rmtree(path.parent),
}


def clear(path: Path) -> None:
    """Takes away what stands where an index belongs, so that the next one can be made."""
    if path.is_dir():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)


# At random moments.


class _Counted(sqlite3.Connection):
    """Does something when so many more statements have come by."""

    left = 0
    act: Callable[[], None] = staticmethod(lambda: None)

    def execute(self, sql: str, *given: Any) -> sqlite3.Cursor:
        _Counted.left -= 1
        if _Counted.left == 0:
            _Counted.act()
        return super().execute(sql, *given)


@contextlib.contextmanager
def _counting() -> Iterator[None]:
    connect = sqlite3.connect
    sqlite3.connect = lambda *a, **k: connect(*a, **({"factory": _Counted} | k))
    try:
        yield
    finally:
        sqlite3.connect = connect


def damage_at_random(root: Path, seed: int, moments: int) -> Counter[str]:
    """Does random things while the index is damaged at so many moments, between two statements.

    Raises what is no error of ours.  How often it was damaged, and what became of the things.
    """
    chance, toll = random.Random(seed), Counter[str]()
    things = [*QUESTIONS.items(), *DEEDS.items()]
    known: set[str] = set()
    with _counting():
        collection = made(root)
        path = index_path(root)

        def damage() -> None:
            with contextlib.suppress(OSError, ValueError):  # it is damaged already
                DAMAGES[chance.choice(list(DAMAGES))](path, chance)
            toll["damaged"] += 1

        _Counted.act = staticmethod(damage)
        while toll["damaged"] < moments:
            if chance.random() < 0.1:
                collection.close()
                clear(path)
                collection = Collection.open(root, NOON, "desk")
            _Counted.left = chance.choice([0, 1, 2, 3, 5, 8, 13, 21, 34])
            name, do = chance.choice(things)
            try:
                do(collection)
                toll["answered"] += 1
            except CollectionError as error:
                toll[f"refused: {error.problem.message}"] += 1
            _Counted.left = 0
            events = {event.id for event in read_journal(root / ".deltadeck").events}
            assert known <= events, f"{name} lost events"
            known = events
            agrees(collection)
        collection.close()
        clear(path)
        agrees(Collection.open(root, NOON, "desk"))
    return toll
