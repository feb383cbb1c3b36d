"""Two versions of a card to one: as text, but for `status:`, which follows the history."""

from __future__ import annotations

from collections.abc import Callable

from cards.model import Card, CardError
from deck.replay import SUSPENDED

TextMerge = Callable[[bytes, bytes, bytes], bytes | None]
"""Base, ours, theirs to one text; None where both changed the same lines."""
Scheduled = Callable[[Card], str | None]
"""The status that the history of both sides gives a card; None where nobody knows."""


def merge_cards(
    base: bytes, ours: bytes, theirs: bytes, merge: TextMerge, scheduled: Scheduled
) -> bytes | None:
    """The text that has both sides' changes; None where a learner must choose.

    A `status:` that both changed is no reason to ask.  A text that merges and is no card any more,
    though both sides are, is.
    """
    status = _status(base, ours, theirs, scheduled)
    first, mine, yours = (_with_status(text, status) for text in (base, ours, theirs))
    if mine == yours:
        return mine
    if not base:
        return None
    merged = mine if yours == first else yours if mine == first else merge(first, mine, yours)
    if merged is None or not _reads_as_both(merged, ours, theirs):
        return None
    return merged


def with_agreed_status(base: bytes, ours: bytes, theirs: bytes, scheduled: Scheduled) -> bytes:
    """Ours, with the status that both sides come to."""
    return _with_status(ours, _status(base, ours, theirs, scheduled))


def card_id(data: bytes) -> str | None:
    """The id of the card; None of a text that is none."""
    card = card_of(data)
    return card.id if card else None


def written_id(data: bytes) -> str | None:
    """The id in the frontmatter, also of a card that is broken below; None of another text."""
    from cards.diagnostics import Report
    from cards.frontmatter import read_header

    try:
        field = read_header(Report(data.decode("utf-8"), None)).fields.get("id")
    except (CardError, UnicodeDecodeError):
        return None
    return field.value.strip() or None if field and isinstance(field.value, str) else None


def card_of(data: bytes) -> Card | None:
    from cards.parse import parse_card

    try:
        return parse_card(data.decode("utf-8"))
    except (CardError, UnicodeDecodeError):
        return None


def _reads_as_both(merged: bytes, ours: bytes, theirs: bytes) -> bool:
    ids = {card_id(ours), card_id(theirs)}
    return None in ids or {card_id(merged)} == ids


def _status(base: bytes, ours: bytes, theirs: bytes, scheduled: Scheduled) -> str | None:
    """The one that both sides come to; None where one of them has no such line."""
    first, mine, yours = (_status_of(text) for text in (base, ours, theirs))
    if mine is None or yours is None or mine == yours:
        return mine if mine == yours else None
    if mine == first:
        return yours
    if yours == first:
        return mine
    if SUSPENDED in (mine, yours):  # the learner's word; the schedule never changes it
        return SUSPENDED
    card = card_of(ours)
    return (scheduled(card) if card else None) or mine


def _status_of(data: bytes) -> str | None:
    from cards.diagnostics import Report
    from cards.frontmatter import read_header

    try:
        field = read_header(Report(data.decode("utf-8"), None)).fields.get("status")
    except (CardError, UnicodeDecodeError):
        return None
    return field.value if field and isinstance(field.value, str) else None


def _with_status(data: bytes, status: str | None) -> bytes:
    from cards.edit import with_field

    if status is None or _status_of(data) in (None, status):
        return data
    try:
        return with_field(data.decode("utf-8"), "status", status).encode("utf-8")
    except CardError:
        return data
