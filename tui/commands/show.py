"""`deltadeck show ID`: print a card."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from tui.commands.common import add_folder, add_json, find_card, open_collection, print_json

if TYPE_CHECKING:
    from cards import Card


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", help="the card's id")
    parser.add_argument("--question", action="store_true", help="leave the solution out")
    add_folder(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    card = find_card(open_collection(args.folder), args.id)
    if args.json:
        print_json(card_dict(card, solution=not args.question))
    else:
        print(card_text(card, solution=not args.question))
    return 0


def card_text(card: Card, solution: bool = True) -> str:
    """The card as plain text, its mathematics as LaTeX."""
    facts = [card.id, card.course, card.type.replace("_", " ")]
    if card.points is not None:
        facts.append(f"{card.points:g} p")
    if card.difficulty is not None:
        facts.append("difficulty " + "●" * card.difficulty + "○" * (5 - card.difficulty))
    parts = [" · ".join(fact for fact in facts if fact), card.question]
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
        "extra": dict(card.extra),
        "path": str(card.path) if card.path else None,
    }
    if solution:
        value |= {"correct": card.correct, "solution": card.solution}
    return value
