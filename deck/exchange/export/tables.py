"""Tables as CSV: of cards, of items with their schedule, and of all that the journal holds."""

from __future__ import annotations

import csv
import heapq
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from itertools import groupby
from pathlib import Path
from typing import IO, Any, NamedTuple

from cards.model import Card, Problem
from deck.events import (
    Buried,
    Checked,
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
    ExportReport,
    ExportSource,
    ItemHistory,
    Progress,
    options,
    schedule_of,
    utc,
)
from deck.exchange.log import digest_of
from deck.files import DATA_DIR
from deck.index.lines import read_events
from deck.journal import journal_files
from deck.replay import Review, dedupe_events, undone_ids

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


def write_cards(
    source: ExportSource, file: IO[bytes], report: ExportReport, progress: Progress
) -> None:
    """One row a card."""

    def rows() -> Iterator[Mapping[str, Any]]:
        for card in source.cards(report, progress):
            report.count("cards")
            if card.exercise is not None:
                report.without("The exercise of a derivation is in no column.", card.id)
            yield {"path": source.place(card.path) if card.path else "", **text_row(card)}

    _write_csv(file, CARD_COLUMNS, rows())


def write_items(
    source: ExportSource, file: IO[bytes], report: ExportReport, progress: Progress
) -> None:
    """One row an item, with its schedule; of the items that were chosen."""
    chosen = None if source.chosen is None else set(source.chosen)

    def rows() -> Iterator[Mapping[str, Any]]:
        for card in source.cards(report, progress):
            report.count("cards")
            for past in source.pasts(card):
                if chosen is None or past.item.id in chosen:
                    report.count("items")
                    yield _item_row(source, card, past)

    _write_csv(file, ITEM_COLUMNS, rows())


def _write_csv(file: IO[bytes], columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> None:
    """UTF-8 with a header; None is an empty cell, true and false are words."""
    text = io.TextIOWrapper(file, "utf-8", "backslashreplace", newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        values = map(row.__getitem__, columns)
        writer.writerow(str(v).lower() if isinstance(v, bool) else v for v in values)
    text.detach()


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


def _item_row(source: ExportSource, card: Card, past: ItemHistory) -> dict[str, Any]:
    state, answers = past.state, past.answers
    return {
        "item": past.item.id,
        "card": card.id,
        "path": source.place(card.path) if card.path else "",
        "course": card.course,
        "type": card.type,
        "tags": _BETWEEN.join(card.tags),
        **schedule_of(past, source),
        "suspended": past.suspended,
        "interval": state.interval if isinstance(state, Review) else None,
        "last_answer": utc(answers[-1].event.at) if answers else None,
        "last_rating": int(answers[-1].event.rating or 0) if answers else None,
        "answers": len(answers),
        "prompt": past.item.prompt,
        "answer": past.item.answer,
    }


# The journal: one row an event, for whoever wants to count.

EVENT_COLUMNS = (
    *("id", "kind", "item", "card", "device", "at_utc", "at_local", "offset_minutes", "study_day"),
    *("rating", "milliseconds", "next_days", "next_step", "next_step_seconds"),
    *("model", "parameters", "status", "undone", "target", "suspended", "until", "details"),
)
_ITEM = re.compile(r"/(?:r|c\d+)$")


def write_journal(
    source: ExportSource, file: IO[bytes], report: ExportReport, progress: Progress
) -> None:
    """One row an event, by time; of the items that were chosen, or of all and of no item at all."""
    chosen = None if source.chosen is None else set(source.chosen)
    found = _scan(source.root / DATA_DIR, report)

    def rows() -> Iterator[Mapping[str, Any]]:
        for event, device in _events(found, progress):
            if chosen is None or chosen.intersection(event.items):
                report.count("events")
                yield _event_row(event, device, event.id in found.undone)

    _write_csv(file, EVENT_COLUMNS, rows())


def _event_row(event: Event, device: str, undone: bool) -> dict[str, Any]:
    what = event.what
    local = event.at + timedelta(minutes=event.offset)
    row: dict[str, Any] = dict.fromkeys(EVENT_COLUMNS)
    row |= {
        "id": event.id,
        "kind": event.kind,
        "item": event.item,
        "card": _ITEM.sub("", event.item),
        "device": device,
        "at_utc": utc(event.at),
        "at_local": local.replace(tzinfo=None).isoformat(timespec="milliseconds"),
        "offset_minutes": event.offset,
        "study_day": event.day,
        "undone": undone,
    }
    details: Any = None
    match what:
        case Reviewed() | Practised():
            row |= {"rating": int(what.rating), "milliseconds": what.milliseconds}
        case Undone():
            row["target"] = what.target
        case Suspended():
            row["suspended"] = what.on
        case Buried():
            row["until"] = what.until
        case Rescheduled() | ParametersChanged() | LimitsRaised() | StatusLines() | Checked():
            details = fields(what)
    if isinstance(what, Reviewed):
        row |= {"model": what.model, "parameters": what.parameters, "status": what.status or None}
        details = fields(what).get("check")
        match what.promise:
            case Interval(days):
                row["next_days"] = days
            case LearningStep(step, wait):
                row |= {"next_step": step, "next_step_seconds": wait.total_seconds()}
    if details is not None:
        row["details"] = json.dumps(details, ensure_ascii=False, sort_keys=True)
    return row


# Every event of a journal in the order of the fold: the files are merged by the events' ids.  Each
# is read a piece at a time, from when its first event's turn comes: a lifetime of answers needs the
# memory of a few pieces.


class _JournalFile(NamedTuple):
    path: Path
    first: str
    """The lowest id in it."""
    is_sorted: bool
    """Whether the ids in it ascend, as those that one program wrote do."""


class _JournalScan(NamedTuple):
    """What a first look at a journal finds."""

    files: list[_JournalFile]
    undone: set[str]
    """The ids of the events that an undo names."""
    total: int
    """Events, copies counted."""


def _scan(private: Path, report: ExportReport) -> _JournalScan:
    """Looks at every line below `private` (`.deltadeck/`); what is wrong goes into the report."""
    paths, misplaced = journal_files(private)
    problems: list[Problem] = list(misplaced)
    files, undone, total = list[_JournalFile](), set[str](), 0
    for path in paths:
        first, last, ascending = "", "", True
        for event in read_events(path, problems):
            total += 1
            undone |= undone_ids([event])
            ascending = ascending and event.id >= last
            first, last = min(first or event.id, event.id), event.id
        if first:
            files.append(_JournalFile(path, first, ascending))
    for problem in problems:
        if problem.severity == "error":  # not one of a kind that a newer program writes
            report.lose(str(problem.path), f"Line {problem.line}: {problem.message}")
    return _JournalScan(files, undone, total)


def _events(found: _JournalScan, progress: Progress) -> Iterator[tuple[Event, str]]:
    """Every event once, by its id, and the device that wrote it: of copies the first path's."""
    done = 0
    merged = heapq.merge(*map(_opened_late, found.files), key=lambda each: each[:2])
    real = ((event, Path(path)) for _, path, event in merged if event is not None)
    for _, same in groupby(real, key=lambda each: each[0].id):
        copies = list(same)
        done += len(copies)
        progress(done, found.total)
        for event in dedupe_events(event for event, _ in copies):
            yield event, copies[0][1].parent.name


def _opened_late(file: _JournalFile) -> Iterator[tuple[str, str, Event | None]]:
    """A file's events by id, with its path; first its lowest id alone, before it is opened."""
    path = str(file.path)
    yield file.first, path, None
    events = read_events(file.path, [])
    for event in events if file.is_sorted else sorted(events, key=lambda each: each.id):
        yield event.id, path, event
