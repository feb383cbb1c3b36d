"""A card's standing and answers: rows of `cards` and `revlog` to a `ForeignItem`.

`ivl` of an answer is days, or below 0 seconds.  `type` is 0 learning, 1 review, 2 relearning,
3 filtered, 4 set by hand, 5 rescheduled.  A filtered answer with factor 0 was a preview; a line set
by hand with factor and `ivl` 0 is "Forget", any other "Set Due Date".  (Anki:
rslib/src/revlog/mod.rs.)  The log does not say which day was set: the card's own row does.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Literal

from deck.exchange.anki.collection import AnkiCollection
from deck.exchange.anki.rows import LONGEST, Answer, Row
from deck.exchange.bundle import ForeignItem, ForeignReview
from deck.study_day import study_day

_FILTERED, _BY_HAND, _RESCHEDULED = 3, 4, 5
_NEW, _LEARNING, _REVIEW, _RELEARNING = 0, 1, 2, 3
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
    buried = None
    if row.queue in (-2, -3) and (put_off := _moment(collection.modified, zone)):
        buried = study_day(put_off, collection.rollover) + timedelta(days=1)
    return ForeignItem(
        suffix=suffix,
        reviews=tuple(reviews),
        suspended=row.queue == -1,
        due=due,
        interval=row.ivl if due is not None else None,
        buried=buried,
        changed=changed,
    )


def _is_learnt(reviews: list[ForeignReview]) -> bool:
    """Whether something counts that nothing has taken back since."""
    told = [review.what for review in reviews if review.what in ("reset", "answer", "set")]
    return bool(told) and told[-1] != "reset"


def _review(answer: Answer, key: str, zone: tzinfo | None) -> ForeignReview | None:
    at = _moment(answer.id, zone)
    if at is None:
        return None
    days = min(answer.ivl, LONGEST) if answer.ivl > 0 else None
    if answer.kind in (_BY_HAND, _RESCHEDULED) or answer.ease == 0:
        if answer.kind == _BY_HAND and not answer.factor and days is None:
            return ForeignReview(at, 0, key=key, what="reset")
        what: Literal["move", "set"] = "set" if answer.kind == _BY_HAND else "move"
        return ForeignReview(at, 0, days=days or 0, key=key, what=what)
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


def _due(row: Row, collection: AnkiCollection) -> datetime | None:
    """The day on which a card in review is due."""
    number = row.odue if row.odid and row.odue else row.due
    if row.type != _REVIEW or number >= _TIMES:
        return None
    return collection.days.of(number)


def _moment(milliseconds: int, zone: tzinfo | None) -> datetime | None:
    if not 0 < milliseconds < _LAST_MS:
        return None
    return datetime.fromtimestamp(milliseconds / 1000, zone or UTC)
