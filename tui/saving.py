"""What stands between a card's text and its file: what is refused, and what is asked first."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tui.files import UnreadableError, on_disk
from tui.screens.confirm import Choice

if TYPE_CHECKING:
    from cards import Card, Problem
    from deck.collection import Collection

_STAY = Choice("escape", "stay", "Go on editing")


@dataclass(frozen=True, slots=True)
class Question:
    """Asked before a save goes on; the last choice leaves everything as it is."""

    text: str
    choices: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class Conflict(Question):
    """The file is not what the editor was opened on; `there` is its text, None where it is gone."""

    there: str | None


def refusal(problem: Problem) -> str:
    """Why nothing was saved, with the line."""
    place = f"line {problem.line}: " if problem.line > 1 else ""
    return f"Not saved: {place}{problem.message} {problem.hint}"


def id_refusal(card: Card, collection: Collection, path: Path) -> str:
    """Why a card of this id must not be saved at `path`; empty where it may."""
    from tui.identity import taken_by

    taken = taken_by(card.id, collection, path)
    if taken is None:
        return ""
    return f"Not saved: the id {card.id} is taken by {taken.name}. Choose another one."


def id_question(card: Card, collection: Collection, path: Path) -> Question | None:
    """To be asked where a new id would leave the reviews of the old one behind."""
    from tui.identity import left_behind

    before = left_behind(card, collection, path)
    if not before:
        return None
    words = (
        f"The id changes from {before} to {card.id}: the reviews stay with {before}, "
        "and the card begins as a new one."
    )
    return Question(words, (Choice("n", "new", "Save it as a new card"), _STAY))


def conflict(path: Path, seen: str | None) -> Conflict | None:
    """What to ask where the file at `path` is no longer the text `seen` (None: there was none)."""
    try:
        there = on_disk(path) if path.exists() else None
    except (OSError, UnreadableError):
        return None
    if there == seen:
        return None
    if there is None:
        if not path.parent.is_dir():
            return None  # the folder is gone with it: the refusal says so
        words = f"{path.name} was removed by another program since it was opened here."
        return Conflict(words, (Choice("w", "mine", "Write it again"), _STAY), None)
    happened = "made" if seen is None else "changed"
    words = f"{path.name} was {happened} by another program since it was opened here."
    mine, disk = Choice("m", "mine", "Save mine over it"), Choice("d", "disk", "Take the file's")
    return Conflict(words, (mine, disk, _STAY), there)
