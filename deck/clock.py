"""A computer's clock can be wrong: what the journal shows of that."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

from cards.model import Problem
from deck.errors import odd
from deck.history import History


def future_problems(history: History, today: date, folder: Path) -> tuple[Problem, ...]:
    """A warning about events after tomorrow (another time zone may be a day ahead)."""
    later, last = history.after(today + timedelta(days=1))
    if not later:
        return ()
    message = f"The journal holds {later} events from the future, up to {last}."
    hint = "Check this computer's clock, and those of the devices that share these cards."
    return (odd(folder, message, hint),)
