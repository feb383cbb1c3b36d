"""Changes one setting in `config.toml`, and leaves every other line as the learner wrote it."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Sequence
from pathlib import Path

from deck.errors import reason, refusal

Value = bool | int | float | str | Sequence[float]


def write_setting(path: Path, key: str, value: Value) -> None:
    """Sets the top-level setting `key` in the file at `path`, which is made where it is missing.

    Raises:
        CollectionError: it cannot be read or written; it is as it was.
    """
    try:
        text = path.read_text("utf-8-sig") if path.exists() else ""
        after = set_value(text, key, value)
        draft = path.with_name(f"{path.name}.{os.getpid()}")
        with draft.open("w", encoding="utf-8") as file:
            file.write(after)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        why = reason(error) if isinstance(error, OSError) else str(error)
        message = f"The setting {key} cannot be written: {why}."
        raise refusal(path, message, "Correct the file, or make it writable.") from error


def set_value(text: str, key: str, value: Value) -> str:
    """`text` with `key = value`: in place of the line that says it, or before the first table.

    Raises:
        tomllib.TOMLDecodeError: `text` is not TOML.
    """
    new = f"{key} = {_toml(value)}"
    before = tomllib.loads(text)
    rows = text.split("\n")
    if key in before:
        first, last = _span(rows, key, before)
        rows[first:last] = [new]
    else:
        rows.insert(_first_table(rows), new)
    return "\n".join(rows)


def _toml(value: Value) -> str:
    """JSON writes these as TOML does."""
    return json.dumps(value if isinstance(value, bool | int | float | str) else list(value))


def _span(rows: list[str], key: str, before: dict[str, object]) -> tuple[int, int]:
    """The lines that give `key`: those without which everything else is still there."""
    rest = {name: value for name, value in before.items() if name != key}
    starts = [number for number, row in enumerate(rows) if key in row]
    for length in range(1, len(rows) + 1):
        for first in starts:
            if _reads("\n".join(rows[:first] + rows[first + length :])) == rest:
                return first, first + length
    raise tomllib.TOMLDecodeError(f"the line of {key} was not found")


def _first_table(rows: list[str]) -> int:
    """Where top-level settings end: the line of the first table, or the end of the text."""
    for number, row in enumerate(rows):
        if row.lstrip().startswith("[") and _reads("\n".join(rows[:number])) is not None:
            return number
    return len(rows) - 1 if rows[-1] == "" else len(rows)


def _reads(text: str) -> dict[str, object] | None:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None
