"""What the cards of a collection already use, to complete what is being written."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Final

from tui.writing.completing import Vocabulary

if TYPE_CHECKING:
    from deck.collection import Collection

_LINKS: Final = 8


def vocabulary_of(collection: Collection, now: datetime) -> Vocabulary:
    return Vocabulary(
        tags=collection.tags,
        courses=lambda: [deck.name for deck in collection.decks(now) if deck.depth == 0],
        layers=_layers,
        links=lambda written: _links(collection, written, now),
    )


@cache
def _layers() -> tuple[tuple[str, str], ...]:
    from engine.exercise import layers

    return tuple((name, "") for name in layers())


def _links(collection: Collection, written: str, now: datetime) -> Iterator[tuple[str, str]]:
    """Cards whose id holds what is written, or whose question has its words."""
    from deck.errors import CollectionError
    from deck.search.tree import And, Everything, Has, Or, Query, Word
    from tui.browse.titles import title

    words = written.split()
    named: Query = Has("id", f"*{written.strip()}*") if words else Everything()
    asked: Query = And(tuple(map(Word, words))) if len(words) > 1 else Word("".join(words))
    query = Or((named, asked)) if words else named
    seen: set[str] = set()
    for item in collection.search(str(query), now):
        try:
            card = collection.card_of(item)
        except CollectionError:
            continue
        if card.id not in seen:
            seen.add(card.id)
            yield card.id, title(card)
        if len(seen) == _LINKS:
            return
