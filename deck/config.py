"""The collection's settings: what `.deltadeck/config.toml` says, or the defaults.

`Config` is the one table of settings: each field says its default, what values it takes, and how it
is called and explained where settings are shown.  deck/settings.py shows, types and writes them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal, Protocol, get_args

from cards.files import open_regular
from cards.model import Card, Problem
from cards.text import macro_name
from deck import fsrs
from deck.errors import odd, reason, refusal
from deck.fsrs import Fsrs6, Memory

# The memory models.


class Model(Protocol):
    """A memory model.  A memory is a `Memory`, or a subclass of it that carries more.

    Nothing else knows which model it is: replay, queue, statistics and exam mode ask
    `model_of(config)`.  The journal says with each answer which model and parameters scheduled it.
    """

    name: str
    parameters: tuple[float, ...]
    same_day: bool
    """Whether it says how a memory grows within a day, so that intervals may be shorter."""

    def initial(self, rating: int) -> Memory:
        """After the first answer."""

    def after(self, memory: Memory, rating: int, elapsed: int) -> Memory:
        """After an answer `elapsed` (0 or more) study days later."""

    def recall(self, memory: Memory, elapsed: float) -> float:
        """The chance of recall, 0..1, after so many days."""

    def recalls(self, stabilities: Iterable[float], elapsed: float) -> list[float]:
        """`recall` of many memories after as many days, where it depends on no more than that."""

    def interval(self, memory: Memory, desired_retention: float) -> float:
        """Days until the chance of recall has fallen that far."""

    def spent(self, chance: float) -> float | None:
        """The elapsed time, in stabilities, at which recall has fallen to `chance` (0..1).

        None where recall depends on more than elapsed time over stability.
        """


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """What settings may say of a model."""

    make: Callable[[Sequence[float]], Model]
    defaults: tuple[float, ...]
    bounds: tuple[tuple[float, float], ...]
    """(lowest, highest) of each parameter."""


#: By name.  A new model is a class with the methods of `Model`, and a line here.
MODELS: dict[str, ModelSpec] = {fsrs.MODEL: ModelSpec(Fsrs6, fsrs.DEFAULT_PARAMETERS, fsrs.BOUNDS)}


def model_of(config: Config) -> Model:
    """The model that the settings name, with their parameters."""
    return _model(config.model, config.parameters)


@lru_cache(maxsize=8)
def _model(name: str, parameters: tuple[float, ...]) -> Model:
    return MODELS[name].make(parameters)


# What a setting can be.


class UnusableError(ValueError):
    """A value that a setting cannot take; its text says what the setting does take."""

    def __init__(self, said: str, name: str = "", what: str = "") -> None:
        super().__init__(said)
        self.name = name
        """Inside a table, the key."""
        self.what = what
        """Inside a table, what is wrong."""


class ValueKind(Protocol):
    """What values a setting takes."""

    def read(self, value: Any) -> Any:
        """A value of TOML as a value of `Config`.  Raises UnusableError."""


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


@dataclass(frozen=True, slots=True)
class Whole:
    lowest: int
    highest: int

    def read(self, value: Any) -> int:
        if type(value) is not int or not self.lowest <= value <= self.highest:
            raise UnusableError(f"Give a whole number from {self.lowest} to {self.highest}")
        return value


@dataclass(frozen=True, slots=True)
class Number:
    lowest: float
    highest: float

    def read(self, value: Any) -> float:
        if not _is_number(value) or not self.lowest <= value <= self.highest:
            raise UnusableError(f"Give a number from {self.lowest:g} to {self.highest:g}")
        return float(value)


class Retention:
    """The chance of recall at which a review falls due."""

    def read(self, value: Any) -> float:
        if not _is_number(value) or not 0.70 <= value <= 0.99:
            raise UnusableError("Give a number from 0.70 to 0.99, such as 0.9")
        return float(value)


class Switch:
    def read(self, value: Any) -> bool:
        if not isinstance(value, bool):
            raise UnusableError("Give true or false")
        return value


@dataclass(frozen=True, slots=True)
class Choice:
    choices: tuple[str, ...]

    def read(self, value: Any) -> str:
        if value not in self.choices:
            raise UnusableError(f"Give one of {', '.join(self.choices)}")
        return str(value)


class Spans:
    """Waits, such as ["1m", "10m"]."""

    _SPAN = re.compile(r"(\d{1,6})\s*([smhd])")
    _UNITS = MappingProxyType({"s": "seconds", "m": "minutes", "h": "hours", "d": "days"})

    def read(self, value: Any) -> tuple[timedelta, ...]:
        if not isinstance(value, list) or not all(isinstance(step, str) for step in value):
            raise UnusableError('Give a list of times, such as ["1m", "10m"]')
        return tuple(map(self._span, value))

    def _span(self, text: str) -> timedelta:
        found = self._SPAN.fullmatch(text.strip())
        span = timedelta(**{self._UNITS[found[2]]: int(found[1])}) if found else timedelta()
        if not timedelta() < span <= timedelta(days=365):
            raise UnusableError(f'Give each step as "30s", "10m", "2h" or "1d", not {text!a}')
        return span


class Clock:
    """A time of day."""

    def read(self, value: Any) -> time:
        if isinstance(value, time):
            return value.replace(tzinfo=None)
        try:
            return time.fromisoformat(value).replace(tzinfo=None)
        except (TypeError, ValueError) as error:
            raise UnusableError('Give a time of day, such as "04:00"') from error


class Day:
    def read(self, value: Any) -> date:
        if isinstance(value, str):
            try:
                value = date.fromisoformat(value)
            except ValueError:
                value = None
        if isinstance(value, datetime):
            value = value.date()
        if not isinstance(value, date) or not 1970 <= value.year < 3000:
            raise UnusableError("Give a day, such as 2027-01-20")
        return value


WEEKDAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


class EasyDays:
    """Weekdays (0 is Monday), each with the share of reviews that it takes."""

    def read(self, value: Any) -> Mapping[int, float]:
        hint = "Give a table such as {sat = 0.5, sun = 0}: the share of reviews that the day takes"
        if not isinstance(value, dict):
            raise UnusableError(hint)
        shares = {}
        for name, share in value.items():
            if name[:3].lower() not in WEEKDAYS or not _is_number(share) or not 0 <= share <= 1:
                raise UnusableError(hint)
            shares[WEEKDAYS.index(name[:3].lower())] = float(share)
        return MappingProxyType(shares)


class Parameters:
    """The numbers of the model; `fitting` says whether they are its."""

    def read(self, value: Any) -> tuple[float, ...]:
        if not isinstance(value, list) or not all(map(_is_number, value)):
            count = len(fsrs.DEFAULT_PARAMETERS)
            raise UnusableError(
                f"Give the numbers of the model ({count} for FSRS-6), or remove the line"
            )
        return tuple(map(float, value))


def fitting(model: str, parameters: tuple[float, ...]) -> None:
    """Raises UnusableError where these are no parameters of the model."""
    bounds = MODELS[model].bounds
    if len(parameters) != len(bounds):
        raise UnusableError(f"Give the {len(bounds)} numbers of {model}, or remove the line")
    for index, (number, (lowest, highest)) in enumerate(zip(parameters, bounds, strict=True)):
        if not lowest <= number <= highest:
            raise UnusableError(
                f"Number {index + 1} of {len(bounds)} is {written(number)}: give one from "
                f"{lowest} to {highest}"
            )


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

    @property
    def parameters_hash(self) -> str:
        """Names the model's parameters in the journal."""
        return _hash_of(self.parameters)


@lru_cache(maxsize=8)
def _hash_of(parameters: tuple[float, ...]) -> str:
    text = ",".join(map(repr, parameters))
    return blake2b(text.encode(), digest_size=4).hexdigest()


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
        return isinstance(self.kind, Choice | Switch)

    @property
    def offered(self) -> tuple[str, ...]:
        """The values of one that turns."""
        if isinstance(self.kind, Choice):
            return self.kind.choices
        return ("yes", "no") if isinstance(self.kind, Switch) else ()


#: Every setting, in the order and under the headings of the settings screen.
GROUPED: Final[Mapping[str, tuple[Setting, ...]]] = MappingProxyType({
    "A day": (
        Setting("new_per_day", Whole(0, 99999), "New items a day",
                "How many new items a study day brings at most."),
        Setting("reviews_per_day", Whole(0, 99999), "Reviews a day",
                "How many reviews a study day brings at most."),
        Setting("rollover", Clock(), "A day begins at",
                "Local time. What you study before it counts for the day before."),
        Setting("easy_days", EasyDays(), "Easy days",
                "The share of reviews that a weekday takes, such as sat 0.5 sun 0."),
    ),
    "Memory": (
        Setting("desired_retention", Retention(), "Wanted recall",
                "The chance of recall at which a review falls due: more means more reviews."),
        Setting("learning_steps", Spans(), "Learning steps",
                "Waits between the first answers: 1m 10m 1d."),
        Setting("relearning_steps", Spans(), "Relearning steps",
                "The same, after a review was forgotten."),
        Setting("maximum_interval", Whole(1, 36500), "Longest interval",
                "In days: no review is put off for longer."),
        Setting("fuzz", Switch(), "Spread reviews",
                "Items learnt together fall due on different days, where that evens the load."),
    ),
    "Order": (
        Setting("review_order", Choice(get_args(ReviewOrder)), "Reviews",
                "What comes first; retrievability: what is nearest to being forgotten."),
        Setting("new_order", Choice(get_args(NewOrder)), "New items",
                "easy: by difficulty; path: as the files lie."),
        Setting("new_mix", Choice(get_args(NewMix)), "New among reviews",
                "Where new items stand among the reviews."),
        Setting("interleave", Switch(), "Mix courses", "The reviews of all courses alternate."),
        Setting("bury_siblings", Switch(), "One item of a card",
                "A study day asks only one item of each card."),
    ),
    "Leeches": (
        Setting("leech_lapses", Whole(0, 999), "Lapses of a leech",
                "So often forgotten, an item is a leech (is:leech finds it); 0 for never."),
        Setting("leech_action", Choice(get_args(LeechAction)), "A leech is",
                "mark: only found; suspend: put aside, too."),
    ),
    "Exam": (
        Setting("exam", Day(), "Day of the exam", "Such as 2027-01-20."),
        Setting("target", Number(0, 1e6), "Points wanted",
                "On that day; home says whether they can be reached."),
        Setting("minutes_per_day", Number(0, 1440), "Minutes a day",
                "What the plan for the exam may take."),
    ),
    "Files": (
        Setting("write_status", Switch(), "Write status",
                "The line `status:` in the card files follows the schedule."),
        Setting("line_breaks", Switch(), "Keep line breaks",
                "Those of a card's text stay on its page, as in Obsidian."),
    ),
    "": (
        Setting("parameters", Parameters()),  # the optimiser writes them
        Setting("model", Choice(tuple(MODELS))),
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
    try:
        with open_regular(path) as file:
            text = file.read().decode("utf-8-sig")
    except (FileNotFoundError, NotADirectoryError):
        return Config(), ()
    except OSError as error:
        message = f"The settings cannot be read: {reason(error)}."
        raise refusal(path, message, "Check that it is a file, and its permissions.") from error
    except UnicodeDecodeError as error:
        hint = "Save the file as UTF-8, or delete it to use the defaults."
        raise refusal(path, "The settings are not UTF-8 text.", hint) from error
    return parse_config(text, path)


def parse_config(text: str, path: Path | None = None) -> tuple[Config, tuple[Problem, ...]]:
    """`read_config` of a text; `path` only names it."""
    import tomllib  # not where there are no settings

    try:
        table = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        found = re.search(r"line (\d+)", str(error))
        hint = "Correct the line, or delete the file to use the defaults."
        line = int(found[1]) if found else text.count("\n") + 1
        raise refusal(path, f"The settings are not TOML: {error}.", hint, line) from error
    known, problems = settings_of(course=False), []
    values: dict[str, Any] = {}
    extra: dict[str, Any] = {}
    for key, value in table.items():
        if key in known:
            try:
                values[key] = known[key].kind.read(value)
            except UnusableError as error:
                message = f"The setting {key} cannot be {written(value)}."
                raise refusal(path, message, f"{error}.", _line(text, key)) from error
        elif key in _TABLES:
            try:
                values[key], warnings = _TABLES[key](value)
            except UnusableError as error:
                place = _line(text, error.name) if error.name else _line_of_table(text, key)
                raise refusal(path, f"In [{key}], {error.what}.", f"{error}.", place) from error
            problems += [odd(path, said, hint, _line(text, name)) for name, said, hint in warnings]
        elif not isinstance(value, dict):
            said = f"There is no setting {key!a}."
            problems.append(odd(path, said, _likely(key, known, "Settings are"), _line(text, key)))
        if isinstance(value, dict) and key not in known:
            extra[key] = value
    _check_parameters(values, path, text)
    macros, sentences = _macros(extra.get("math", {}))
    problems += [odd(path, said, _MACROS_HINT, _line_of_table(text, "math")) for said in sentences]
    problems.sort(key=lambda problem: problem.line)
    return Config(**values, macros=macros, extra=MappingProxyType(extra)), tuple(problems)


def _check_parameters(values: dict[str, Any], path: Path | None, text: str) -> None:
    """Puts the model's own parameters where there are none.

    Raises:
        CollectionError: `parameters` are none of the model's.
    """
    model = values.get("model", fsrs.MODEL)
    parameters = values.setdefault("parameters", MODELS[model].defaults)
    try:
        fitting(model, parameters)
    except UnusableError as error:
        message = f"The setting parameters cannot be {written(list(parameters))}."
        raise refusal(path, message, f"{error}.", _line(text, "parameters")) from error


#: The key, the sentence and the way out of something that means nothing.
_Warning = tuple[str, str, str]


def _courses(table: Any) -> tuple[Mapping[str, Course], list[_Warning]]:
    warnings: list[_Warning] = []
    courses, known = {}, settings_of(course=True)
    for name, settings in _mapping(table, "courses").items():
        values = {}
        for key, value in _mapping(settings, f"courses.{name}").items():
            if key not in known:
                said = f"There is no setting {key!a} of a course."
                warnings.append((key, said, _likely(key, known, "A course has")))
                continue
            try:
                values[key] = known[key].kind.read(value)
            except UnusableError as error:
                said = f"the setting {key} of the course {name!a} cannot be {written(value)}"
                raise UnusableError(str(error), key, said) from error
        courses[name] = Course(**values)
    return MappingProxyType(courses), warnings


def _searches(table: Any) -> tuple[Mapping[str, str], list[_Warning]]:
    for name, query in _mapping(table, "searches").items():
        if not isinstance(query, str):
            said = f"the search {name!a} cannot be {written(query)}"
            raise UnusableError('Write it as a text, such as hard = "difficulty>=4"', name, said)
    return MappingProxyType(dict(table)), []


def _mapping(value: Any, name: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise UnusableError("Write a table", name.split(".")[0], f"{name} is not a table")
    return value


_TABLES: Final[Mapping[str, Callable[[Any], tuple[Mapping[str, Any], list[_Warning]]]]] = (
    MappingProxyType({"courses": _courses, "searches": _searches})
)

_MACROS_HINT = "Write `[math.macros]`, and below it a line each, such as `R = '\\mathbb{R}'`."


def _macros(table: Any) -> tuple[Mapping[str, str], list[str]]:
    """The macros of a `[math]` table, names with their backslash, and what is odd, in sentences."""
    if not isinstance(table, dict):
        return MappingProxyType({}), ["[math] is not a table."]
    odd = [f"There is no setting {key!a} in [math]." for key in table if key != "macros"]
    written = table.get("macros", {})
    if not isinstance(written, dict):
        return MappingProxyType({}), [*odd, "math.macros is not a table."]
    macros: dict[str, str] = {}
    for key, body in written.items():
        name = macro_name(key)
        if name and isinstance(body, str):
            macros[name] = body
        else:
            odd.append(f"The macro {key!a} is not a command's name with a text.")
    return MappingProxyType(macros), odd


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


def _line(text: str, key: str) -> int:
    pattern = re.compile(rf"""\s*["']?{re.escape(key)}["']?\s*=""")
    lines = enumerate(text.splitlines(), 1)
    return next((number for number, line in lines if pattern.match(line)), 1)


def _line_of_table(text: str, key: str) -> int:
    lines = enumerate(text.splitlines(), 1)
    return next((number for number, line in lines if line.lstrip().startswith(f"[{key}")), 1)
