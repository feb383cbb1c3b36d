"""What Syncthing, Dropbox and others leave where two computers wrote one file.

Copies of journals are united and set aside.  A copy of a card that says the same is set aside; one
that says something else becomes a version to choose from (`conflicts`), as git's would.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cards.edit import set_field
from cards.model import CardError
from deck.aside import free, move
from deck.doctor import clear_copies
from deck.keys import key_parts
from deck.place import CONFIG, PRIVATE
from deck.sync.card_merge import card_id, card_of
from deck.sync.changes import same_but_status
from deck.sync.conflicts import digits, record_name
from deck.sync.statuses import Statuses
from deck.walk import walk

#: Names that are given to a conflict, and those that any copy may have: words in brackets may say
#: "conflict" in any language.
_NAME = re.compile(
    r"(?P<plain>.+?)(?P<sure>\.sync-conflict-\d{8}-\d{6}(?:-\w+)?"
    r"| \([^()]*conflict[^()]*\)|_conflict-\d{8}-\d{6}|[. ]conflict)"
    r"(?P<ending>\.[^.]+)"
    r"|(?P<plain2>.+?)(?: \d{1,2}| ?\(\d{1,2}\)| - Copy(?: \(\d+\))?| copy| \(.+\))"
    r"(?P<ending2>\.[^.]+)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Cleared:
    """What became of the copies: how many files of each kind."""

    journals: int = 0
    same: int = 0
    """Copies that said nothing new."""
    conflicts: tuple[Path, ...] = ()
    """Files of which another version is to be chosen from now."""


def clear(root: Path, statuses: Statuses) -> Cleared:
    """Clears away every copy of journals, cards and settings below `root`; nothing is deleted.

    Raises:
        CollectionError: the folder cannot be read.
        JournalError: the disk refuses; what was not cleared away yet is as it was.
    """
    journals = len({done.path for done in clear_copies(root)})
    same, different = 0, []
    for plain, copy in [*_cards(root), *_settings(root)]:
        mine, theirs = plain.read_bytes(), copy.read_bytes()
        if mine == theirs or (copy.suffix.lower() == ".md" and same_but_status(mine, theirs)):
            move(copy, free(root / PRIVATE / "drafts" / copy.name))
            if mine != theirs:
                _follow(plain, mine, statuses)
            same += 1
            continue
        relative = plain.relative_to(root).as_posix()
        target = root / record_name(relative, digits(theirs))
        if target.exists():  # the same version came again
            move(copy, free(root / PRIVATE / "drafts" / copy.name))
        else:
            move(copy, target)
        different.append(plain)
    return Cleared(journals, same, tuple(different))


def plain_name(name: str) -> tuple[str, bool] | None:
    """The name that a copy's was made from, and whether it can only be a conflict's."""
    found = _NAME.fullmatch(name)
    if found is None:
        return None
    sure = found["plain"] is not None
    return (found["plain"] + found["ending"], True) if sure else (
        found["plain2"] + found["ending2"], False)  # fmt: skip


def _cards(root: Path) -> Iterator[tuple[Path, Path]]:
    """Each card with its copy: beside it, and of one id where the name may mean something else."""
    files, _ = walk(root)
    for key in sorted(file[0] for file in files):
        parts = key_parts(key)
        found = plain_name(parts[-1])
        if found is None:
            continue
        copy = root.joinpath(*parts)
        plain = copy.with_name(found[0])
        if plain.is_file() and not copy.is_symlink():
            ids = card_id(plain.read_bytes()), card_id(copy.read_bytes())
            if ids[0] == ids[1] is not None or (found[1] and None in ids):
                yield plain, copy


def _settings(root: Path) -> Iterator[tuple[Path, Path]]:
    private = root / PRIVATE
    plain = private / CONFIG
    for copy in sorted(private.iterdir()) if plain.is_file() else ():
        found = plain_name(copy.name)
        if found is not None and found[0] == CONFIG and copy.is_file():
            yield plain, copy


def _follow(path: Path, data: bytes, statuses: Statuses) -> None:
    """Sets the line that both sides changed to what their history says."""
    card = card_of(data)
    status = statuses.of(card) if card and card.status != "suspended" else None
    if card and status and status != card.status:
        try:
            set_field(path, "status", status, data.decode("utf-8"))
        except CardError:  # it changed meanwhile: the next answer writes it
            return
