"""What the tests of this room are given: cards, times and events."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from deck.collection import Collection
from deck.config import Config
from deck.events import Checked, Event, EventPayload, Reviewed, Unknown, next_id, write_line
from deck.fsrs import MODEL, Rating
from deck.history import History
from deck.index.store import Store
from deck.recording import AnswerInput
from deck.study_day import study_day, to_milliseconds

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
CONFIG = Config()
EXACT = Config(fuzz=False)
CLOZE = "{{c1::Backward}} and {{c2::forward}} messages."


def card_text(card_id: str, question: str = "Why?", **fields: object) -> str:
    header = {"id": card_id, "course": "Networks", "type": "basic", "status": "to_learn"} | fields
    lines = "\n".join(f"{key}: {value}" for key, value in header.items())
    return f"---\n{lines}\n---\n\n# Question\n{question}\n\n---\n\n# Solution\nBecause.\n"


def write_card(folder: Path, card_id: str, question: str = "Why?", **fields: object) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{card_id}.md"
    path.write_text(card_text(card_id, question, **fields), encoding="utf-8")
    return path


def opened(root: Path, now: datetime = NOON, device: str = "desk") -> Collection:
    return Collection.open(root, now, device)


def rated(
    collection: Collection, item: str, rating: Rating = Rating.GOOD, now: datetime = NOON
) -> Event:
    """An answer, and the `status:` line behind it."""
    event = collection.rate(item, rating, now, 1000)
    collection.settle()
    return event


def streamed(collection: Collection, answers: Iterable[AnswerInput], now: datetime) -> list[Event]:
    """Gives the answers without waiting for one another; what was recorded, in that order."""
    recorded: list[Event] = []
    with collection.stream(recorded.extend) as stream:
        for answer in answers:
            stream.give(answer, now)
    return recorded


def journal_of(root: Path, device: str = "desk", name: str = "2026-11.jsonl") -> Path:
    """A file of the journal; its folder is made."""
    path = root / ".deltadeck" / "journal" / device / name
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def configure(root: Path, text: str) -> None:
    (root / ".deltadeck").mkdir(exist_ok=True)
    (root / ".deltadeck" / "config.toml").write_text(text, encoding="utf-8")


def event(
    what: EventPayload,
    item: str = "a",
    at: datetime = NOON,
    seen: str = "",
    random: int = 0,
) -> Event:
    event_id = next_id(seen, at, random.to_bytes(8))
    return Event(event_id, item, to_milliseconds(at), 0, study_day(at, CONFIG.rollover), what)


def review(
    rating: Rating = Rating.GOOD,
    item: str = "a",
    at: datetime = NOON,
    seen: str = "",
    random: int = 0,
) -> Event:
    what = Reviewed(rating, 1000, MODEL, CONFIG.parameters_hash)
    return event(what, item, at, seen, random)


def line_of(known: Event) -> bytes:
    """The event's line, also of a kind that only a newer program writes."""
    if not isinstance(known.what, Unknown):
        return write_line(known)
    record = json.loads(write_line(replace(known, what=Checked({}))))
    return json.dumps(record | {"kind": known.what.name}).encode() + b"\n"


def append_events(private: Path, events: Iterable[Event], device: str = "desk") -> None:
    """Puts events into a journal as if `device` had written them."""
    path = private / "journal" / device / "2026-11.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        file.writelines(map(line_of, events))


def history_of(private: Path, config: Config = CONFIG) -> History:
    """The history of the journal in `private`, by an index of its own."""
    history = History(Store(private / "index.sqlite"), private, config)
    history.refresh()
    return history


def later(**span: float) -> datetime:
    return NOON + timedelta(**span)
