"""The collection's settings, and reading them from config.toml."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, Protocol, get_args

from cards.files import open_regular
from cards.model import Card, Problem
from cards.text import macro_name
from deck import fsrs
from deck.errors import odd, reason, refusal
from deck.fsrs import DEFAULT_PARAMETERS, MODEL, Fsrs6, Memory

# == The `[math]` table of the settings: LaTeX commands that every card may use.


MACROS_HINT = "Write `[math.macros]`, and below it a line each, such as `R = '\\mathbb{R}'`."


def read_macros(table: Any) -> tuple[Mapping[str, str], list[str]]:
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


# == The names of the orders in which a queue asks; deck/queue.py says what they do.


#: retrievability: the least likely recalled first.  due: the longest due first.  difficulty: the
#: hardest memory first.  interval: the shortest first.  points: the most points first.
ReviewOrder = Literal["retrievability", "due", "difficulty", "interval", "points", "random"]
#: easy: course by course in turn, each course's easy cards first.  path: in the order of the files.
NewOrder = Literal["easy", "path", "random"]
#: Where new items stand: spread between the reviews, before them, or after them.
NewMix = Literal["mix", "before", "after"]


# == The collection's settings: what `.deltadeck/config.toml` says, or the defaults.


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
    """A name in `deck.config.MODELS`."""
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


# == The memory models by name.  A new one is a class with these methods and a line in `MODELS`.
#
# Nothing else knows which model it is: the fold, the queue, statistics and exam mode all ask
# `model_of(config)`.  The journal says with each answer which model and parameters scheduled it.


class Model(Protocol):
    """A memory is a `Memory`, or a subclass of it that carries more."""

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
class Kind:
    """What settings may say of a model."""

    make: Callable[[Sequence[float]], Model]
    defaults: tuple[float, ...]
    bounds: tuple[tuple[float, float], ...]
    """(lowest, highest) of each parameter."""


MODELS: dict[str, Kind] = {fsrs.MODEL: Kind(Fsrs6, fsrs.DEFAULT_PARAMETERS, fsrs.BOUNDS)}


def model_of(config: Config) -> Model:
    """The model that the settings name, with their parameters."""
    return _model(config.model, config.parameters)


@lru_cache(maxsize=8)
def _model(name: str, parameters: tuple[float, ...]) -> Model:
    return MODELS[name].make(parameters)


# == What a setting can be: from the values of a TOML file to ours, or why not, in a sentence.


_SPAN = re.compile(r"(\d{1,6})\s*([smhd])")
#: Of a list, so many values are shown in a sentence.
_SHOWN = 4
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}
WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


class UnusableError(ValueError):
    """A value that a setting cannot take; its text says what the setting does take."""

    def __init__(self, said: str, name: str = "", what: str = "") -> None:
        super().__init__(said)
        self.name = name
        """Inside a table, the key."""
        self.what = what
        """Inside a table, what is wrong."""


def written(value: Any) -> str:
    """A value about as TOML writes it, shortened, for a sentence."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        shown = f"[{', '.join(written(each) for each in value[:_SHOWN])}]"
        return shown if len(value) <= _SHOWN else f"{shown[:-1]}, ...] ({len(value)} values)"
    text = ascii(value).replace("'", '"') if isinstance(value, str) else str(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


def _whole(lowest: int, highest: int) -> Callable[[Any], int]:
    def read(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not lowest <= value <= highest:
            raise UnusableError(f"Give a whole number from {lowest} to {highest}")
        return value

    return read


def _share(value: Any) -> float:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not 0.70 <= value <= 0.99:
        raise UnusableError("Give a number from 0.70 to 0.99, such as 0.9")
    return float(value)


def _switch(value: Any) -> bool:
    if not isinstance(value, bool):
        raise UnusableError("Give true or false")
    return value


def _steps(value: Any) -> tuple[timedelta, ...]:
    if not isinstance(value, list) or not all(isinstance(step, str) for step in value):
        raise UnusableError('Give a list of times, such as ["1m", "10m"]')
    return tuple(map(_span, value))


def _span(text: str) -> timedelta:
    found = _SPAN.fullmatch(text.strip())
    span = timedelta(**{_UNITS[found[2]]: int(found[1])}) if found else timedelta()
    if not timedelta() < span <= timedelta(days=365):
        raise UnusableError(f'Give each step as "30s", "10m", "2h" or "1d", not {text!a}')
    return span


def _clock(value: Any) -> time:
    if isinstance(value, time):
        return value.replace(tzinfo=None)
    try:
        return time.fromisoformat(value).replace(tzinfo=None)
    except (TypeError, ValueError) as error:
        raise UnusableError('Give a time of day, such as "04:00"') from error


def _number(lowest: float, highest: float) -> Callable[[Any], float]:
    def read(value: Any) -> float:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not lowest <= value <= highest:
            raise UnusableError(f"Give a number from {lowest:g} to {highest:g}")
        return float(value)

    return read


def _choice(choices: tuple[str, ...]) -> Callable[[Any], str]:
    def read(value: Any) -> str:
        if value not in choices:
            raise UnusableError(f"Give one of {', '.join(choices)}")
        return str(value)

    return read


def _day(value: Any) -> date:
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


def _easy_days(value: Any) -> Mapping[int, float]:
    hint = "Give a table such as {sat = 0.5, sun = 0}: the share of reviews that the day takes"
    if not isinstance(value, dict):
        raise UnusableError(hint)
    shares = {}
    for name, share in value.items():
        number = isinstance(share, int | float) and not isinstance(share, bool)
        if name[:3].lower() not in WEEKDAYS or not number or not 0 <= share <= 1:
            raise UnusableError(hint)
        shares[WEEKDAYS.index(name[:3].lower())] = float(share)
    return MappingProxyType(shares)


def _parameters(value: Any) -> tuple[float, ...]:
    numbers = isinstance(value, list) and all(
        isinstance(n, int | float) and not isinstance(n, bool) for n in value
    )
    if not numbers:
        count = len(DEFAULT_PARAMETERS)
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


#: What a course may have of its own, too.
LIMITS: dict[str, Callable[[Any], Any]] = {
    "new_per_day": _whole(0, 99999),
    "reviews_per_day": _whole(0, 99999),
    "desired_retention": _share,
    "learning_steps": _steps,
    "relearning_steps": _steps,
    "maximum_interval": _whole(1, 36500),
    "minutes_per_day": _number(0, 1440),
    "line_breaks": _switch,
}
EXAM: dict[str, Callable[[Any], Any]] = {"exam": _day, "target": _number(0, 1e6)}
READERS: dict[str, Callable[[Any], Any]] = LIMITS | {
    "rollover": _clock,
    "fuzz": _switch,
    "write_status": _switch,
    "parameters": _parameters,
    "model": _choice(tuple(MODELS)),
    "easy_days": _easy_days,
    "leech_lapses": _whole(0, 999),
    "leech_action": _choice(("mark", "suspend")),
    "bury_siblings": _switch,
    "review_order": _choice(get_args(ReviewOrder)),
    "new_order": _choice(get_args(NewOrder)),
    "new_mix": _choice(get_args(NewMix)),
    "interleave": _switch,
}


# == The tables of the settings: `[courses."Name"]` and `[searches]`.


#: The key, the sentence and the way out of something that means nothing.
Odd = tuple[str, str, str]


def _courses(table: Any) -> tuple[Mapping[str, Course], list[Odd]]:
    odd: list[Odd] = []
    courses = {}
    readers = LIMITS | EXAM
    for name, settings in _mapping(table, "courses").items():
        values = {}
        for key, value in _mapping(settings, f"courses.{name}").items():
            if key not in readers:
                odd.append((key, f"There is no setting {key!a} of a course.", _nearest(key)))
                continue
            try:
                values[key] = readers[key](value)
            except UnusableError as error:
                said = f"the setting {key} of the course {name!a} cannot be {written(value)}"
                raise UnusableError(str(error), key, said) from error
        courses[name] = Course(**values)
    return MappingProxyType(courses), odd


def _nearest(key: str) -> str:
    from difflib import get_close_matches

    known = sorted(LIMITS | EXAM)
    close = get_close_matches(key, known, n=1)
    return f"Did you mean {close[0]}?" if close else f"A course has {', '.join(known)}."


def _searches(table: Any) -> tuple[Mapping[str, str], list[Odd]]:
    searches = {}
    for name, query in _mapping(table, "searches").items():
        if not isinstance(query, str):
            said = f"the search {name!a} cannot be {written(query)}"
            raise UnusableError('Write it as a text, such as hard = "difficulty>=4"', name, said)
        searches[name] = query
    return MappingProxyType(searches), []


def _mapping(value: Any, name: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise UnusableError("Write a table", name.split(".")[0], f"{name} is not a table")
    return value


TABLES: dict[str, Callable[[Any], tuple[Mapping[str, Any], list[Odd]]]] = {
    "courses": _courses,
    "searches": _searches,
}


# == Reads `config.toml` into a `Config`; what it cannot use is refused with its line.


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
    values: dict[str, Any] = {}
    for key in table.keys() & READERS.keys():
        try:
            values[key] = READERS[key](table[key])
        except UnusableError as error:
            message = f"The setting {key} cannot be {written(table[key])}."
            raise refusal(path, message, f"{error}.", _line(text, key)) from error
    _check_parameters(values, path, text)
    rest = {key: value for key, value in table.items() if key not in READERS}
    extra = {key: value for key, value in rest.items() if isinstance(value, dict)}
    problems = [_unknown(key, path, text) for key in rest.keys() - extra.keys()]
    for key in TABLES.keys() & rest.keys():
        values[key], found_odd = _table(key, rest[key], path, text)
        problems += found_odd
    macros, sentences = read_macros(extra.get("math", {}))
    problems += [odd(path, said, MACROS_HINT, _line_of_table(text, "math")) for said in sentences]
    problems.sort(key=lambda problem: problem.line)
    return Config(**values, macros=macros, extra=MappingProxyType(extra)), tuple(problems)


def _check_parameters(values: dict[str, Any], path: Path | None, text: str) -> None:
    """Puts the model's own parameters where there are none.

    Raises:
        CollectionError: `parameters` are none of the model's.
    """
    model = values.get("model", MODEL)
    parameters = values.setdefault("parameters", MODELS[model].defaults)
    try:
        fitting(model, parameters)
    except UnusableError as error:
        message = f"The setting parameters cannot be {written(list(parameters))}."
        raise refusal(path, message, f"{error}.", _line(text, "parameters")) from error


def _table(
    key: str, table: Any, path: Path | None, text: str
) -> tuple[Mapping[str, Any], list[Problem]]:
    """The value of a table, and a warning for each name in it that means nothing."""
    try:
        value, odd_names = TABLES[key](table)
    except UnusableError as error:
        place = _line(text, error.name) if error.name else _line_of_table(text, key)
        raise refusal(path, f"In [{key}], {error.what}.", f"{error}.", place) from error
    return value, [odd(path, said, hint, _line(text, name)) for name, said, hint in odd_names]


def _unknown(key: str, path: Path | None, text: str) -> Problem:
    from difflib import get_close_matches

    close = get_close_matches(key, READERS, n=1)
    hint = f"Did you mean {close[0]}?" if close else f"Settings are {', '.join(sorted(READERS))}."
    return odd(path, f"There is no setting {key!a}.", hint, _line(text, key))


def _line(text: str, key: str) -> int:
    pattern = re.compile(rf"""\s*["']?{re.escape(key)}["']?\s*=""")
    lines = enumerate(text.splitlines(), 1)
    return next((number for number, line in lines if pattern.match(line)), 1)


def _line_of_table(text: str, key: str) -> int:
    lines = enumerate(text.splitlines(), 1)
    return next((number for number, line in lines if line.lstrip().startswith(f"[{key}")), 1)
