"""Changes one setting in `config.toml`, and leaves every other line as the learner wrote it."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, MutableMapping, Sequence
from datetime import date, time
from pathlib import Path
from typing import Any

from deck.append import write_whole
from deck.errors import reason, refusal

Value = bool | int | float | str | date | time | Sequence[float | str] | Mapping[str, float]


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
    if value is None:
        place.pop(key, None)
    else:
        place[key] = value if isinstance(value, date | time) else _plain(value)
    after = tomlkit.dumps(document)
    tomllib.loads(after)
    return after


def _plain(value: Any) -> Any:
    """Lists and tables as TOML's library takes them."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        import tomlkit

        inline = tomlkit.inline_table()
        inline.update(value)
        return inline
    return list(value) if isinstance(value, Sequence) else value
