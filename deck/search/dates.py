"""The day on which a card was written, as far as the card says it."""

from __future__ import annotations

import re
from datetime import date

from cards.model import Card

_ID_DAY = re.compile(r"((?:19|20)\d{2})-?(\d{2})-?(\d{2})(?!\d)")


def written_on(card: Card) -> date | None:
    """Its `created:`, `added:` or `date:`, or the day with which its id begins (20260106_...)."""
    for key in ("created", "added", "date"):
        value = card.extra.get(key)
        if isinstance(value, str) and (day := _day(value[:10])):
            return day
    in_id = _ID_DAY.match(card.id)
    return _day("-".join(in_id.groups())) if in_id else None


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None
