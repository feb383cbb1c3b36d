"""The file that our own export writes, read a line at a time: it may be of any size.

Each card and each medium has a line of its own there; a medium is found again by its place.
"""

from __future__ import annotations

import base64
import binascii
import io
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import IO, Any

from cards.files import open_regular
from deck.exchange.bundle import ExchangeError, Lost

#: How such a file begins.
OWN = b'{"format": "deltadeck", "version": '
VERSION = 1
_CARDS, _MEDIA = b'"cards": [\n', b'], "media": {\n'
_LONGEST = 300_000_000


@dataclass(slots=True)
class OwnFile:
    """Where what is in the file."""

    path: Path
    total: int
    media: dict[str, Callable[[], IO[bytes]]] = field(default_factory=dict)

    def cards(self) -> Iterator[tuple[int, bytes]]:
        """The cards' lines, each with its number."""
        with open_regular(self.path) as file:
            file.readline()
            for number in range(2, self.total + 2):
                yield number, file.readline().rstrip(b"\r\n").removesuffix(b",")


def own_file(path: Path) -> OwnFile | None:
    """The file's parts; None for one of another make, or that was written anew by another program.

    Raises:
        ExchangeError: it cannot be read, or a later version of deltadeck wrote it.
    """
    try:
        with open_regular(path) as file:
            head = file.readline(1000)
            if not head.startswith(OWN) or not head.endswith(_CARDS):
                return None
            version = head[len(OWN) :].partition(b",")[0].strip()
            refuse_newer(path, version.decode("ascii", "replace"))
            return _surveyed(path, file)
    except OSError as error:
        raise ExchangeError(f"{path}: it cannot be read: {error.strerror or error}.") from error


def refuse_newer(path: Path, version: str) -> None:
    """Raises ExchangeError for a version of the format that is not known here."""
    if not version.isdecimal() or int(version[:20]) > VERSION:
        raise ExchangeError(
            f"{path}: a later version of deltadeck wrote it. Update this one first."
        )


def media_in(data: Any, name: str, lost: list[Lost]) -> dict[str, Callable[[], IO[bytes]]]:
    """The media in a document that was read whole."""
    found: dict[str, Callable[[], IO[bytes]]] = {}
    table = data.get("media") if isinstance(data, dict) else None
    for each, text in table.items() if isinstance(table, dict) else ():
        try:
            content = base64.b64decode(text, validate=True)
        except (TypeError, ValueError, binascii.Error):
            lost.append(Lost(name, f"The medium {each[:60]!r} is not Base64; it was left out."))
            continue
        found[each] = partial(io.BytesIO, content)
    return found


def _surveyed(path: Path, file: IO[bytes]) -> OwnFile | None:
    own = OwnFile(path, 0)
    while (line := file.readline(_LONGEST)).startswith(b"{"):
        own.total += 1
    if line not in (_MEDIA, b"\n"):
        return None
    while line == b"\n":  # of no card at all
        line = file.readline(_LONGEST)
    if line != _MEDIA:
        return None
    while True:
        at = file.tell()
        line = file.readline(_LONGEST)
        if not line.startswith(b'"'):
            return own if line.strip() == b"}}" else None
        name, start, size = _placed(line)
        if not size:
            return None
        own.media[name] = partial(_medium, path, name, at + start, size)


def _placed(line: bytes) -> tuple[str, int, int]:
    """The name in a medium's line, and where its Base64 stands; size 0 where the line is another's.

    Base64 has no colon: the last one is the name's.
    """
    start = line.rfind(b': "') + 3
    body = line.rstrip(b"\r\n").removesuffix(b",")
    try:
        name = json.loads(line[: start - 3])
    except ValueError:
        return "", 0, 0
    return str(name), start, max(len(body) - start - 1, 0) if body.endswith(b'"') else 0


def _medium(path: Path, name: str, start: int, size: int) -> IO[bytes]:
    try:
        with open_regular(path) as file:
            file.seek(start)
            return io.BytesIO(base64.b64decode(file.read(size), validate=True))
    except (OSError, binascii.Error, ValueError) as error:
        raise ExchangeError(f"{path}: its medium {name!r} cannot be read: {error}.") from error
