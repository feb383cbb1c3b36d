"""The collection's settings: what `.deltadeck/config.toml` says, or the defaults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import date, time, timedelta
from functools import lru_cache
from hashlib import blake2b
from types import MappingProxyType
from typing import Any, Literal

from cards.model import Card
from deck.fsrs import DEFAULT_PARAMETERS, MODEL
from deck.orders import NewMix, NewOrder, ReviewOrder

LeechAction = Literal["mark", "suspend"]


@dataclass(frozen=True, slots=True)
class Course:
    """What `[courses."Name"]` says of one course; None where the collection's setting holds."""

    new_per_day: int | None = None
    reviews_per_day: int | None = None
    desired_retention: float | None = None
    learning_steps: tuple[timedelta, ...] | None = None
    relearning_steps: tuple[timedelta, ...] | None = None
    maximum_interval: int | None = None
    line_breaks: bool | None = None
    exam: date | None = None
    """The study day of the exam."""
    target: float | None = None
    """Points that are wanted on that day."""
    minutes_per_day: float | None = None
    """What the plan for the exam may take."""


@dataclass(frozen=True, slots=True)
class Config:
    """Settings of one collection; they travel with its cards."""

    new_per_day: int = 20
    reviews_per_day: int = 200
    desired_retention: float = 0.9
    """The chance of recall at which a review falls due."""
    learning_steps: tuple[timedelta, ...] = (timedelta(minutes=1), timedelta(minutes=10))
    relearning_steps: tuple[timedelta, ...] = (timedelta(minutes=10),)
    maximum_interval: int = 36500
    """Days."""
    rollover: time = time(4)
    """Local time at which a study day begins."""
    fuzz: bool = True
    write_status: bool = True
    """Whether `status:` in the card files follows the schedule."""
    parameters: tuple[float, ...] = DEFAULT_PARAMETERS
    """Of the model; 21 for FSRS-6."""
    model: str = MODEL
    """A name in `deck.models.MODELS`."""
    easy_days: Mapping[int, float] = field(default_factory=lambda: MappingProxyType({}))
    """Weekday (0 is Monday) to the share of reviews that it takes, 0..1; 1 where it is missing."""
    leech_lapses: int = 8
    """Lapses that make an item a leech; 0 for never.  Half as many more are the next warning."""
    leech_action: LeechAction = "mark"
    """Whether a leech is only found (`is:leech`), or also put aside."""
    bury_siblings: bool = True
    """Whether of one card's items a study day asks only one."""
    review_order: ReviewOrder = "retrievability"
    new_order: NewOrder = "easy"
    new_mix: NewMix = "mix"
    interleave: bool = False
    """Whether the reviews of all courses alternate."""
    minutes_per_day: float = 30.0
    """What the plan for an exam may take, where the course does not say."""
    courses: Mapping[str, Course] = field(default_factory=lambda: MappingProxyType({}))
    searches: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Saved searches by name."""
    macros: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """LaTeX commands for all cards: name, backslash included, to what it stands for."""
    line_breaks: bool = False
    """Whether a line break in a card's text is one on its page, where the card does not say."""
    extra: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    """Tables that other rooms read (`[keys]`, ...), as written."""

    def of_course(self, name: str) -> Config:
        """The settings for the items of one course."""
        course = self.courses.get(name)
        if course is None:
            return self
        own = {key: getattr(course, key) for key in _PER_COURSE}
        return replace(self, **{key: value for key, value in own.items() if value is not None})

    def breaks_lines(self, card: Card) -> bool:
        """Whether a line break in the card's text is one on its page."""
        own = card.line_breaks
        return self.of_course(card.course).line_breaks if own is None else own

    def leeches_at(self, lapses: int) -> bool:
        """Whether exactly so many lapses are worth a warning (Anki rounds the half up)."""
        if self.leech_lapses == 0 or lapses < self.leech_lapses:
            return False
        return (lapses - self.leech_lapses) % max(self.leech_lapses // 2, 1) == 0

    @property
    def parameters_hash(self) -> str:
        """Names the model's parameters in the journal."""
        return _hash_of(self.parameters)


@lru_cache(maxsize=8)
def _hash_of(parameters: tuple[float, ...]) -> str:
    text = ",".join(map(repr, parameters))
    return blake2b(text.encode(), digest_size=4).hexdigest()


#: The settings that a course may have of its own.
_PER_COURSE = {each.name for each in fields(Course)} & {each.name for each in fields(Config)}

#: What `Collection.init` writes: every setting with its default, as a comment.
TEMPLATE = """\
# Settings of this collection.  Remove the "#" in front of a line to change its setting.

# new_per_day = 20            # new items a study day
# reviews_per_day = 200       # reviews a study day
# desired_retention = 0.9     # chance of recall at which a review falls due (0.70 to 0.99)
# learning_steps = ["1m", "10m"]
# relearning_steps = ["10m"]  # after a lapse
# maximum_interval = 36500    # days
# rollover = "04:00"          # local time at which a study day begins
# fuzz = true                 # spread items that were learnt together
# write_status = true         # "status:" in the card files follows the schedule
# review_order = "retrievability"  # or due, difficulty, interval, points, random
# new_order = "easy"          # or path, random
# new_mix = "mix"             # or before, after: where new items stand among reviews
# line_breaks = false         # a line break in a card's text is one on its page
# interleave = false          # the reviews of all courses alternate
# bury_siblings = true        # of one card's items, a day asks only one
# easy_days = {}              # such as {sat = 0.5, sun = 0}: the share of reviews they take
# leech_lapses = 8            # lapses that make an item a leech (is:leech), 0 for never
# leech_action = "mark"       # or suspend: put leeches aside
# minutes_per_day = 30        # for the plan of an exam
# parameters = [...]          # of the model; `deltadeck optimize` fits them

# [courses."Statistical Machine Learning"]
#exam = 2027-01-20            # plans towards recall on that day
#target = 40                  # points wanted on that day
#desired_retention = 0.92     # and limits, steps, maximum_interval, minutes_per_day of its own

# [searches]                  # `deltadeck search @hard`
#hard = "difficulty>=4 -is:suspended"

# [math.macros]               # LaTeX commands for all cards; #1 to #9 are arguments
#R = '\\mathbb{R}'
"""
