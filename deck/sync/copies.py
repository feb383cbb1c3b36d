"""What Syncthing, Dropbox and others leave where two computers wrote one file.

Copies of journals are united and set aside.  A copy of a card that says the same is set aside; one
that says something else becomes a version to choose from (`conflicts`), as git's would.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from cards.edit import set_field
from cards.model import CardError
from deck.files import CONFIG, DATA_DIR, key_parts, unused_path, walk
from deck.repair import clear_copies, move
from deck.replay import SUSPENDED
from deck.sync.conflicts import digits, record_name
from deck.sync.files import Scheduled, card_id, card_of, is_card, same_but_status

#: What a conflict adds to a name, and nothing else does; a copy of a copy has two of them.
_CONFLICT = (
    r"(?:\.sync-conflict-\d{8}-\d{6}(?:-\w+)?|[._]conflict-\d{8}-\d{6}|[. ]conflict"
    r"| \([^()]*conflict[^()]*\)| \[[^\[\]]*conflict[^\[\]]*\])+"
)
#: What other copies add: each may as well be a name of the learner's own.
_COPY = (
    r"(?: \d{1,2}| ?\(\d{1,2}\)|(?: [-–])? cop(?:y|ia|ie)(?: \(?\d+\)?)?| - Kopi[ae]| \(.+\)"
    r"|-(?:DESKTOP|LAPTOP)-\w+)"
)
_NAME = re.compile(
    rf"(?P<stem>.+?)(?:(?P<sure>{_CONFLICT})|{_COPY})(?P<ending>\.[^.]+)", re.IGNORECASE | re.DOTALL
)
#: The line of a card's id, unread: copies of a file have the same.
_ID = re.compile(rb"^id[ \t]*:.*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Cleared:
    """What became of the copies: how many files of each kind."""

    journals: int = 0
    same: int = 0
    """Copies that said nothing new."""
    conflicts: tuple[Path, ...] = ()
    """Files of which another version is to be chosen from now."""


def clear(root: Path, scheduled: Scheduled) -> Cleared:
    """Clears away every copy of journals, cards and settings below `root`; nothing is deleted.

    Raises:
        CollectionError: the folder cannot be read.
        JournalError: the disk refuses; what was not cleared away yet is as it was.
    """
    journals = len({done.path for done in clear_copies(root)})
    same, different = 0, []
    for plain, copy in [*_cards(root), *_settings(root)]:
        mine, theirs = plain.read_bytes(), copy.read_bytes()
        relative, aside = plain.relative_to(root).as_posix(), root / DATA_DIR / "drafts" / copy.name
        if mine == theirs or (is_card(relative) and same_but_status(mine, theirs)):
            move(copy, unused_path(aside))
            if mine != theirs:
                _follow(plain, mine, scheduled)
            same += 1
        else:
            target = root / record_name(relative, digits(theirs))  # the same version may come again
            move(copy, unused_path(aside) if target.exists() else target)
            different.append(plain)
    return Cleared(journals, same, tuple(different))


def _plain_name(name: str) -> tuple[str, bool] | None:
    """The name that a copy's was made from, and whether it can only be a conflict's."""
    found = _NAME.fullmatch(name)
    return (found["stem"] + found["ending"], found["sure"] is not None) if found else None


def _cards(root: Path) -> Iterator[tuple[Path, Path]]:
    """Each card with its copy, which is beside it.

    A card is its id: whatever a program or a language calls copies, of two files in one folder with
    one id, where one name is the other's and more, the longer is the copy.  Only where an id cannot
    be read must the name say that it is a conflict's.
    """
    folders: dict[tuple[str, ...], set[str]] = {}
    for file in walk(root)[0]:
        *inside, name = key_parts(file[0])
        folders.setdefault(tuple(inside), set()).add(name)
    for parts, names in sorted(folders.items()):
        folder = root.joinpath(*parts)
        for name in sorted(names):
            copied = (folder / plain for plain in _shorter(name, names))
            plain = next((each for each in copied if _is_copy(folder / name, each)), None)
            if plain is not None:
                yield plain, folder / name


def _shorter(name: str, names: set[str]) -> list[str]:
    """Those of `names` that are within `name`, the shortest first; a sign is where they end.

    The sign is for speed: "card-1" and "card-10" need not be read.
    """
    stem, dot, ending = name.rpartition(".")
    begins = [stem[:at] for at in range(1, len(stem)) if not stem[at].isalnum()]
    ends = [stem[at + 1 :] for at in range(len(stem)) if stem[at] == " "]  # "Copy of a"
    found = {each + dot + ending for each in [*begins, *ends]}
    return sorted((found & names) - {name}, key=lambda each: (len(each), each))


def _is_copy(copy: Path, plain: Path) -> bool:
    if copy.is_symlink() or not copy.is_file() or not plain.is_file():
        return False
    try:
        texts = plain.read_bytes(), copy.read_bytes()
    except OSError:  # git, or `deltadeck lint`, names the file that cannot be read
        return False
    sure = _plain_name(copy.name) == (plain.name, True)
    lines = [found[0].rstrip() if (found := _ID.search(text)) else None for text in texts]
    if lines[0] != lines[1] and not sure:
        return False
    ids = [card_id(text) for text in texts]
    return ids[0] == ids[1] is not None or (sure and None in ids)


def _settings(root: Path) -> Iterator[tuple[Path, Path]]:
    plain = root / DATA_DIR / CONFIG
    for copy in sorted(plain.parent.iterdir()) if plain.is_file() else ():
        if (_plain_name(copy.name) or ("",))[0] == CONFIG and copy.is_file():
            yield plain, copy


def _follow(path: Path, data: bytes, scheduled: Scheduled) -> None:
    """Sets the line that both sides changed to what their history says."""
    card = card_of(data)
    status = scheduled(card) if card and card.status != SUSPENDED else None
    if card and status and status != card.status:
        with suppress(CardError):  # it changed meanwhile: the next answer writes it
            set_field(path, "status", status, data.decode("utf-8"))
