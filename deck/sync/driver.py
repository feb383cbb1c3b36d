"""The union of journals, in an order that keeps ours as it is; and git's merge driver for them.

git calls it as `python -P -m deck.sync.driver %O %A %B`: repositories have that name in their
configuration, so this file keeps it.
"""

from __future__ import annotations

import sys
from collections.abc import Container
from pathlib import Path

from deck.events import LineError, NewerLineError, read_line


def union(base: bytes, ours: bytes, theirs: bytes) -> bytes:
    """Both sides' lines, each once: ours as they stand, then those that only they have.

    A line that one side took out of `base` is gone, unless it is an event: an event is never taken
    away by a merge.  So any number of merges, in any order, lead to the same set of events.
    """
    before, mine, yours = (dict.fromkeys(_keys(side)) for side in (base, ours, theirs))

    def stays(key: bytes, other: Container[bytes]) -> bool:
        return key not in before or key in other or is_event(key)

    kept = b"".join(row for row in ours.splitlines(keepends=True) if stays(row.strip(), yours))
    added = [key for key in yours if key not in mine and stays(key, mine)]
    if not added:
        return kept
    torn = kept[kept.rfind(b"\n") + 1 :]
    if torn.strip() and any(line.startswith(torn.strip()) for line in yours):
        kept = kept.removesuffix(torn)  # the other side has the line whole
    elif torn:
        kept += b"\n"
    return kept + b"".join(key + b"\n" for key in added)


def agreed(merged: bytes, theirs: bytes) -> bytes:
    """`theirs` itself where it has the same lines: two orders of them would take turns for ever."""
    return theirs if set(_keys(merged)) == set(_keys(theirs)) else merged


def lines(*sides: bytes) -> bytes:
    """The lines of all sides, each once, for lists such as `.gitignore`."""
    found = dict.fromkeys(key for side in sides for key in side.splitlines() if key.strip())
    return b"".join(key.rstrip(b"\r") + b"\n" for key in found)


def lost(old: bytes, new: bytes) -> list[bytes]:
    """The events of `old` that are not in `new`, as lines."""
    if new.startswith(old):
        return []
    there = set(_keys(new))
    return [key for key in dict.fromkeys(_keys(old)) if key not in there and is_event(key)]


def event_id(line: bytes) -> str | None:
    """The id of the event on a line; None of a line that is none."""
    try:
        return read_line(line).id
    except LineError:
        return None


def is_event(line: bytes) -> bool:
    """Whether it is an event, or of a newer program, and so must stay."""
    try:
        read_line(line)
    except NewerLineError:
        return True
    except LineError:
        return False
    return True


def _keys(data: bytes) -> list[bytes]:
    return [key for row in data.split(b"\n") if (key := row.strip())]


def main(arguments: list[str]) -> int:
    """Writes the union over the second file; 0, or 2 where a file cannot be read or written."""
    if len(arguments) != 3:
        return 2
    base, ours, theirs = map(Path, arguments)
    try:
        ours.write_bytes(union(base.read_bytes(), ours.read_bytes(), theirs.read_bytes()))
    except OSError:
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
