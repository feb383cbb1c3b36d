"""What the text of a new card leaves to be written over: a key goes from one to the next."""

from __future__ import annotations

import re
from collections.abc import Sequence

#: As `cards.edit` writes them.
_BLANK = re.compile(
    r"^(?:[A-D]\) )?"
    r"((?:Write|Say|\(5p\) Derive|The gradient flows) .+\.|first|second|third|fourth)$"
)

Place = tuple[int, int]
"""A row and a column, from 0."""


def next_blank(lines: Sequence[str], after: Place) -> tuple[Place, Place] | None:
    """Where the next one begins and ends, round and round; None where nothing is left to write."""
    found = [
        ((row, match.start(1)), (row, match.end(1)))
        for row, line in enumerate(lines)
        if (match := _BLANK.match(line))
    ]
    ahead = [each for each in found if each[0] > after]
    return next(iter(ahead or found), None)
