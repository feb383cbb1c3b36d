"""Two cards of a note, each the other turned round: one card here, or two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from cards.model import Value
from deck.exchange.anki.shown import Converted
from deck.exchange.bundle import ForeignCard
from deck.exchange.naming import id_from

_Both = tuple[Converted, Converted]


def mirrored(one: _Both, other: _Both) -> bool:
    """Whether the sides of two cards are the same, the other way round."""
    return one[0].text == other[1].text and one[1].text == other[0].text


def halves(
    card: ForeignCard,
    keys: Sequence[str],
    folders: Sequence[tuple[str, ...]],
    fields: Sequence[Mapping[str, Value]],
) -> tuple[ForeignCard, ForeignCard]:
    """A reversed card as it would be, did its two cards ask different things."""
    one, two = (
        replace(
            card,
            key=keys[at],
            wanted_id=id_from(question, f"card_{keys[at][:8]}"),
            folder=folders[at],
            type="basic",
            question=question,
            solution=solution,
            fields=fields[at],
            items=(replace(card.items[at], suffix=""),),
        )
        for at, (question, solution) in enumerate(
            ((card.question, card.solution), (card.solution, card.question))
        )
    )
    return one, replace(two, half_of=card.key)
