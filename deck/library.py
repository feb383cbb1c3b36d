"""The cards of a folder, by id, and what is wrong with the rest of its files."""

from __future__ import annotations

import re
from difflib import get_close_matches
from pathlib import Path

from cards.model import Card, CardError, Item, Problem
from cards.parse import read_card
from cards.regular import open_regular
from deck.errors import broken, odd, refusal
from deck.walk import card_files

_QUESTION = re.compile(rb"^#{1,6}[ \t]+question\b", re.IGNORECASE | re.MULTILINE)
#: Enough of a file to tell a card from a note.
_HEAD = 64 * 1024

_Stamp = tuple[int, int, int]
_Found = Card | Problem | None


class Library:
    """The cards below `root`.  `scan` reads what changed since the last one."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.cards: dict[str, Card] = {}
        self.items: dict[str, tuple[Item, Card]] = {}
        self.problems: tuple[Problem, ...] = ()
        self._read: dict[Path, tuple[_Stamp | None, _Found]] = {}

    def scan(self) -> None:
        """Reads the folder again.

        Raises:
            CollectionError: the folder itself cannot be read; the cards stay as they were.
        """
        files, folders = card_files(self.root)
        self._read = {path: self._current(path) for path in files}
        self._index(folders)

    def find(self, item_id: str) -> tuple[Item, Card]:
        """The item and its card.

        Raises:
            CollectionError: there is none of that id.
        """
        if item_id in self.items:
            return self.items[item_id]
        own = [known for known in self.items if known.startswith(f"{item_id}/")]
        near = (own or get_close_matches(item_id, self.items))[:3]
        hint = f"Did you mean {', '.join(near)}?" if near else "`deltadeck due` lists the decks."
        raise refusal(self.root, f"There is no item {item_id!a}.", hint)

    def replace(self, card: Card) -> None:
        """Takes up a card as this program has just read or written it."""
        if card.path in self._read:
            self._read[card.path] = (_stamp(card.path), card)
            self.cards[card.id] = card
            self.items |= {item.id: (item, card) for item in card.items}

    def _current(self, path: Path) -> tuple[_Stamp | None, _Found]:
        stamp = _stamp(path)
        known = self._read.get(path)
        if known is not None and stamp is not None and known[0] == stamp:
            return known
        try:
            return stamp, read_card(path)
        except CardError as error:
            return stamp, _unless_note(path, error.problem)

    def _index(self, problems: list[Problem]) -> None:
        self.cards, self.items = {}, {}
        for _, found in self._read.values():
            if isinstance(found, Problem):
                problems.append(found)
            elif found is not None:
                twice = self._clash(found)
                if twice is None:
                    self.cards[found.id] = found
                    self.items |= {item.id: (item, found) for item in found.items}
                else:
                    problems.append(twice)
        self.problems = tuple(problems)

    def _clash(self, card: Card) -> Problem | None:
        """A card whose id, or an item's, is taken by a file before it: the first one stays."""
        first = self.cards.get(card.id)
        taken = next((item.id for item in card.items if item.id in self.items), None)
        if first is None and taken is not None:
            first = self.items[taken][1]
        if first is None:
            return None
        message = f"The id {taken or card.id!r} is already used by {first.path}."
        hint = "Give one of the two cards another id; until then only the first is studied."
        return broken(card.path, message, hint, _id_line(card.source))


def _stamp(path: Path) -> _Stamp | None:
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_size, stat.st_mtime_ns, stat.st_ino


def _unless_note(path: Path, problem: Problem) -> Problem | None:
    """`problem`, or None where the file is no card at all: a README, a note.

    A file without frontmatter is not meant as a card, unless it has a question.
    """
    try:
        with open_regular(path) as file:
            head = file.read(_HEAD)
    except OSError:
        return problem
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not text:
        return odd(path, "The file is empty, so it is no card.", "Write the card, or delete it.")
    wide = head[:2] in (b"\xff\xfe", b"\xfe\xff")
    meant = wide or text.startswith(b"---") or b"\0" in head or _QUESTION.search(text)
    return problem if meant else None


def _id_line(source: str) -> int:
    lines = enumerate(source.splitlines(), 1)
    return next((number for number, line in lines if line.startswith("id:")), 1)
