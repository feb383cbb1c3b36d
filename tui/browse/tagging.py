"""A card's text with other tags, and with these taken back whatever else was written since."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from cards.model import Card


class Tagged(NamedTuple):
    """What tagging made of a card."""

    before: tuple[str, ...]
    after: tuple[str, ...]
    old: tuple[str, ...]
    """The lines that say so, as they were: none where there was none."""
    new: tuple[str, ...]


def tagged(card: Card, new: Iterable[str], gone: Collection[str]) -> tuple[str, Tagged]:
    """The card's text with the tags `new` and without `gone`, and the way back.

    Raises CardError where `with_field` does.
    """
    from cards.edit import with_field

    kept = [name for name in card.tags if name not in gone]
    tags = (*kept, *(name for name in dict.fromkeys(new) if name not in kept))
    text = card.source
    if tags != card.tags:
        text = with_field(text, "tags", list(tags), card.path)
    return text, Tagged(card.tags, tags, *_apart(card.source, text))


def untagged(card: Card, way: Tagged) -> str:
    """The card's text as it stands now, its tags as before: those given gone, those taken back.

    Where the lines of the tags are those that tagging wrote, they become the old ones letter by
    letter.  Raises CardError where `with_field` does.
    """
    from cards.edit import with_field

    if card.tags == way.after:
        tags = way.before
    else:  # they were changed since: only what this tagging did is taken back
        kept = [name for name in card.tags if name in way.before or name not in way.after]
        lost = [name for name in way.before if name not in way.after and name not in kept]
        tags = (*kept, *lost)
    if tags == card.tags:
        return card.source
    if tags == way.before and (text := _exchanged(card, way)) is not None:
        return text
    return with_field(card.source, "tags", list(tags), card.path)


def _exchanged(card: Card, way: Tagged) -> str | None:
    """The first lines that are the new ones changed to the old; None where they are not there."""
    from cards.model import CardError
    from cards.parse import parse_card

    lines = card.source.splitlines(keepends=True)
    size, new = len(way.new), list(way.new)
    at = next((at for at in range(len(lines)) if new and lines[at : at + size] == new), None)
    if at is None:
        return None
    text = "".join([*lines[:at], *way.old, *lines[at + size :]])
    try:
        return text if parse_card(text, card.path).tags == way.before else None
    except CardError:
        return None


def _apart(before: str, after: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The lines in which two texts differ: from the first such line to the last of each."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    while old and new and old[-1] == new[-1]:
        del old[-1], new[-1]
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    return tuple(old[start:]), tuple(new[start:])
