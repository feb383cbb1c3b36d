"""The line `status:` of a card file: what the schedule says, for whoever reads the file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from cards.model import Card
from deck.event import Kept
from deck.state import SUSPENDED, status_of  # noqa: F401


def write_status(
    card: Card,
    root: Path,
    status: str,
    lift: bool,
    was: str,
    keep: Callable[[str, str], None] | None,
) -> Card:
    """The card after its file's `status:` was set; only that line of the file changes.

    The file is read first: what the learner wrote meanwhile stays, and so does a suspension there,
    unless `lift`.  An undo puts the word `was` back; where that would not give the file as it is,
    `keep` hears the lines before and after, first.

    Raises:
        CardError: the file cannot be read or written, or is outside of `root`; it is as it was.
        JournalError: from `keep`; the same.
    """
    from cards.edit import field_lines, save_card, with_field  # most starts need no parser
    from cards.parse import read_card

    if card.path is None or (card.status == SUSPENDED and not lift):
        return card
    fresh = read_card(card.path, root)
    stays = fresh.status == status or (fresh.status == SUSPENDED and not lift)
    if stays or fresh.id != card.id:
        return fresh
    text = with_field(fresh.source, "status", status, card.path)
    if keep and (not was or with_field(text, "status", was, card.path) != fresh.source):
        keep(field_lines(fresh.source, "status"), field_lines(text, "status"))
    return save_card(card.path, text, fresh.source, root)


def put_lines_back(card: Card, kept: Kept, root: Path) -> Card:
    """The card after its `status:` is as it was; the learner's changes since then stay.

    Raises:
        CardError: the file cannot be read or written; it is as it was.
    """
    from cards.edit import field_lines, save_card, with_field_lines
    from cards.parse import read_card

    if card.path is None:
        return card
    fresh = read_card(card.path, root)
    if fresh.id != card.id or field_lines(fresh.source, "status") != kept.after:
        return fresh
    text = with_field_lines(fresh.source, "status", kept.before, card.path)
    return save_card(card.path, text, fresh.source, root)
