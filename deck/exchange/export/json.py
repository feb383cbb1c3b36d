"""Our JSON."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from cards.diagnostics import Report
from cards.files import open_regular
from cards.frontmatter import read_header
from cards.links import embeds
from cards.model import Card, Value
from cards.outline import markdown, outline_of, parts_of
from deck.errors import reason
from deck.events import Event, Practised, Reset, Reviewed
from deck.exchange.export.html import Names, Pictures, linked
from deck.exchange.export.source import (
    Done,
    Past,
    Progress,
    Source,
    days_of,
    due_of,
    local,
    on_its_clock,
    recall_of,
    state_name,
    utc,
    wait_of,
    was_moved,
)
from deck.exchange.export.source import Report as ExportReport
from deck.exchange.log import digest_of
from deck.replay import New
from deck.study_day import study_day

# == A card as it is written: its frontmatter and its two parts, for whoever would write it again.


@dataclass(frozen=True, slots=True)
class Written:
    fields: dict[str, Value]
    """The frontmatter without `id` and `type`, every scalar as the text that stands there."""
    question: str
    """With its points and its options, without its heading."""
    solution: str
    before: str
    """What stands above both: deltadeck shows it nowhere."""


def written(card: Card) -> Written:
    """Of a card that was read from a text (`Card.source`)."""
    report = Report(card.source, card.path)
    header = read_header(report)
    outline = outline_of(report, header.body)
    parts = parts_of(outline)
    fields = {f.key: f.value for f in header.fields.values() if f.key not in ("id", "type")}
    starts = [part.start - 1 for part in (parts.question, parts.solution) if part is not None]
    first = min(starts, default=0)
    heading = next((h.first for h in outline.headings if h.last == first), first)
    return Written(
        fields,
        markdown(outline, parts.question) if parts.question is not None else "",
        markdown(outline, parts.solution) if parts.solution is not None else "",
        markdown(outline, range(heading)),
    )


# == Cards and their histories as JSON: all that an import needs (docs/export.md has the format).
#
# A card is a line of its own, so that a program can read a file of any size line by line.


FORMAT = "deltadeck"
VERSION = 1
#: Bytes that are encoded at a time; three of them are four letters.
_CHUNK = 3 * 2**16


def write_json(source: Source, file: IO[bytes], report: ExportReport, progress: Progress) -> None:
    """Writes cards, schedules, reviews and pictures."""
    pictures, names = Pictures(source.root), Names()
    head = {"format": FORMAT, "version": VERSION, "exported": utc(source.now)}
    file.write(_text(head)[:-1].encode() + b', "cards": [')
    comma = b"\n"
    for card in source.cards(report, progress):
        record = card_record(source, card, report)
        record["media"] = _media(card, pictures, names, report)
        file.write(comma + _text(record).encode())
        comma = b",\n"
    file.write(b'\n], "media": {')
    _write_media(file, names.files(), report)
    file.write(b"\n}}\n")


def card_record(source: Source, card: Card, report: ExportReport) -> dict[str, Any]:
    """A card as plain data; the keys are stable."""
    parts = written(card)
    if parts.before:
        report.lose(card.id, "The text above its question is left out.")
    pasts = source.pasts(card)
    report.count("cards")
    report.count("items", len(pasts))
    return {
        "key": card.id,
        "folder": list(source.folder(card)),
        **text_record(card, parts),
        "digest": digest_of(card.source),
        "items": [_item(source, card, past, report) for past in pasts],
    }


def text_record(card: Card, parts: Written | None = None) -> dict[str, Any]:
    """What a card's file says, without its history."""
    parts = parts or written(card)
    return {
        "wanted_id": card.id,
        "type": card.type,
        "question": parts.question,
        "solution": parts.solution,
        "fields": parts.fields,
    }


def _item(source: Source, card: Card, past: Past, report: ExportReport) -> dict[str, Any]:
    """`reviews` are those that the schedule rests on: what was before a reset is beside them."""
    config, now = source.collection.config, source.now
    resets = [i for i, done in enumerate(past.done) if isinstance(done.event.what, Reset)]
    start = resets[-1] + 1 if resets else 0
    found = {
        "suffix": past.item.id.removeprefix(card.id),
        "reviews": _reviews(past.done[start:]),
        "suspended": past.suspended,
        "due": None,
        "schedule": _schedule(past, source),
    }
    if was_moved(past) and (due := due_of(past.state, now, config)) is not None:
        found["due"] = local(due, now)
        found["due_day"] = study_day(due, config.rollover).isoformat()
    if start:
        found["before_reset"] = _reviews(past.done[:start])
        event = past.done[start - 1].event
        found["reset"] = {**_when(event), "key": event.id}
    if practice := _practice(past.done):
        found["practice"] = practice
    report.count("answers", len(past.answers))
    return found


def _reviews(done: Iterable[Done]) -> list[dict[str, Any]]:
    found = []
    for each in done:
        what = each.event.what
        if isinstance(what, Reviewed):
            review = _answer(each, what.rating, what.milliseconds) | {"days": days_of(each)}
            if review["days"] is None:
                review["wait"] = wait_of(each)
            found.append(review)
    return found


def _practice(done: Iterable[Done]) -> list[dict[str, Any]]:
    """Answers that left the schedule as it was."""
    return [
        _answer(each, each.event.what.rating, each.event.what.milliseconds)
        for each in done
        if isinstance(each.event.what, Practised)
    ]


def _answer(done: Done, rating: int, milliseconds: int) -> dict[str, Any]:
    event = done.event
    return {
        **_when(event),
        "rating": int(rating),
        "milliseconds": milliseconds,
        "key": event.id,
    }


def _when(event: Event) -> dict[str, str]:
    return {"at": on_its_clock(event), "day": event.day.isoformat()}


def _schedule(past: Past, source: Source) -> dict[str, Any]:
    """Where the item stands: for other programs, as it follows from the reviews."""
    state, config = past.state, source.collection.config
    due = due_of(state, source.now, config)
    learnt = None if isinstance(state, New) else state
    return {
        "state": state_name(state),
        "due": local(due, source.now) if due else None,
        "stability": learnt.memory.stability if learnt else None,
        "difficulty": learnt.memory.difficulty if learnt else None,
        "retrievability": recall_of(state, source.now, config),
        "repetitions": learnt.repetitions if learnt else 0,
        "lapses": learnt.lapses if learnt else 0,
        "buried_until": past.buried.isoformat() if past.buried else None,
    }


def _media(card: Card, pictures: Pictures, names: Names, report: ExportReport) -> dict[str, str]:
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
            what = "picture" if name in shown else "file"
            report.lose(card.id, f"The {what} {name!a} is not in it: {picture.why}.")
        elif picture.path is not None:
            found[name] = names.name(picture.path)
    return found


def _write_media(file: IO[bytes], files: dict[str, Path], report: ExportReport) -> None:
    """Each on a line of its own, in Base64."""
    comma = b"\n"
    for name, path in files.items():
        try:
            picture = open_regular(path)
        except OSError as error:
            report.lose(name, f"The picture cannot be read: {reason(error)}.")
            continue
        with picture:
            file.write(comma + json.dumps(name, ensure_ascii=False).encode() + b': "')
            while chunk := picture.read(_CHUNK):
                file.write(base64.b64encode(chunk))
        file.write(b'"')
        comma = b",\n"
        report.count("media")


def _text(value: Any) -> str:
    # Half a surrogate pair, which JSON can spell, is no UTF-8: spelt out where there is one.
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, allow_nan=False)
    return text
