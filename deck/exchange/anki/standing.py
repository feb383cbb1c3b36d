"""What stands for an answer where Anki has a card in review and no answer of it says so.

"Set Due Date" makes a review card of any card, with no more than a line of the log; a package that
was exported without its history has not even that.  Here an item is in review by an answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta

from deck.days import study_day
from deck.exchange.bundle import ForeignReview

_JUST_AFTER = timedelta(milliseconds=1)
_DAY = timedelta(days=1)
_AT_ONCE = timedelta(minutes=1)


def stood_in(
    reviews: Sequence[ForeignReview],
    due: datetime,
    interval: int,
    changed: datetime | None,
    key: str,
    rollover: time,
) -> list[ForeignReview]:
    """The lines of a card that is in review, with one more where no answer leads there.

    A line that was made of one in the log is the same in each package to come, whatever the due
    day is by then.
    """
    place = 1 + max((n for n, each in enumerate(reviews) if _counts(each)), default=-1)
    last = reviews[place - 1] if place else None
    if last is not None and last.what == "answer" and last.days is not None:
        return list(reviews)
    day = study_day(due, rollover)
    if last is not None and last.what == "answer" and _is_asked_on(day, last, rollover):
        return list(reviews)
    at, name, days = _origin(reviews, place, due, interval, changed)
    if last is not None:
        at = max(at, last.at + _JUST_AFTER)
    since = study_day(at, rollover)
    if day > since:
        led = ForeignReview(at, 3, days=days or (day - since).days, key=f"{name or key}:instead")
    else:  # forgotten, and set to the same day: no number of days is 0
        led = ForeignReview(at, 3, key=f"{name or key}:now", wait=_AT_ONCE)
    if not name:
        led = ForeignReview(led.at, 3, 0, led.days, f"{led.key}:{day}", led.wait)
    return sorted([*reviews, led], key=lambda each: each.at)


def _counts(review: ForeignReview) -> bool:
    return review.what in ("answer", "reset")


def _is_asked_on(day: date, step: ForeignReview, rollover: time) -> bool:
    """Whether a learning step brings a card on its due day all by itself."""
    after = step.at + (step.wait or timedelta())
    return day <= study_day(step.at, rollover) == study_day(after, rollover)


def _origin(
    reviews: Sequence[ForeignReview],
    place: int,
    due: datetime,
    interval: int,
    changed: datetime | None,
) -> tuple[datetime, str, int]:
    """When it would have been answered, the key of the line that says so, and the days that it
    led to: 0 where that is as many as there are until the due day."""
    if place and reviews[place - 1].what == "answer":  # what is remembered stays as it was
        return reviews[place - 1].at, reviews[place - 1].key, 1
    for by_hand in reviews[place:]:
        if by_hand.what == "move":
            return by_hand.at - _DAY, by_hand.key, 1  # the day before: due on the same one at best
    at = due - timedelta(days=max(interval, 1))
    return (min(at, changed) if changed else at), "", 0
