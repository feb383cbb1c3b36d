"""Whether what came of a merge can still be read as what it is."""

from __future__ import annotations

import tomllib

from deck.place import CONFIG, PRIVATE


def sound(path: str, data: bytes) -> bool:
    """Of the settings: whether they are TOML.  Of any other file nothing is known."""
    if path != f"{PRIVATE}/{CONFIG}":
        return True
    try:
        tomllib.loads(data.decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        return False
    return True
