"""Whole events inside a line that is none.

Two lines run into one where a tool joins files of which the first lacks its last line feed, and
where half a line was left and another was put right behind it.
"""

from __future__ import annotations

from itertools import pairwise

from deck.line import LineError, read_line

#: How this program begins every line.  In a string of JSON the quotes would be escaped.
_BEGINNING = b'{"v":'


def events_in(data: bytes) -> list[bytes]:
    """The whole events in `data`, which is no event itself; each as a line without line feed."""
    places = [*_places(data), len(data)]
    parts = (data[start:end] for start, end in pairwise(places))
    return [part.strip() for part in parts if _is_event(part)]


def _places(data: bytes) -> list[int]:
    found, at = [], data.find(_BEGINNING)
    while at >= 0:
        found.append(at)
        at = data.find(_BEGINNING, at + 1)
    return found


def _is_event(part: bytes) -> bool:
    try:
        read_line(part)
    except LineError:
        return False
    return True
