"""Which card a [[wikilink]] means."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from cards.model import Card, Value
from cards.text import fold


class Names:
    """The names of a collection's cards: ids, file names, each card's `title:` or `aliases:`."""

    def __init__(self, cards: Mapping[str, Card]) -> None:
        self._cards = cards

    def __call__(self, name: str) -> str | None:
        """The id of the card that is called `name`; None where none is.

        Case, spaces, `-` and `_` are alike; an id comes before a file name, that before a title.
        """
        if name in self._cards:
            return name
        return self._folded.get(fold(name.rpartition("/")[2].removesuffix(".md")))

    @cached_property
    def _folded(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for card in self._cards.values():
            found.setdefault(fold(card.id), card.id)
        for card in self._cards.values():
            if card.path is not None:
                found.setdefault(fold(card.path.stem), card.id)
        for card in self._cards.values():
            for name in _titles(card):
                found.setdefault(fold(name), card.id)
        return found


def _titles(card: Card) -> list[str]:
    values: list[Value] = [card.extra.get("title", ""), card.extra.get("aliases", "")]
    flat = [each for value in values for each in (value if isinstance(value, list) else [value])]
    return [each for each in flat if isinstance(each, str) and each.strip()]
