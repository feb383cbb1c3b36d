"""Settings as they are shown (`1m 10m`, `90 %`, `sat 0.5`), typed, and written to config.toml."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from datetime import date, time, timedelta
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal

from deck.config import (
    GROUPED,
    RETENTION,
    SETTINGS,
    WEEKDAYS,
    Config,
    Setting,
    UnusableError,
    choice,
    settings_of,
)
from deck.errors import reason, refusal
from deck.files import write_whole

Value = bool | int | float | str | date | time | Sequence[float | str] | Mapping[str, float]
"""What TOML holds of a setting."""

# The settings screen.


#: Not in config.toml: it belongs to the screen that one sits at.
THEME: Final = "theme"
_HELP_OF_THEME = "Your own, on this machine; the others travel with the cards."

#: Every setting that the settings screen shows, under its heading and in its order.
GROUPS: Final[Mapping[str, tuple[Setting, ...]]] = MappingProxyType(
    {name: settings for name, settings in GROUPED.items() if name}
    | {"Looks": (Setting(THEME, choice(), "Theme", _HELP_OF_THEME),)}
)


class SettingError(Exception):
    """What was typed is none of the setting's values; its text is the way out."""


def shown(setting: Setting, value: Any) -> str:
    """A value of `Config`, as a person writes it; what is not set is empty."""
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case time():
            return f"{value:%H:%M}"
        case Mapping():
            return " ".join(f"{WEEKDAYS[day]} {share:g}" for day, share in sorted(value.items()))
        case tuple():
            return " ".join(map(span_text, value)) or "none"
        case float():
            return f"{100 * value:g} %" if setting.kind is RETENTION else f"{value:g}"
    return str(value)


def span_text(span: timedelta) -> str:
    """`10m`, `2h`: in the largest unit that leaves nothing over."""
    seconds = round(span.total_seconds())
    for size, unit in ((86400, "d"), (3600, "h"), (60, "m")):
        if seconds % size == 0:
            return f"{seconds // size}{unit}"
    return f"{seconds}s"


def typed(setting: Setting, text: str) -> Value:
    """What config.toml gets for what was typed.

    Raises:
        SettingError: it is none of the setting's values.
    """
    return _checked(setting, setting.kind.typed(text.strip()), setting.kind.hint)


def _checked(setting: Setting, value: Any, hint: str = "") -> Value:
    """`value` itself; SettingError, with the hint or the setting's own, where it is none of its."""
    try:
        setting.kind.read(value)
    except UnusableError as error:
        raise SettingError(f"{hint or error}.") from error
    checked: Value = value
    return checked


def next_of(choices: Sequence[str], now: str, step: int) -> str:
    """The choice after (1) or before (-1) another; round at the ends."""
    at = choices.index(now) if now in choices else -step
    return choices[(at + step) % len(choices)]


# All settings as plain values, for the command line.

#: Tables whose names are the learner's own: what stands before the point, and the table in TOML.
TABLES = {"searches": ("searches",), "keys": ("keys",), "math.macros": ("math", "macros")}
Source = Literal["default", "collection", "course"]


@dataclass(frozen=True, slots=True)
class SettingValue:
    """What holds for a setting."""

    key: str
    value: Any
    """As TOML and JSON have it; None where it has none."""
    source: Source
    """Whose it is: a course's own, the collection's, or of nobody."""


def keys_of(course: str) -> list[str]:
    """The settings that there are, of the collection or of a course (not ""), as they are shown."""
    return list(settings_of(course=bool(course)))


def standing(config: Config, written: Mapping[str, Any], course: str) -> list[SettingValue]:
    """Every setting, with what a course has of its own where one is named."""
    own = _table(written, ("courses", course)) if course else {}
    chosen = config.of_course(course) if course else config
    found = []
    for key in keys_of(course):
        owner = config.courses.get(course) if SETTINGS[key].scope == "course" else chosen
        source: Source = "course" if key in own else "collection" if key in written else "default"
        found.append(SettingValue(key, plain(getattr(owner, key, None)), source))
    for before, path in () if course else TABLES.items():  # saved searches, keys and macros
        for name, value in _flat(_table(written, path)):
            found.append(SettingValue(f"{before}.{name}", value, "collection"))
    return found


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
    """A value of `Config` as TOML and JSON have it."""
    match value:
        case time():
            return f"{value:%H:%M}"
        case date():
            return value.isoformat()
        case timedelta():
            return span_text(value)
        case Mapping():
            days = {WEEKDAYS[key] if isinstance(key, int) else key: key for key in value}
            return {name: value[key] for name, key in days.items()}
        case list() | tuple():
            return [plain(each) for each in value]
    return value


def toml_text(value: Any) -> str:
    """A plain value about as it is written; a text without its quotes."""
    match value:
        case None:
            return "-"
        case bool():
            return "true" if value else "false"
        case Mapping():
            entries = ", ".join(f"{key} = {toml_text(each)}" for key, each in value.items())
            return "{" + entries + "}"
        case list():
            quoted = (f'"{each}"' if isinstance(each, str) else toml_text(each) for each in value)
            return "[" + ", ".join(quoted) + "]"
        case float():
            return f"{value:g}"
    return str(value)


def read_value(key: str, text: str) -> Value:
    """What config.toml gets for a text: as TOML has it, or as the settings screen takes it.

    Raises:
        SettingError: it is none of the setting's values.
    """
    setting = SETTINGS.get(key)
    if setting is None:  # of a table whose names are the learner's own
        return text
    if not setting.label:
        return _literal(setting, text)
    try:
        return typed(setting, text)
    except SettingError as refused:
        try:
            return _literal(setting, text)
        except SettingError:
            raise refused from None


def _literal(setting: Setting, text: str) -> Value:
    try:
        value: Any = tomllib.loads(f"x = {text}")["x"]
    except (tomllib.TOMLDecodeError, RecursionError):
        value = text
    return _checked(setting, value)


# Writing: one setting changes, and every other line stays as the learner wrote it.


def write_setting(
    path: Path, key: str, value: Value | None, table: tuple[str, ...] = ()
) -> tuple[str, str]:
    """Sets `key`, at the top or in a table such as ("courses", "Algebra"); None takes it away.

    A file that is missing is made.  Returns the file's text before and after.

    Raises:
        CollectionError: it cannot be read or written; it is as it was.
    """
    try:
        text = path.read_text("utf-8-sig") if path.exists() else ""
        after = set_value(text, key, value, table)
        put_settings(path, after)
    except (OSError, ValueError) as error:
        why = reason(error) if isinstance(error, OSError) else str(error)
        message = f"The setting {key} cannot be written: {why}."
        raise refusal(path, message, "Correct the file, or make it writable.") from error
    return text, after


def put_settings(path: Path, text: str) -> None:
    """Puts the file's whole text in place: all of it, or none.  Raises OSError."""
    write_whole(path, text.encode("utf-8"), parents=False)


def set_value(text: str, key: str, value: Value | None, table: tuple[str, ...] = ()) -> str:
    """`text` with `key = value`: in place of what says it, or at the end of its table.

    Raises:
        ValueError: `text` is not TOML, or a part of `table` is no table.
    """
    import tomlkit  # 25 ms: only who changes a setting pays for it

    tomllib.loads(text)
    document = tomlkit.parse(text)
    place: MutableMapping[str, Any] = document
    for name in table:
        if name not in place:
            if value is None:
                return text
            place[name] = tomlkit.table(is_super_table=name != table[-1])
        place = place[name]
        if not isinstance(place, MutableMapping):
            raise ValueError(f"{name} is not a table")
    match value:
        case None:
            place.pop(key, None)
        case Mapping():
            place[key] = tomlkit.inline_table()
            place[key].update(value)
        case tuple():
            place[key] = list(value)
        case _:
            place[key] = value
    after = tomlkit.dumps(document)
    tomllib.loads(after)
    return after
