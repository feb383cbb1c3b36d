"""The journal as a table: one row an event, for whoever wants to count (docs/export.md)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import timedelta
from typing import IO, Any

from deck.events import (
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
    fields,
)
from deck.exchange.export.events import Told, events, survey
from deck.exchange.export.facts import utc
from deck.exchange.export.report import Report
from deck.exchange.export.source import Progress, Source
from deck.exchange.export.tables import write_csv
from deck.files import PRIVATE

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
    found = survey(source.root / PRIVATE, report)
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
