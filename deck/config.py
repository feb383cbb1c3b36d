"""The collection's settings: what `.deltadeck/config.toml` says, or the defaults.

`Config` is the one table of settings: each field says its default, what values it takes, and how it
is called and explained where settings are shown.  deck/settings.py shows, types and writes them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, get_args

from cards.files import open_regular
from cards.model import Card, Problem
from cards.text import macro_name
from deck import fsrs
from deck.errors import CollectionError, broken, odd, reason, refusal
from deck.fsrs import Fsrs6, Memory, Met
from deck.study_day import iso_day

if TYPE_CHECKING:
    from deck.fsrs import Floats

# The memory models.


class Model(Protocol):
    """A memory model.  A memory is a `Memory`, or a subclass of it that carries more.

    Nothing else knows which model it is: replay, queue, statistics and exam mode ask
    `model_of(config)`.  The journal says with each answer which model and parameters scheduled it.
    """

    name: str
    defaults: tuple[float, ...]
    bounds: tuple[tuple[float, float], ...]
    """(lowest, highest) of each parameter."""
    parameters: tuple[float, ...]
    same_day: bool
    """Whether it says how a memory grows within a day, so that intervals may be shorter."""

    def __init__(self, parameters: Sequence[float]) -> None: ...

    def initial(self, rating: int) -> Memory:
        """After the first answer."""

    def after(self, memory: Memory, rating: int, elapsed: int) -> Memory:
        """After an answer `elapsed` study days later (below 0, the clock was set back: as 0)."""

    def follow(
        self, memory: Memory, ratings: Iterable[int], elapsed: Iterable[int]
    ) -> tuple[Memory, list[Met]]:
        """`after`, answer by answer: the last memory, and what each of them met."""

    def recall(self, memory: Memory, elapsed: float) -> float:
        """The chance of recall, 0..1, after so many days."""

    def recalls(self, stabilities: Iterable[float], elapsed: float) -> list[float]:
        """`recall` of many memories after as many days, where it depends on no more than that."""

    def recall_of(self, stability: Floats, elapsed: Floats | float) -> Floats:
        """`recall` of many, as arrays."""

    def after_of(
        self, stability: Floats, difficulty: Floats, rating: int, elapsed: Floats | float
    ) -> tuple[Floats, Floats]:
        """`after` of many, as arrays."""

    def interval(self, memory: Memory, desired_retention: float) -> float:
        """Days until the chance of recall has fallen that far."""

    def spent(self, chance: float) -> float | None:
        """The elapsed time, in stabilities, at which recall has fallen to `chance` (0..1).

        None where recall depends on more than elapsed time over stability.
        """


#: By name.  A new model is a class with the methods of `Model`, and a word here.
MODELS: dict[str, type[Model]] = {fsrs.MODEL: Fsrs6}


def model_of(config: Config) -> Model:
    """The model that the settings name, with their parameters."""
    return _model(config.model, config.parameters)


@lru_cache(maxsize=8)
def _model(name: str, parameters: tuple[float, ...]) -> Model:
    return MODELS[name](parameters)


# What values a setting can have.


class UnusableError(ValueError):
    """A value that a setting cannot take; its text says what the setting does take."""


def _number(text: str) -> Any:
    """A number as it was typed; what is none, as it is."""
    for read in (int, float):
        with suppress(ValueError):
            return read(text)
    return text


@dataclass(frozen=True, slots=True)
class ValueKind:
    """What values a setting takes."""

    read: Callable[[Any], Any]
    """A value of TOML as a value of `Config`.  Raises UnusableError."""
    typed: Callable[[str], Any] = _number
    """What was typed, as TOML has it; `read` says whether that is a value."""
    hint: str = ""
    """How to type it, where that is not how TOML has it."""
    choices: tuple[str, ...] | None = None
    """Where the values follow each other and none is written: what is shown of them."""


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _whole(lowest: int, highest: int) -> ValueKind:
    def read(value: Any) -> int:
        if type(value) is not int or not lowest <= value <= highest:
            raise UnusableError(f"Give a whole number from {lowest} to {highest}")
        return value

    return ValueKind(read)


def _between(lowest: float, highest: float, said: str = "") -> Callable[[Any], float]:
    def read(value: Any) -> float:
        if not _is_number(value) or not lowest <= value <= highest:
            raise UnusableError(said or f"Give a number from {lowest:g} to {highest:g}")
        return float(value)

    return read


def _typed_share(text: str) -> Any:
    """`90 %` and `90` are 0.9, too."""
    value = _number(text.removesuffix("%").strip())
    return round(value / 100, 4) if isinstance(value, int | float) and value > 1 else value


#: The chance of recall at which a review falls due.
RETENTION: Final = ValueKind(
    _between(0.70, 0.99, "Give a number from 0.70 to 0.99, such as 0.9"),
    _typed_share,
    "Give a share from 70 to 99 %",
)


def _read_switch(value: Any) -> bool:
    if not isinstance(value, bool):
        raise UnusableError("Give true or false")
    return value


_YES_NO: Final = {"yes": True, "true": True, "no": False, "false": False}
_SWITCH: Final = ValueKind(
    _read_switch, lambda text: _YES_NO.get(text.lower(), text), choices=("yes", "no")
)


def choice(*choices: str) -> ValueKind:
    """One of these."""

    def read(value: Any) -> str:
        if value not in choices:
            raise UnusableError(f"Give one of {', '.join(choices)}")
        return str(value)

    return ValueKind(read, str, choices=choices)


_SPAN = re.compile(r"(\d{1,6})\s*([smhd])")
_UNITS: Final = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}


def _read_spans(value: Any) -> tuple[timedelta, ...]:
    if not isinstance(value, list) or not all(isinstance(step, str) for step in value):
        raise UnusableError('Give a list of times, such as ["1m", "10m"]')
    spans = []
    for text in value:
        found = _SPAN.fullmatch(text.strip())
        span = timedelta(**{_UNITS[found[2]]: int(found[1])}) if found else timedelta()
        if not timedelta() < span <= timedelta(days=365):
            raise UnusableError(f'Give each step as "30s", "10m", "2h" or "1d", not {text!a}')
        spans.append(span)
    return tuple(spans)


_SPANS: Final = ValueKind(
    _read_spans,
    lambda text: [] if text == "none" else text.replace(",", " ").split(),
    "Give times such as 30s 10m 2h 1d, or none",
)


def _read_clock(value: Any) -> time:
    if isinstance(value, time):
        return value.replace(tzinfo=None)
    try:
        return time.fromisoformat(value).replace(tzinfo=None)
    except (TypeError, ValueError) as error:
        raise UnusableError('Give a time of day, such as "04:00"') from error


_CLOCK: Final = ValueKind(_read_clock, str, "Give a time of day such as 04:00")


def _read_day(value: Any) -> date:
    value = iso_day(value) if isinstance(value, str) else value
    if isinstance(value, datetime):
        value = value.date()
    if not isinstance(value, date) or not 1970 <= value.year < 3000:
        raise UnusableError("Give a day, such as 2027-01-20")
    return value


_DAY: Final = ValueKind(
    _read_day, lambda text: iso_day(text) or text, "Give a day such as 2027-01-20"
)
WEEKDAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


def _read_easy_days(value: Any) -> Mapping[int, float]:
    hint = "Give a table such as {sat = 0.5, sun = 0}: the share of reviews that the day takes"
    if not isinstance(value, dict):
        raise UnusableError(hint)
    shares = {}
    for name, share in value.items():
        if name[:3].lower() not in WEEKDAYS or not _is_number(share) or not 0 <= share <= 1:
            raise UnusableError(hint)
        shares[WEEKDAYS.index(name[:3].lower())] = float(share)
    return MappingProxyType(shares)


def _typed_easy_days(text: str) -> dict[str, Any]:
    words = re.sub("[,:=]", " ", text).split()
    return dict(zip(words[::2], map(_number, words[1::2]), strict=False))


#: Weekdays (0 is Monday), each with the share of reviews that it takes.
_EASY_DAYS: Final = ValueKind(
    _read_easy_days, _typed_easy_days, "Give weekdays and shares from 0 to 1, such as sat 0.5 sun 0"
)


def _read_parameters(value: Any) -> tuple[float, ...]:
    """The numbers of a model; of which, `_check_parameters` asks."""
    if not isinstance(value, list) or not all(map(_is_number, value)):
        count = len(fsrs.DEFAULT_PARAMETERS)
        raise UnusableError(
            f"Give the numbers of the model ({count} for FSRS-6), or remove the line"
        )
    return tuple(map(float, value))


# The settings.

#: retrievability: the least likely recalled first.  due: the longest due first.  difficulty: the
#: hardest memory first.  interval: the shortest first.  points: the most points first.
ReviewOrder = Literal["retrievability", "due", "difficulty", "interval", "points", "random"]
#: easy: course by course in turn, each course's easy cards first.  path: in the order of the files.
NewOrder = Literal["easy", "path", "random"]
#: Where new items stand: spread between the reviews, before them, or after them.
NewMix = Literal["mix", "before", "after"]
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
    type_answers: bool | None = None
    exam: date | None = None
    """The study day of the exam."""
    target: float | None = None
    """Points that are wanted on that day."""
    minutes_per_day: float | None = None


@dataclass(frozen=True, slots=True)
class Config:
    """Settings of one collection; they travel with its cards.  `SETTINGS` explains them."""

    new_per_day: int = 20
    reviews_per_day: int = 200
    desired_retention: float = 0.9
    learning_steps: tuple[timedelta, ...] = (timedelta(minutes=1), timedelta(minutes=10))
    relearning_steps: tuple[timedelta, ...] = (timedelta(minutes=10),)
    maximum_interval: int = 36500
    rollover: time = time(4)
    fuzz: bool = True
    write_status: bool = True
    parameters: tuple[float, ...] = fsrs.DEFAULT_PARAMETERS
    model: str = fsrs.MODEL
    easy_days: Mapping[int, float] = field(default_factory=lambda: MappingProxyType({}))
    """Weekday (0 is Monday) to the share of reviews that it takes, 0..1; 1 where it is missing."""
    leech_lapses: int = 8
    """Half as many more are the next warning."""
    leech_action: LeechAction = "mark"
    bury_siblings: bool = True
    review_order: ReviewOrder = "retrievability"
    new_order: NewOrder = "easy"
    new_mix: NewMix = "mix"
    interleave: bool = False
    minutes_per_day: float = 30.0
    line_breaks: bool = False
    type_answers: bool = False
    courses: Mapping[str, Course] = field(default_factory=lambda: MappingProxyType({}))
    searches: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Saved searches by name."""
    macros: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """LaTeX commands for all cards: name, backslash included, to what it stands for."""
    extra: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    """Tables that other rooms read (`[keys]`, ...), as written."""

    def of_course(self, name: str) -> Config:
        """The settings for the items of one course."""
        course = self.courses.get(name)
        if course is None:
            return self
        own = {key: getattr(course, key) for key in _OF_BOTH}
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

    def exams(self) -> list[tuple[date, str]]:
        """Day and course of every exam, the next one first."""
        days = [(course.exam, name) for name, course in self.courses.items()]
        return sorted((day, name) for day, name in days if day is not None)

    @property
    def parameters_hash(self) -> str:
        """Names the model's parameters in the journal."""
        return _hash_of(self.parameters)


@lru_cache(maxsize=8)
def _hash_of(parameters: tuple[float, ...]) -> str:
    return blake2b(",".join(map(repr, parameters)).encode(), digest_size=4).hexdigest()


_OF_BOTH: Final = {each.name for each in fields(Course)} & {each.name for each in fields(Config)}


@dataclass(frozen=True, slots=True)
class Setting:
    """A field of `Config` or `Course` as what it is to the learner."""

    key: str
    kind: ValueKind
    label: str = ""
    """"" where the settings screen leaves it out."""
    help: str = ""

    @property
    def scope(self) -> Literal["all", "course", "both"]:
        """Whether it is the collection's, a course's, or a course may have its own."""
        if self.key in _OF_BOTH:
            return "both"
        return "course" if self.key in Course.__slots__ else "all"

    @property
    def turns(self) -> bool:
        """Whether its values follow each other and none is written."""
        return self.kind.choices is not None

    @property
    def offered(self) -> tuple[str, ...]:
        """The values of one that turns."""
        return self.kind.choices or ()


#: Every setting, in the order and under the headings of the settings screen.
GROUPED: Final[Mapping[str, tuple[Setting, ...]]] = MappingProxyType({
    "A day": (
        Setting("new_per_day", _whole(0, 99999), "New items a day",
                "The daily limit of new items."),
        Setting("reviews_per_day", _whole(0, 99999), "Reviews a day",
                "The daily limit of reviews."),
        Setting("rollover", _CLOCK, "A day begins at",
                "Local time. What you study before it counts for the day before."),
        Setting("easy_days", _EASY_DAYS, "Easy days",
                "The share of reviews that a weekday takes, such as sat 0.5 sun 0."),
    ),
    "Memory": (
        Setting("desired_retention", RETENTION, "Desired retention",
                "The chance of recall at which a review falls due: more means more reviews."),
        Setting("learning_steps", _SPANS, "Learning steps",
                "Waits between the first answers: 1m 10m 1d."),
        Setting("relearning_steps", _SPANS, "Relearning steps",
                "The same, after a forgotten review."),
        Setting("maximum_interval", _whole(1, 36500), "Longest interval",
                "In days; no review is scheduled further ahead."),
        Setting("fuzz", _SWITCH, "Spread reviews",
                "Items learnt together fall due on different days, where that evens the load."),
    ),
    "Order": (
        Setting("review_order", choice(*get_args(ReviewOrder)), "Reviews",
                "What comes first; retrievability: the least likely to be recalled."),
        Setting("new_order", choice(*get_args(NewOrder)), "New items",
                "easy: by difficulty; path: as the files lie."),
        Setting("new_mix", choice(*get_args(NewMix)), "New among reviews",
                "Where new items stand among the reviews."),
        Setting("interleave", _SWITCH, "Mix courses", "The reviews of all courses alternate."),
        Setting("bury_siblings", _SWITCH, "Bury siblings",
                "A study day asks only one item of each card."),
    ),
    "Answers": (
        Setting("type_answers", _SWITCH, "Type answers",
                "Short answers of basic cards are typed, and compared at the reveal."),
    ),
    "Leeches": (
        Setting("leech_lapses", _whole(0, 999), "Leech threshold",
                "Lapses that make an item a leech (is:leech finds it); 0 for never."),
        Setting("leech_action", choice(*get_args(LeechAction)), "Leech action",
                "mark: is:leech finds it; suspend: it is suspended too."),
    ),
    "Exam": (
        Setting("exam", _DAY, "Day of the exam", "Such as 2027-01-20."),
        Setting("target", ValueKind(_between(0, 1e6)), "Target points",
                "Points to reach on that day; home says whether you can."),
        Setting("minutes_per_day", ValueKind(_between(0, 1440)), "Minutes a day",
                "Study time that the exam plan may use."),
    ),
    "Files": (
        Setting("write_status", _SWITCH, "Write status",
                "The line `status:` in the card files follows the schedule."),
        Setting("line_breaks", _SWITCH, "Keep line breaks",
                "Keep a card's own line breaks, as Obsidian does."),
    ),
    "": (
        Setting("parameters", ValueKind(_read_parameters)),  # the optimiser writes them
        Setting("model", choice(*MODELS)),
    ),
})  # fmt: skip

#: The same by their keys.
SETTINGS: Final[Mapping[str, Setting]] = MappingProxyType(
    {setting.key: setting for group in GROUPED.values() for setting in group}
)


def settings_of(course: bool) -> dict[str, Setting]:
    """The settings of the collection, or those that a course may have."""
    other = "all" if course else "course"
    return {key: each for key, each in SETTINGS.items() if each.scope != other}


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
# type_answers = false        # short answers of basic cards are typed, and compared
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


# Reading.


def read_config(path: Path) -> tuple[Config, tuple[Problem, ...]]:
    """The settings at `path` (the defaults where there is no file) and warnings about them.

    Raises:
        CollectionError: the file cannot be read, or holds a value that no setting takes.
    """
    return parse_config(settings_text(path), path)


def settings_text(path: Path) -> str:
    """The file's text, "" where there is none.  Raises CollectionError: it cannot be read."""
    try:
        with open_regular(path) as file:
            return file.read().decode("utf-8-sig")
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except OSError as error:
        message = f"The settings cannot be read: {reason(error)}."
        raise refusal(path, message, "Check that it is a file, and its permissions.") from error
    except UnicodeDecodeError as error:
        hint = "Save the file as UTF-8, or delete it to use the defaults."
        raise refusal(path, "The settings are not UTF-8 text.", hint) from error


def parse_config(text: str, path: Path | None = None) -> tuple[Config, tuple[Problem, ...]]:
    """`read_config` of a text; `path` only names it."""
    config, problems = usable_config(text, path)
    for problem in problems:
        if problem.severity == "error":
            raise CollectionError(problem)
    return config, problems


def usable_config(text: str, path: Path | None = None) -> tuple[Config, tuple[Problem, ...]]:
    """`parse_config` to the end: a value that no setting takes is an error among the problems, and
    the default holds.  Raises CollectionError where the text is not TOML."""
    import tomllib  # not where there are no settings

    try:
        table = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        found = re.search(r"line (\d+)", str(error))
        hint = "Correct the line, or delete the file to use the defaults."
        line = int(found[1]) if found else text.count("\n") + 1
        raise refusal(path, f"The settings are not TOML: {error}.", hint, line) from error
    return _ConfigReader(text, path).read(table)


class _ConfigReader:
    """Reads one text of settings, and gathers what is wrong in it."""

    def __init__(self, text: str, path: Path | None) -> None:
        self._text, self._path = text, path
        self._problems: list[Problem] = []

    def read(self, table: Mapping[str, Any]) -> tuple[Config, tuple[Problem, ...]]:
        known = settings_of(course=False)
        values: dict[str, Any] = {}
        extra: dict[str, Any] = {}
        for key, value in table.items():
            if key in known:
                self._take(values, known[key], value, f"The setting {key}")
            elif key == "courses":
                values[key] = self._courses(value)
            elif key == "searches":
                values[key] = self._searches(value)
            elif not isinstance(value, dict):
                said = f"There is no setting {key!a}."
                self._warn(said, _likely(key, known, "Settings are"), self._line(key))
            if isinstance(value, dict) and key not in known:
                extra[key] = value
        self._check_parameters(values)
        macros = self._macros(extra.get("math", {}))
        self._problems.sort(key=lambda problem: problem.line)
        config = Config(**values, macros=macros, extra=MappingProxyType(extra))
        return config, tuple(self._problems)

    def _take(self, values: dict[str, Any], setting: Setting, value: Any, called: str) -> None:
        try:
            values[setting.key] = setting.kind.read(value)
        except UnusableError as error:
            self._refuse(f"{called} cannot be {written(value)}.", f"{error}.", setting.key)

    def _check_parameters(self, values: dict[str, Any]) -> None:
        """Puts the model's own parameters where there are none, or none of the model's."""
        model = values.get("model", fsrs.MODEL)
        bounds = MODELS[model].bounds
        parameters, hint = values.setdefault("parameters", MODELS[model].defaults), ""
        if len(parameters) != len(bounds):
            hint = f"Give the {len(bounds)} numbers of {model}, or remove the line."
        else:
            for at, (number, (lowest, highest)) in enumerate(zip(parameters, bounds, strict=True)):
                if not lowest <= number <= highest and not hint:
                    hint = f"Number {at + 1} of {len(bounds)} is {written(number)}: give one "
                    hint += f"from {lowest} to {highest}."
        if hint:
            message = f"The setting parameters cannot be {written(list(parameters))}."
            self._refuse(message, hint, "parameters")
            values["parameters"] = MODELS[model].defaults

    def _courses(self, table: Any) -> Mapping[str, Course]:
        courses, known = {}, settings_of(course=True)
        for name, settings in self._table(table, "courses").items():
            values: dict[str, Any] = {}
            for key, value in self._table(settings, f"courses.{name}").items():
                if key in known:
                    called = f"In [courses], the setting {key} of the course {name!a}"
                    self._take(values, known[key], value, called)
                else:
                    said = f"There is no setting {key!a} of a course."
                    self._warn(said, _likely(key, known, "A course has"), self._line(key))
            courses[name] = Course(**values)
        return MappingProxyType(courses)

    def _searches(self, table: Any) -> Mapping[str, str]:
        searches = {}
        for name, query in self._table(table, "searches").items():
            if isinstance(query, str):
                searches[name] = query
            else:
                message = f"In [searches], the search {name!a} cannot be {written(query)}."
                self._refuse(message, 'Write it as a text, such as hard = "difficulty>=4".', name)
        return MappingProxyType(searches)

    def _table(self, value: Any, name: str) -> dict[str, Any]:
        if isinstance(value, dict):
            return value
        key = name.split(".")[0]
        self._refuse(f"In [{key}], {name} is not a table.", "Write a table.", key)
        return {}

    def _macros(self, table: Any) -> Mapping[str, str]:
        """The macros of a `[math]` table, names with their backslash."""
        macros: dict[str, str] = {}
        if not isinstance(table, dict):
            sentences = ["[math] is not a table."]
        else:
            sentences = [
                f"There is no setting {key!a} in [math]." for key in table if key != "macros"
            ]
            found = table.get("macros", {})
            if not isinstance(found, dict):
                sentences.append("math.macros is not a table.")
                found = {}
            for key, body in found.items():
                name = macro_name(key)
                if name and isinstance(body, str):
                    macros[name] = body
                else:
                    sentences.append(f"The macro {key!a} is not a command's name with a text.")
        hint = "Write `[math.macros]`, and below it a line each, such as `R = '\\mathbb{R}'`."
        for said in sentences:
            self._warn(said, hint, self._line_where(r"\s*\[math"))
        return MappingProxyType(macros)

    def _warn(self, message: str, hint: str, line: int) -> None:
        self._problems.append(odd(self._path, message, hint, line))

    def _refuse(self, message: str, hint: str, key: str) -> None:
        self._problems.append(broken(self._path, message, hint, self._line(key)))

    def _line(self, key: str) -> int:
        return self._line_where(rf"""\s*["']?{re.escape(key)}["']?\s*=""")

    def _line_where(self, pattern: str) -> int:
        lines = enumerate(self._text.splitlines(), 1)
        return next((number for number, line in lines if re.match(pattern, line)), 1)


def _likely(key: str, known: Iterable[str], else_: str) -> str:
    """The way out of a key that means nothing."""
    from difflib import get_close_matches  # only for a warning

    close = get_close_matches(key, known, n=1)
    return f"Did you mean {close[0]}?" if close else f"{else_} {', '.join(sorted(known))}."


def written(value: Any) -> str:
    """A value about as TOML writes it, shortened, for a sentence."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        shown = f"[{', '.join(written(each) for each in value[:4])}]"
        return shown if len(value) <= 4 else f"{shown[:-1]}, ...] ({len(value)} values)"
    text = ascii(value).replace("'", '"') if isinstance(value, str) else str(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
