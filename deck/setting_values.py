"""What a setting can be: from the values of a TOML file to ours, or why not, in a sentence."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date, datetime, time, timedelta
from types import MappingProxyType
from typing import Any, get_args

from deck.fsrs import DEFAULT_PARAMETERS
from deck.models import MODELS
from deck.orders import NewMix, NewOrder, ReviewOrder

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
