"""Ids of events: unique, and sorted as they were written.

The form is a UUID of version 7 (RFC 9562): 48 bits of milliseconds, a 12-bit counter, 62 random
bits.  A new id always sorts after every id that its writer had seen, whatever its clock says
(a hybrid logical clock): a clock set back changes no order, and an answer is always folded after
the answers that were on the screen when it was given.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from hashlib import blake2b

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_FORM = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
#: The end of the year 9999 as an id begins: one beyond it is not ours, and would push all later
#: ids there.
_LATEST = "e677d21f-dbff"
RANDOM_BYTES = 8


def is_event_id(text: str) -> bool:
    """Whether `text` is an id of this form."""
    return _FORM.fullmatch(text) is not None and is_possible(text)


def is_possible(text: str) -> bool:
    """Whether the time of an id of this form is one that a clock can have shown."""
    return text[:13] <= _LATEST


def next_id(seen: str, now: datetime, random: bytes) -> str:
    """An id after `seen` (the last id in sorting order, or ""), for the time `now`.

    `random` has `RANDOM_BYTES` bytes; they keep two devices apart in the same millisecond.
    """
    time, count = (now - _EPOCH) // _MILLISECOND, 0
    last, last_count = _time_and_count(seen) if seen else (-1, 0)
    if time <= last:
        time, count = (last, last_count + 1) if last_count < 0xFFF else (last + 1, 0)
    tail = int.from_bytes(random[:RANDOM_BYTES]) & (2**62 - 1) | 2**63
    text = f"{max(time, 0):012x}7{count:03x}{tail:016x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def fixed_id(at: datetime, *names: str) -> str:
    """The id of what happened at `at` in another program: the same on every device.

    Its random bits are a digest of `names`, so that who imports it twice, or on two devices, has
    one event, and two programs' events of one millisecond stay apart.
    """
    digest = blake2b("\0".join(names).encode("utf-8", "surrogatepass"), digest_size=RANDOM_BYTES)
    tail = int.from_bytes(digest.digest()) & (2**62 - 1) | 2**63
    # As `next_id` after nothing, written for speed: an import has a million.
    text = f"{max((at - _EPOCH) // _MILLISECOND, 0):012x}7000{tail:016x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def _time_and_count(text: str) -> tuple[int, int]:
    return int(text[:8] + text[9:13], 16), int(text[15:18], 16)
