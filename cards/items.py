"""What of a card is scheduled: one item, one for each cloze number, or one for each direction."""

from __future__ import annotations

from cards import cloze
from cards.model import Item

# Every number repeats the whole text; a hostile card must not turn 1 MB into a gigabyte.
MAX_CLOZE_CHARACTERS = 4_000_000


def items_of(card_id: str, kind: str, question: str, solution: str) -> tuple[Item, ...]:
    """The items of a card; `id`, `id/c1` (cloze) and `id/r` (reversed) are their ids.

    A cloze item's answer is the text with everything shown, and the solution where there is one.
    """
    if kind == "cloze":
        return _cloze_items(card_id, question, solution)
    forth = Item(card_id, question, solution)
    if kind == "reversed":
        return (forth, Item(f"{card_id}/r", solution, question))
    return (forth,)


def _cloze_items(card_id: str, question: str, solution: str) -> tuple[Item, ...]:
    clozes = cloze.find(question)
    shown = "\n\n".join(part for part in (cloze.render(question, clozes, None), solution) if part)
    return tuple(
        Item(f"{card_id}/c{number}", cloze.render(question, clozes, number), shown)
        for number in clozes.numbers
    )
