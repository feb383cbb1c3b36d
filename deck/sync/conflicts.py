"""Versions of a card to choose from, and the copies that other sync tools leave.

`.deltadeck/conflicts/<path of the card>.<8 digits>.md` holds another version of a card, whose file
stays as it was here.  The digits are a hash of what is in it, so that two computers never mean
different things by a name; the version travels with the collection, and once it is gone on one
computer, it is gone on all.  `<version>.from.json` beside it says whose it is, so that each
computer knows which of the two is its own.  (Two endings keep it from being taken for a version.)

Syncthing, Dropbox and others leave a copy where two computers wrote one file.  Copies of journals
are united and set aside.  A copy of a card that says the same is set aside; one that says something
else becomes a version to choose from, as git's would.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, suppress
from dataclasses import asdict, dataclass, fields
from hashlib import blake2b
from pathlib import Path, PurePosixPath

from cards.edit import save_card, set_field
from cards.files import open_regular
from cards.model import CardError, Problem
from deck.errors import JournalError, odd, refusal, refusing
from deck.files import CONFIG, DATA_DIR, card_keys, key_parts, unused_path, write_whole
from deck.journal import own_device
from deck.repair import Repair, clear_copies, move
from deck.replay import SUSPENDED
from deck.sync.files import (
    CONFLICTS,
    Scheduled,
    card_id,
    card_of,
    is_card,
    same_but_status,
    written_id,
)

#: What the name of the note beside a version adds to its name.
ENDING = ".from.json"
_NAME = re.compile(r"(?P<stem>.+?)\.(?P<digits>[0-9a-f]{8})(?P<suffix>\.[^.]*)?", re.DOTALL)
#: Bytes of a record's name, at most: its note has a longer one, and a file system takes 255.
_LONGEST = 240


@dataclass(frozen=True, slots=True)
class Conflict:
    """A version that is still to be chosen, or given up."""

    path: Path
    """The file that it is about."""
    other: Path
    """Where the other version is."""

    def text(self) -> bytes:
        """The other version.  Raises CollectionError."""
        what = "The other version cannot be read"
        with refusing(self.other, what, "Make it readable."), open_regular(self.other) as file:
            return file.read()


@dataclass(frozen=True, slots=True)
class Origin:
    """Whose two versions of a file are; a device is "" where nobody knows it."""

    kept: str = ""
    """The device whose version is in the file."""
    kept_on: str = ""
    """Its name, for people."""
    other: str = ""
    other_on: str = ""
    at: str = ""
    """When they met: ISO 8601, to the minute."""

    def words(self, here: str) -> str:
        """What is in the file, and what the other version is, as seen on the device `here`."""
        kept, other = self.kept_on or "another computer", self.other_on or "another computer"
        when = f" ({self.at.replace('T', ' ')})" if self.at else ""
        if here and here == self.kept:
            return f"{other} has another version; the one of this computer was kept"
        if here and here == self.other:
            return f"it is now as on {kept}{when}; the other version is yours, of this computer"
        if not self.kept:
            return "two computers have different versions; one is in the file, the other is kept"
        return f"it is now as on {kept}{when}; the other version is from {other}"

    def to_json(self) -> bytes:
        return json.dumps(asdict(self), ensure_ascii=False, indent=1).encode() + b"\n"


def origin_of(other: Path) -> Origin:
    """What is known of the version at `other`; nothing, where its note is missing or broken."""
    try:
        with open_regular(_note(other)) as file:
            found = dict(json.loads(file.read(10_000).decode("utf-8")))
    except (OSError, TypeError, ValueError, RecursionError):
        return Origin()
    known = {each.name: found.get(each.name) for each in fields(Origin)}
    return Origin(**{key: " ".join(v.split()) for key, v in known.items() if isinstance(v, str)})


def this_device() -> str:
    """Its name in the journal; "" where it has none and cannot get one."""
    with suppress(JournalError):
        return own_device()
    return ""


def conflicts(root: Path) -> list[Conflict]:
    """All that are open, by path; nothing is read but names."""
    top = root / CONFLICTS
    found = []
    for folder, _, names in os.walk(top):
        here = root / Path(folder).relative_to(top)
        for name in names:
            named = _NAME.fullmatch(name)
            if named and not name.endswith(".deltadeck-tmp"):
                path = _plain(here, name, named["stem"], named["suffix"] or "")
                found.append(Conflict(path, Path(folder, name)))
    return sorted(found, key=lambda conflict: (conflict.path, conflict.other))


def _plain(folder: Path, name: str, stem: str, suffix: str) -> Path:
    """The file that a version is about: where the name was cut, one that begins so."""
    path = folder / f"{stem}{suffix}"
    if len(os.fsencode(name)) > _LONGEST - 4 and folder.is_dir() and not path.exists():
        like = [n for n in os.listdir(folder) if n.startswith(stem) and n.endswith(suffix)]  # noqa: PTH208
        return folder / min(like, default=path.name)
    return path


def record_name(relative: str, oid: str) -> str:
    """Where the other version of a file is kept; both are paths below the collection's root."""
    path = PurePosixPath(relative)
    stem, room = path.stem, max(_LONGEST - len(os.fsencode(path.suffix)) - 10, 1)
    while len(os.fsencode(stem)) > room:
        stem = stem[:-1]
    return f"{CONFLICTS}/{path.with_name(f'{stem}.{oid[:8]}{path.suffix}')}"


def problems(root: Path) -> list[Problem]:
    """A sentence for each that is open."""
    found = []
    for conflict in conflicts(root):
        words = origin_of(conflict.other).words(this_device())
        message = f"There are two versions of this file: {words}."
        if conflict.path.suffix.lower() != ".md":
            hint = f"It is {conflict.other}. Take it over by hand, or remove it; then sync."
        elif _is_there(conflict):
            hint = "Edit the card: it shows what differs, and lets you choose. Then sync."
        else:
            hint = "`deltadeck sync --take` or `--keep` with its file name ends this."
            message = (
                "There is another version of the card that this file had, from another computer; "
                "it has another name now, or is deleted."
            )
        found.append(odd(conflict.path, message, hint))
    return found


# Which card a version is of.


def conflicts_of(root: Path, path: Path, card_id: str | None = None) -> list[Conflict]:
    """Those about the card at `path`: also where it moved since then, and not those of a card
    that had its file's name before."""
    found = []
    for conflict in conflicts(root):
        name = _id_in(conflict.other) if card_id else None
        if conflict.path == path:
            if name in (None, card_id):
                found.append(conflict)
        elif name is not None and name == card_id and _id_in(conflict.path) != name:
            found.append(conflict)
    return found


def named(root: Path, name: str, path: Path | None = None) -> list[Conflict]:
    """The conflicts that `name` means: a path, else of the card at `path`, else a file's name.

    Raises:
        CollectionError: there is none, or there are several files of this name.
    """
    wanted = {Path(name).absolute(), (root / name).absolute()}
    every = conflicts(root)
    found = [c for c in every if {c.path.absolute(), c.other.absolute()} & wanted]
    found = found or [c for c in every if path is not None and place(root, c) == path]
    found = found or [c for c in every if name in (c.path.name, c.other.name)]
    if not found:
        hint = "`deltadeck sync --dry-run` lists those that are open."
        raise refusal(root, f"There is no other version of {name!a} to choose.", hint)
    paths = sorted({str(conflict.path.relative_to(root)) for conflict in found})
    if len(paths) > 1:
        message = f"{len(paths)} files of the name {name!a} have another version."
        raise refusal(root, message, f"Name one with its folder: {', '.join(paths)}.")
    return found


def place(root: Path, conflict: Conflict) -> Path:
    """Where the card is now that a version is of; another one may have its file's name.

    Where it is nowhere any more, a path that no file has.
    """
    name, here = _id_in(conflict.other), conflict.path
    if name is None or _is_there(conflict):
        return here
    paths = (root.joinpath(*key_parts(key)) for key in card_keys(root))
    return next((path for path in paths if _id_in(path) == name), unused_path(here))


def _is_there(conflict: Conflict) -> bool:
    """Whether the file is still of the card that the version is of, as far as it can be read."""
    ids = {_id_in(conflict.path), _id_in(conflict.other)}
    return conflict.path.exists() and (None in ids or len(ids) == 1)


def _id_in(path: Path) -> str | None:
    with suppress(OSError), open_regular(path) as file:
        return written_id(file.read()) if path.suffix.lower() == ".md" else None
    return None


# The choice.


def keep(root: Path, conflict: Conflict) -> Repair:
    """The file stays as it is; the other version is put aside, into `.deltadeck/drafts`, on this
    computer.

    Raises:
        JournalError: the disk refuses; it is as it was.
    """
    with suppress(OSError):
        _note(conflict.other).unlink(missing_ok=True)
    done = move(conflict.other, _draft(root, conflict.other))
    with suppress(OSError):  # there are others
        for folder in conflict.other.relative_to(root / DATA_DIR).parents[:-1]:
            (root / DATA_DIR / folder).rmdir()
    return done


def take(root: Path, conflict: Conflict) -> Path:
    """The file becomes the other version; what it was is put aside into `.deltadeck/drafts`.

    The path of the file: the card may have moved since then.

    Raises:
        CollectionError: a file cannot be read or written; both are as they were.
        CardError: the other version is no card.
        JournalError: the other version cannot be put aside.
    """
    other, path = conflict.text(), place(root, conflict)
    with refusing(path, "The file cannot be read", "Make it readable."):
        now = path.read_bytes() if path.exists() else None
    if now is not None:
        write_new(_draft(root, path), now)
    if path.suffix.lower() == ".md":
        path.parent.mkdir(parents=True, exist_ok=True)
        seen = None if now is None else now.decode("utf-8", "replace")
        save_card(path, other.decode("utf-8", "replace"), seen, root)
    else:
        write_new(path, other)
    keep(root, conflict)
    return path


def _note(other: Path) -> Path:
    return other.with_name(other.name + ENDING)


def _draft(root: Path, path: Path) -> Path:
    return unused_path(root / DATA_DIR / "drafts" / path.name)


def write_new(path: Path, data: bytes) -> None:
    """Writes a file that is not there yet, whole.  Raises CollectionError."""
    with writing(path):
        write_whole(path, data)


def writing(path: Path) -> AbstractContextManager[None]:
    """Within it, a file that a sync cannot write is a CollectionError."""
    hint = "Mend that and sync again: it goes on where it stopped."
    return refusing(path, "The file cannot be written", hint)


# Copies that other sync tools leave.

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
_COPY_NAME = re.compile(
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
            digits = blake2b(theirs, digest_size=4).hexdigest()  # the same version may come again
            target = root / record_name(relative, digits)
            move(copy, unused_path(aside) if target.exists() else target)
            different.append(plain)
    return Cleared(journals, same, tuple(different))


def _plain_name(name: str) -> tuple[str, bool] | None:
    """The name that a copy's was made from, and whether it can only be a conflict's."""
    found = _COPY_NAME.fullmatch(name)
    return (found["stem"] + found["ending"], found["sure"] is not None) if found else None


def _cards(root: Path) -> Iterator[tuple[Path, Path]]:
    """Each card with its copy, which is beside it.

    A card is its id: whatever a program or a language calls copies, of two files in one folder with
    one id, where one name is the other's and more, the longer is the copy.  Only where an id cannot
    be read must the name say that it is a conflict's.
    """
    folders: dict[tuple[str, ...], set[str]] = {}
    for key in card_keys(root):
        *inside, name = key_parts(key)
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
