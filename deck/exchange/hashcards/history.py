"""The answers in hashcards' database: table `reviews` of `hashcards.db`, by the hash of a card.

Its times are the clock's of the place where it ran, without a zone: they are read as this
machine's.  Its days end at midnight, ours later: what counts of an answer is the day on which
the card was due again, and its interval only where that day cannot be read.  The file is copied
before it is opened: SQLite may write beside what it reads.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from datetime import date, datetime
from pathlib import Path
from typing import Any

from deck.exchange.bundle import ForeignReview, Lost

NAME = "hashcards.db"
_GRADES = {"forgot": 1, "again": 1, "hard": 2, "good": 3, "easy": 4}
_LARGEST = 2_000_000_000
_LONGEST_VALUE = 10_000
_COLUMNS = {"card_hash", "reviewed_at", "grade", "due_date"}


def answers(path: Path, lost: list[Lost]) -> dict[str, list[ForeignReview]]:
    """Every answer, by its card's hash and in the order of time; nothing where there is no file."""
    found: dict[str, list[ForeignReview]] = {}
    if not path.is_file():
        return found
    if path.stat().st_size > _LARGEST:
        lost.append(Lost(NAME, "It is larger than 2 GB; the answers were not read."))
        return found
    unread = 0
    try:
        with tempfile.TemporaryDirectory() as folder:
            for each in (path, path.with_name(f"{NAME}-wal")):
                if each.is_file():
                    shutil.copyfile(each, Path(folder, each.name))
            for row in _rows(Path(folder, path.name)):
                review = _review(row)
                if review is None:
                    unread += 1
                else:
                    found.setdefault(str(row["card_hash"]), []).append(review)
    except (sqlite3.Error, OSError, ValueError, OverflowError) as error:
        what = f"It cannot be read ({error}): the cards were read, answers only in part."
        lost.append(Lost(NAME, what))
    if unread:
        lost.append(Lost(NAME, f"{unread} answers have no time or grade that can be read."))
    for reviews in found.values():
        reviews.sort(key=lambda review: review.at)
    return found


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with closing(sqlite3.connect(path)) as base:
        base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)
        base.text_factory = lambda data: data.decode("utf-8", "replace")
        base.execute("PRAGMA trusted_schema = OFF")
        # A view of that name could be anything.
        tables = base.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        if ("reviews",) not in tables:
            raise ValueError("it has no table `reviews`")
        names = [row[1] for row in base.execute("PRAGMA table_info(reviews)")]
        if missing := _COLUMNS - set(names):
            raise ValueError(f"its table `reviews` has no column {sorted(missing)[0]}")
        wanted = [*sorted(_COLUMNS), *({"interval_days"} & set(names))]
        for row in base.execute(f"SELECT {', '.join(wanted)} FROM reviews"):
            yield dict(zip(wanted, row, strict=True))


def _review(row: dict[str, Any]) -> ForeignReview | None:
    rating = _GRADES.get(str(row["grade"]).lower())
    try:
        said = datetime.fromisoformat(str(row["reviewed_at"]))
        at = said.astimezone()
    except (ValueError, OverflowError, OSError):
        return None
    if rating is None:
        return None
    key = f"{str(row['card_hash'])[:16]}@{said.isoformat()}"
    return ForeignReview(at, rating, days=_days(row), key=key, due=_due(row))


def _days(row: dict[str, Any]) -> int | None:
    try:
        days = round(float(row.get("interval_days") or 0))
    except (ValueError, OverflowError):
        return None
    return days if days >= 1 else None


def _due(row: dict[str, Any]) -> date | None:
    try:
        return date.fromisoformat(str(row["due_date"])[:10])
    except ValueError:
        return None
