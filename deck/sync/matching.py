"""The cards of three trees, matched by their ids: where a card is, is one more thing that it says.

git matches files by their paths, and takes a card that got another's name for that other one.  A
card has a name of its own, whatever became of its file's name and its text.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from deck.sync.belongs import is_card
from deck.sync.card_merge import written_id
from deck.sync.repository import Repository
from deck.sync.trees import FILES, Entry, blobs, changes

_ID = re.compile(rb"^id:.*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Sides:
    """A path's content in the three trees of a merge; None where a tree has none."""

    base: Entry | None
    ours: Entry | None
    theirs: Entry | None

    def __iter__(self) -> Iterator[Entry | None]:
        return iter((self.base, self.ours, self.theirs))


class Place(NamedTuple):
    path: str
    entry: Entry


@dataclass(frozen=True, slots=True)
class Versions:
    """One card in the three trees of a merge; None where a tree does not have it."""

    base: Place | None
    ours: Place | None
    theirs: Place | None

    def places(self) -> list[Place]:
        return [place for place in (self.base, self.ours, self.theirs) if place]

    def path(self) -> str | None:
        """Where the merge would have it; None where it is deleted, and not changed elsewhere."""
        base, ours, theirs = self.base, self.ours, self.theirs
        if ours is None or theirs is None:
            left = ours or theirs
            return left.path if left and left != base else None
        moved_there = base and ours.path == base.path
        return theirs.path if moved_there else ours.path


def match(repository: Repository, base: str, ours: str, theirs: str) -> list[Versions]:
    """The cards that git's merge by path does not settle: changed on both sides, or not at one
    path, under one id, in all three trees."""
    touched = _touched(repository, base, ours, theirs)
    oids = [entry.oid for sides in touched.values() for entry in sides if entry]
    texts = dict(blobs(repository.git, oids))
    found, loose = [], {}
    for path, sides in sorted(touched.items()):
        if not _stays(sides, texts):
            loose[path] = sides
        elif sides.ours != sides.base and sides.theirs != sides.base:
            found.append(Versions(*(Place(path, entry) for entry in sides if entry)))
    return found + _matched(loose, texts)


def _touched(repository: Repository, base: str, ours: str, theirs: str) -> dict[str, Sides]:
    """The files of cards that are not the same in all three trees."""
    mine, yours = (
        {change.path: change for change in changes(repository.git, base, side, repository.scope)}
        for side in (ours, theirs)
    )
    found = {}
    for path in mine.keys() | yours.keys():
        here, there = mine.get(path), yours.get(path)
        before = (here or yours[path]).old
        sides = Sides(before, here.new if here else before, there.new if there else before)
        plain = all(entry.mode in FILES for entry in sides if entry)
        if plain and is_card(repository.relative(path) or ""):
            found[path] = sides
    return found


def _stays(sides: Sides, texts: Mapping[str, bytes]) -> bool:
    """Whether one card is at this path in all three trees; the line of its id says enough."""
    lines = {_id_line(texts[entry.oid]) for entry in sides if entry}
    return all(sides) and len(lines) == 1


def _id_line(data: bytes) -> bytes:
    """Cheaper than the id: where it is the same, so is that."""
    found = _ID.search(data)
    return found[0] if found else b""


# One id may be in several files, as of a card that was copied to begin another one.


def _matched(loose: Mapping[str, Sides], texts: Mapping[str, bytes]) -> list[Versions]:
    oids = {entry.oid for sides in loose.values() for entry in sides if entry}
    ids = {oid: written_id(texts[oid]) for oid in oids}
    trees: list[dict[str, Entry]] = [{}, {}, {}]
    for path, sides in loose.items():
        for tree, entry in zip(trees, sides, strict=True):
            if entry:
                tree[path] = entry
    known = [{ids[entry.oid] for entry in tree.values()} for tree in trees]
    cards: dict[str, list[dict[str, Entry]]] = {}
    for path, sides in loose.items():
        named = [ids[entry.oid] for entry in sides if entry]
        for number, entry in enumerate(sides):
            if entry is None:
                continue
            # A text that can no longer be read, or not yet, is the card that is there elsewhere.
            names = [ids[entry.oid], *(name for name in named if name not in known[number])]
            name = next((f"id {name}" for name in names if name), f"path {path}")
            cards.setdefault(name, [{}, {}, {}])[number][path] = entry
    return [versions for _, card in sorted(cards.items()) for versions in _paired(*card)]


def _paired(
    base: dict[str, Entry], ours: dict[str, Entry], theirs: dict[str, Entry]
) -> Iterator[Versions]:
    """The files of one id in the three trees: those of one path belong together, then the rest."""
    mine, yours = _pairs(base, ours), _pairs(base, theirs)
    new_here = ours.keys() - mine.values()
    new_there = theirs.keys() - yours.values()
    both = _pairs(new_here, new_there)
    for path in sorted(base):
        sides = _place(ours, mine.get(path)), _place(theirs, yours.get(path))
        yield Versions(_place(base, path), *sides)
    for path in sorted(new_here):
        yield Versions(None, _place(ours, path), _place(theirs, both.get(path)))
    for path in sorted(new_there - set(both.values())):
        yield Versions(None, None, _place(theirs, path))


def _pairs(one: Collection[str], other: Collection[str]) -> dict[str, str]:
    same = {path: path for path in one if path in other}
    left = (sorted(path for path in side if path not in same) for side in (one, other))
    return same | dict(zip(*left, strict=False))


def _place(tree: Mapping[str, Entry], path: str | None) -> Place | None:
    return Place(path, tree[path]) if path is not None else None
