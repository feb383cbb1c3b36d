"""Another program's fold of the journal, from docs/journal-format.md and
docs/exams-and-statistics.md alone.

It reads lines of JSON, uses the code on the page of the model, and nothing of ours: a test holds
the two folds to each other on random histories.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from hashlib import blake2b
from typing import Any

Record = Mapping[str, Any]


@dataclass(frozen=True)
class Settings:
    """What a fold asks of the settings; durations in seconds."""

    learning: tuple[float, ...] = (60, 600)
    relearning: tuple[float, ...] = (600,)
    retention: float = 0.9
    longest: int = 36500
    fuzz: bool = True
    leech_lapses: int = 8
    suspends_leeches: bool = False


@dataclass
class Item:
    """Where an item stands."""

    name: str
    memory: tuple[float, float] | None = None
    """Stability and difficulty; None while it is new."""
    step: int | None = None
    """None in review."""
    interval: int = 0
    wait: timedelta = field(default_factory=timedelta)
    at: datetime | None = None
    day: date = date.min
    answers: int = 0
    lapses: int = 0
    relearning: bool = False
    suspended: bool = False
    buried: str | None = None

    @property
    def in_review(self) -> bool:
        return self.memory is not None and self.step is None


def fold(lines: Iterable[bytes], settings: Settings, model: Mapping[str, Any]) -> dict[str, Item]:
    """Every item that a line names; `model` holds the functions on the page of the model."""
    # Of lines under one id the first in sorting order counts, which is put in last.
    records = map(json.loads, sorted(lines, reverse=True))
    found = {record["id"]: record for record in records if record["v"] == 1}
    history = [found[name] for name in sorted(found)]
    undone = {record["target"] for record in history if record["kind"] == "undo"}
    items: dict[str, Item] = {}
    for record in history:
        if record["id"] in undone:
            continue
        names = record["due"] if record["kind"] == "move" else [record["item"]]
        for name in names:
            _take(items.setdefault(name, Item(name)), record, settings, model)
    return items


def _take(item: Item, record: Record, settings: Settings, model: Mapping[str, Any]) -> None:
    match record["kind"]:
        case "review":
            _answer(item, record, settings, model)
        case "suspend":
            item.suspended = record["on"]
        case "bury":
            item.buried = record["until"]
        case "reset":
            item.memory, item.step, item.relearning = None, None, False
            item.answers = item.lapses = 0
        case "move":
            _move(item, record, model)


def _move(item: Item, record: Record, model: Mapping[str, Any]) -> None:
    due, interval = date.fromisoformat(record["due"][item.name]), record.get("interval")
    if interval is not None:
        if item.memory is None:
            item.memory = (float(interval), model["first"](3)[1])
            day = date.fromisoformat(record["day"])
            item.day = min(day, due - timedelta(days=interval))
            item.at = datetime.fromisoformat(record["at"])
        item.step, item.relearning = None, False
        item.interval = max((due - item.day).days, 0)
    elif item.in_review:
        item.interval = max((due - item.day).days, 1)


def _answer(item: Item, record: Record, settings: Settings, model: Mapping[str, Any]) -> None:
    rating, day = record["rating"], date.fromisoformat(record["day"])
    was_new, was_in_review = item.memory is None, item.in_review
    if item.memory is None:
        item.memory = model["first"](rating)
    else:
        item.memory = model["after"](*item.memory, rating, max((day - item.day).days, 0))
    item.day, item.at = day, datetime.fromisoformat(record["at"])
    item.answers += 1
    if was_in_review:
        item.relearning = rating == 1
    if was_in_review and rating == 1:
        item.lapses += 1
        more = item.lapses - settings.leech_lapses
        half = max(settings.leech_lapses // 2, 1)
        if settings.leech_lapses and more >= 0 and more % half == 0 and settings.suspends_leeches:
            item.suspended = True
    promised = record.get("next")
    if isinstance(promised, list):
        item.step, item.wait = promised[0], timedelta(seconds=promised[1])
    elif promised is not None:
        item.step, item.interval = None, promised
    else:
        _decide(item, rating, was_new, was_in_review, settings)
        if item.step is None:
            item.interval = interval_of(item, settings, model)


def _decide(
    item: Item, rating: int, was_new: bool, was_in_review: bool, settings: Settings
) -> None:
    """The step, and how long it lasts, where the line does not say."""
    steps = settings.relearning if item.relearning else settings.learning
    step = 0 if was_new else item.step
    if not steps or rating == 4 or (was_in_review and rating != 1):
        item.step = None
    elif rating == 1:
        item.step = 0
    else:
        assert step is not None
        step += rating == 3
        item.step = step if step < len(steps) else None
    if item.step is None:
        return
    seconds = steps[item.step]
    if rating == 2 and item.step == 0:
        seconds = (steps[0] + steps[1]) / 2 if len(steps) > 1 else steps[0] * 1.5
    item.wait = timedelta(seconds=seconds)


def interval_of(item: Item, settings: Settings, model: Mapping[str, Any]) -> int:
    """In review, where the line does not say: in study days."""
    assert item.memory is not None
    exact: float = model["interval"](item.memory[0], settings.retention)
    days = max(1, min(round(exact), settings.longest))
    if not settings.fuzz or days < 2.5:
        return days
    half = 1.0
    for share, above, to in ((0.15, 2.5, 7), (0.10, 7, 20), (0.05, 20, days)):
        half += share * max(min(days, to) - above, 0)
    high = min(round(days + half), settings.longest)
    low = min(max(round(days - half), 2), high)
    seed = f"{item.answers}\0{item.name}".encode()
    place = int.from_bytes(blake2b(seed, digest_size=8).digest(), "big")
    return low + place * (high - low + 1) // 2**64
