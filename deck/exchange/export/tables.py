"""CSV, journal table, Parquet."""

from __future__ import annotations

import csv
import heapq
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from itertools import groupby
from pathlib import Path
from typing import IO, Any

from cards.model import Card, Problem
from deck.events import (
    Buried,
    Event,
    Interval,
    LearningStep,
    LimitsRaised,
    ParametersChanged,
    Practised,
    Rescheduled,
    Reviewed,
    StatusLines,
    Suspended,
    Undone,
    fields,
)
from deck.exchange.export.source import (
    Past,
    Progress,
    Report,
    Source,
    due_of,
    local,
    options,
    recall_of,
    state_name,
    utc,
)
from deck.exchange.log import digest_of
from deck.files import DATA_DIR
from deck.index.lines import plan, read_events, unreadable
from deck.journal import journal_files
from deck.replay import New, Review, dedupe_events

# == Tables of cards and of items, as CSV: a header, and one row each.


CARD_COLUMNS = (
    *("id", "path", "course", "type", "status", "difficulty", "points", "tags", "question"),
    *("options", "correct", "tolerance", "solution", "related", "items"),
    "digest",
)
ITEM_COLUMNS = (
    *("item", "card", "path", "course", "type", "tags", "state", "suspended", "buried_until"),
    *("due", "interval", "stability", "difficulty", "retrievability", "repetitions", "lapses"),
    *("last_answer", "last_rating", "answers", "prompt", "answer"),
)
#: Between several values in one cell.
_BETWEEN = " "


def write_cards(source: Source, file: IO[bytes], report: Report, progress: Progress) -> None:
    """One row a card."""
    rows = (_card_row(source, card, report) for card in source.cards(report, progress))
    write_csv(file, CARD_COLUMNS, rows)


def write_items(source: Source, file: IO[bytes], report: Report, progress: Progress) -> None:
    """One row an item, with its schedule; of the items that were chosen."""
    chosen = None if source.chosen is None else set(source.chosen)

    def rows() -> Iterator[Mapping[str, Any]]:
        for card in source.cards(report, progress):
            report.count("cards")
            for past in source.pasts(card):
                if chosen is None or past.item.id in chosen:
                    report.count("items")
                    yield _item_row(source, card, past)

    write_csv(file, ITEM_COLUMNS, rows())


def write_csv(file: IO[bytes], columns: Iterable[str], rows: Iterable[Mapping[str, Any]]) -> None:
    """UTF-8 with a header; None is an empty cell, true and false are words."""
    names = list(columns)
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    for row in rows:
        writer.writerow([_cell(row[name]) for name in names])
        if text.tell() > 2**16:
            _flush(text, file)
    _flush(text, file)


def _flush(text: io.StringIO, file: IO[bytes]) -> None:
    file.write(text.getvalue().encode("utf-8", "backslashreplace"))
    text.seek(0)
    text.truncate()


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else value


def _card_row(source: Source, card: Card, report: Report) -> dict[str, Any]:
    report.count("cards")
    if card.exercise is not None:
        report.without("The exercise of a derivation is in no column.", card.id)
    return {"path": source.place(card.path) if card.path else "", **text_row(card)}


def text_row(card: Card) -> dict[str, Any]:
    """What a card's file says."""
    return {
        "id": card.id,
        "course": card.course,
        "type": card.type,
        "status": card.status,
        "difficulty": card.difficulty,
        "points": None if card.points is None else f"{card.points:g}",
        "tags": _BETWEEN.join(card.tags),
        "question": card.question,
        "options": "\n".join(f"{letter}) {text}" for letter, text in options(card)),
        "correct": card.correct,
        "tolerance": card.tolerance,
        "solution": card.solution,
        "related": "\n".join(card.related),
        "items": _BETWEEN.join(item.id for item in card.items),
        "digest": digest_of(card.source),
    }


def _item_row(source: Source, card: Card, past: Past) -> dict[str, Any]:
    state, config, now = past.state, source.collection.config, source.now
    learnt = None if isinstance(state, New) else state
    due, answers = due_of(state, now, config), past.answers
    return {
        "item": past.item.id,
        "card": card.id,
        "path": source.place(card.path) if card.path else "",
        "course": card.course,
        "type": card.type,
        "tags": _BETWEEN.join(card.tags),
        "state": state_name(state),
        "suspended": past.suspended,
        "buried_until": past.buried.isoformat() if past.buried else None,
        "due": local(due, now) if due else None,
        "interval": state.interval if isinstance(state, Review) else None,
        "stability": learnt.memory.stability if learnt else None,
        "difficulty": learnt.memory.difficulty if learnt else None,
        "retrievability": recall_of(state, now, config),
        "repetitions": learnt.repetitions if learnt else 0,
        "lapses": learnt.lapses if learnt else 0,
        "last_answer": utc(answers[-1].event.at) if answers else None,
        "last_rating": int(answers[-1].event.rating or 0) if answers else None,
        "answers": len(answers),
        "prompt": past.item.prompt,
        "answer": past.item.answer,
    }


# == Every event of a journal in the order of the fold, a piece of a file at a time.
#
# The files are merged by the events' ids.  Each is opened when its first event's turn comes: a
# lifetime of answers needs the memory of a few pieces.


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
        for event in dedupe_events(told.event for told in copies):
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


# == The journal as a table: one row an event, for whoever wants to count (docs/export.md).


COLUMNS = (
    *("id", "kind", "item", "card", "device", "at_utc", "at_local", "offset_minutes", "study_day"),
    *("rating", "milliseconds", "next_days", "next_step", "next_step_seconds"),
    *("model", "parameters", "status", "undone", "target", "suspended", "until", "details"),
)
_ITEM = re.compile(r"/(?:r|c\d+)$")


def write_journal(source: Source, file: IO[bytes], report: Report, progress: Progress) -> None:
    """As CSV."""
    write_csv(file, COLUMNS, _rows(source, report, progress))


def _rows(source: Source, report: Report, progress: Progress) -> Iterator[dict[str, Any]]:
    """The rows by time; of the items that were chosen, or of all, and of no item at all."""
    chosen = None if source.chosen is None else set(source.chosen)
    found = survey(source.root / DATA_DIR, report)
    for told in events(found, progress):
        event = told.event
        if chosen is None or chosen.intersection(event.items):
            report.count("events")
            yield _row(told, event.id in found.undone)


def _row(told: Told, undone: bool) -> dict[str, Any]:
    event, what = told.event, told.event.what
    local = event.at + timedelta(minutes=event.offset)
    row: dict[str, Any] = dict.fromkeys(COLUMNS)
    row |= {
        "id": event.id,
        "kind": event.kind,
        "item": event.item,
        "card": _ITEM.sub("", event.item),
        "device": told.device,
        "at_utc": utc(event.at),
        "at_local": local.replace(tzinfo=None).isoformat(timespec="milliseconds"),
        "offset_minutes": event.offset,
        "study_day": event.day,
        "undone": undone,
    }
    match what:
        case Reviewed():
            row |= _answer(what)
        case Practised():
            row |= {"rating": int(what.rating), "milliseconds": what.milliseconds}
        case Undone():
            row["target"] = what.target
        case Suspended():
            row["suspended"] = what.on
        case Buried():
            row["until"] = what.until
        case Rescheduled() | ParametersChanged() | LimitsRaised() | StatusLines():
            row["details"] = _json(fields(what))
    if event.kind == "check":
        row["details"] = _json(fields(what))
    return row


def _answer(what: Reviewed) -> dict[str, Any]:
    row: dict[str, Any] = {
        "rating": int(what.rating),
        "milliseconds": what.milliseconds,
        "model": what.model,
        "parameters": what.parameters,
        "status": what.status or None,
        "details": None if what.check is None else _json(fields(what)["check"]),
    }
    match what.promise:
        case Interval(days):
            row["next_days"] = days
        case LearningStep(step, wait):
            row |= {"next_step": step, "next_step_seconds": wait.total_seconds()}
    return row


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
