"""Versions of a card that came from elsewhere, and are still to be chosen from.

`.deltadeck/conflicts/<path of the card>.<8 digits>.md` holds such a version; the card's file is as
it was here.  The name says what is in it, so that two computers never mean different things by it;
it travels with the collection, and once it is gone on one computer, it is gone on all.  `origin`
is the note beside it of whose version it is.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path, PurePosixPath

from cards.files import open_regular
from cards.model import Problem
from deck.errors import CollectionError, odd, reason, refusal
from deck.files import PRIVATE, free, key_parts, walk, write_whole
from deck.repair import Repair, move
from deck.sync.belongs import CONFLICTS
from deck.sync.origin import origin_of, origin_path, this_device

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
        try:
            with open_regular(self.other) as file:
                return file.read()
        except OSError as error:
            message = f"The other version cannot be read: {reason(error)}."
            raise refusal(self.other, message, "Make it readable.") from error


def record_name(relative: str, oid: str) -> str:
    """Where the other version of a file is kept; both are paths below the collection's root."""
    path = PurePosixPath(relative)
    room = max(_LONGEST - len(os.fsencode(path.suffix)) - 10, 1)
    return f"{CONFLICTS}/{path.with_name(f'{_cut(path.stem, room)}.{oid[:8]}{path.suffix}')}"


def _cut(text: str, room: int) -> str:
    while len(os.fsencode(text)) > room:
        text = text[:-1]
    return text


def digits(data: bytes) -> str:
    """For `record_name`, of what comes from no git."""
    return blake2b(data, digest_size=4).hexdigest()


def conflicts(root: Path) -> list[Conflict]:
    """All that are open, by path; nothing is read but names."""
    top = root / CONFLICTS
    if not top.is_dir():
        return []
    found = []
    for folder, _, names in os.walk(top):
        below = Path(folder).relative_to(top)
        for name in names:
            named = _NAME.fullmatch(name)
            if named and not name.endswith(".deltadeck-tmp"):
                plain = _plain(root / below, name, named["stem"], named["suffix"] or "")
                found.append(Conflict(plain, Path(folder, name)))
    return sorted(found, key=lambda conflict: (conflict.path, conflict.other))


def _plain(folder: Path, name: str, stem: str, suffix: str) -> Path:
    """The file that a version is about: where the name was cut, one that begins so."""
    path = folder / f"{stem}{suffix}"
    if len(os.fsencode(name)) > _LONGEST - 4 and folder.is_dir() and not path.exists():
        like = [n for n in os.listdir(folder) if n.startswith(stem) and n.endswith(suffix)]  # noqa: PTH208
        return folder / min(like, default=path.name)
    return path


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


def place(root: Path, conflict: Conflict) -> Path:
    """Where the card is now that a version is of; another one may have its file's name.

    Where it is nowhere any more, a path that no file has.
    """
    name, here = _id_in(conflict.other), conflict.path
    if name is None or _is_there(conflict):
        return here
    for key in sorted(file[0] for file in walk(root)[0]):
        path = root.joinpath(*key_parts(key))
        if _id_in(path) == name:
            return path
    return free(here)


def _id_in(path: Path) -> str | None:
    from deck.sync.card_merge import written_id

    try:
        with open_regular(path) as file:
            return written_id(file.read()) if path.suffix.lower() == ".md" else None
    except OSError:
        return None


def settle(root: Path, conflict: Conflict) -> Repair:
    """Ends a conflict: the other version is put aside, into `.deltadeck/drafts`, on this computer.

    Raises:
        JournalError: the disk refuses; it is as it was.
    """
    with suppress(OSError):
        origin_path(conflict.other).unlink(missing_ok=True)
    done = move(conflict.other, free(root / PRIVATE / "drafts" / conflict.other.name))
    for folder in conflict.other.parents:
        try:
            if folder == root / PRIVATE:
                break
            folder.rmdir()
        except OSError:  # there are others
            break
    return done


def problems(root: Path) -> list[Problem]:
    """A sentence for each that is open."""
    return [_problem(conflict) for conflict in conflicts(root)]


def _problem(conflict: Conflict) -> Problem:
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
    return odd(conflict.path, message, hint)


def _is_there(conflict: Conflict) -> bool:
    """Whether the file is still of the card that the version is of, as far as it can be read."""
    ids = {_id_in(conflict.path), _id_in(conflict.other)}
    return conflict.path.exists() and (None in ids or len(ids) == 1)


def write_new(path: Path, data: bytes) -> None:
    """Writes a file that is not there yet, whole.  Raises CollectionError."""
    try:
        write_whole(path, data)
    except OSError as error:
        raise failed(path, error) from error


def failed(path: Path, error: OSError) -> CollectionError:
    message = f"The file cannot be written: {reason(error)}."
    return refusal(path, message, "Mend that and sync again: it goes on where it stopped.")
