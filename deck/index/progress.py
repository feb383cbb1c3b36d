"""How the index says how far it is."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int], None]
"""What is being read ("cards", "reviews", "schedules"), how many are done, how many there
are; of reviews, bytes of the journal."""


def silent(what: str, done: int, total: int) -> None:
    """Hears progress, and says nothing."""
