"""Cards and their histories as JSON: all that an import needs.

A card is a line of its own, so that a program can read a file of any size line by line.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable
from typing import IO, Any

from cards.frontmatter import read_header
from cards.links import embeds
from cards.model import Card, Diagnostics
from cards.outline import markdown, outline_of, parts_of
from deck.events import Event, Interval, Practised, Reset, Reviewed
from deck.exchange.export.source import (
    ExportReport,
    ExportSource,
    HistoryEntry,
    ItemHistory,
    MediaNames,
    Pictures,
    Progress,
    due_of,
    linked,
    local,
    schedule_of,
    utc,
    was_moved,
)
from deck.exchange.log import digest_of
from deck.replay import Learning, Review
from deck.study_day import on_clock, study_day

FORMAT = "deltadeck"
VERSION = 1
#: Bytes that are encoded at a time; three of them are four letters.
_CHUNK = 3 * 2**16


def write_json(
    source: ExportSource, file: IO[bytes], report: ExportReport, progress: Progress
) -> None:
    """Writes cards, schedules, reviews and pictures; the keys are stable."""
    pictures, names = Pictures(source.root), MediaNames()
    head = {"format": FORMAT, "version": VERSION, "exported": utc(source.now)}
    file.write(_encoded(head)[:-1] + b', "cards": [')
    comma = b"\n"
    for card in source.cards(report, progress):
        text, above = text_record(card)
        if above:
            report.lose(card.id, "The text above its question is left out.")
        pasts = source.pasts(card)
        report.count("cards")
        report.count("items", len(pasts))
        record = {
            "key": card.id,
            "folder": list(source.folder(card)),
            **text,
            "digest": digest_of(card.source),
            "items": [_item(source, card, past, report) for past in pasts],
            "media": _media(card, pictures, names, report),
        }
        file.write(comma + _encoded(record))
        comma = b",\n"
    file.write(b'\n], "media": {')
    comma = b"\n"
    for name, picture in names.opened(report):  # each on a line of its own, in Base64
        file.write(comma + json.dumps(name, ensure_ascii=False).encode() + b': "')
        while chunk := picture.read(_CHUNK):
            file.write(base64.b64encode(chunk))
        file.write(b'"')
        comma = b",\n"
    file.write(b"\n}}\n")


def text_record(card: Card) -> tuple[dict[str, Any], str]:
    """What a card's file says, without its history; and what stands above its question, which
    deltadeck shows nowhere."""
    diagnostics = Diagnostics(card.source, card.path)
    header = read_header(diagnostics)
    outline = outline_of(diagnostics, header.body)
    parts = parts_of(outline)
    question, solution = (
        markdown(outline, part) if part is not None else ""
        for part in (parts.question, parts.solution)
    )
    starts = [part.start - 1 for part in (parts.question, parts.solution) if part is not None]
    first = min(starts, default=0)
    heading = next((h.first for h in outline.headings if h.last == first), first)
    record = {
        "wanted_id": card.id,
        "type": card.type,
        "question": question,  # with its points and its options, without its heading
        "solution": solution,
        "fields": {f.key: f.value for f in header.fields.values() if f.key not in ("id", "type")},
    }
    return record, markdown(outline, range(heading))


def _item(
    source: ExportSource, card: Card, past: ItemHistory, report: ExportReport
) -> dict[str, Any]:
    """`reviews` are those that the schedule rests on: what was before a reset is beside them."""
    config, now = source.collection.config, source.now
    resets = [i for i, done in enumerate(past.done) if isinstance(done.event.what, Reset)]
    start = resets[-1] + 1 if resets else 0
    found = {
        "suffix": past.item.id.removeprefix(card.id),
        "reviews": _reviews(past.done[start:]),
        "suspended": past.suspended,
        "due": None,
        "schedule": schedule_of(past, source),
    }
    if was_moved(past) and (due := due_of(past.state, now, config)) is not None:
        found["due"] = local(due, now)
        found["due_day"] = study_day(due, config.rollover).isoformat()
    if start:
        found["before_reset"] = _reviews(past.done[:start])
        event = past.done[start - 1].event
        found["reset"] = {**_when(event), "key": event.id}
    if practice := [_answer(each) for each in past.done if isinstance(each.event.what, Practised)]:
        found["practice"] = practice  # it left the schedule as it was
    report.count("answers", len(past.answers))
    return found


def _reviews(done: Iterable[HistoryEntry]) -> list[dict[str, Any]]:
    """The answers, each with what it led to: study days, or the seconds of a learning step."""
    found = []
    for each in done:
        if not isinstance(what := each.event.what, Reviewed):
            continue
        match what.promise, each.after:
            case (Interval(days), _) | (_, Review(interval=days)):
                led_to: dict[str, Any] = {"days": days}
            case _, Learning(due=due, reviewed=reviewed):
                led_to = {"days": None, "wait": (due - reviewed).total_seconds()}
            case _:
                led_to = {"days": None, "wait": None}
        found.append(_answer(each) | led_to)
    return found


def _answer(done: HistoryEntry) -> dict[str, Any]:
    event, what = done.event, done.event.what
    assert isinstance(what, Reviewed | Practised)
    said = {"rating": int(what.rating), "milliseconds": what.milliseconds}
    return {**_when(event), **said, "key": event.id}


def _when(event: Event) -> dict[str, str]:
    """The moment on the clock that the learner looked at, and its study day."""
    at = on_clock(event.at, event.offset).isoformat(timespec="milliseconds")
    return {"at": at, "day": event.day.isoformat()}


def _media(
    card: Card, pictures: Pictures, names: MediaNames, report: ExportReport
) -> dict[str, str]:
    """The pictures of a card: as the card names them, to their names in the file."""
    found: dict[str, str] = {}
    text = f"{card.question}\n\n{card.solution}"
    shown: dict[str, bool] = {}
    for each in embeds(text):
        if each.kind == "unread":
            what = f"{text[each.start : each.end]!a} shows no picture, as it is written: write "
            report.lose(card.id, f"{what}![words](<name>). None is in it.")
        else:  # what HTML shows is text here, and a picture elsewhere
            shown[each.name] = shown.get(each.name, False) or each.kind != "html"
    for name in dict.fromkeys([*shown, *linked(text)]):
        picture = pictures.find(name, card.path)
        if picture.path is None and shown.get(name, True):
            report.lacks(card, "picture" if name in shown else "file", name, picture.why)
        elif picture.path is not None:
            found[name] = names.name(picture.path)
    return found


def _encoded(value: Any) -> bytes:
    # Half a surrogate pair, which JSON can spell, is no UTF-8: spelt out where there is one.
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except UnicodeEncodeError:
        return json.dumps(value, allow_nan=False).encode()
