"""What is done to the files of many cards at once: their tags, and the folder they are in."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tui.browse.deeds import Deed, Outcome
from tui.browse.tagging import Tagged, tagged, untagged

if TYPE_CHECKING:
    from cards.model import Card
    from deck.collection import Collection

#: So often a card is written anew that another program wrote between reading and writing.
_TRIES = 5


def tag(collection: Collection, items: Iterable[str], words: str, now: datetime) -> Deed:
    """Gives the cards tags, `cnn pooling`, and takes those with a minus away, `-old`."""
    names = words.replace(",", " ").split()
    gone = {name[1:] for name in names if name.startswith("-")}
    new = [name.removeprefix("+") for name in names if not name.startswith("-")]
    ways: dict[str, Tagged] = {}

    def put(cards: _Cards, item: str) -> bool:
        def change(card: Card) -> str:
            text, ways[item] = tagged(card, new, gone)
            return text

        return _rewrite(cards, item, change)

    def take(cards: _Cards, item: str) -> bool:
        _rewrite(cards, item, lambda card: untagged(card, ways[item]))
        return True

    return _filed(collection, items, ("tagging", f"tagged {' '.join(names)}"), (put, take), now)


def _rewrite(cards: _Cards, item: str, change: Callable[[Card], str]) -> bool:
    """Writes what `change` makes of the card as it stands now; whether that is another text."""
    from cards.edit import save_card
    from cards.model import CardError

    for left in reversed(range(_TRIES)):
        card = cards(item)
        text, path = change(card), _path(card)
        if text == card.source:
            return False
        try:
            save_card(path, text, card.source)
        except CardError:
            if not left or _is_still(path, card.source):
                raise
        else:
            return True
    raise AssertionError("the last try returns or raises")


def _is_still(path: Path, text: str) -> bool:
    from cards.files import read_text
    from cards.model import CardError

    try:
        return read_text(path) == text
    except CardError:  # it went away, perhaps to another folder
        return False


class _Moved(NamedTuple):
    old: Path
    new: Path


def move(collection: Collection, items: Iterable[str], folder: str, now: datetime) -> Deed:
    """Into another folder of the collection, which is made where it is missing.

    Raises:
        ValueError: `folder` is none of the collection.
    """
    root = collection.root.resolve()
    target = (root / folder).resolve()
    if not target.is_relative_to(root) or ".deltadeck" in target.parts:
        raise ValueError(f"{folder} is not inside {root}: name a folder of this collection.")
    ways: dict[str, _Moved] = {}
    made: dict[Path, None] = {}

    def put(cards: _Cards, item: str) -> bool:
        old = _path(cards(item))
        if old.parent.resolve() == target:
            return False
        new = target / old.name
        made.update(dict.fromkeys(each for each in new.parents if not each.exists()))
        target.mkdir(parents=True, exist_ok=True)
        _rename(old, new)
        ways[item] = _Moved(old, new)
        return True

    def take(cards: _Cards, item: str) -> bool:
        _move_back(_path(cards(item)), ways[item])
        for each in made:  # the innermost first
            with suppress(OSError):  # something is in it still, or it is gone
                each.rmdir()
        return True

    words = ("moving", f"moved to {folder or 'the top'}")
    return _filed(collection, items, words, (put, take), now)


def _move_back(here: Path, way: _Moved) -> None:
    if here.parent.resolve() / here.name != way.new:
        raise _GoneOnError(f"{here} was moved again by another program: it stays there.")
    way.old.parent.mkdir(parents=True, exist_ok=True)
    _rename(here, way.old)


def _rename(old: Path, new: Path) -> None:
    """Onto a name that nobody has: a link is refused where one is taken, a rename is not."""
    try:
        os.link(old, new)
    except FileExistsError as error:
        raise OSError(f"{new} is there already: {old.name} stays where it was.") from error
    old.unlink()


# Card by card.

#: Does it to the card of an item; whether anything was to be done.
_Act = Callable[["_Cards", str], bool]


class _GoneOnError(ValueError):
    """What was done is there no more."""


class _Cards:
    """The card of an item as its file is now, wherever that is by now."""

    def __init__(self, collection: Collection, now: datetime) -> None:
        self._collection, self._now = collection, now
        self._looked = False

    def __call__(self, item: str) -> Card:
        """Raises _GoneOnError where it was deleted, CollectionError where the folder is gone."""
        card = self._find(item)
        if card is None and not self._looked:  # another program may have moved it
            self._collection.reload(self._now)
            self._looked, card = True, self._find(item)
        if card is None:
            raise _GoneOnError(f"There is no card of {item} any more.")
        return card

    def _find(self, item: str) -> Card | None:
        from deck.errors import CollectionError

        with suppress(CollectionError):
            card = self._collection.card_of(item)
            return card if _path(card).exists() else None
        return None


def _path(card: Card) -> Path:
    assert card.path is not None, "it was read from a file"
    return card.path


def _filed(
    collection: Collection,
    items: Iterable[str],
    words: tuple[str, str],
    ways: tuple[_Act, _Act],
    now: datetime,
) -> Deed:
    """A deed of cards, one by one; they go by the id of an item of theirs."""
    chosen = list(items)
    ids = {item.id: card.id for card in collection.outlines(chosen) for item in card.items}
    first: dict[str, str] = {}
    for item in chosen:
        first.setdefault(ids.get(item, item), item)
    there, back = ways
    return Deed(
        tuple(first.values()),
        *(*words, "card"),
        lambda names: _each(names, there, _Cards(collection, now)),
        lambda names, then: _each(names, back, _Cards(collection, then)),
        in_files=True,
    )


def _each(names: Sequence[str], act: _Act, cards: _Cards) -> Iterator[Outcome]:
    for name in names:
        try:
            yield Outcome(name, act(cards, name))
        except _GoneOnError as error:
            yield Outcome(name, False, str(error), is_over=True)
        except (OSError, ValueError) as error:
            yield Outcome(name, False, str(error))
