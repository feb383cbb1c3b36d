"""What of a card is scheduled: one item, one for each cloze number, or one for each direction."""

from __future__ import annotations

from cards import cloze
from cards.model import Card, Item

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
    shown = _answer(cloze.render(question, clozes, None), solution)
    return tuple(
        Item(f"{card_id}/c{number}", cloze.render(question, clozes, number), shown)
        for number in clozes.numbers
    )


def told_answer(card: Card, item: Item) -> str:
    """The answer as it is shown after the question: of a cloze, with what was asked marked."""
    number = item.id.removeprefix(f"{card.id}/c")
    if card.type != "cloze" or not number.isdecimal():
        return item.answer
    shown = cloze.render_answer(card.question, cloze.find(card.question), int(number))
    return _answer(shown, card.solution)


def _answer(shown: str, solution: str) -> str:
    return "\n\n".join(part for part in (shown, solution) if part)
