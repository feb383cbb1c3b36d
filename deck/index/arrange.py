"""Items in another order than that of their files."""

from __future__ import annotations

import sqlite3
from typing import Literal

from deck.index.codec import plain_text

By = Literal["files", "due", "stability", "difficulty", "added"]
"""due: what comes first; stability: the weakest memory first; difficulty: the hardest first; added:
the newest card first."""

_DAY = 86_400_000
#: The ordinal of 1 January 1970; a learning step's `due` is a time, a review's a study day.
_EPOCH = 719_163
_OF_STATES = "SELECT t.id, {} FROM state s JOIN thing t ON t.item = s.item"
_RANKS = {
    "due": _OF_STATES.format(
        f"CASE WHEN s.learning THEN s.due / {_DAY}.0 + {_EPOCH} ELSE s.due END"
    ),
    "stability": _OF_STATES.format("s.stability"),
    "difficulty": _OF_STATES.format("-s.difficulty"),
    "added": f"""
        SELECT t.id, -coalesce(c.added, f.mtime / {_DAY}000000 + {_EPOCH}) FROM item i
        JOIN thing t ON t.item = i.item JOIN card c ON c.card = i.card
        JOIN file f ON f.file = c.card
    """,
}


def arranged(db: sqlite3.Connection, items: list[str], by: By) -> list[str]:
    """The items, sorted; what has no such number comes last, and what is alike stays as it was."""
    if by == "files":
        return items
    ranks = {plain_text(item): float(rank) for item, rank in db.execute(_RANKS[by])}
    last = float("inf")
    return sorted(items, key=lambda item: ranks.get(item, last))
