"""Whatever happens to the index: it is made again or completed, and nothing is lost."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sqlite3
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from deck import Collection, CollectionError, Rating
from deck.events import Event, Rescheduled, Suspended, Undone
from deck.index import cards, journal, lines
from deck.index.store import SAID, Store, index_path
from deck.repair import examine, repair
from tests.deck.damaging import ITEMS, agrees, made
from tests.deck.given import (
    CLOZE,
    NOON,
    append_events,
    configure,
    event,
    later,
    review,
    write_card,
)


@pytest.mark.parametrize("kind", ["file", "folder", "read-only"])
def test_where_no_index_can_be_kept_everything_works_all_the_same(root: Path, kind: str) -> None:
    made(root).close()
    folder = index_path(root).parent
    shutil.rmtree(folder)
    if kind == "file":
        folder.write_text("in the way")
    elif kind == "folder":
        index_path(root).mkdir(parents=True)
    else:
        folder.mkdir(mode=0o500)
    try:
        collection = Collection.open(root, NOON, "desk")
        agrees(collection)
        collection.rate("a", Rating.EASY, later(hours=1), 0)
        assert collection.today(NOON).reviewed == 1 + len(ITEMS)
        agrees(collection)
        collection.close()
    finally:
        folder.chmod(0o700)


# An index whose making is interrupted.


_COMMITS = ("COMMIT", "CREATE", "DELETE", "DROP", "INSERT", "PRAGMA", "UPDATE")


class Counted(sqlite3.Connection):
    """Kills the program at one of its moments: each commit has one before it and one after it."""

    moments, stop = 0, 0

    def execute(self, sql: str, *given: Any) -> sqlite3.Cursor:
        counts = sql.lstrip().startswith(_COMMITS) and (sql == "COMMIT" or not self.in_transaction)
        return self._counted(lambda: super(Counted, self).execute(sql, *given), counts)

    def executescript(self, sql: str) -> sqlite3.Cursor:
        return self._counted(lambda: super(Counted, self).executescript(sql), True)

    def _counted(self, work: Callable[[], sqlite3.Cursor], counts: bool) -> sqlite3.Cursor:
        self._pass(counts)
        found = work()
        self._pass(counts)
        return found

    def _pass(self, counts: bool) -> None:
        Counted.moments += counts
        if counts and Counted.moments == Counted.stop:
            os.kill(os.getpid(), signal.SIGKILL)


def moments_of(root: Path, cache: Path, stop: int = 0) -> int:
    """Opens `root` in a child, in small chunks, which is killed at the moment `stop`; how many
    moments there were, or 0 where it was killed."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.environ["XDG_CACHE_HOME"] = str(cache)
            cards.SPREAD, cards.CHUNK, journal.SPREAD, lines.PIECE = 4, 3, 1, 600
            sqlite3.connect = partial(sqlite3.connect, factory=Counted)  # type: ignore[assignment]
            os.cpu_count = lambda: 1  # no worker processes, which take long to start
            Counted.stop = stop
            Collection.open(root, NOON, "desk")
            os.write(write, str(Counted.moments).encode())
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as said:
        told = said.read()
    killed = os.WIFSIGNALED(os.waitpid(child, 0)[1])
    assert killed or told, "the collection could not be opened"
    return 0 if killed else int(told)


def said(root: Path) -> dict[str, list[object]]:
    """All that the index of `root` says."""
    store = Store(index_path(root))
    try:
        return {name: sorted(store.db.execute(sql), key=repr) for name, sql in SAID.items()}
    finally:
        store.close()


def reviews(items: str, day: int, first: int) -> list[Event]:
    at = later(days=day)
    return [review(Rating.GOOD, item, at, random=first + n) for n, item in enumerate(items)]


def first(root: Path) -> None:
    """Cards in folders, two with one id, a note, a broken one; reviews of two devices,
    two of them with one id."""
    for name in "abcdefgh":
        write_card(root / f"folder {ord(name) % 3}", name, tags="[nn]")
    write_card(root, "pair", CLOZE, type="cloze")
    write_card(root, "z", id="a")
    (root / "note.md").write_text("# A note\n")
    (root / "broken.md").write_text("---\nid: half\n")
    given = reviews("abcd", 0, 1)
    private = root / ".deltadeck"
    append_events(private, [*given, event(Suspended(True), "e", random=9)])
    other = review(Rating.HARD, "g", NOON, random=1)
    assert other.id == given[0].id
    append_events(private, [*reviews("abz", 1, 20), other], "phone")


def later_changes(root: Path) -> None:
    """Changed, removed, renamed and new cards, a clash that ends and one that begins; a device's
    file that grew, one that is new and one that is gone; other settings."""
    for name in "ab":
        write_card(root / f"folder {ord(name) % 3}", name, "What else?", status="suspended")
    (root / "folder 2" / "e.md").unlink()
    (root / "folder 0" / "c.md").rename(root / "a new name.md")
    (root / "folder 1" / "d.md").rename(root / "folder 0" / "moved.md")
    (root / "z.md").unlink()
    for name in "klmn":
        write_card(root / "new", name)
    write_card(root / "new", "other", id="f")
    private = root / ".deltadeck"
    known = reviews("abcd", 0, 1)
    due = {"a": later(days=9).date(), "b": later(days=9).date()}
    shutil.rmtree(private / "journal" / "phone")
    append_events(private, [event(Undone(known[0].id), "a", later(days=2), random=40)])
    append_events(
        private, [*reviews("kl", 3, 50), event(Rescheduled(due), "", later(days=4))], "tablet"
    )
    configure(root, "retention = 0.85\n")


CHANGES: dict[str, list[Callable[[Path], None]]] = {
    "a first time": [first],
    "after changes": [first, later_changes],
}


@pytest.mark.parametrize("step", [pytest.param(1, marks=pytest.mark.long), 7])
@pytest.mark.parametrize("changes", CHANGES)
def test_indexing_that_is_killed_at_any_commit_is_completed_by_the_next_start(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changes: str, step: int
) -> None:
    *before, last = CHANGES[changes]
    cache, sound = tmp_path / "cache", tmp_path / "sound"
    sound.mkdir()
    for change in before:
        change(root)
        monkeypatch.setenv("XDG_CACHE_HOME", str(sound))
        Collection.open(root, NOON, "desk").close()
    last(root)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "fresh"))
    fresh = Collection.open(root, NOON, "desk")
    items = set(fresh.search("", NOON))
    fresh.close()
    whole = said(root)
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    shutil.copytree(sound, cache)
    moments = moments_of(root, cache)
    assert moments > 20
    for stop in range(step, moments + 1, step):
        shutil.rmtree(cache)
        shutil.copytree(sound, cache)
        assert moments_of(root, cache, stop) == 0, "it was not killed"
        collection = Collection.open(root, NOON, "desk")
        assert set(collection.search("", NOON)) == items
        collection.close()
        assert said(root) == whole, f"killed at moment {stop} of {moments}"


#: What may be wrong in an index that SQLite finds nothing wrong with.
DIFFERENCES = {
    "items are missing": "DELETE FROM item",
    "an item is of another deck": "UPDATE item SET deck = deck + 1 WHERE item = 2",
    "a card has another name": "UPDATE card SET id = 'other' WHERE id = 'b'",
    "a card's words are missing": "UPDATE card SET words = 1000 WHERE id = 'b'",
    "a review is missing": "DELETE FROM event WHERE event = 1",
    "a review is there that nobody gave": "INSERT INTO event SELECT 99, x'00', segment, item, at,"
    " offset, day, rating, took, model, step, promise, target, line FROM event LIMIT 1",
    "a schedule is another": "UPDATE state SET due = due + 1",
    "a suspended item is not": "DELETE FROM held",
}


def found_wrong(root: Path) -> list[tuple[str, bool]]:
    """What the doctor finds, but for the two lines of `first` that have one id."""
    return [(each.kind, each.mends) for each in examine(root) if each.mends]


@pytest.mark.parametrize("difference", DIFFERENCES)
def test_the_doctor_finds_an_index_that_differs_from_the_files_and_has_it_made_anew(
    root: Path, difference: str
) -> None:
    first(root)
    Collection.open(root, NOON, "desk").close()
    whole = said(root)
    assert found_wrong(root) == []
    store = Store(index_path(root))
    store.db.execute(DIFFERENCES[difference])
    store.close()
    assert found_wrong(root) == [("corrupt", True)]
    assert [each.path for each in repair(root)] == [index_path(root)]
    assert found_wrong(root) == []
    Collection.open(root, NOON, "desk").close()
    assert said(root) == whole


def test_the_doctor_makes_no_index_where_there_is_none(root: Path) -> None:
    first(root)
    assert found_wrong(root) == []
    assert repair(root) == []
    assert not index_path(root).exists()


def _leave(collection: Collection, told: count[int], stop: int, *_: object) -> None:
    if next(told) == stop:
        collection.close()


def test_leaving_while_the_cards_are_read_costs_none(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = "abcdefghijklmnop"
    for name in names:
        write_card(root, name)
    monkeypatch.setattr(cards, "SPREAD", 4)
    monkeypatch.setattr(cards, "CHUNK", 3)
    monkeypatch.setattr(os, "cpu_count", lambda: 1)  # processes take long to start
    for stop in range(1, 7):
        monkeypatch.setenv("XDG_CACHE_HOME", str(root.parent / f"cache{stop}"))
        made = Collection(root, "desk")
        with contextlib.suppress(CollectionError):
            made.reload(NOON, partial(_leave, made, count(1), stop))
        again = Collection.open(root, NOON, "desk")
        assert again.search("", NOON) == list(names)
        again.close()
