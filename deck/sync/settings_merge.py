"""Two versions of the settings to one: key by key, as two settings that stand side by side are
changed on two computers without any conflict."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Mapping
from textwrap import shorten
from typing import Any

from deck.files import CONFIG, PRIVATE
from deck.sync.card_merge import TextMerge
from deck.sync.changes import SETTINGS
from deck.sync.repository import Repository

Key = tuple[str, ...]
Values = dict[Key, Any]
Times = Callable[[Key], tuple[int, int]]
"""When a key was set on our side and on theirs, in seconds since 1970."""


def merge_settings(
    base: bytes, ours: bytes, theirs: bytes, merge: TextMerge, times: Times, said: list[str]
) -> bytes | None:
    """The settings with both sides' changes; None where one side is no TOML, or has a table where
    the other has a value.

    Of a key that both changed, the value that was set later stands, and `said` gets a sentence; of
    two that were set at once, the same one on every computer.  Comments and order are those of
    git's merge where that says the same, else ours.
    """
    first, mine, yours = (_values(text) for text in (base, ours, theirs))
    if first is None or mine is None or yours is None:
        return None
    wanted, chosen = dict(mine), list[str]()
    for key in sorted(first.keys() | yours.keys()):
        before, here, there = (side.get(key, _NONE) for side in (first, mine, yours))
        if _same(there, before) or _same(there, here):
            continue
        if _same(here, before):
            _set(wanted, key, there)
            continue
        (here_at, there_at), name = times(key), ".".join(key)
        stands, other = here, there
        if (there_at, _shown(there)) > (here_at, _shown(here)):
            stands, other = there, here
        _set(wanted, key, stands)
        new, old = (shorten(_shown(each), 60, placeholder=" ...") for each in (stands, other))
        chosen.append(f"{name}: {new} stands, as it was set later than {old}.")
    lines = merge(base, ours, theirs) if base else None
    for text in (lines, _written(ours, mine, wanted)):
        if text is not None and _says(text, wanted):
            said += chosen
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


def _shown(value: Any) -> str:
    """As TOML has it."""
    if value is _NONE:
        return "the usual value"
    return json.dumps(value, ensure_ascii=False, default=str)


def times_of(repository: Repository, base: str | None, ours: str, theirs: str) -> Times:
    """Asks the commits of both sides since `base`."""
    path = repository.tracked(f"{PRIVATE}/{CONFIG}") or ""
    form = f"--format=%x1e%at %(trailers:key={SETTINGS},valueonly,separator=%x20)%x00%H %P"

    def value(commit: str, key: Key) -> Any:
        data = repository.git.run("cat-file", "blob", f"{commit}:{path}", allowed=(0, 128))[1]
        return (_values(data) or {}).get(key, _NONE)

    def time(tip: str, key: Key) -> int:
        now, found = value(tip, key), [0]
        since = [f"^{base}"] if base else []
        rows = repository.git.text("log", form, tip, *since, "--", path).split("\x1e")
        for at, _, commits in (row.partition("\0") for row in rows[1:]):
            after, *before = (value(commit, key) for commit in commits.split())
            if _same(after, now) and not any(_same(each, now) for each in before):
                told = [int(word[:18]) for word in at.split() if word.isdecimal()]
                found.append(min(told, default=0))
        return max(found)

    return lambda key: (time(ours, key), time(theirs, key))


def _values(data: bytes) -> Values | None:
    """By key; None of what is no TOML."""
    found: Values = {}

    def walk(table: Mapping[str, Any], above: tuple[str, ...]) -> None:
        for key, value in table.items():
            if isinstance(value, dict) and value:
                walk(value, (*above, key))
            else:
                found[(*above, key)] = value

    try:
        walk(tomllib.loads(data.decode("utf-8-sig")), ())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError):
        return None
    return found


def _says(text: bytes, wanted: Values) -> bool:
    found = _values(text)
    if found is None or found.keys() != wanted.keys():
        return False
    return all(_same(found[key], wanted[key]) for key in found)


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
