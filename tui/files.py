"""Reading a card's file for the editor: its text as it is, or a sentence why not."""

from __future__ import annotations

from pathlib import Path

LARGEST = 1_000_000
"""Bytes; no card is larger (see cards)."""


class UnreadableError(Exception):
    """Its text is a sentence with the place and the way out."""


def on_disk(path: Path) -> str:
    """The file's text, line endings and all."""
    try:
        if path.stat().st_size > LARGEST:
            raise UnreadableError(f"{path} is over 1 MB: a card is smaller; split it up.")
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise UnreadableError(
            f"{path} is not UTF-8 text (byte {error.start + 1}): convert it with iconv first."
        ) from error
    except OSError as error:
        raise UnreadableError(f"{path} cannot be read: {error.strerror or error}.") from error
