"""Rows of tables whose id may be a card's of the collection."""

from __future__ import annotations

from collections.abc import Mapping

from cards.model import Value
from cards.text import one_line
from deck.exchange.bundle import Lost, Own
from deck.exchange.named import named, role_of

#: What the header of our own table of cards has, and no other's.
_OURS = {"id", "digest", "items"}


def is_ours(names: tuple[str, ...]) -> bool:
    """Whether our own export made a table with these columns."""
    return set(names) >= _OURS


def own_of(values: Mapping[str, Value], where: str, ours: bool) -> Own | None:
    """The card of the collection that a row may be, by its id.

    In other programs' tables a number is a row's, in every table from 1.
    """
    card_id = next((one_line(str(v)) for n, v in values.items() if role_of(n) == "id"), "")
    if not card_id or (card_id.isdigit() and not ours):
        return None
    return drafted(values, where, [], ours)


def drafted(values: Mapping[str, Value], where: str, lost: list[Lost], ours: bool = True) -> Own:
    """A row as a card's texts; the right answer is compared by itself."""
    kept = {n: v for n, v in values.items() if n != "digest" and role_of(n) != "correct"}
    draft = named(kept, "", where, lost)
    fields = dict(draft.fields)
    correct = [value for name, value in values.items() if role_of(name) == "correct"]
    if correct and correct[0]:
        fields["correct"] = correct[0]
    digest = str(values.get("digest", "")) if ours else ""
    return Own(
        draft.wanted_id,
        draft.type,
        draft.question,
        draft.solution,
        fields,
        digest,
        tuple(values),
        ours,
    )
