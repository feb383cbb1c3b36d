"""The card store: the cards of a folder by id, and what is wrong with the rest of its files.

The index knows what there is; a card's text is read and parsed when it is asked for.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Final, TypeVar

from cards.files import TextChange
from cards.model import Card, CardError, Item, Problem
from deck.errors import CollectionError, refusal
from deck.files import FileStamp, key_parts, path_key, stamp_of
from deck.index.cards import (
    CardSummary,
    ItemSet,
    Order,
    card_ids,
    card_in,
    item_ids,
    key_of_card,
    key_of_item,
    outlines,
    problems_of,
    restate,
    scan,
    scan_files,
    summaries_of,
)
from deck.index.store import Progress, Store, asking, silent

#: Parsed cards that are kept: more than a session goes back to.
_KEPT: Final = 64
#: Of more ids than these, only those that begin alike are looked through for a near one.
_LOOKED_THROUGH: Final = 2000

_V = TypeVar("_V")


class CardStore:
    """The cards below `root`.  `scan` takes up what changed since the last one."""

    def __init__(self, root: Path, store: Store) -> None:
        self.root = root
        self._store = store
        self._parsed: OrderedDict[bytes, tuple[FileStamp, Card]] = OrderedDict()
        self._changes = 0
        self._order = Order()
        self._threads, self._numbers, self._news = threading.local(), count(1), 0
        self._summarised: tuple[int, ...] = ()
        self._summaries: dict[str, CardSummary | None] = {}
        self.cards: Mapping[str, Card] = LazyMapping(self._card_ids, self._has_card, self._card)
        self.items: Mapping[str, tuple[Item, Card]] = LazyMapping(
            self._item_ids, self.has_item, self._item
        )

    @asking
    def scan(self, progress: Progress = silent) -> bool:
        """Takes up every change of the folder; whether there was one.

        Raises:
            CollectionError: the folder itself cannot be read; the cards stay as they were.
        """
        changed = scan(self._store, self.root, progress)
        self._changes += changed
        return changed

    @asking
    def scan_files(self, paths: Iterable[Path]) -> bool:
        """Takes up a change of these files only; whether there was one."""
        changed = scan_files(self._store, self.root, paths)
        self._changes += changed
        return changed

    @property
    @asking
    def problems(self) -> tuple[Problem, ...]:
        """Of folders, then of files in the order of their paths."""
        return problems_of(self._store, self.root)

    @asking
    def has_item(self, item_id: str) -> bool:
        return key_of_item(self._store.db, item_id) is not None

    def find(self, item_id: str) -> tuple[Item, Card]:
        """The item and its card.  Raises CollectionError where there is none of that id."""
        try:
            return self._item(item_id)
        except KeyError:
            raise self.unknown(item_id) from None

    @asking
    def outline(self, item_id: str) -> Card:
        """The item's card as the index has it: all but its texts; no file is looked at.

        Raises CollectionError where there is none of that id.
        """
        found = self.outlines([item_id])
        if item_id not in found:
            raise self.unknown(item_id)
        return found[item_id]

    @asking
    def outlines(self, items: Sequence[str]) -> dict[str, Card]:
        """`outline` of each, by item; what no card has is left out."""
        return outlines(self._store.db, self.root, items)

    def summary(self, item_id: str, newest: bool = True) -> CardSummary:
        """What an answer must know of the item's card; no file is looked at.

        Without `newest`, as any question asked last, where one was: what another program took up
        since is not looked for.

        Raises CollectionError where there is none of that id.
        """
        is_known = not newest and self._summarised[:2] == (self._changes, self._store.generation)
        found = self._summaries.get(item_id) if is_known else None
        found = found or self.summaries([item_id])[0]
        if found is None:
            raise self.unknown(item_id)
        return found

    @asking
    def summaries(self, items: Sequence[str]) -> list[CardSummary | None]:
        """`summary` of each; None where there is none of that id."""
        state = self._state()
        if state != self._summarised:
            self._summarised, self._summaries = state, {}
        known = self._summaries
        if unknown := [item_id for item_id in items if item_id not in known]:
            known |= dict.fromkeys(unknown) | summaries_of(self._store.db, unknown)
        return [known[item_id] for item_id in items]

    @asking
    def card_at(self, path: Path) -> Card | None:
        """The card in a file; None where the file holds none that is studied."""
        try:
            key = path_key(path.relative_to(self.root).parts)
        except ValueError:
            return None
        card_id = card_in(self._store.db, key)
        return self.cards.get(card_id) if card_id else None

    @asking
    def in_order(self, chosen: ItemSet | None) -> list[str]:
        """The ids of items that the index found (None: of all), in the order of their files."""
        return self._order.ids(self._store.db, chosen, self._state())

    def _state(self) -> tuple[int, ...]:
        """Another one whenever there may be other cards.

        What another program wrote each thread hears from its own connection; one that never asked
        cannot tell, so that its first question counts as news.
        """
        others = int(self._store.db.execute("PRAGMA data_version").fetchone()[0])
        heard = (self._store.generation, others)
        if getattr(self._threads, "heard", None) != heard:
            self._threads.heard = heard
            self._news = next(self._numbers)
        return self._changes, self._store.generation, self._news

    @asking
    def take_up(self, written: Iterable[tuple[TextChange, str]]) -> None:
        """Takes up files of which this program has just changed the `status:` alone, each with what
        that says now."""
        with self._store.writing():
            others = [
                c.path for c, status in written if not restate(self._store, self.root, status, c)
            ]
        self._changes += 1
        if others:
            self.scan_files(others)

    def unknown(self, item_id: str) -> CollectionError:
        """Names the items of the card that has the id, else up to three ids that are spelt like
        it."""
        from difflib import get_close_matches  # only for an error

        ids = self._item_ids()
        own = [known for known in ids if known.startswith(f"{item_id}/")]
        if len(ids) > _LOOKED_THROUGH:
            ids = [known for known in ids if known[:3] == item_id[:3]][:_LOOKED_THROUGH]
        near = (own or get_close_matches(item_id, ids))[:3]
        hint = f"Did you mean {', '.join(near)}?" if near else "`deltadeck due` lists the decks."
        return refusal(self.root, f"There is no item {item_id!a}.", hint)

    # Inside.

    @asking
    def _card_ids(self) -> list[str]:
        return card_ids(self._store.db)

    @asking
    def _item_ids(self) -> list[str]:
        return item_ids(self._store.db)

    @asking
    def _has_card(self, card_id: str) -> bool:
        return key_of_card(self._store.db, card_id) is not None

    @asking
    def _card(self, card_id: str) -> Card:
        card = self._parse(lambda: key_of_card(self._store.db, card_id))
        if card is None or card.id != card_id:
            raise KeyError(card_id)
        return card

    @asking
    def _item(self, item_id: str) -> tuple[Item, Card]:
        card = self._parse(lambda: key_of_item(self._store.db, item_id))
        for item in card.items if card else ():
            if card is not None and item.id == item_id:
                return item, card
        raise KeyError(item_id)

    def _parse(self, where: Callable[[], bytes | None]) -> Card | None:
        """The card in the file that `where` names, as the file is now.

        A file that changed since the index looked is taken up first, and may hold another card.
        Where it cannot be read any more, what was read of it last stays until the next `scan`.
        """
        from cards.parse import read_card  # not at a start that asks for no card

        for _ in range(2):
            key = where()
            if key is None:
                return None
            path = self.root.joinpath(*key_parts(key))
            stamp, kept = stamp_of(path), self._parsed.get(key)
            if kept is not None and kept[0] == stamp:
                self._parsed.move_to_end(key)
                return kept[1]
            try:
                card = read_card(path, self.root)
            except CardError:
                if kept is not None:
                    return kept[1]
                self.scan_files([path])
                continue
            self._keep(key, stamp, card)
            if not self.scan_files([path]):
                return card
        return None

    def _keep(self, key: bytes, stamp: FileStamp, card: Card) -> None:
        self._parsed[key] = (stamp, card)
        self._parsed.move_to_end(key)
        if len(self._parsed) > _KEPT:
            self._parsed.popitem(last=False)


@dataclass(eq=False, slots=True)
class LazyMapping(Mapping[str, _V]):
    """What the index names, read when it is asked for, in the order of the files' paths."""

    _ids: Callable[[], list[str]]
    _has: Callable[[str], bool]
    _read: Callable[[str], _V]

    def __getitem__(self, key: str) -> _V:
        return self._read(key)

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and self._has(key)

    def __iter__(self) -> Iterator[str]:
        return iter(self._ids())

    def __len__(self) -> int:
        return len(self._ids())
