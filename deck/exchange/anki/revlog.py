"""A card's standing and answers: rows of `cards` and `revlog` to a `ForeignItem`.

`ivl` of an answer is days, or below 0 seconds.  `type` is 0 learning, 1 review, 2 relearning,
3 filtered, 4 set by hand, 5 rescheduled.  A filtered answer with factor 0 was a preview; one set by
hand with factor 0 is "Forget".  (Anki: rslib/src/revlog/mod.rs.)
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from deck.days import study_day
from deck.exchange.anki.collection import AnkiCollection
from deck.exchange.anki.rows import LONGEST, Answer, Row
from deck.exchange.bundle import ForeignItem, ForeignReview

_FILTERED, _BY_HAND, _RESCHEDULED = 3, 4, 5
_NEW, _LEARNING, _REVIEW, _RELEARNING = 0, 1, 2, 3
_NOON = time(12)
#: Due numbers beyond this are times, not days.
_TIMES = 1_000_000_000
_LAST_MS = 32_500_000_000_000


def item_of(
    suffix: str, row: Row, answers: Iterable[Answer], guid: str, collection: AnkiCollection
) -> ForeignItem:
    """What Anki knows of a card; `guid` is its note's."""
    zone = collection.zone
    key = f"{guid}:{row.ord}"
    reviews = [
        review
        for answer in answers
        if (review := _review(answer, f"{key}:{answer.id}", zone)) is not None
    ]
    changed = _moment(row.mod * 1000, zone)
    due = _due(row, collection)
    if row.type == _NEW and _is_learnt(reviews):
        # Forgotten by a version that kept no line of it.
        at = max(changed, reviews[-1].at + timedelta(milliseconds=1)) if changed else reviews[-1].at
        reviews.append(ForeignReview(at, 0, key=f"{key}:forgotten:{row.mod}", what="reset"))
    if due is not None and not _is_learnt(reviews):
        reviews.append(_instead(reviews, row, due, key, zone))
        reviews.sort(key=lambda review: review.at)
    buried = None
    if row.queue in (-2, -3) and (put_off := _moment(collection.modified, zone)):
        buried = study_day(put_off, collection.rollover) + timedelta(days=1)
    return ForeignItem(
        suffix=suffix,
        reviews=tuple(reviews),
        suspended=row.queue == -1,
        due=datetime.combine(due, _NOON, zone) if due else None,
        buried=buried,
        changed=changed,
    )


def _is_learnt(reviews: list[ForeignReview]) -> bool:
    """Whether an answer counts that nothing has taken back since."""
    for review in reversed(reviews):
        if review.what == "reset":
            return False
        if review.what == "answer":
            return True
    return False


def _review(answer: Answer, key: str, zone: tzinfo | None) -> ForeignReview | None:
    at = _moment(answer.id, zone)
    if at is None:
        return None
    days = min(answer.ivl, LONGEST) if answer.ivl > 0 else None
    if answer.kind in (_BY_HAND, _RESCHEDULED) or answer.ease == 0:
        if days is None:
            return ForeignReview(at, 0, key=key, what="reset")
        return ForeignReview(at, 0, days=days, key=key, what="move")
    preview = answer.kind == _FILTERED and answer.factor == 0
    # Before the second scheduler, 0 was "on this day, again": the step is not known.
    wait = timedelta(seconds=min(max(-answer.ivl, 60), 9_999_999)) if days is None else None
    return ForeignReview(
        at,
        min(answer.ease, 4),
        max(answer.time, 0),
        days,
        key,
        wait,
        "cram" if preview else "answer",
    )


def _instead(
    reviews: list[ForeignReview], row: Row, due: date, key: str, zone: tzinfo | None
) -> ForeignReview:
    """A card in review whose answers are gone (exported without them, or set by hand): one answer
    stands for them, so that it falls due on its day."""
    at = datetime.combine(due - timedelta(days=max(row.ivl, 1)), _NOON, zone)
    resets = [review.at for review in reviews if review.what == "reset"]
    if resets:
        at = max(at, resets[-1] + timedelta(milliseconds=1))
    days = max((due - at.date()).days, 1)
    return ForeignReview(at, 3, days=days, key=f"{key}:instead:{due}")


def _due(row: Row, collection: AnkiCollection) -> date | None:
    """The day on which a card in review is due."""
    number = row.odue if row.odid and row.odue else row.due
    if row.type != _REVIEW or number >= _TIMES:
        return None
    return collection.day(number)


def _moment(milliseconds: int, zone: tzinfo | None) -> datetime | None:
    if not 0 < milliseconds < _LAST_MS:
        return None
    return datetime.fromtimestamp(milliseconds / 1000, zone or UTC)
