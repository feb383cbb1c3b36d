"""Every system call of an answer fails, one after the other: what is said is what a reader finds.

The calls are counted as they come, so that a new one is tried as well.
"""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from deck.collection import AnswerInput, Collection
from deck.errors import JournalError
from deck.events import Event, Undone, write_line
from deck.fsrs import Rating
from deck.index.lines import read_journal
from deck.replay import dedupe_events, replay
from tests.deck.given import NOON, journal_of, later, review, write_card

#: What is tried of the system, in a collection's private folder.
_CALLS = (
    "open", "close", "read", "write", "writev", "pread", "pwrite", "fsync", "fdatasync",
    "ftruncate", "truncate", "fstat", "stat", "lseek", "mkdir", "rename", "replace", "link",
    "unlink", "scandir", "listdir",
)  # fmt: skip
_ERRORS = [errno.EIO, errno.ENOSPC, errno.EDQUOT, errno.EBADF, errno.EINTR, errno.EMFILE]


class Fault(NamedTuple):
    """Which calls fail: the `nth` of a name, and others by their distance from that."""

    name: str
    nth: int
    distances: range | tuple[int, ...]


class Faults:
    """Lets system calls fail."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.calls: list[str] = []
        self._fault: Fault | None = None
        self._armed, self._first = False, -1
        self._number, self._short = errno.EIO, False
        for module, names in ((os, _CALLS), (fcntl, ("flock",))):
            for name in names:
                patch.setattr(module, name, self._wrapped(name, getattr(module, name)))

    @contextmanager
    def at(
        self, fault: Fault | None, number: int = errno.EIO, short: bool = False
    ) -> Iterator[None]:
        """It comes with the error `number`; a write that is `short` writes the half of it."""
        self.calls, self._fault, self._number, self._short = [], fault, number, short
        self._armed, self._first = True, -1
        try:
            yield
        finally:
            self._armed = False

    def _is_due(self, name: str) -> bool:
        """Whether the last call fails."""
        fault, last = self._fault, len(self.calls) - 1
        if fault is None:
            return False
        if self._first < 0 and name == fault.name and self.calls.count(name) == fault.nth:
            self._first = last
        return self._first >= 0 and last - self._first in fault.distances

    def _wrapped(self, name: str, real: Any) -> Any:
        def call(*given: Any, **named: Any) -> Any:
            if not self._armed or not _is_journal(given[0] if given else ""):
                return real(*given, **named)
            self.calls.append(name)
            if not self._is_due(name):
                return real(*given, **named)
            if name == "close":
                real(*given)  # the system gives the number up all the same
            if name == "write":
                written = real(
                    given[0], given[1][: len(given[1]) // 2] if self._short else given[1]
                )
                if self._short:
                    return written
            raise OSError(self._number, os.strerror(self._number))

        return call


_readlink = os.readlink


def _is_journal(what: object) -> bool:
    """Whether a handle or a path is of the folder `.deltadeck`."""
    try:
        path = _readlink(f"/proc/self/fd/{what}") if isinstance(what, int) else os.fspath(what)  # type: ignore[call-overload]
    except (OSError, TypeError):
        return False
    return ".deltadeck" in str(path).split("/")


@pytest.fixture
def faults(monkeypatch: pytest.MonkeyPatch) -> Faults:
    return Faults(monkeypatch)


def chosen_by(faults: Faults, alone: bool = False) -> Iterator[Fault | None]:
    """None; each call by itself; with all that follow; unless `alone`, with one of the next."""
    yield None
    kinds: list[range | tuple[int, ...]] = [(0,), range(10**6)]
    kinds += [] if alone else [(0, 1), (0, 2)]
    for number, name in enumerate(calls := faults.calls.copy()):
        nth = calls[: number + 1].count(name)
        for distances in kinds:
            yield Fault(name, nth, distances)


def counting(root: Path, item: str) -> list[Event]:
    """What a fresh process finds of an item, each event once, those that were undone left out."""
    events = list(dedupe_events(read_journal(root / ".deltadeck").events))
    gone = {event.what.target for event in events if isinstance(event.what, Undone)}
    return [e for e in events if e.item == item and e.id not in gone and e.rating]


def same(collection: Collection, root: Path, item: str) -> bool:
    """Whether memory and journal agree, once something was asked."""
    collection.queue(NOON)
    folded = replay(read_journal(root / ".deltadeck").events, collection.config)
    fresh = folded.get(item)
    return fresh is None or collection.state(item) == fresh


def is_true(error: JournalError | None, there: int) -> bool:
    """Whether what was said is what there is."""
    if error is None:
        return there == 1
    if error.recorded is None:
        return "may be recorded" in str(error)
    if error.recorded == 0:
        return there == 0 and "nothing was " in str(error)
    return there == 1 and "it is recorded, but the disk did not confirm it" in str(error)


def tried(work: Callable[[], object]) -> JournalError | None:
    try:
        work()
    except JournalError as error:
        return error
    return None


def as_it_was(path: Path) -> None:
    """A file of lines, ended."""


def torn(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b'{"v":1,"id":"01')


def unended(path: Path) -> None:
    with path.open("ab") as file:
        file.write(write_line(review(item="other", random=os.getpid())).rstrip(b"\n"))


def missing(path: Path) -> None:
    shutil.rmtree(path.parent)


def answered(root: Path) -> Collection:
    for item in "ab":
        write_card(root, item)
    collection = Collection.open(root, NOON, "desk")
    collection.rate("b", Rating.GOOD, NOON, 1000)
    return collection


@pytest.mark.parametrize("short", [False, True])
@pytest.mark.parametrize("start", [as_it_was, torn, unended, missing])
def test_what_is_said_of_an_answer_is_what_there_is_and_a_repeat_leaves_one(
    root: Path, faults: Faults, start: Callable[[Path], None], short: bool
) -> None:
    collection = answered(root)
    outcomes: set[int | None] = set()
    for number, chosen in enumerate(chosen_by(faults, alone=start is not as_it_was)):
        now = later(hours=number)
        if start is missing:
            collection.rate("b", Rating.GOOD, NOON, 1000)
        start(journal_of(root))
        before = len(counting(root, "a"))
        with faults.at(chosen, _ERRORS[number % len(_ERRORS)], short):
            error = tried(partial(collection.rate, "a", Rating.GOOD, now, 1000, settle=False))
        assert is_true(error, len(counting(root, "a")) - before), (faults.calls, error)
        if error is not None:
            outcomes.add(error.recorded)
            assert same(collection, root, "a")
            collection.rate("a", Rating.GOOD, later(hours=number, minutes=1), 2000)
            assert len(counting(root, "a")) - before == 1
            assert same(collection, root, "a")
    if start is as_it_was:
        assert outcomes == {0, 1, None}
    assert Collection.open(root, NOON, "desk").state("a") == collection.state("a")


def test_another_answer_takes_the_place_of_one_that_may_be_recorded(
    root: Path, faults: Faults
) -> None:
    """And once something else was done, the same answer is another one."""
    collection = answered(root)
    for number, chosen in enumerate(chosen_by(faults)):
        now, before = later(days=number), len(counting(root, "a"))
        with faults.at(chosen):
            error = tried(partial(collection.rate, "a", Rating.GOOD, now, 1000))
        there = len(counting(root, "a")) - before
        if error is None:
            continue
        if there and number % 2:
            collection.rate("b", Rating.GOOD, later(days=number, hours=1), 1000)
            collection.rate("a", Rating.GOOD, later(days=number, hours=2), 1000)
            assert len(counting(root, "a")) - before == 2
            continue
        collection.rate("a", Rating.AGAIN, later(days=number, minutes=1), 2000)
        given = counting(root, "a")[before:]
        assert [event.rating for event in given] == [Rating.AGAIN]
        assert same(collection, root, "a")


def test_an_undo_that_is_repeated_takes_one_answer_back(root: Path, faults: Faults) -> None:
    collection = answered(root)
    for number, chosen in enumerate(chosen_by(faults, alone=True)):
        collection.rate("a", Rating.GOOD, later(hours=number), 1000)
        collection.rate("a", Rating.GOOD, later(hours=number, minutes=20), 1000)
        before, now = len(counting(root, "a")), later(hours=number, minutes=21)
        with faults.at(chosen, _ERRORS[number % len(_ERRORS)]):
            error = tried(partial(collection.undo, now))
        assert is_true(error, before - len(counting(root, "a"))), (faults.calls, error)
        if error is not None:
            assert collection.undo(now) is not None
            assert before - len(counting(root, "a")) == 1
            assert same(collection, root, "a")


def each(collection: Collection, answers: list[AnswerInput], now: datetime) -> None:
    list(collection.rate_each(answers, now))


@pytest.mark.parametrize("short", [False, True])
def test_of_answers_that_are_written_together_it_is_said_how_many_are_there(
    root: Path, faults: Faults, short: bool
) -> None:
    items = [f"c{number}" for number in range(6)]
    for item in items:
        write_card(root, item)
    collection = Collection.open(root, NOON, "desk")
    collection.rate("c0", Rating.GOOD, NOON, 1000)
    told: set[int | None] = set()

    def there() -> int:
        return sum(len(counting(root, item)) for item in items)

    for number, chosen in enumerate(chosen_by(faults, alone=not short)):
        before, now = there(), later(hours=number)
        answers = [AnswerInput(item, Rating.GOOD) for item in items]
        with faults.at(chosen, short=short):
            error = tried(partial(each, collection, answers, now))
        found = there() - before
        told.add(error.recorded if error else 6)
        assert found == (6 if error is None else error.recorded) or "may be" in str(error)
        if error is not None:
            list(collection.rate_each(answers, later(hours=number, minutes=1)))
            assert there() - before == 6
            assert all(same(collection, root, item) for item in items)
    assert told > {0, None}
    assert any(count and count < 6 for count in told) == short


def test_of_answers_of_other_times_it_is_said_how_many_are_there_and_a_second_time_completes_it(
    root: Path, faults: Faults
) -> None:
    collection = answered(root)
    private, partly = root / ".deltadeck", False
    for number, chosen in enumerate(chosen_by(faults, alone=True)):
        item = f"i{number}"
        days = range(6)
        events = [review(item=item, at=later(days=20 * d), random=10 * number + d) for d in days]
        with faults.at(chosen):
            error = tried(partial(collection.record_foreign, events))
        found = len([e for e in dedupe_events(read_journal(private).events) if e.item == item])
        if error is None:
            assert found == 6
        elif error.recorded is not None:
            assert found == error.recorded
            assert (f"{found} of 6 entries were recorded" in str(error)) == (found > 0)
        partly |= 0 < found < 6
        collection.record_foreign(events)
        assert len([e for e in dedupe_events(read_journal(private).events) if e.item == item]) == 6
    assert partly
