"""The journal as a table: one row an event, for whoever wants to count (docs/export.md)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import timedelta
from typing import IO, Any, Literal

from deck.event import (
    Adopted,
    Buried,
    Crammed,
    Days,
    Kept,
    Moved,
    Raised,
    Reviewed,
    Step,
    Suspended,
    Undone,
)
from deck.exchange.export.events import Told, events, survey
from deck.exchange.export.facts import utc
from deck.exchange.export.report import Report
from deck.exchange.export.source import Progress, Source
from deck.exchange.export.states import STATE_COLUMNS, States
from deck.exchange.export.tables import write_csv
from deck.line_kinds import fields
from deck.place import PRIVATE

Kind = Literal["text", "int", "float", "bool", "day", "utc", "local"]
"""Of a column: what Parquet has it as.  A time is UTC, or the learner's clock without its zone."""

COLUMNS: dict[str, Kind] = {
    "id": "text",
    "kind": "text",
    "item": "text",
    "card": "text",
    "device": "text",
    "at_utc": "utc",
    "at_local": "local",
    "offset_minutes": "int",
    "study_day": "day",
    "rating": "int",
    "milliseconds": "int",
    "next_days": "int",
    "next_step": "int",
    "next_step_seconds": "float",
    "model": "text",
    "parameters": "text",
    "status": "text",
    "undone": "bool",
    "target": "text",
    "suspended": "bool",
    "until": "day",
    "details": "text",
}
_ITEM = re.compile(r"/(?:r|c\d+)$")


def columns(states: bool) -> dict[str, Kind]:
    return {**COLUMNS, **STATE_COLUMNS} if states else dict(COLUMNS)


def write_journal(
    source: Source, file: IO[bytes], report: Report, progress: Progress, states: bool = False
) -> None:
    """As CSV."""
    write_csv(file, columns(states), map(_plain, rows(source, report, progress, states)))


def rows(
    source: Source, report: Report, progress: Progress, states: bool = False
) -> Iterator[dict[str, Any]]:
    """The rows by time; of the items that were chosen, or of all, and of no item at all."""
    chosen = None if source.chosen is None else set(source.chosen)
    follow = States(source.collection.config) if states else None
    found = survey(source.root / PRIVATE, report)
    for told in events(found, progress):
        event = told.event
        undone = event.id in found.undone
        state = follow.row(event, undone) if follow is not None else {}
        if chosen is None or chosen.intersection(event.items):
            report.count("events")
            yield _row(told, undone) | state


def _row(told: Told, undone: bool) -> dict[str, Any]:
    event, what = told.event, told.event.what
    row: dict[str, Any] = dict.fromkeys(COLUMNS)
    row |= {
        "id": event.id,
        "kind": event.kind,
        "item": event.item,
        "card": _ITEM.sub("", event.item),
        "device": told.device,
        "at_utc": event.at,
        "at_local": (event.at + timedelta(minutes=event.offset)).replace(tzinfo=None),
        "offset_minutes": event.offset,
        "study_day": event.day,
        "undone": undone,
    }
    match what:
        case Reviewed():
            row |= _answer(what)
        case Crammed():
            row |= {"rating": int(what.rating), "milliseconds": what.milliseconds}
        case Undone():
            row["target"] = what.target
        case Suspended():
            row["suspended"] = what.on
        case Buried():
            row["until"] = what.until
        case Moved() | Adopted() | Raised() | Kept():
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
        case Days(days):
            row["next_days"] = days
        case Step(step, wait):
            row |= {"next_step": step, "next_step_seconds": wait.total_seconds()}
    return row


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    """Times as CSV has them."""
    local = row["at_local"].isoformat(timespec="milliseconds")
    return row | {"at_utc": utc(row["at_utc"]), "at_local": local}
