"""Rows of tables whose id may be a card's of the collection."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from cards.model import Card, Value
from cards.text import one_line
from deck.exchange.anki.shown import is_said, words
from deck.exchange.bundle import ExchangeError, ForeignCard, Lost, Own
from deck.exchange.named import named, role_of

_FOLDERS = re.compile(r"\]\([^()\s]*/")
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


def fitted(card: ForeignCard, here: Sequence[Card]) -> ForeignCard | None:
    """A note of Anki's text export as the card that an import made of it, which has its type,
    course and flags; None where it is not known how the card, or the first of several, shows the
    fields, but all their words are there.

    Raises:
        ExchangeError: words of a field are not there, and their place in the cards is not known.
    """
    told = [_named(text) for mine in here for text in (mine.question, mine.solution)]
    parts, mine = [_named(part) for part in card.parts], here[0]
    news = [not is_said(part, told) for part in parts]
    solution = card.solution
    if mine.type == "reversed":  # a third field decides whether it asks both ways
        parts, news, solution = parts[:2], news[:2], "".join(card.parts[1:2])
    layout = ((parts[:1], news[:1], told[0]), (parts[1:], news[1:], told[1]))
    if card.bare or len(here) > 1 or not all(_is_drawn(*side) for side in layout):
        if not any(news):
            return None
        raise ExchangeError(
            "The card says something else than its note's fields, and a text export does not say "
            "how it shows them; it stays as it is. Export the note as a package (.apkg)."
        )
    flags = [tag for tag in mine.tags if tag.startswith("flag::")]
    tags = card.fields.get("tags", [])
    kept = [*(tags if isinstance(tags, list) else []), *flags]
    fields: dict[str, Value] = {"course": mine.course} if mine.course else {}
    fields |= {"tags": kept} if kept else {}
    return replace(card, type=mine.type, solution=solution, fields=fields)


def _named(text: str) -> str:
    """A text with the names of its pictures alone, wherever they lie."""
    return _FOLDERS.sub("](", text)


def _is_drawn(parts: Sequence[str], news: Sequence[bool], text: str) -> bool:
    """Whether a side is the fields one below the other, but for what is new in them."""
    pattern = r"\s*".join(
        r"[\s\S]*" if new else re.escape(words(part).strip())
        for part, new in zip(parts, news, strict=True)
    )
    return re.fullmatch(rf"\s*{pattern}\s*", words(text)) is not None
