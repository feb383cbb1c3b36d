"""A card's id on its way to the disk: whether it is free, and whose reviews it would leave."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cards import Card
    from deck.collection import Collection


def taken_by(card_id: str, collection: Collection, path: Path | None = None) -> Path | None:
    """The file, other than `path`, that holds a card of this id; None where the id is free."""
    card = collection.cards.get(card_id)
    if card is None or card.path is None or (path is not None and _same(card.path, path)):
        return None
    return card.path


def left_behind(card: Card, collection: Collection, path: Path) -> str:
    """The id that the card at `path` has reviews under, where `card` changes it; else empty."""
    from deck.replay import New

    before = collection.card_at(path) or collection.card_at(_inside(path, collection.root))
    if before is None or before.id == card.id:
        return ""
    known = any(not isinstance(collection.state(item.id), New) for item in before.items)
    return before.id if known else ""


def _inside(path: Path, root: Path) -> Path:
    """`path` as one below `root`, where it leads there by another way."""
    real, folder = os.path.realpath(path), os.path.realpath(root)
    return root / os.path.relpath(real, folder)


def _same(one: Path, other: Path) -> bool:
    return one == other or os.path.realpath(one) == os.path.realpath(other)
