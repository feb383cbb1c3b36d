"""The `status:` that the history of both sides gives a card."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from cards.model import Card
from deck.collection import Collection
from deck.errors import CollectionError
from deck.replay import status_of


class Statuses:
    """Asks the collection, once the journals of both sides are in it; opened where it is needed."""

    def __init__(self, root: Path, now: datetime, bring: Callable[[], None]) -> None:
        self._root, self._now, self._bring = root, now, bring
        self._collection: Collection | None = None
        self._broken = False

    def of(self, card: Card) -> str | None:
        """None where the collection cannot be opened, or leaves `status:` alone."""
        collection = self._open()
        if collection is None or not collection.config.write_status:
            return None
        known = [item.id for item in card.items if collection.has_item(item.id)]
        return status_of(collection.state(item) for item in known) if known else None

    def close(self) -> None:
        if self._collection is not None:
            self._collection.close()
            self._collection = None

    def _open(self) -> Collection | None:
        if self._collection is None and not self._broken:
            self._bring()
            try:
                self._collection = Collection.open(self._root, self._now)
            except CollectionError:
                self._broken = True
        return self._collection
