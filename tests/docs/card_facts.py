"""A card as the specification's examples speak of it: plain data."""

from __future__ import annotations

from typing import Any

from cards.lint import lint_card
from cards.model import Card
from cards.parse import analyse


def facts(text: str) -> dict[str, Any]:
    """All that an example may say of a card; of one that cannot be read, only its problems."""
    card, _ = analyse(text)
    said = [f"{p.severity} {p.line}: {p.message}" for p in lint_card(text)]
    return {"problems": said} | (_read(card) if card else {})


def _read(card: Card) -> dict[str, Any]:
    return {
        "id": card.id,
        "course": card.course,
        "tags": list(card.tags),
        "difficulty": card.difficulty,
        "type": card.type,
        "status": card.status,
        "points": card.points,
        "question": card.question,
        "solution": card.solution,
        "options": {o.letter: o.text for o in card.options if not o.placeholder},
        "correct": card.correct,
        "correct_letters": list(card.correct_letters),
        "tolerance": card.tolerance,
        "sections": [[s.level, s.title] for s in card.sections],
        "related": list(card.related),
        "exercise": card.exercise,
        "macros": dict(card.macros),
        "extra": dict(card.extra),
        "items": {item.id: [item.prompt, item.answer] for item in card.items},
    }


def unlike(expected: dict[str, Any], text: str) -> dict[str, Any]:
    """What an example says that is not so, with what is; no problems are expected unsaid."""
    found, wanted = facts(text), {"problems": [], **expected}
    return {key: found.get(key) for key, value in wanted.items() if found.get(key) != value}
