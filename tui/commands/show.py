"""`deltadeck show`: cards as pages."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from cards.cloze import revealed
from cards.model import Card
from deck.collection import Collection
from tui.commands.common import columns, is_styled, print_json
from tui.commands.lookup import chosen_cards, is_one, open_collection
from tui.commands.search import card_dict
from tui.page.layout import PageOptions
from tui.page.output import printed
from tui.page.page import Page, PageLayout, options_page, render_context
from tui.page.read import read
from tui.text import dots, points, visible

#: Where nobody says how wide it is: a pipe, a file.
_WIDTH = 80


def run_show(args: argparse.Namespace) -> int:
    """--json: of one card that is named an object, else a list."""
    collection, now = open_collection(args.folder)
    cards, solution = chosen_cards(args, collection, now), not args.question
    if args.json:
        values = [card_dict(card, solution) for card in cards]
        print_json(values[0] if is_one(args) else values)
        return 0
    width = args.width or columns() or _WIDTH
    for number, card in enumerate(cards):
        if number:
            print(f"\n{'═' * min(width, _WIDTH)}\n")
        if args.source:
            print(_card_source(card, solution))
        else:
            print(card_page(card, collection, width, is_styled(), solution))
    return 0


def card_page(
    card: Card, collection: Collection, width: int, styled: bool, solution: bool = True
) -> str:
    """The card as it is read, in rows of at most `width` cells; `styled` for a terminal."""
    facts = visible(_facts(card))
    sheets = _sheets(card, collection, width, solution)
    head = f"\x1b[2m{facts}\x1b[0m" if styled else facts
    return "\n\n".join([head, *(printed(sheet, styled) for sheet in sheets)])


def _sheets(card: Card, collection: Collection, width: int, solution: bool) -> Iterator[PageLayout]:
    reading = render_context(card, collection, addresses=True)
    documents = [read(revealed(card), reading.context)]
    reading = reading.after(documents[0])
    if card.is_choice:
        correct = card.correct_letters if solution and card.correct_letters else None
        documents.append(options_page(card.options, frozenset(), correct, reading.context))
    if solution:
        documents += [read("---"), read(card.solution, reading.context)]
    for document in documents:
        if document.blocks:
            yield Page(document, PageOptions(find=reading.look.find)).at(width)


def _facts(card: Card) -> str:
    """What is said above a card."""
    facts = [card.id, card.course, card.type.replace("_", " ")]
    if card.points is not None:
        facts.append(points(card.points))
    if card.difficulty is not None:
        facts.append(f"difficulty {dots(card.difficulty)}")
    return " · ".join(fact for fact in facts if fact)


def _card_source(card: Card, solution: bool) -> str:
    """The card as its Markdown, its mathematics as LaTeX."""
    parts = [_facts(card), card.question]
    if card.is_choice:
        parts.append("\n".join(f"{o.letter}) {o.text}" for o in card.options if not o.placeholder))
    if solution:
        parts += ["─" * 40, card.solution]
    return "\n\n".join(part for part in parts if part)
