"""Backups of what cannot be made again: the journal and the settings.

A backup is a zip file in the user's data folder, one a state of the journal.  Old ones are thinned
out: the last few stay, then one a day, a week, a month (`kept`).  The cards are the learner's
files, and are not in it.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path

from cards.files import open_regular
from deck.archive import write_archive
from deck.errors import CollectionError, reason, refusal
from deck.place import CONFIG, PRIVATE

#: Bytes that are read at once.
_PART = 1_000_000
#: The newest that stay whatever their age.
_LATEST = 5
#: So many of the last days, weeks, months with a backup keep their newest.
_DAYS, _WEEKS, _MONTHS = 7, 5, 24
_NAME = re.compile(r"(\d{8}T\d{6})Z-([0-9a-f]{16})\.zip")
_TIME = "%Y%m%dT%H%M%S"


@dataclass(frozen=True, slots=True)
class Backup:
    path: Path
    at: datetime
    """UTC, to the second."""
    digest: str
    """Of what is in it: another one, another content."""
    size: int
    """Bytes."""


def backup_folder(root: Path) -> Path:
    """Where the backups of the collection `root` are; nothing is made."""
    import platformdirs

    real = os.path.realpath(root)
    name = re.sub(r"[^\w.-]+", "_", Path(real).name)[:40] or "cards"
    digest = blake2b(os.fsencode(real), digest_size=6).hexdigest()
    return platformdirs.user_data_path("deltadeck") / "backups" / f"{name}-{digest}"


def backups(root: Path) -> list[Backup]:
    """The backups of the collection `root`, the newest first."""
    folder = backup_folder(root)
    try:
        paths = list(folder.iterdir())
    except OSError:
        return []
    found = []
    for path in paths:
        named = _NAME.fullmatch(path.name)
        with suppress(OSError, ValueError):  # another program thins them out, or it is no time
            if named and stat.S_ISREG((status := path.stat()).st_mode):
                at = datetime.strptime(named[1], _TIME).replace(tzinfo=UTC)
                found.append(Backup(path, at, named[2], status.st_size))
    return sorted(found, key=lambda backup: (backup.at, backup.path.name), reverse=True)


def back_up(root: Path, now: datetime) -> Backup | None:
    """Makes a backup where the last one is of another state; thins out the old ones.

    None where there is nothing to keep, or the last backup is of this very state.

    Raises:
        CollectionError: it cannot be written; the other backups are as they were.
    """
    files, known = sources(root), backups(root)
    digest = _digest(files)
    if not files or (known and known[0].digest == digest):
        return None
    at = now.astimezone(UTC).replace(microsecond=0)
    path = backup_folder(root) / f"{at:{_TIME}}Z-{digest}.zip"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_archive(path, {name: _parts(source) for name, source in files.items()})
        made = Backup(path, at, digest, path.stat().st_size)
        stay = kept([made.at, *(backup.at for backup in known)])
        for old in known:
            if old.at not in stay:
                old.path.unlink(missing_ok=True)
    except OSError as error:
        message = f"The backup cannot be written: {reason(error)}."
        hint = "Make room on the disk, or make the folder writable; your reviews are safe."
        raise refusal(path, message, hint) from error
    return made


def kept(times: Iterable[datetime]) -> set[datetime]:
    """Those of the backups' times that stay."""
    newest = sorted(set(times), reverse=True)
    stay = set(newest[:_LATEST])
    for most, form in ((_DAYS, "%Y-%m-%d"), (_WEEKS, "%G-%V"), (_MONTHS, "%Y-%m")):
        last: dict[str, datetime] = {}
        for time in newest:
            last.setdefault(time.strftime(form), time)
        stay.update(list(last.values())[:most])
    return stay


def sources(root: Path) -> dict[str, Path]:
    """The files of journal and settings, by their path below `.deltadeck/`, with slashes.

    Links are followed, as they are where the journal is read.

    Raises:
        CollectionError: a folder cannot be read: a backup without it would be none.
    """
    private = root / PRIVATE
    found = [private / CONFIG, *_below(private / "journal")]
    return {path.relative_to(private).as_posix(): path for path in found if os.path.isfile(path)}  # noqa: PTH113


def _below(folder: Path) -> Iterator[Path]:
    def refuse(error: OSError) -> None:
        if not isinstance(error, FileNotFoundError | NotADirectoryError):
            raise _unreadable(Path(error.filename or folder), error) from error

    seen: set[str] = set()
    for here, folders, names in os.walk(folder, onerror=refuse, followlinks=True):
        real = os.path.realpath(here)
        if real in seen:  # a link that leads back
            folders.clear()
            continue
        seen.add(real)
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(here, name) for name in sorted(names) if not name.startswith("."))


def contents(root: Path) -> dict[str, bytes]:
    """What stands in the files of journal and settings, by their path below `.deltadeck/`.

    Raises:
        CollectionError: one of them cannot be read: a backup without it would be none.
    """
    return {name: b"".join(_parts(path)) for name, path in sources(root).items()}


def _parts(path: Path) -> Iterator[bytes]:
    """A file, some of it at a time: years of reviews need not be in memory.  CollectionError."""
    try:
        with open_regular(path) as file:
            while part := file.read(_PART):
                yield part
    except OSError as error:
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: OSError) -> CollectionError:
    message = f"This cannot be read, so nothing can be backed up: {reason(error)}."
    return refusal(path, message, "Check its permissions.")


def _digest(files: dict[str, Path]) -> str:
    whole = blake2b(digest_size=8)
    for name, path in sorted(files.items()):
        one = blake2b(digest_size=16)
        for part in _parts(path):
            one.update(part)
        whole.update(f"{name}\0{one.hexdigest()}\0".encode("utf-8", "surrogateescape"))
    return whole.hexdigest()
