"""The line that this program writes for an answer, read without making values of it first.

Nearly all lines are of this form.  Whatever is not exactly it, an error included, is left to
`deck.events.read_line`; what is read here is what `event_row(read_line(line), line)` would be.
"""

from __future__ import annotations

import re
from datetime import date, datetime
from functools import lru_cache

from deck.events import is_possible
from deck.index.codec import EventRow, id_bytes, milliseconds

_LINE = re.compile(
    r'\{"v":1,"id":"([0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})",'
    r'"kind":"review","item":"([ !#-\[\]-~]+)",'
    r'"at":"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3})Z","offset":(-?\d{1,3}),'
    r'"day":"(\d{4}-\d\d-\d\d)","rating":([1-4]),"ms":(0|[1-9]\d{0,8}),'
    r'"model":"([ !#-\[\]-~]*)","params":"([ !#-\[\]-~]*)",'
    r'"next":(?:([1-9]\d{0,3})|\[(0|[1-9]\d?),([1-9]\d{0,6})\])'
    r'(?:,"status":"([ !#-\[\]-~]*)")?\}',
    re.ASCII,
)


def quick_row(line: bytes) -> EventRow | None:
    """The row of a review's line; None where another must read it."""
    found = _LINE.fullmatch(line.decode("latin-1"))
    if found is None:
        return None
    event_id, item, at, offset, day, rating, took, name, parameters, days, step, wait, status = (
        found.groups("")
    )
    if not is_possible(event_id):
        return None
    moment, ordinal = _instant(at), _ordinal(day)
    if moment is None or ordinal is None or abs(ordinal - moment[1]) > 3:
        return None
    promise = (None, int(days)) if days else (int(step), int(wait) * 1000.0)
    model = (name, parameters, status)
    head = (id_bytes(event_id), item, moment[0], int(offset), ordinal)
    return (*head, int(rating), int(took), model, *promise, None, None)


def _instant(text: str) -> tuple[int, int] | None:
    """Milliseconds since 1970, and the day's number."""
    try:
        at = datetime.fromisoformat(text + "+00:00")
    except ValueError:
        return None
    if not 1970 <= at.year < 3000:
        return None
    return milliseconds(at), at.toordinal()


@lru_cache(maxsize=4096)
def _ordinal(text: str) -> int | None:
    try:
        return date.fromisoformat(text).toordinal()
    except ValueError:
        return None
