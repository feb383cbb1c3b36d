"""Reads `config.toml` into a `Config`; what it cannot use is refused with its line."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from datetime import time, timedelta
from difflib import get_close_matches
from pathlib import Path
from types import MappingProxyType
from typing import Any

from cards.model import Problem
from cards.regular import open_regular
from deck.config import Config
from deck.errors import odd, reason, refusal
from deck.fsrs import BOUNDS
from deck.macros import MACROS_HINT, read_macros

_SPAN = re.compile(r"(\d{1,6})\s*([smhd])")
#: Of a list, so many values are shown in a sentence.
_SHOWN = 4
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}


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
    try:
        table = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        found = re.search(r"line (\d+)", str(error))
        hint = "Correct the line, or delete the file to use the defaults."
        line = int(found[1]) if found else text.count("\n") + 1
        raise refusal(path, f"The settings are not TOML: {error}.", hint, line) from error
    values: dict[str, Any] = {}
    for key in table.keys() & _READERS.keys():
        try:
            values[key] = _READERS[key](table[key])
        except _UnusableError as error:
            message = f"The setting {key} cannot be {_written(table[key])}."
            raise refusal(path, message, f"{error}.", _line(text, key)) from error
    rest = {key: value for key, value in table.items() if key not in _READERS}
    extra = {key: value for key, value in rest.items() if isinstance(value, dict)}
    problems = [_unknown(key, path, text) for key in rest.keys() - extra.keys()]
    macros, sentences = read_macros(extra.get("math", {}))
    problems += [odd(path, said, MACROS_HINT, _line_of_math(text)) for said in sentences]
    problems.sort(key=lambda problem: problem.line)
    return Config(**values, macros=macros, extra=MappingProxyType(extra)), tuple(problems)


class _UnusableError(ValueError):
    """A value that a setting cannot take; its text says what the setting does take."""


def _unknown(key: str, path: Path | None, text: str) -> Problem:
    close = get_close_matches(key, _READERS, n=1)
    hint = f"Did you mean {close[0]}?" if close else f"Settings are {', '.join(sorted(_READERS))}."
    return odd(path, f"There is no setting {key!a}.", hint, _line(text, key))


def _written(value: Any) -> str:
    """A value about as TOML writes it, shortened, for a sentence."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        shown = f"[{', '.join(_written(each) for each in value[:_SHOWN])}]"
        return shown if len(value) <= _SHOWN else f"{shown[:-1]}, ...] ({len(value)} values)"
    text = ascii(value).replace("'", '"') if isinstance(value, str) else str(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


def _line(text: str, key: str) -> int:
    pattern = re.compile(rf"""\s*["']?{re.escape(key)}["']?\s*=""")
    lines = enumerate(text.splitlines(), 1)
    return next((number for number, line in lines if pattern.match(line)), 1)


def _line_of_math(text: str) -> int:
    lines = enumerate(text.splitlines(), 1)
    return next((number for number, line in lines if line.lstrip().startswith("[math")), 1)


def _whole(lowest: int, highest: int) -> Callable[[Any], int]:
    def read(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not lowest <= value <= highest:
            raise _UnusableError(f"Give a whole number from {lowest} to {highest}")
        return value

    return read


def _share(value: Any) -> float:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not 0.70 <= value <= 0.99:
        raise _UnusableError("Give a number from 0.70 to 0.99, such as 0.9")
    return float(value)


def _switch(value: Any) -> bool:
    if not isinstance(value, bool):
        raise _UnusableError("Give true or false")
    return value


def _steps(value: Any) -> tuple[timedelta, ...]:
    if not isinstance(value, list) or not all(isinstance(step, str) for step in value):
        raise _UnusableError('Give a list of times, such as ["1m", "10m"]')
    return tuple(map(_span, value))


def _span(text: str) -> timedelta:
    found = _SPAN.fullmatch(text.strip())
    span = timedelta(**{_UNITS[found[2]]: int(found[1])}) if found else timedelta()
    if not timedelta() < span <= timedelta(days=365):
        raise _UnusableError(f'Give each step as "30s", "10m", "2h" or "1d", not {text!a}')
    return span


def _clock(value: Any) -> time:
    if isinstance(value, time):
        return value.replace(tzinfo=None)
    try:
        return time.fromisoformat(value).replace(tzinfo=None)
    except (TypeError, ValueError) as error:
        raise _UnusableError('Give a time of day, such as "04:00"') from error


def _parameters(value: Any) -> tuple[float, ...]:
    if not isinstance(value, list) or len(value) != len(BOUNDS):
        raise _UnusableError(f"Give the {len(BOUNDS)} numbers of FSRS-6, or remove the line")
    for index, (number, (lowest, highest)) in enumerate(zip(value, BOUNDS, strict=True)):
        real = isinstance(number, int | float) and not isinstance(number, bool)
        if not real or not lowest <= number <= highest:
            raise _UnusableError(
                f"Number {index + 1} of {len(BOUNDS)} is {_written(number)}: give one from "
                f"{lowest} to {highest}"
            )
    return tuple(map(float, value))


_READERS: dict[str, Callable[[Any], Any]] = {
    "new_per_day": _whole(0, 99999),
    "reviews_per_day": _whole(0, 99999),
    "desired_retention": _share,
    "learning_steps": _steps,
    "relearning_steps": _steps,
    "maximum_interval": _whole(1, 36500),
    "rollover": _clock,
    "fuzz": _switch,
    "write_status": _switch,
    "parameters": _parameters,
}
