"""All settings as plain values, each with where it comes from; and a text as a setting's value."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time, timedelta
from typing import Any, Literal

from deck.config import Config
from deck.setting_edit import Value
from deck.setting_values import EXAM, LIMITS, READERS, WEEKDAYS, UnusableError
from tui.settings.known import GROUPS, THEME
from tui.settings.values import RefusedError, span_text, typed

Source = Literal["default", "collection", "course"]

#: Tables whose names are the learner's own: what stands before the point, and the table in TOML.
TABLES = {"searches": ("searches",), "keys": ("keys",), "math.macros": ("math", "macros")}

_SHOWN = {each.key: each for group in GROUPS for each in group.settings if each.key != THEME}


@dataclass(frozen=True, slots=True)
class Standing:
    """What holds for a setting."""

    key: str
    value: Any
    """As TOML and JSON have it; None where it has none."""
    source: Source
    """Whose it is: a course's own, the collection's, or of nobody."""


def keys_of(course: str) -> list[str]:
    """The settings that there are: of the collection, or of a course (not "")."""
    known = [*LIMITS, *EXAM] if course else list(READERS)
    order = [*_SHOWN, *READERS]
    return sorted(known, key=order.index)


def standing(config: Config, written: Mapping[str, Any], course: str) -> list[Standing]:
    """Every setting, with what a course has of its own where one is named."""
    own = _table(written, ("courses", course)) if course else {}
    chosen = config.of_course(course) if course else config
    found = []
    for key in keys_of(course):
        if key in EXAM:
            of_course = config.courses.get(course)
            value = getattr(of_course, key) if of_course else None
        else:
            value = getattr(chosen, key)
        source: Source = "course" if key in own else "collection" if key in written else "default"
        found.append(Standing(key, plain(value), source))
    return found if course else [*found, *_own_names(written)]


def _own_names(written: Mapping[str, Any]) -> Iterator[Standing]:
    """Saved searches, keys and macros."""
    for before, path in TABLES.items():
        for name, value in _flat(_table(written, path)):
            yield Standing(f"{before}.{name}", value, "collection")


def _flat(table: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """TOML reads `study.reveal = "x"` as a table in a table."""
    for name, value in table.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{before}{name}.")
        else:
            yield f"{before}{name}", plain(value)


def _table(written: Mapping[str, Any], path: Sequence[str]) -> Mapping[str, Any]:
    for name in path:
        found = written.get(name, {})
        written = found if isinstance(found, Mapping) else {}
    return written


def place_of(key: str, written: Mapping[str, Any], course: str) -> tuple[str, tuple[str, ...]]:
    """The name and the table in config.toml of a key that `standing` tells."""
    if course:
        return key, ("courses", course)
    for before, path in TABLES.items():
        if key.startswith(f"{before}."):
            name = key.removeprefix(f"{before}.")
            if before == "keys" and name not in _table(written, path) and "." in name:
                *tables, name = name.split(".")
                return name, (*path, *tables)
            return name, path
    return key, ()


def plain(value: Any) -> Any:
    """A value of `deck.Config` as TOML and JSON have it."""
    if isinstance(value, time):
        return f"{value:%H:%M}"
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, timedelta):
        return span_text(value)
    if isinstance(value, Mapping):
        return {WEEKDAYS[day] if isinstance(day, int) else day: each for day, each in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [plain(each) for each in value]
    return value


def toml_text(value: Any) -> str:
    """A plain value about as it is written; a text without its quotes."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key} = {toml_text(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_quoted(each) for each in value) + "]"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _quoted(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else toml_text(value)


def read_value(key: str, text: str) -> Value:
    """What config.toml gets for a text: as TOML has it, or as the settings screen takes it.

    Raises:
        RefusedError: it is none of the setting's values.
    """
    if key.startswith(tuple(f"{before}." for before in TABLES)):
        return text
    setting = _SHOWN.get(key)
    if setting is None:
        return _literal(key, text)
    try:
        return typed(setting, text)
    except RefusedError as refused:
        try:
            return _literal(key, text)
        except RefusedError:
            raise refused from None


def _literal(key: str, text: str) -> Value:
    try:
        value: Any = tomllib.loads(f"x = {text}")["x"]
    except (tomllib.TOMLDecodeError, RecursionError):
        value = text
    try:
        (EXAM | READERS)[key](value)
    except UnusableError as error:
        raise RefusedError(f"{error}.") from error
    checked: Value = value
    return checked
