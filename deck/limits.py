"""The limits of one study day: the collection's, each course's own, and what was raised today."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from cards.model import Card
from deck.config import Config
from deck.event import Raised
from deck.fold import Answer
from deck.state import Learning, New

Was = Literal["new", "learning", "review"]


@dataclass(frozen=True, slots=True)
class Done:
    """An answer of the present study day."""

    item_id: str
    card_id: str
    course: str
    was: Was
    """Where the item stood."""


def done(answer: Answer, card: Card | None) -> Done:
    """`card` is None where the answered card is gone."""
    before = answer.before
    was: Was = "review"
    if isinstance(before, New | Learning):
        was = "new" if isinstance(before, New) else "learning"
    item = answer.event.item
    return Done(item, card.id if card else item, card.course if card else "", was)


class Limits:
    """How many more new items (or reviews) this study day takes, counted down as they are taken."""

    def __init__(
        self, kind: Literal["new", "review"], today: Iterable[Done], config: Config,
        raised: Iterable[Raised] = (),
    ) -> None:  # fmt: skip
        is_new = kind == "new"
        self._left = config.new_per_day if is_new else config.reviews_per_day
        self._courses: dict[str, int] = {}
        for name, course in config.courses.items():
            own = course.new_per_day if is_new else course.reviews_per_day
            if own is not None:
                self._courses[name] = own
        for more in raised:
            # More of one course is more of everything: else the other courses would pay for it.
            self._change(more.course, more.new if is_new else more.reviews)
        for each in today:
            if each.was == kind:
                self._change(each.course, -1)

    def _change(self, course: str, by: int) -> None:
        self._left += by
        if course in self._courses:
            self._courses[course] += by

    def takes(self, course: str) -> bool:
        """Whether there is room for one more of the course; if so, it is used up."""
        if self._left <= 0 or self._courses.get(course, 1) <= 0:
            return False
        self._change(course, -1)
        return True
