"""The tables of the settings: `[courses."Name"]` and `[searches]`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from deck.config import Course
from deck.setting_values import EXAM, LIMITS, UnusableError, written

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
