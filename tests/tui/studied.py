"""A collection that was studied for half a year, the same in every run."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from deck.config import Config
from deck.events import (
    RANDOM_BYTES,
    Checked,
    Event,
    EventPayload,
    Interval,
    LearningStep,
    Reviewed,
    next_id,
    write_line,
)
from deck.fsrs import MODEL, Rating

NOW = datetime(2026, 11, 20, 10, tzinfo=UTC)
SETTINGS = """
[courses."Machine Learning"]
exam = 2027-01-20
target = 70
"""
_COURSES = ("Machine Learning", "Control")
_HOURS = (7, 7, 8, 8, 8, 13, 17, 18, 18, 19, 19, 19, 20, 20, 21, 22)
_WRONG = (
    "every window sends its message to all of its inputs",
    "a maximum that occurs twice is counted twice",
    "overlapping windows overwrite each other",
)
_CARD = """---
id: {id}
course: {course}
type: basic
created: {created}
tags: [{tag}]
---

# Question
({points}p) What is number {number}?

---
# Solution
It is {number}.
"""
_Told = tuple[datetime, str, EventPayload]


def make(root: Path, cards: int = 60) -> None:
    """Writes cards, settings and a journal into the folder `root`."""
    chance = random.Random(7)
    told: list[_Told] = []
    for number in range(cards):
        begun = chance.randint(2, 200)
        name = f"card{number:03d}"
        created = (NOW - timedelta(days=begun + chance.randint(0, 9))).date()
        course, points = _COURSES[number % 3 == 2], 1 + number % 4
        text = _CARD.format(
            id=name, course=course, created=created, tag=f"t{number % 4}", points=points,
            number=number,
        )  # fmt: skip
        (root / f"{name}.md").write_text(text, encoding="utf-8")
        if number % 7:
            told += _answers(name, begun, chance)
    told += _checks(chance)
    (root / ".deltadeck").mkdir()
    (root / ".deltadeck" / "config.toml").write_text(SETTINGS, encoding="utf-8")
    _write(root / ".deltadeck" / "journal" / "desk", sorted(told, key=lambda each: each[:2]))


def _answers(name: str, begun: int, chance: random.Random) -> Iterator[_Told]:
    parameters, interval = Config().parameters_hash, 0.0
    at = _some_time(NOW - timedelta(days=begun), chance)
    for number in range(40):
        if at >= NOW:
            return
        right = chance.random() < (0.93 if at.hour < 12 else 0.88)
        rating = Rating(chance.choice((2, 3, 3, 3, 3, 4)) if right else 1)
        if number == 0 or not right:
            promise: Interval | LearningStep = LearningStep(1, timedelta(minutes=10))
            then, interval = at + timedelta(minutes=10), max(interval * 0.2, 1.0)
        else:
            interval = max(interval, 1.0) * (1.2, 1.2, 2.3, 3.2)[rating - 1]
            promise = Interval(round(interval))
            late = 0 if chance.random() < 0.8 else chance.randint(1, 6)
            then = _some_time(at + timedelta(days=round(interval) + late), chance)
        took = chance.randint(6000, 40_000)
        yield at, name, Reviewed(rating, took, MODEL, parameters, "reviewing", None, promise)
        at = then


def _some_time(day: datetime, chance: random.Random) -> datetime:
    hour = chance.choice(_HOURS)
    return day.replace(hour=hour, minute=chance.randint(0, 59), second=chance.randint(0, 59))


def _checks(chance: random.Random) -> Iterator[_Told]:
    for number in range(14):
        at = NOW - timedelta(days=5 * number + 1, hours=chance.randint(0, 6))
        verdict = chance.choice(("correct", "wrong", "wrong", "correct-except-ties"))
        data = {"verdict": verdict, "answer": "dx[i,j] = ..."}
        if verdict == "wrong":
            data["misconception"] = _WRONG[max(number % 5 - 2, 0)]
        yield at, f"card{number % 5:03d}", Checked(data)


def _write(folder: Path, told: list[_Told]) -> None:
    folder.mkdir(parents=True)
    months: dict[str, list[bytes]] = {}
    for count, (at, item, what) in enumerate(told):
        event_id = next_id("", at, count.to_bytes(RANDOM_BYTES))
        event = Event(event_id, item, at, 0, (at - timedelta(hours=4)).date(), what)
        months.setdefault(f"{at:%Y-%m}", []).append(write_line(event))
    for month, lines in months.items():
        (folder / f"{month}.jsonl").write_bytes(b"".join(lines))
