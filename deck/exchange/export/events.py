"""Every event of a journal in the order of the fold, a piece of a file at a time.

The files are merged by the events' ids.  Each is opened when its first event's turn comes: a
lifetime of answers needs the memory of a few pieces.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from cards.model import Problem
from deck.events import Event, Undone
from deck.exchange.export.report import Report
from deck.index.lines import plan, read_events, unreadable
from deck.journal import journal_files
from deck.replay import unique


@dataclass(frozen=True, slots=True)
class Told:
    """An event, and the device that wrote it."""

    event: Event
    device: str


@dataclass(frozen=True, slots=True)
class _File:
    path: Path
    first: str
    """The lowest id in it."""
    sorted: bool
    """Whether the ids in it ascend, as those that one program wrote do."""


@dataclass(frozen=True, slots=True)
class Survey:
    """What a first look at a journal finds."""

    files: tuple[_File, ...]
    undone: frozenset[str]
    """The ids of the events that an undo names."""
    total: int
    """Events, copies counted."""


def survey(private: Path, report: Report) -> Survey:
    """Looks at every line below `private` (`.deltadeck/`); what is wrong goes into the report."""
    paths, misplaced = journal_files(private)
    problems: list[Problem] = list(misplaced)
    files, undone, total = [], set(), 0
    for path in paths:
        first, last, ascending = "", "", True
        for event in _read(path, problems):
            total += 1
            if isinstance(event.what, Undone):
                undone.add(event.what.target)
            ascending = ascending and event.id >= last
            last = event.id
            first = min(first or event.id, event.id)
        if first:
            files.append(_File(path, first, ascending))
    for problem in problems:
        if problem.severity != "error":
            continue  # such as an event of a kind that a newer program writes: it has its row
        report.lose(str(problem.path), f"Line {problem.line}: {problem.message}")
    return Survey(tuple(files), frozenset(undone), total)


def events(found: Survey, progress: Callable[[int, int], None]) -> Iterator[Told]:
    """Every event once, by its id."""
    done = 0
    for _, same in groupby(_merged(found), key=lambda told: told.event.id):
        copies = list(same)
        done += len(copies)
        progress(done, found.total)
        for event in unique(told.event for told in copies):
            yield Told(event, copies[0].device)


def _merged(found: Survey) -> Iterator[Told]:
    """The events of all files by id; of copies, that of the first path comes first."""
    waiting = sorted(found.files, key=lambda file: (file.first, file.path), reverse=True)
    heap: list[tuple[str, str, Event, Iterator[Event]]] = []
    while heap or waiting:
        while waiting and (not heap or waiting[-1].first <= heap[0][0]):
            file = waiting.pop()
            _push(heap, str(file.path), _ascending(file))
        if heap:
            _, path, event, rest = heapq.heappop(heap)
            yield Told(event, Path(path).parent.name)
            _push(heap, path, rest)


def _push(
    heap: list[tuple[str, str, Event, Iterator[Event]]], path: str, rest: Iterator[Event]
) -> None:
    """The next event of a file; one file has one entry, so that the first two always differ."""
    event = next(rest, None)
    if event is not None:
        heapq.heappush(heap, (event.id, path, event, rest))


def _ascending(file: _File) -> Iterator[Event]:
    found = _read(file.path, [])
    return found if file.sorted else iter(sorted(found, key=lambda event: event.id))


def _read(path: Path, problems: list[Problem]) -> Iterator[Event]:
    try:
        pieces = plan(path).pieces
    except OSError as error:
        problems.append(unreadable(path, error))
        return
    for piece in pieces:
        yield from read_events(piece, problems)
