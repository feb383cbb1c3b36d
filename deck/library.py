"""The cards of a folder, by id, and what is wrong with the rest of its files.

The index knows what there is; a card's text is read and parsed when it is asked for.
"""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar

from cards.model import Card, CardError, Item, Problem
from cards.parse import read_card
from deck.answering import Brief
from deck.errors import CollectionError, refusal
from deck.index.codec import key_parts, path_key, read_problem, sql_text
from deck.index.files import scan, scan_files
from deck.index.lookup import called, first_card, tags
from deck.index.names import clash_problem
from deck.index.order import Order
from deck.index.progress import Progress, silent
from deck.index.store import Store
from deck.walk import Stamp, stamp_of

#: Parsed cards that are kept: more than a session goes back to.
_KEPT = 256
#: Of more ids than these, only those that begin alike are looked through for a near one.
_LOOKED_THROUGH = 2000

_OUTLINE = """
SELECT f.key, c.id, d.course, c.type, c.status, c.difficulty, c.points, c.tags, c.items
FROM card c JOIN file f ON f.file = c.card JOIN deck d ON d.deck = c.deck
"""

_BRIEF = """
SELECT c.id, d.course, c.status FROM thing t JOIN item i ON i.item = t.item
JOIN card c ON c.card = i.card JOIN deck d ON d.deck = i.deck WHERE t.id = ?
"""

_V = TypeVar("_V")


class Library:
    """The cards below `root`.  `scan` takes up what changed since the last one."""

    def __init__(self, root: Path, store: Store) -> None:
        self.root = root
        self._store = store
        self._parsed: OrderedDict[bytes, tuple[Stamp, Card]] = OrderedDict()
        self._changes = 0
        self._order = Order()
        self.cards: Mapping[str, Card] = _ById(self._card_ids, self._has_card, self._card)
        self.items: Mapping[str, tuple[Item, Card]] = _ById(
            self._item_ids, self.has_item, self._item
        )

    def scan(self, progress: Progress = silent) -> bool:
        """Takes up every change of the folder; whether there was one.

        Raises:
            CollectionError: the folder itself cannot be read; the cards stay as they were.
        """
        changed = scan(self._store, self.root, progress)
        self._changes += changed
        return changed

    def scan_files(self, paths: Iterable[Path]) -> bool:
        """Takes up a change of these files only; whether there was one."""
        changed = scan_files(self._store, self.root, paths)
        self._changes += changed
        return changed

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Of folders, then of files in the order of their paths."""
        db = self._store.db
        said = json.loads(self._store.noted("folders") or "[]")
        problems = [read_problem(self.root.joinpath(*parts), text) for parts, text in said]
        files = "SELECT key, problem FROM file WHERE problem IS NOT NULL"
        found = [
            (key, read_problem(self.root.joinpath(*key_parts(key)), text))
            for key, text in db.execute(files)
        ]
        clashes = (
            "SELECT f.key, c.line, c.clash FROM card c JOIN file f ON f.file = c.card"
            " WHERE c.clash IS NOT NULL"
        )
        found += [
            (key, clash_problem(self.root, key, line, clash))
            for key, line, clash in db.execute(clashes)
        ]
        return (*problems, *(problem for _, problem in sorted(found, key=lambda each: each[0])))

    def has_item(self, item_id: str) -> bool:
        return self._key_of_item(item_id) is not None

    def find(self, item_id: str) -> tuple[Item, Card]:
        """The item and its card.

        Raises:
            CollectionError: there is none of that id.
        """
        try:
            return self._item(item_id)
        except KeyError:
            raise self._unknown(item_id) from None

    def outline(self, item_id: str) -> Card:
        """The item's card as the index has it: all but its texts; no file is looked at.

        Raises:
            CollectionError: there is none of that id.
        """
        sql = f"{_OUTLINE} JOIN item i ON i.card = c.card JOIN thing t ON t.item = i.item"
        row = self._store.db.execute(f"{sql} WHERE t.id = ?", (sql_text(item_id),)).fetchone()
        if row is None:
            raise self._unknown(item_id)
        return self._outline(row)

    def brief(self, item_id: str) -> Brief:
        """What an answer must know of the item's card; no file is looked at.

        Raises:
            CollectionError: there is none of that id.
        """
        row = self._store.db.execute(_BRIEF, (sql_text(item_id),)).fetchone()
        if row is None:
            raise self._unknown(item_id)
        return Brief(row[0], json.loads(row[1])[0], row[2])

    def outline_of(self, card_id: str) -> Card:
        """`outline` by the card's id.  Raises KeyError."""
        sql = f"{_OUTLINE} WHERE c.id = ? AND c.clash IS NULL"
        row = self._store.db.execute(sql, (card_id,)).fetchone()
        if row is None:
            raise KeyError(card_id)
        return self._outline(row)

    def _outline(self, row: tuple[Any, ...]) -> Card:
        key, card_id, course, kind, status, difficulty, points, tags, items = row
        return Card(
            id=card_id,
            question="",
            solution="",
            course=json.loads(course)[0],
            tags=tuple(json.loads(tags)),
            difficulty=difficulty,
            type=kind,
            status=status,
            points=points,
            items=tuple(Item(item, "", "") for item in json.loads(items)),
            path=self.root.joinpath(*key_parts(key)),
        )

    def _unknown(self, item_id: str) -> CollectionError:
        near = self._near(item_id)
        hint = f"Did you mean {', '.join(near)}?" if near else "`deltadeck due` lists the decks."
        return refusal(self.root, f"There is no item {item_id!a}.", hint)

    def card_at(self, path: Path) -> Card | None:
        """The card in a file; None where the file holds none that is studied."""
        try:
            key = path_key(path.relative_to(self.root).parts)
        except ValueError:
            return None
        sql = (
            "SELECT c.id FROM card c JOIN file f ON f.file = c.card"
            " WHERE f.key = ? AND c.clash IS NULL"
        )
        row = self._store.db.execute(sql, (key,)).fetchone()
        return self.cards.get(row[0]) if row else None

    def called(self, name: str) -> str | None:
        """The id of the card that is called `name`; None where none is.

        Case, spaces, `-` and `_` are alike; an id comes before a file name, that before a title.
        """
        if self._has_card(name):
            return name
        return called(self._store.db, name)

    def in_order(self, items: Sequence[int]) -> list[str]:
        """The ids of items that the index names by number, in the order of their files."""
        return self._order.ids(self._store.db, items, self._state())

    def _state(self) -> tuple[int, ...]:
        """Another one whenever there may be other cards."""
        others = int(self._store.db.execute("PRAGMA data_version").fetchone()[0])
        return self._changes, self._store.generation, threading.get_ident(), others

    def tags(self) -> list[str]:
        """Every tag that a card has, sorted."""
        return tags(self._store.db)

    def first_card(self, deck: str) -> str | None:
        """The id of the first card of a deck (a `DeckCount.key`); None where it holds none."""
        return first_card(self._store.db, deck)

    def replace(self, card: Card) -> None:
        """Takes up a card as this program has just read or written it."""
        if card.path is not None:
            key = path_key(card.path.relative_to(self.root).parts)
            self._keep(key, stamp_of(card.path), card)
            self.scan_files([card.path])

    # Inside.

    def _card_ids(self) -> list[str]:
        sql = (
            "SELECT c.id FROM card c JOIN file f ON f.file = c.card"
            " WHERE c.clash IS NULL ORDER BY f.key"
        )
        return [row[0] for row in self._store.db.execute(sql)]

    def _item_ids(self) -> list[str]:
        sql = "SELECT t.id FROM item i JOIN thing t ON t.item = i.item ORDER BY i.key, i.place"
        return [row[0] for row in self._store.db.execute(sql)]

    def _has_card(self, card_id: str) -> bool:
        return self._key_of_card(card_id) is not None

    def _key_of_card(self, card_id: str) -> bytes | None:
        sql = (
            "SELECT f.key FROM card c JOIN file f ON f.file = c.card"
            " WHERE c.id = ? AND c.clash IS NULL"
        )
        row = self._store.db.execute(sql, (card_id,)).fetchone()
        return row[0] if row else None

    def _key_of_item(self, item_id: str) -> bytes | None:
        sql = "SELECT i.key FROM thing t JOIN item i ON i.item = t.item WHERE t.id = ?"
        row = self._store.db.execute(sql, (item_id,)).fetchone()
        return row[0] if row else None

    def _card(self, card_id: str) -> Card:
        card = self._parse(lambda: self._key_of_card(card_id))
        if card is None or card.id != card_id:
            raise KeyError(card_id)
        return card

    def _item(self, item_id: str) -> tuple[Item, Card]:
        card = self._parse(lambda: self._key_of_item(item_id))
        for item in card.items if card else ():
            if card is not None and item.id == item_id:
                return item, card
        raise KeyError(item_id)

    def _parse(self, where: Callable[[], bytes | None]) -> Card | None:
        """The card in the file that `where` names, as the file is now.

        A file that changed since the index looked is taken up first, and may hold another card.
        Where it cannot be read any more, what was read of it last stays until the next `scan`.
        """
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
                card = read_card(path)
            except CardError:
                if kept is not None:
                    return kept[1]
                self.scan_files([path])
                continue
            self._keep(key, stamp, card)
            if not self.scan_files([path]):
                return card
        return None

    def _keep(self, key: bytes, stamp: Stamp, card: Card) -> None:
        self._parsed[key] = (stamp, card)
        self._parsed.move_to_end(key)
        if len(self._parsed) > _KEPT:
            self._parsed.popitem(last=False)

    def _near(self, item_id: str) -> list[str]:
        ids = self._item_ids()
        own = [known for known in ids if known.startswith(f"{item_id}/")]
        if len(ids) > _LOOKED_THROUGH:
            ids = [known for known in ids if known[:3] == item_id[:3]][:_LOOKED_THROUGH]
        return (own or get_close_matches(item_id, ids))[:3]


class _ById(Mapping[str, _V]):
    """What the index names, read when it is asked for, in the order of the files' paths."""

    def __init__(
        self,
        ids: Callable[[], list[str]],
        has: Callable[[str], bool],
        read: Callable[[str], _V],
    ) -> None:
        self._ids, self._has, self._read = ids, has, read

    def __getitem__(self, key: str) -> _V:
        return self._read(key)

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and self._has(key)

    def __iter__(self) -> Iterator[str]:
        return iter(self._ids())

    def __len__(self) -> int:
        return len(self._ids())
