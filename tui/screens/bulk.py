"""Bulk actions on cards, and their undo."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable
from weakref import WeakKeyDictionary, ref

from tui.collection_service import Changed
from tui.keymap import key_for
from tui.text import counted

if TYPE_CHECKING:
    from cards.model import Card
    from deck.collection import Collection
    from deck.events import EventPayload
    from tui.app import DeltadeckApp

# Something that is done to many at once, the way back, and what became of each of them.

#: Names that a sentence lists before it counts the rest.
_NAMED = 3


class ItemResult(NamedTuple):
    """What became of one of many."""

    name: str
    """The id of the item or card."""
    changed: bool = True
    trouble: str = ""
    """Why it could not be, in a sentence."""
    is_over: bool = False
    """Trying again is of no use: what was changed is there no more."""


@dataclass(frozen=True, slots=True)
class BulkAction:
    """To be done to `names`, which are ids of items or of cards."""

    names: tuple[str, ...]
    doing: str
    """While it runs: "suspending"."""
    done: str
    """What they are then: "suspended"."""
    noun: str
    act: Callable[[Sequence[str]], Iterator[ItemResult]]
    back: Callable[[Sequence[str], datetime], Iterator[ItemResult]]
    in_files: bool = False
    """Whether card files are written past the collection, which must look at them again."""


@dataclass(slots=True)
class BulkResult:
    """How an action, or its way back, went."""

    changed: list[str] = field(default_factory=list)
    failed: list[ItemResult] = field(default_factory=list)

    def take(self, item_result: ItemResult) -> None:
        if item_result.trouble:
            self.failed.append(item_result)
        elif item_result.changed:
            self.changed.append(item_result.name)


def done(action: BulkAction, result: BulkResult) -> tuple[str, str]:
    """What was done, and what could not be: two sentences, or "" where there is none."""
    failed = result.failed and not result.changed
    said = "" if failed else f"{counted(len(result.changed), action.noun)} {action.done}."
    return said, _failure(f"Not {action.done}", result)


def taken_back(action: BulkAction, result: BulkResult) -> tuple[str, str]:
    """The same of a way back."""
    done, total = len(result.changed), len(action.names)
    part = f"{done} of " if done < total else ""
    said = f"Taken back: {part}{counted(total, action.noun)} {action.done}." if done else ""
    return said, _failure("Not taken back", result)


def left(action: BulkAction, result: BulkResult) -> BulkAction | None:
    """What is still to be taken back after a way back that went so."""
    again = {each.name for each in result.failed if not each.is_over}
    names = tuple(name for name in action.names if name in again)
    return replace(action, names=names) if names else None


def _failure(what: str, result: BulkResult) -> str:
    if not result.failed:
        return ""
    names = [each.name for each in result.failed]
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"{what}: {', '.join(names[:_NAMED])}{more}. {result.failed[0].trouble}"


# Changes of many cards and their undoing, one after the other, in the order of the keys.
#
# They outlive the screen that asked for them: whoever leaves it finds what was begun done, and can
# take it back when it is opened again.

#: Seconds between two words of how far it is.
_PAUSE = 0.2


@runtime_checkable
class Hearing(Protocol):
    """A screen that is told how far a change is, and when it has ended."""

    def is_changing(self) -> None: ...

    def changed(self) -> None: ...


class Changing:
    """Of one running app: a thread works while there is something to do."""

    def __init__(self, app: DeltadeckApp) -> None:
        self._of = ref(app)
        self._jobs: deque[Callable[[], None]] = deque()
        self._lock, self._works = Lock(), False
        self._made: list[BulkAction] = []
        """What can be taken back, the last at the end; only the thread looks at it."""
        self.doing = ""
        """What runs, and how far it is: "suspending 812 of 2,000"; the thread writes it."""
        self._told = 0.0

    @property
    def _app(self) -> DeltadeckApp:
        app = self._of()
        assert app is not None, "it runs"
        return app

    def do(self, make: Callable[[], BulkAction]) -> None:
        """Does what `make` says, which is asked in the thread, after all that was asked before."""
        self._put(lambda: self._do(make))

    def undo(self) -> None:
        """Takes the last change back that there is by then."""
        self._put(self._undo)

    def _put(self, job: Callable[[], None]) -> None:
        with self._lock:
            self._jobs.append(job)
            if self._works:
                return
            self._works = True
        # The app's, not the screen's: a screen that is left would end it.
        self._app.run_worker(self._work, thread=True, group="changes", name="changes")

    def _work(self) -> None:
        while (job := self._next()) is not None:
            job()

    def _next(self) -> Callable[[], None] | None:
        with self._lock:
            self._works = bool(self._jobs)
            return self._jobs.popleft() if self._jobs else None

    # In the thread.  It never waits for the app, which may be ending.

    def _do(self, make: Callable[[], BulkAction]) -> None:
        try:
            action = make()
        except ValueError as error:
            self._app.call_later(self._ended, "", str(error))
            return
        result = self._run(action, action.doing, action.act(action.names))
        if result.changed:
            self._made.append(replace(action, names=tuple(result.changed)))
        self._app.call_later(self._ended, *done(action, result))

    def _undo(self) -> None:
        if not self._made:
            self._app.call_later(self._app.say, "There is no change to take back.")
            return
        action = self._made.pop()
        results = action.back(action.names[::-1], self._app.clock())
        result = self._run(action, "taking back", results)
        said, trouble = taken_back(action, result)
        if (rest := left(action, result)) is not None:
            self._made.append(rest)
            trouble += f" {key_for(self._app, 'browse.undo')} tries again."
        self._app.call_later(self._ended, said, trouble)

    def _run(self, action: BulkAction, doing: str, results: Iterator[ItemResult]) -> BulkResult:
        from deck.errors import CollectionError

        result, total = BulkResult(), len(action.names)
        self._tell(f"{doing} {total:,}" if total > 1 else doing)
        for number, item_result in enumerate(results, 1):
            result.take(item_result)
            self._tell(f"{doing} {number:,} of {total:,}")
        if action.in_files:
            try:
                self._app.open_collection.reload(self._app.clock())
            except CollectionError as error:
                self._app.call_later(self._app.say, str(error), error=True)
        self.doing = ""
        return result

    def _tell(self, doing: str) -> None:
        self.doing, now = doing, monotonic()
        if now - self._told >= _PAUSE:
            self._told = now
            self._app.call_later(self._hear)

    # Told to the learner.

    def _hear(self) -> None:
        if isinstance(self._app.screen, Hearing):
            self._app.screen.is_changing()

    def _ended(self, said: str, trouble: str) -> None:
        if said:
            self._app.say(said)
        if trouble:
            self._app.say(trouble, error=True)
        if isinstance(self._app.screen, Hearing):
            self._app.screen.changed()
        self._app.post_message(Changed())


#: Kept by no app that has ended.
_OF: WeakKeyDictionary[DeltadeckApp, Changing] = WeakKeyDictionary()


def changing(app: DeltadeckApp) -> Changing:
    """The app's own."""
    return _OF.setdefault(app, Changing(app))


# What is done to the schedules of many items at once: put aside, taken up, new again.


def suspend(collection: Collection, items: Iterable[str], now: datetime) -> BulkAction:
    """Suspend what is not; where all are, unsuspend them."""
    from deck.events import Suspended

    chosen = tuple(items)
    waiting = tuple(item for item in chosen if not _is_suspended(collection, item))

    def put(names: Sequence[str], then: datetime, aside: bool) -> Iterator[ItemResult]:
        return _recorded(collection, dict.fromkeys(names, Suspended(aside)), then)

    if waiting:
        return BulkAction(
            waiting,
            *("suspending", "suspended", "item"),
            lambda names: put(names, now, True),
            lambda names, then: put(names, then, False),
        )
    return BulkAction(
        chosen,
        *("unsuspending", "unsuspended", "item"),
        lambda names: put(names, now, False),
        lambda names, then: put(names, then, True),
    )


def _is_suspended(collection: Collection, item: str) -> bool:
    return collection.has_item(item) and collection.is_suspended(item)


def reset(collection: Collection, items: Iterable[str], now: datetime) -> BulkAction:
    """New again; the history stays."""
    from deck.events import Reset, Undone

    events: dict[str, str] = {}

    def remember(names: Sequence[str], then: datetime) -> Iterator[ItemResult]:
        return _recorded(collection, {name: Undone(events[name]) for name in names}, then)

    return BulkAction(
        tuple(items),
        *("resetting", "new again", "item"),
        lambda names: _recorded(collection, dict.fromkeys(names, Reset()), now, events),
        remember,
    )


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


# What is done to the files of many cards at once: their tags, and the folder they are in.

#: So often a card is written anew that another program wrote between reading and writing.
_TRIES = 5


def tag(collection: Collection, items: Iterable[str], words: str, now: datetime) -> BulkAction:
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


def move(collection: Collection, items: Iterable[str], folder: str, now: datetime) -> BulkAction:
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
) -> BulkAction:
    """An action on cards, one by one; they go by the id of an item of theirs."""
    chosen = list(items)
    ids = {item.id: card.id for card in collection.outlines(chosen) for item in card.items}
    first: dict[str, str] = {}
    for item in chosen:
        first.setdefault(ids.get(item, item), item)
    there, back = ways
    return BulkAction(
        tuple(first.values()),
        *(*words, "card"),
        lambda names: _each(names, there, _Cards(collection, now)),
        lambda names, then: _each(names, back, _Cards(collection, then)),
        in_files=True,
    )


def _each(names: Sequence[str], act: _Act, cards: _Cards) -> Iterator[ItemResult]:
    for name in names:
        try:
            yield ItemResult(name, act(cards, name))
        except _GoneOnError as error:
            yield ItemResult(name, False, str(error), is_over=True)
        except (OSError, ValueError) as error:
            yield ItemResult(name, False, str(error))


# A card's text with other tags, and with these taken back whatever else was written since.


class Tagged(NamedTuple):
    """What tagging made of a card."""

    before: tuple[str, ...]
    after: tuple[str, ...]
    old: tuple[str, ...]
    """The lines that say so, as they were: none where there was none."""
    new: tuple[str, ...]


def tagged(card: Card, new: Iterable[str], gone: Container[str]) -> tuple[str, Tagged]:
    """The card's text with the tags `new` and without `gone`, and the way back.

    Raises CardError where `with_field` does.
    """
    from cards.edit import with_field

    kept = [name for name in card.tags if name not in gone]
    tags = (*kept, *(name for name in dict.fromkeys(new) if name not in kept))
    text = card.source
    if tags != card.tags:
        text = with_field(text, "tags", list(tags), card.path)
    return text, Tagged(card.tags, tags, *_apart(card.source, text))


def untagged(card: Card, way: Tagged) -> str:
    """The card's text as it stands now, its tags as before: those given gone, those taken back.

    Where the lines of the tags are those that tagging wrote, they become the old ones letter by
    letter.  Raises CardError where `with_field` does.
    """
    from cards.edit import with_field

    if card.tags == way.after:
        tags = way.before
    else:  # they were changed since: only what this tagging did is taken back
        kept = [name for name in card.tags if name in way.before or name not in way.after]
        lost = [name for name in way.before if name not in way.after and name not in kept]
        tags = (*kept, *lost)
    if tags == card.tags:
        return card.source
    if tags == way.before and (text := _exchanged(card, way)) is not None:
        return text
    return with_field(card.source, "tags", list(tags), card.path)


def _exchanged(card: Card, way: Tagged) -> str | None:
    """The first lines that are the new ones changed to the old; None where they are not there."""
    from cards.model import CardError
    from cards.parse import parse_card

    lines = card.source.splitlines(keepends=True)
    size, new = len(way.new), list(way.new)
    at = next((at for at in range(len(lines)) if new and lines[at : at + size] == new), None)
    if at is None:
        return None
    text = "".join([*lines[:at], *way.old, *lines[at + size :]])
    try:
        return text if parse_card(text, card.path).tags == way.before else None
    except CardError:
        return None


def _apart(before: str, after: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The lines in which two texts differ: from the first such line to the last of each."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    while old and new and old[-1] == new[-1]:
        del old[-1], new[-1]
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    return tuple(old[start:]), tuple(new[start:])
