"""Cards that got another place on one side: found by their ids, so that both sides' changes meet.

git looks for files that are alike; a card has a name of its own, whatever became of its text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from deck.sync.belongs import is_card
from deck.sync.card_merge import card_id
from deck.sync.repository import Repository
from deck.sync.trees import Change, Entry, blobs, changes

_ID = re.compile(rb"^id:.*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Sides:
    """A path's content in the three trees of a merge; None where a tree has none."""

    base: Entry | None
    ours: Entry | None
    theirs: Entry | None


@dataclass(frozen=True, slots=True)
class Move:
    """A card that is elsewhere now, on one side or on both."""

    old: str
    new: str
    """Where the merge puts it."""
    sides: Sides
    left: Sides
    """What the sides have where it was: nothing, or another card (names that were exchanged)."""
    also: str | None = None
    """Where the other side had put it."""


def moves(repository: Repository, base: str, ours: str, theirs: str) -> list[Move]:
    """The cards that moved on a side and changed, or moved too, on the other."""
    mine = changes(repository.git, base, ours, repository.scope)
    yours = changes(repository.git, base, theirs, repository.scope)
    by_mine, by_yours = _moved(repository, mine), _moved(repository, yours)
    here, there = ({change.path: change for change in side} for side in (mine, yours))
    found = []
    for old, (new, entry) in sorted(by_mine.items()):
        first, left = here[old].old, here[old].new
        if old in by_yours:
            also, other = by_yours[old]
            sides, rest = Sides(first, entry, other), Sides(None, left, there[old].new)
            found.append(Move(old, new, sides, rest, also if also != new else None))
        elif old in there:
            sides = Sides(first, entry, there[old].new)
            found.append(Move(old, new, sides, Sides(None, left, None)))
    for old, (new, entry) in sorted(by_yours.items()):
        if old not in by_mine and old in here:
            sides = Sides(there[old].old, here[old].new, entry)
            found.append(Move(old, new, sides, Sides(None, None, there[old].new)))
    return [move for move in found if move.sides.ours and move.sides.theirs]


def _moved(repository: Repository, found: Iterable[Change]) -> dict[str, tuple[str, Entry]]:
    """Old path to the new one, and what is there."""
    cards = [c for c in found if is_card(repository.relative(c.path) or "")]
    both = [(c, c.old.oid, c.new.oid) for c in cards if c.old and c.new]
    texts = dict(blobs(repository.git, (oid for _, *pair in both for oid in pair)))
    other = {c.path for c, old, new in both if _id_line(texts[old]) != _id_line(texts[new])}
    gone = {c.path: c.old for c in cards if c.old and (not c.new or c.path in other)}
    came = {c.path: c.new for c in cards if c.new and (not c.old or c.path in other)}
    if not gone or not came:
        return {}
    every = [entry.oid for entry in (*gone.values(), *came.values())]
    ids = {oid: card_id(data) for oid, data in blobs(repository.git, every)}
    places: dict[str, list[str]] = {}
    for path, entry in came.items():
        if name := ids[entry.oid]:
            places.setdefault(name, []).append(path)
    moved = {}
    for path, entry in gone.items():
        there = [new for new in places.get(ids[entry.oid] or "", []) if new != path]
        if len(there) == 1:
            moved[path] = there[0], came[there[0]]
    return moved


def _id_line(data: bytes) -> bytes:
    """Cheaper than the id: where it is the same, so is that."""
    found = _ID.search(data)
    return found[0] if found else b""
