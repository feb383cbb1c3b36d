"""Every system call of an answer fails, one after the other: what is said is what a reader finds.

The calls are counted as they come, so that a new one is tried as well.
"""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from deck.collection import Collection
from deck.errors import JournalError
from deck.events import Event
from deck.fsrs import Rating
from deck.index.lines import read_journal
from deck.recording import AnswerInput
from deck.replay import dedupe_events, replay, undone_ids
from tests.deck.given import NOON, journal_of, later, line_of, review, streamed, write_card

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
    distances: Sequence[int]


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


#: Which calls fail together: one alone, it and all that follow, it and one of the next two.
ALONE: list[Sequence[int]] = [(0,)]
ALL: list[Sequence[int]] = [range(10**6)]
NEXT: list[Sequence[int]] = [(0, 1), (0, 2)]


def chosen_by(
    faults: Faults, kinds: Sequence[Sequence[int]] = (*ALONE, *ALL)
) -> Iterator[Fault | None]:
    """None, and then, of the calls that were counted meanwhile, each with those of each kind."""
    yield None
    for number, name in enumerate(calls := faults.calls.copy()):
        nth = calls[: number + 1].count(name)
        for distances in kinds:
            yield Fault(name, nth, distances)


def there(root: Path, *items: str) -> list[Event]:
    """The answers that a fresh process finds of items, those that were undone left out."""
    events = list(dedupe_events(read_journal(root / ".deltadeck").events))
    gone = undone_ids(events)
    return [e for e in events if e.item in items and e.id not in gone and e.rating]


def same(collection: Collection, root: Path, *items: str) -> bool:
    """Whether memory and journal agree, once something was asked."""
    collection.queue(NOON)
    fresh = replay(read_journal(root / ".deltadeck").events, collection.config)
    return all(collection.state(item) == fresh[item] for item in items if item in fresh)


def tried(work: Callable[[], object]) -> JournalError | None:
    try:
        work()
    except JournalError as error:
        return error
    return None


def is_true(error: JournalError | None, found: int, most: int = 1) -> bool:
    """Whether what was said is what there is, of `most` events."""
    if error is None:
        return found == most
    if error.recorded is None:
        return "may be recorded" in str(error) or "at least" in str(error)
    if error.recorded == 0:
        return found == 0 and "nothing was " in str(error)
    return found == error.recorded and "recorded" in str(error)


#: In which state an answer finds its device's file.
STARTS: dict[str, Callable[[Path], object]] = {
    "as it was": lambda _: None,
    "torn": lambda path: path.write_bytes(path.read_bytes() + b'{"v":1,"id":"01'),
    "unended": lambda path: path.write_bytes(path.read_bytes() + line_of(review(item="o"))[:-1]),
    "missing": lambda path: shutil.rmtree(path.parent),
}


def answered(root: Path) -> Collection:
    for item in "ab":
        write_card(root, item)
    collection = Collection.open(root, NOON, "desk")
    collection.rate("b", Rating.GOOD, NOON, 1000)
    return collection


@pytest.mark.parametrize(
    ("start", "short"), [*((start, False) for start in STARTS), ("as it was", True)]
)
def test_what_is_said_of_an_answer_is_what_there_is_and_a_repeat_leaves_one(
    root: Path, faults: Faults, start: str, short: bool
) -> None:
    collection = answered(root)
    outcomes: set[int | None] = set()
    kinds = ALONE if start != "as it was" else [*ALONE, *ALL, *([] if short else NEXT)]
    for number, chosen in enumerate(chosen_by(faults, kinds)):
        now, code = later(hours=number), _ERRORS[number % len(_ERRORS)]
        if start == "missing":
            collection.rate("b", Rating.GOOD, NOON, 1000)
        STARTS[start](journal_of(root))
        before, state = len(there(root, "a")), collection.state("a")
        with faults.at(chosen, code, short):
            error = tried(partial(collection.rate, "a", Rating.GOOD, now, 1000))
        assert is_true(error, len(there(root, "a")) - before), (faults.calls, error)
        if error is not None:
            outcomes.add(error.recorded)
            assert os.strerror(code) in str(error) or "only a part" in str(error)
            assert error.recorded != 0 or start == "missing" or collection.state("a") == state
            assert same(collection, root, "a")
            collection.rate("a", Rating.GOOD, later(hours=number, minutes=1), 2000)
            assert len(there(root, "a")) - before == 1
            assert same(collection, root, "a")
    if start == "as it was" and not short:
        assert outcomes == {0, 1, None}
    assert Collection.open(root, NOON, "desk").state("a") == collection.state("a")


def test_another_answer_takes_the_place_of_one_that_may_be_recorded(
    root: Path, faults: Faults
) -> None:
    """And once something else was done, the same answer is another one."""
    collection = answered(root)
    unsure = 0
    for number, chosen in enumerate(chosen_by(faults, [*ALONE, *ALL, *NEXT])):
        now, before = later(days=number), len(there(root, "a"))
        with faults.at(chosen):
            error = tried(partial(collection.rate, "a", Rating.GOOD, now, 1000))
        if error is None or error.recorded == 0:
            continue
        unsure += 1
        if len(there(root, "a")) > before and unsure % 2:
            collection.rate("b", Rating.GOOD, later(days=number, hours=1), 1000)
            collection.rate("a", Rating.GOOD, later(days=number, hours=2), 1000)
            assert len(there(root, "a")) - before == 2
            continue
        collection.rate("a", Rating.AGAIN, later(days=number, minutes=1), 2000)
        assert [event.rating for event in there(root, "a")[before:]] == [Rating.AGAIN]
        assert same(collection, root, "a")
    assert unsure > 3


def test_an_undo_that_is_repeated_takes_one_answer_back(root: Path, faults: Faults) -> None:
    collection = answered(root)
    for number, chosen in enumerate(chosen_by(faults)):
        collection.rate("a", Rating.GOOD, later(hours=number), 1000)
        collection.rate("a", Rating.GOOD, later(hours=number, minutes=20), 1000)
        before, now = len(there(root, "a")), later(hours=number, minutes=21)
        with faults.at(chosen, _ERRORS[number % len(_ERRORS)]):
            error = tried(partial(collection.undo, now))
        assert is_true(error, before - len(there(root, "a"))), (faults.calls, error)
        if error is not None:
            assert collection.undo(now) is not None
            assert before - len(there(root, "a")) == 1
            assert same(collection, root, "a")


@pytest.mark.parametrize("short", [False, True])
def test_of_answers_that_are_written_together_it_is_said_how_many_are_there(
    root: Path, faults: Faults, short: bool
) -> None:
    items = [f"c{number}" for number in range(3)]
    for item in items:
        write_card(root, item)
    collection = Collection.open(root, NOON, "desk")
    collection.rate("c0", Rating.GOOD, NOON, 1000)
    told: set[int | None] = set()

    answers = [AnswerInput(item, Rating.GOOD) for item in items]
    for number, chosen in enumerate(chosen_by(faults, [*ALONE, *ALL, *(NEXT if short else [])])):
        before, now = len(there(root, *items)), later(hours=number)
        with faults.at(chosen, short=short):
            error = tried(partial(streamed, collection, answers, now))
        assert is_true(error, len(there(root, *items)) - before, 3), (faults.calls, error)
        told.add(error.recorded if error else 3)
        if error is not None:
            streamed(collection, answers, later(hours=number, minutes=1))
            assert len(there(root, *items)) - before == 3
            assert same(collection, root, *items)
    assert told > {0, None}
    assert any(count and count < 3 for count in told) == short


def test_of_answers_of_other_times_it_is_said_how_many_are_there_and_a_second_time_completes_it(
    root: Path, faults: Faults
) -> None:
    collection = answered(root)
    partly = False
    for number, chosen in enumerate(chosen_by(faults)):
        item, months = f"i{number}", range(3)
        events = [review(item=item, at=later(days=31 * m), random=9 * number + m) for m in months]
        with faults.at(chosen):
            error = tried(partial(collection.record_foreign, events))
        found = len(there(root, item))
        assert is_true(error, found, 3)
        if error is not None and error.recorded:
            assert f"{found} of 3 entries were recorded" in str(error)
        partly |= 0 < found < 3
        collection.record_foreign(events)
        assert len(there(root, item)) == 3
    assert partly
