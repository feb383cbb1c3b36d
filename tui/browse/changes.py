"""What is done to many items at once, and how all of it is taken back."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from tui.study_deeds import reset as reset_one
from tui.study_deeds import suspend as suspend_one
from tui.study_deeds import take_back
from tui.text import counted

if TYPE_CHECKING:
    from cards.model import Card
    from deck import Collection

#: Takes one change back; raises what the change itself may raise.
Undo = Callable[[datetime], None]


@dataclass(frozen=True, slots=True)
class Change:
    """What was done: a sentence, what could not be done, and the way back."""

    said: str
    troubles: tuple[str, ...]
    undo: tuple[Undo, ...]


def take_all_back(change: Change, now: datetime) -> list[str]:
    """Undo a change, the last of its parts first; what could not be taken back, in sentences."""
    troubles = []
    for step in reversed(change.undo):
        try:
            step(now)
        except (OSError, ValueError) as error:
            troubles.append(str(error))
    return troubles


def suspend(collection: Collection, items: Iterable[str], now: datetime) -> Change:
    """Put aside what is not; where all are, take them up again."""
    chosen = list(items)
    if all(collection.is_suspended(item) for item in chosen):

        def take_up(item: str) -> Undo:
            collection.suspend(item, now, on=False)
            return lambda then: _ignore(collection.suspend(item, then))

        return _each(chosen, take_up, "taken up again", "item")

    def put_aside(item: str) -> Undo:
        deed = suspend_one(collection, item, now)
        return lambda then: _ignore(take_back(collection, deed, then))

    waiting = [item for item in chosen if not collection.is_suspended(item)]
    return _each(waiting, put_aside, "put aside", "item")


def reset(collection: Collection, items: Iterable[str], now: datetime) -> Change:
    """New again; the history stays."""

    def forget(item: str) -> Undo:
        deed = reset_one(collection, item, now)
        return lambda then: _ignore(take_back(collection, deed, then))

    return _each(list(items), forget, "new again", "item")


def tag(collection: Collection, items: Iterable[str], words: str) -> Change:
    """Gives the cards tags, `cnn pooling`, and takes those with a minus away, `-old`."""
    names = words.replace(",", " ").split()
    gone = {name[1:] for name in names if name.startswith("-")}
    new = [name.removeprefix("+") for name in names if not name.startswith("-")]

    def put(card: Card) -> Undo | None:
        kept = [name for name in card.tags if name not in gone]
        tags = [*kept, *(name for name in new if name not in kept)]
        if tags == list(card.tags):
            return None
        return _rewritten(collection, card, tags)

    return _each(_cards(collection, items), put, f"tagged {' '.join(names)}", "card")


def _rewritten(collection: Collection, card: Card, tags: Sequence[str]) -> Undo:
    from cards.edit import save_card, with_field
    from cards.files import read_text

    path = _file(collection, card)
    before = read_text(path)
    after = with_field(before, "tags", list(tags), path)
    save_card(path, after, before)

    def undo(now: datetime) -> None:  # noqa: ARG001
        save_card(path, before, after)

    return undo


def move(collection: Collection, items: Iterable[str], folder: str) -> Change:
    """Into another folder of the collection, which is made where it is missing.

    Raises:
        ValueError: `folder` is none of the collection.
    """
    root = collection.root.resolve()
    target = (root / folder).resolve()
    if not target.is_relative_to(root) or ".deltadeck" in target.parts:
        raise ValueError(f"{folder} is not inside {root}: name a folder of this collection.")

    def put(card: Card) -> Undo | None:
        path = _file(collection, card)
        if path.parent.resolve() == target:
            return None
        return _moved(path, target / path.name)

    return _each(_cards(collection, items), put, f"moved to {folder or 'the top'}", "card")


def _moved(old: Path, new: Path) -> Undo:
    made = [folder for folder in new.parents if not folder.exists()]
    new.parent.mkdir(parents=True, exist_ok=True)
    _rename(old, new)

    def undo(now: datetime) -> None:  # noqa: ARG001
        old.parent.mkdir(parents=True, exist_ok=True)
        _rename(new, old)
        for folder in made:
            with suppress(OSError):  # something else is in it by now
                folder.rmdir()

    return undo


def _rename(old: Path, new: Path) -> None:
    """Onto a name that nobody has: a link is refused where one is taken, a rename is not."""
    try:
        os.link(old, new)
    except FileExistsError as error:
        raise OSError(f"{new} is there already: {old.name} stays where it was.") from error
    old.unlink()


def _cards(collection: Collection, items: Iterable[str]) -> list[Card]:
    return list({card.id: card for card in map(collection.card_of, items)}.values())


def _file(collection: Collection, card: Card) -> Path:
    return card.path or collection.root


def _each(
    chosen: list[str] | list[Card], act: Callable[..., Undo | None], done: str, noun: str
) -> Change:
    undo, troubles = [], []
    for one in chosen:
        try:
            if (back := act(one)) is not None:
                undo.append(back)
        except (OSError, ValueError) as error:
            troubles.append(str(error))
    return Change(f"{counted(len(undo), noun)} {done}.", tuple(troubles), tuple(undo))


def _ignore(_: object) -> None:
    """A way back needs no result."""
