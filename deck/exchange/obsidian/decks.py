"""Which decks a note's cards lie in: the tags of its frontmatter and of its lines.

A tag holds for the cards below it, up to the next one; one that stands in a card's own text holds
for that card alone; and what comes before the first tag belongs to that.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from deck.exchange.obsidian.blocks import Block
from deck.exchange.obsidian.settings import Settings
from deck.exchange.obsidian.tags import by_line, deck_of

Deck = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Named:
    """A line that names decks; `card` is the index of the card whose own they are, or None."""

    line: int
    decks: tuple[Deck, ...]
    card: int | None = None


class Decks:
    """The decks of one note; `lines` is its text below the frontmatter."""

    def __init__(
        self, tags: Iterable[str], lines: Sequence[str], blocks: Sequence[Block], told: Settings
    ) -> None:
        self._tags = told.tags
        self._card_at = {
            index: number
            for number, block in enumerate(blocks)
            for index in range(block.first, block.last + 1)
        }
        self.named: list[Named] = []
        if front := self._decks(tags):
            self.named.append(Named(-1, front))
        for index, found in by_line(lines).items():
            if decks := self._decks(found):
                self.named.append(Named(index, decks, self._owner(index, lines[index], blocks)))

    def of(self, number: int, block: Block) -> tuple[Deck, ...]:
        """The decks of the card `number`, the first of them the one it lies in; () for none."""
        own = [named for named in self.named if named.card == number]
        shared = [named for named in self.named if named.card is None]
        above = [named for named in shared if named.line <= block.first]
        chosen = own or above[-1:] or shared or self.named
        return chosen[0].decks if chosen else ()

    def _decks(self, tags: Iterable[str]) -> tuple[Deck, ...]:
        found = (deck_of(tag, self._tags) for tag in tags)
        return tuple(dict.fromkeys(deck for deck in found if deck))

    def _owner(self, index: int, line: str, blocks: Sequence[Block]) -> int | None:
        """The card whose own a line's tags are: not where they stand alone above its text."""
        number = self._card_at.get(index)
        if number is None:
            return None
        alone = all(word.startswith("#") for word in line.split())
        above = blocks[number].first == index < blocks[number].last
        return None if alone and above else number
