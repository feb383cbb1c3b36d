"""When org-fc asks a card again, and what was answered: its drawer, and its table of answers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from deck.exchange.bundle import ForeignItem, ForeignReview

_RATINGS = {"again": 1, "hard": 2, "good": 3, "easy": 4}
_LONGEST = 36500
Answers = dict[tuple[str, str], list[ForeignReview]]
"""By a card's id and a position's name."""


@dataclass(frozen=True, slots=True)
class Row:
    """A position's line in the drawer."""

    position: str
    due: datetime
    interval: int | None
    """Days, of a card that was answered; None for a new one, or one in learning."""
    last: datetime | None
    """The last answer, where the algorithm keeps it."""


def rows(lines: Iterable[str]) -> tuple[list[Row], list[str]]:
    """The lines of a REVIEW_DATA drawer, by their columns' names, and those that cannot be read."""
    names: list[str] = []
    found: list[Row] = []
    unread: list[str] = []
    for line in lines:
        bare = line.strip()
        if not bare.startswith("|") or bare.startswith("|-"):
            continue
        cells = [cell.strip() for cell in bare.strip("|").split("|")]
        if not names:
            names = [cell.casefold() for cell in cells]
            continue
        try:
            found.append(_row(dict(zip(names, cells, strict=False))))
        except (KeyError, ValueError, OverflowError):
            unread.append(bare[:80])
    return found, unread


def item(suffix: str, row: Row | None, answers: list[ForeignReview]) -> ForeignItem:
    """An item with the answers that are known, else with the last one as its row implies it."""
    if answers:
        *before, last = sorted(answers, key=lambda review: review.at)
        days = row.interval if row else None
        key, at, rating = last.key, last.at, last.rating
        ended = ForeignReview(at, rating, last.milliseconds, days or last.days, key)
        return ForeignItem(suffix, (*before, ended), due=row.due if row and days else None)
    if row is None or row.interval is None:
        return ForeignItem(suffix)
    at = row.last or row.due - timedelta(days=row.interval)
    key = f"due {row.due.isoformat()} {row.interval}"
    answer = ForeignReview(at, 3, days=row.interval, key=key, implied=True)
    return ForeignItem(suffix, (answer,), due=row.due)


def answers_of(text: str) -> tuple[Answers, int]:
    """The answers in org-fc's table of them (tabs between its cells), and how many lines are none.

    Its interval is the one before each answer: what an answer led to stands in the next line.
    """
    found: Answers = {}
    intervals: dict[tuple[str, str], list[int | None]] = {}
    unread = 0
    for line in text.split("\n"):
        if not line.strip():
            continue
        cells = line.split("\t")
        rating = _RATINGS.get(cells[7].strip().casefold()) if len(cells) > 8 else None
        try:
            at = _time(cells[0])
        except ValueError:
            rating = None
        if rating is None:
            unread += 1
            continue
        where = (cells[2].strip(), cells[3].strip())
        took = min(round((_number(cells[8]) or 0) * 1000), 86_400_000)
        review = ForeignReview(at, rating, max(took, 0), key=f"{at.isoformat()} {rating}")
        found.setdefault(where, []).append(review)
        intervals.setdefault(where, []).append(_days(cells[6]))
    for where, reviews in found.items():
        led = [*intervals[where][1:], None]
        found[where] = [
            ForeignReview(each.at, each.rating, each.milliseconds, days, each.key)
            for each, days in zip(reviews, led, strict=True)
        ]
    return found, unread


def _row(cells: dict[str, str]) -> Row:
    due = _time(cells["due"])
    last_text = cells.get("last-review", cells.get("last_review", ""))
    last = _time(last_text) if last_text not in ("", "nil", "None") else None
    interval = _days(cells.get("interval", ""))
    if interval is None and last is not None:
        interval = _days(str((due - last).total_seconds() / 86400))
    return Row(cells["position"], due, interval, last)


def _time(text: str) -> datetime:
    at = datetime.fromisoformat(text.strip())
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if -1e9 < number < 1e9 else None


def _days(text: str) -> int | None:
    number = _number(text.strip())
    days = round(number) if number is not None else 0
    return days if 1 <= days <= _LONGEST else None
