"""The one place in the room that reads the clock."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from deck.study_day import Local

Clock = Callable[[], datetime]


def now() -> datetime:
    """The present moment, aware, in the local zone (study days are local)."""
    return datetime.now(Local())
