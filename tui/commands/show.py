"""`deltadeck show ID...`: print cards as pages."""

from __future__ import annotations

import argparse
import shutil
import sys
from typing import TYPE_CHECKING, Any

from tui.commands.common import (
    add_folder,
    add_json,
    is_dumb,
    open_collection,
    print_json,
    whole_number,
)
from tui.commands.items import add_cards, chosen_cards, is_one
from tui.text import dots, points, visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cards import Card
    from deck.collection import Collection
    from tui.page.sheet import Sheet

#: Where nobody says how wide it is: a pipe, a file.
WIDTH = 80


def configure(parser: argparse.ArgumentParser) -> None:
    add_cards(parser)
    parser.add_argument("--question", action="store_true", help="leave the solution out")
    parser.add_argument("--source", action="store_true", help="print the Markdown as it is written")
    parser.add_argument(
        "--width",
        type=whole_number(10, 10_000),
        metavar="N",
        help="cells in a row (default: the terminal's)",
    )
    add_folder(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """--json: of one card that is named an object, else a list."""
    collection = open_collection(args.folder)
    ids, solution = chosen_cards(args, collection), not args.question
    if args.json:
        values = [card_dict(collection.cards[name], solution) for name in ids]
        print_json(values[0] if is_one(args) else values)
        return 0
    terminal = sys.stdout.isatty()
    width = args.width or (shutil.get_terminal_size().columns if terminal else WIDTH)
    styled = terminal and not is_dumb()
    for number, name in enumerate(ids):
        card = collection.cards[name]
        if number:
            print(f"\n{'═' * min(width, WIDTH)}\n")
        if args.source:
            print(card_text(card, solution))
        else:
            print(card_page(card, collection, width, styled, solution))
    return 0


def card_page(
    card: Card, collection: Collection, width: int, styled: bool, solution: bool = True
) -> str:
    """The card as it is read, in rows of at most `width` cells; `styled` for a terminal."""
    from tui.page.ansi import printed

    facts = visible(" · ".join(facts_of(card)))
    sheets = _sheets(card, collection, width, solution)
    head = f"\x1b[2m{facts}\x1b[0m" if styled else facts
    return "\n\n".join([head, *(printed(sheet, styled) for sheet in sheets)])


def _sheets(card: Card, collection: Collection, width: int, solution: bool) -> Iterator[Sheet]:
    from cards.cloze import find, render
    from tui.options_page import options_page
    from tui.page.lay import Look
    from tui.page.read import read
    from tui.page.sheet import Page
    from tui.reading import Library

    reading = Library(collection, addresses=True).reading(card)
    question = card.question
    if card.type == "cloze":  # its braces are no text, and no mathematics
        question = render(question, find(question), None)
    documents = [read(question, reading.context)]
    reading = reading.after(documents[0])
    if card.is_choice:
        correct = card.correct_letters if solution and card.correct_letters else None
        documents.append(options_page(card.options, frozenset(), correct, reading.context))
    if solution:
        documents += [read("---"), read(card.solution, reading.context)]
    for document in documents:
        if document.blocks:
            yield Page(document, Look(find=reading.find)).at(width)


def facts_of(card: Card) -> list[str]:
    """What is said above a card."""
    facts = [card.id, card.course, card.type.replace("_", " ")]
    if card.points is not None:
        facts.append(points(card.points))
    if card.difficulty is not None:
        facts.append(f"difficulty {dots(card.difficulty)}")
    return [fact for fact in facts if fact]


def card_text(card: Card, solution: bool = True) -> str:
    """The card as its Markdown, its mathematics as LaTeX."""
    parts = [" · ".join(facts_of(card)), card.question]
    if card.is_choice:
        parts.append("\n".join(f"{o.letter}) {o.text}" for o in card.options if not o.placeholder))
    if solution:
        parts += ["─" * 40, card.solution]
    return "\n\n".join(part for part in parts if part)


def card_dict(card: Card, solution: bool = True) -> dict[str, Any]:
    """The card as plain data; the keys are stable."""
    value: dict[str, Any] = {
        "id": card.id,
        "course": card.course,
        "tags": list(card.tags),
        "difficulty": card.difficulty,
        "type": card.type,
        "status": card.status,
        "points": card.points,
        "question": card.question,
        "options": {o.letter: o.text for o in card.options if not o.placeholder},
        "related": list(card.related),
        "items": [item.id for item in card.items],
        "exercise": card.exercise,
        "macros": dict(card.macros),
        "extra": dict(card.extra),
        "path": str(card.path) if card.path else None,
    }
    if solution:
        value |= {"correct": card.correct, "solution": card.solution}
    return value
