"""Bulk actions on cards, and their undo.

They outlive the screen that asked for them: whoever leaves it finds what was begun done, and can
take it back when it is opened again.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Collection as Names
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from textual.message import Message

from cards.edit import with_field
from cards.files import TextChange, read_text, write_texts
from cards.model import Card, CardError
from cards.parse import parse_header
from deck.errors import CollectionError
from deck.events import EventPayload, Reset, Suspended, Undone
from deck.files import DATA_DIR, unused_path
from tui.collection_service import Changed
from tui.keymap import key_for
from tui.text import plural

if TYPE_CHECKING:
    from deck.collection import Collection
    from tui.terminal import TerminalApp
    from tui.text import Clock

#: Names that a sentence lists before it counts the rest.
_NAMED = 3
#: Seconds between two words of how far it is.
_PAUSE = 0.2
#: Attempts to write a card that another program keeps changing.
_TRIES = 5
#: Cards whose new texts are written together.
_TOGETHER = 200


class ItemResult(NamedTuple):
    """What became of one of many."""

    name: str
    """The id of the item or card."""
    changed: bool = True
    trouble: str = ""
    """Why it could not be, in a sentence."""
    is_over: bool = False
    """The changed item is gone: trying again is of no use."""


Work = Callable[[Sequence[str], datetime], Iterator[ItemResult]]


@dataclass(frozen=True, slots=True)
class BulkAction:
    """To be done to `names`, which are ids of items or of cards, and its way back."""

    names: tuple[str, ...]
    doing: str
    """While it runs: "suspending"."""
    done: str
    """What they are then: "suspended"."""
    noun: str
    act: Work
    back: Work
    in_files: bool = False
    """Whether card files are written past the collection, which must look at them again."""


class Progressed(Message, bubble=False):
    """A bulk action is further than before."""


class Ended(Message, bubble=False):
    """A bulk action has ended."""


class Changing:
    """A thread of the app does what is asked for, in the order of the keys."""

    def __init__(self, app: TerminalApp, collection: Collection, clock: Clock) -> None:
        self._app, self._collection, self._clock = app, collection, clock
        self._jobs: deque[Callable[[], None]] = deque()
        self._lock, self._works = Lock(), False
        self._made: list[BulkAction] = []
        """What can be taken back, the last at the end; only the thread looks at it."""
        self.doing = ""
        """What runs, and how far it is: "suspending 812 of 2,000"; the thread writes it."""
        self._told = 0.0

    def do(self, make: Callable[[], BulkAction]) -> None:
        """Do what `make` says, which is asked in the thread, after all that was asked before."""
        self._put(lambda: self._do(make))

    def undo(self) -> None:
        """Undo the last change, once those under way have ended."""
        self._put(self._undo)

    def _put(self, job: Callable[[], None]) -> None:
        with self._lock:
            self._jobs.append(job)
            begins, self._works = not self._works, True
        if begins:
            # The app's, not the screen's: a screen that is left would end it.
            self._app.run_worker(self._work, thread=True, group="changes", name="changes")

    # In the thread.  It never waits for the app, which may be ending.

    def _work(self) -> None:
        while True:
            with self._lock:
                if not self._jobs:
                    self._works = False
                    return
                job = self._jobs.popleft()
            job()

    def _do(self, make: Callable[[], BulkAction]) -> None:
        try:
            action = make()
        except ValueError as error:
            self._app.call_later(self._ended, "", str(error))
            return
        changed, failed = self._run(action, action.doing, action.act)
        if changed:
            self._made.append(replace(action, names=tuple(changed)))
        some = changed or not failed
        said = f"{plural(len(changed), action.noun)} {action.done}." if some else ""
        self._app.call_later(self._ended, said, _failure(f"Not {action.done}", failed))

    def _undo(self) -> None:
        if not self._made:
            self._app.call_later(self._app.say, "There is nothing to undo.")
            return
        action = self._made.pop()
        total, again = len(action.names), replace(action, names=action.names[::-1])
        changed, failed = self._run(again, "taking back", action.back)
        part = f"{len(changed)} of " if len(changed) < total else ""
        said = f"Undone: {part}{plural(total, action.noun)} {action.done}." if changed else ""
        trouble = _failure("Not undone", failed)
        still = {each.name for each in failed if not each.is_over}
        if rest := tuple(name for name in action.names if name in still):
            self._made.append(replace(action, names=rest))
            trouble += f" {key_for(self._app, 'browse.undo')} tries again."
        self._app.call_later(self._ended, said, trouble)

    def _run(
        self, action: BulkAction, doing: str, work: Work
    ) -> tuple[list[str], list[ItemResult]]:
        """What was changed, and what could not be."""
        results, total = list[ItemResult](), len(action.names)
        self._tell(f"{doing} {total:,}" if total > 1 else doing)
        now = self._clock()
        try:
            with self._collection.changing_files(now) if action.in_files else nullcontext():
                for number, result in enumerate(work(action.names, now), 1):
                    results.append(result)
                    self._tell(f"{doing} {number:,} of {total:,}")
        except CollectionError as error:
            self._app.call_later(self._app.say, str(error), error=True)
        self.doing = ""
        changed = [each.name for each in results if each.changed]
        return changed, [each for each in results if each.trouble]

    def _tell(self, doing: str) -> None:
        self.doing, now = doing, monotonic()
        if now - self._told >= _PAUSE:
            self._told = now
            self._app.call_later(lambda: self._app.screen.post_message(Progressed()))

    def _ended(self, said: str, trouble: str) -> None:
        if said:
            self._app.say(said)
        if trouble:
            self._app.say(trouble, error=True)
        self._app.screen.post_message(Ended())
        self._app.post_message(Changed())


def _failure(what: str, failed: list[ItemResult]) -> str:
    if not failed:
        return ""
    more = f" and {len(failed) - _NAMED} more" if len(failed) > _NAMED else ""
    names = ", ".join(each.name for each in failed[:_NAMED])
    return f"{what}: {names}{more}. {failed[0].trouble}"


# What is done to the schedules of many items.


def suspend(collection: Collection, items: Iterable[str]) -> BulkAction:
    """Suspend what is not; where all are, unsuspend them."""
    chosen = tuple(items)
    waiting = tuple(
        item for item in chosen if not (collection.has_item(item) and collection.is_suspended(item))
    )

    def record(aside: bool) -> Work:
        return lambda names, now: _recorded(collection, dict.fromkeys(names, Suspended(aside)), now)

    words = ("suspending", "suspended") if waiting else ("unsuspending", "unsuspended")
    aside = bool(waiting)
    return BulkAction(waiting or chosen, *words, "item", record(aside), record(not aside))


def reset(collection: Collection, items: Iterable[str]) -> BulkAction:
    """New again; the history stays."""
    events: dict[str, str] = {}

    def act(names: Sequence[str], now: datetime) -> Iterator[ItemResult]:
        return _recorded(collection, dict.fromkeys(names, Reset()), now, events)

    def back(names: Sequence[str], now: datetime) -> Iterator[ItemResult]:
        return _recorded(collection, {name: Undone(events[name]) for name in names}, now)

    return BulkAction(tuple(items), "resetting", "new again", "item", act, back)


def _recorded(
    collection: Collection,
    wanted: Mapping[str, EventPayload],
    now: datetime,
    events: dict[str, str] | None = None,
) -> Iterator[ItemResult]:
    """Records it of each item; `events` hears the ids."""
    there = {item: what for item, what in wanted.items() if collection.has_item(item)}
    for item in wanted.keys() - there.keys():
        yield ItemResult(item, False, f"There is no item {item} any more.", is_over=True)
    done: set[str] = set()
    try:
        for event in collection.record_each(there.items(), now):
            if events is not None:
                events[event.item] = event.id
            done.add(event.item)
            yield ItemResult(event.item)
    except (OSError, ValueError) as error:  # the disk refuses, or a card went away meanwhile
        for item in there:
            if item not in done:
                yield ItemResult(item, False, str(error))


# What is done to the files of many cards: their tags, and the folder they are in.


def tag(collection: Collection, items: Iterable[str], words: str) -> BulkAction:
    """Gives the cards tags, `cnn pooling`, and takes those with a minus away, `-old`."""
    names = words.replace(",", " ").split()
    gone = {name[1:] for name in names if name.startswith("-")}
    new = [name.removeprefix("+") for name in names if not name.startswith("-")]
    ways: dict[str, Tagged] = {}

    def give(item: str, card: Card) -> str:
        text, ways[item] = tagged(card, new, gone)
        return text

    def act(names: Sequence[str], now: datetime) -> Iterator[ItemResult]:
        return _rewritten(collection, names, now, give)

    def back(names: Sequence[str], now: datetime) -> Iterator[ItemResult]:
        for each in _rewritten(collection, names, now, lambda i, card: untagged(card, ways[i])):
            yield each if each.trouble else ItemResult(each.name)  # others took the tags away

    return _filed(collection, items, ("tagging", f"tagged {' '.join(names)}"), act, back)


def _rewritten(
    collection: Collection, names: Sequence[str], now: datetime, change: Callable[[str, Card], str]
) -> Iterator[ItemResult]:
    """Writes what `change` makes of each card as it stands now; `changed` tells whether that is
    another text."""
    cards = _Cards(collection, names, now)
    for at in range(0, len(names), _TOGETHER):
        left = names[at : at + _TOGETHER]
        for tries in reversed(range(_TRIES)):
            changes: dict[str, TextChange] = {}
            for name in left:
                try:
                    card = cards(name)
                    text = change(name, card)
                except (OSError, ValueError) as error:
                    yield _failed(name, error)
                    continue
                if text == card.source:
                    yield ItemResult(name, False)
                else:
                    changes[name] = TextChange(_path(card), text, card.source)
            left = []
            errors = write_texts(changes.values(), collection.root)
            for (name, (path, _, seen)), failed in zip(changes.items(), errors, strict=True):
                if failed is None:
                    yield ItemResult(name)
                elif tries and not _is_still(path, seen):
                    left.append(name)
                else:
                    yield _failed(name, failed)


def _failed(name: str, error: Exception) -> ItemResult:
    return ItemResult(name, False, str(error), isinstance(error, _GoneOnError))


def _is_still(path: Path, text: str | None) -> bool:
    try:
        return read_text(path) == text
    except CardError:  # it went away, perhaps to another folder
        return False


def move(collection: Collection, items: Iterable[str], folder: str) -> BulkAction:
    """Into another folder of the collection, which is made where it is missing.

    Raises:
        ValueError: `folder` is none of the collection.
    """
    root = collection.root.resolve()
    target = (root / folder).resolve()
    if not target.is_relative_to(root) or ".deltadeck" in target.parts:
        raise ValueError(f"{folder} is not inside {root}: name a folder of this collection.")
    before: dict[str, Path] = {}
    made: dict[Path, None] = {}

    def put(cards: _Cards, item: str) -> bool:
        old = _path(cards(item))
        if old.parent.resolve() == target:
            return False
        new = target / old.name
        made.update(dict.fromkeys(each for each in new.parents if not each.exists()))
        target.mkdir(parents=True, exist_ok=True)
        _rename(old, new)
        before[item] = old
        return True

    def take(cards: _Cards, item: str) -> bool:
        here, old = _path(cards(item)), before[item]
        if here.parent.resolve() / here.name != target / old.name:
            raise _GoneOnError(f"{here} was moved again by another program: it stays there.")
        old.parent.mkdir(parents=True, exist_ok=True)
        _rename(here, old)
        for each in made:  # the innermost first
            with suppress(OSError):  # something is in it still, or it is gone
                each.rmdir()
        return True

    words = "moving", f"moved to {folder or 'the top'}"
    return _filed(collection, items, words, _each(collection, put), _each(collection, take))


def delete(collection: Collection, items: Iterable[str]) -> BulkAction:
    """Into `.deltadeck/trash`; what was answered stays in the journal."""
    trash = collection.root / DATA_DIR / "trash"
    before: dict[str, tuple[Path, Path]] = {}

    def put(cards: _Cards, item: str) -> bool:
        old = _path(cards(item))
        trash.mkdir(parents=True, exist_ok=True)
        before[item] = old, unused_path(trash / old.name)
        _rename(*before[item])
        return True

    def take(_: _Cards, item: str) -> bool:
        old, new = before[item]
        old.parent.mkdir(parents=True, exist_ok=True)
        _rename(new, old)
        return True

    words = "deleting", "deleted"
    return _filed(collection, items, words, _each(collection, put), _each(collection, take))


def _each(collection: Collection, act: Callable[[_Cards, str], bool]) -> Work:
    """Does `act` to one item after the other; it says whether that changed something."""

    def work(names: Sequence[str], now: datetime) -> Iterator[ItemResult]:
        cards = _Cards(collection, names, now)
        for name in names:
            try:
                yield ItemResult(name, act(cards, name))
            except (OSError, ValueError) as error:
                yield _failed(name, error)

    return work


def _rename(old: Path, new: Path) -> None:
    """Onto a name that nobody has: a link is refused where one is taken, a rename is not."""
    try:
        os.link(old, new)
    except FileExistsError as error:
        raise OSError(f"{new} is there already: {old.name} stays where it was.") from error
    old.unlink()


class _GoneOnError(ValueError):
    """What was changed is gone."""


class _Cards:
    """The cards of items as their files are now, wherever those are by now: all but their texts."""

    def __init__(self, collection: Collection, items: Sequence[str], now: datetime) -> None:
        self._collection, self._items, self._now = collection, items, now
        self._look()
        self._looked = False

    def _look(self) -> None:
        cards = self._collection.outlines(self._items)
        self._known = {item.id: card for card in cards for item in card.items}

    def __call__(self, item: str) -> Card:
        """Raises _GoneOnError where it was deleted, CollectionError where the folder is gone."""
        card = self._find(item)
        if card is None and not self._looked:  # another program may have moved it
            self._collection.reload(self._now)
            self._look()
            self._looked, card = True, self._find(item)
        if card is None:
            raise _GoneOnError(f"There is no card of {item} any more.")
        return card

    def _find(self, item: str) -> Card | None:
        known = self._known.get(item)
        with suppress(CardError):
            if known is not None:
                path = _path(known)
                card = parse_header(read_text(path, self._collection.root), path)
                return card if card.id == known.id else None
        return None


def _path(card: Card) -> Path:
    assert card.path is not None, "it was read from a file"
    return card.path


def _filed(
    collection: Collection, items: Iterable[str], words: tuple[str, str], act: Work, back: Work
) -> BulkAction:
    """An action on cards, which go by the id of an item of theirs."""
    chosen = list(items)
    ids = {item.id: card.id for card in collection.outlines(chosen) for item in card.items}
    first: dict[str, str] = {}
    for item in chosen:
        first.setdefault(ids.get(item, item), item)

    return BulkAction(tuple(first.values()), *words, "card", act, back, in_files=True)


# A card's text with other tags, and with these taken back whatever else was written since.


class Tagged(NamedTuple):
    """What tagging made of a card."""

    before: tuple[str, ...]
    after: tuple[str, ...]
    old: list[str]
    """The lines that say so, as they were: none where there was none."""
    new: list[str]


def tagged(card: Card, new: Iterable[str], gone: Names[str]) -> tuple[str, Tagged]:
    """The card's text with the tags `new` and without `gone`, and the way back.

    Raises CardError where `with_field` does.
    """
    kept = [name for name in card.tags if name not in gone]
    tags = (*kept, *(name for name in dict.fromkeys(new) if name not in kept))
    text = card.source
    if tags != card.tags:
        text = with_field(text, "tags", list(tags), card.path)
    # The lines in which the texts differ: from the first such line to the last of each.
    before, after = card.source.splitlines(keepends=True), text.splitlines(keepends=True)
    while before and after and before[-1] == after[-1]:
        del before[-1], after[-1]
    while before and after and before[0] == after[0]:
        del before[0], after[0]
    return text, Tagged(card.tags, tags, before, after)


def untagged(card: Card, way: Tagged) -> str:
    """The card's text as it stands now, its tags as before: those given gone, those taken back.

    Where the lines of the tags are those that tagging wrote, they become the old ones letter by
    letter.  Raises CardError where `with_field` does.
    """
    tags = way.before
    if card.tags != way.after:  # they were changed since: only what this tagging did is taken back
        kept = [name for name in card.tags if name in way.before or name not in way.after]
        lost = [name for name in way.before if name not in way.after and name not in kept]
        tags = (*kept, *lost)
    if tags == card.tags:
        return card.source
    lines, size = card.source.splitlines(keepends=True), len(way.new)
    places = (at for at in range(len(lines)) if way.new and lines[at : at + size] == way.new)
    if tags == way.before and (at := next(places, None)) is not None:
        text = "".join([*lines[:at], *way.old, *lines[at + size :]])
        with suppress(CardError):
            if parse_header(text, card.path).tags == tags:
                return text
    return with_field(card.source, "tags", list(tags), card.path)
