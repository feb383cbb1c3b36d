"""The line above a card that is studied: where it stands, what it is, how far along."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.text import dots, initials, interval, points, stopwatch

if TYPE_CHECKING:
    from tui.study_session import Session

LEECH = "⚑ leech"
KINDS = {"cram": "cram", "ahead": "ahead"}


def heading(session: Session) -> tuple[str, str, str]:
    """Where the item stands ("course › deck › id"), the same with the course's initials, and
    what it is ("derivation · 5 p · ●●○○○")."""
    from deck.decks import SEPARATOR, deck_path

    card, item = session.card, session.item
    if card is None or item is None:
        return "Study", "Study", ""
    first, *rest = deck_path(card, session.collection.root)
    kind = [card.type.replace("_", " ")]
    kind += [points(card.points)] if card.points is not None else []
    kind += [dots(card.difficulty)] if card.difficulty is not None else []
    kind += [LEECH] if session.is_leech else []
    below = SEPARATOR.join([*rest, item.id])
    return (
        f"{first}{SEPARATOR}{below}",
        f"{initials(first)}{SEPARATOR}{below}",
        " · ".join(kind),
    )


def progress(session: Session) -> str:
    """ "cram · 7 of 34 · 2:41 · 12 m left"; nothing where no item is shown."""
    if session.item is None:
        return ""
    parts = [KINDS[session.asked.kind]] if session.asked.kind in KINDS else []
    parts += [f"{session.number} of {session.total}", stopwatch(session.seconds)]
    left = session.time_left
    if left is not None:
        parts.append("last card" if session.time_is_up else f"{interval(left)} left")
    return " · ".join(parts)
