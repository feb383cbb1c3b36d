"""Two versions of the settings to one: key by key, as two settings that stand side by side are
changed on two computers without any conflict."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from typing import Any

from deck.sync.card_merge import TextMerge

Values = dict[tuple[str, ...], Any]


def merge_settings(base: bytes, ours: bytes, theirs: bytes, merge: TextMerge) -> bytes | None:
    """The settings with both sides' changes; None where both changed one key, or one is no TOML.

    Comments and order are those of git's merge where that says the same, else ours.
    """
    try:
        first, mine, yours = (_values(text) for text in (base, ours, theirs))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError):
        return None
    wanted = dict(mine)
    for key in first.keys() | yours.keys():
        before, here, there = (side.get(key, _NONE) for side in (first, mine, yours))
        if _same(there, before) or _same(there, here):
            continue
        if not _same(here, before):
            return None
        _set(wanted, key, there)
    lines = merge(base, ours, theirs) if base else None
    for text in (lines, _written(ours, mine, wanted)):
        if text is not None and _says(text, wanted):
            return text
    return None


class _Nothing:
    """No value."""


_NONE = _Nothing()


def _same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and bool(one == other)


def _set(values: Values, key: tuple[str, ...], value: Any) -> None:
    if value is _NONE:
        values.pop(key, None)
    else:
        values[key] = value


def _values(data: bytes) -> Values:
    found: Values = {}

    def walk(table: Mapping[str, Any], above: tuple[str, ...]) -> None:
        for key, value in table.items():
            if isinstance(value, dict) and value:
                walk(value, (*above, key))
            else:
                found[(*above, key)] = value

    walk(tomllib.loads(data.decode("utf-8-sig")), ())
    return found


def _says(text: bytes, wanted: Values) -> bool:
    try:
        found = _values(text)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError):
        return False
    return found.keys() == wanted.keys() and all(_same(found[key], wanted[key]) for key in found)


def _written(ours: bytes, mine: Values, wanted: Values) -> bytes | None:
    """Our text with what is wanted in it; None where a key is a value here and a table there."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        document = tomlkit.parse(ours.decode("utf-8-sig"))
        for key in sorted(mine.keys() - wanted.keys()):
            del _table(document, key, tomlkit.table)[key[-1]]
        for key in sorted(wanted.keys()):
            if key not in mine or not _same(mine[key], wanted[key]):
                _table(document, key, tomlkit.table)[key[-1]] = wanted[key]
        return tomlkit.dumps(document).encode("utf-8")
    except (TOMLKitError, KeyError, TypeError, AttributeError, ValueError):
        return None


def _table(document: Any, key: tuple[str, ...], new: Callable[[], Any]) -> Any:
    table = document
    for part in key[:-1]:
        if part not in table:
            table[part] = new()
        table = table[part]
    return table
