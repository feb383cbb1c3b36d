"""Backups of what cannot be made again: the journal and the settings.

A backup is a zip file in the user's data folder, one a state of the journal.  Old ones are thinned
out: the last few stay, then one a day, a week, a month (`kept`).  The cards are the learner's
files, and are not in it.

Nothing is deleted when a backup is restored: what it replaces is backed up first, and set aside
beside it.  While it is replaced, a folder `.restoring-<time>` holds what comes (`new`) and what
goes (`old`), so that `roll_back` can put everything back after a crash.
"""

from __future__ import annotations

import os
import re
import stat
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from shutil import rmtree

from cards.files import open_regular
from deck.errors import CollectionError, reason, refusal, refusing
from deck.files import CONFIG, DATA_DIR, make_folders, sync_folder, unused_path, whole, write_whole
from deck.journal import RESTORING, Journal

#: Bytes that are read at once.
_PART = 1_000_000
#: The newest that stay whatever their age.
_LATEST = 5
#: So many of the last days, weeks, months with a backup keep their newest.
_DAYS, _WEEKS, _MONTHS = 7, 5, 24
_NAME = re.compile(r"(\d{8}T\d{6})Z-([0-9a-f]{16})\.zip")
#: What cannot be done, and the way out.
_UNREADABLE = "This cannot be read, so nothing can be backed up", "Check its permissions."
_NOT_TAKEN_BACK = (
    "The backup cannot be taken back",
    "Make room on the disk, or make the folder writable; journal and settings are as before.",
)
_NOT_ADDED = (
    "The answers that are missing cannot be added",
    "Make room on the disk, or make the folder writable; doing it again adds the rest.",
)
_UNFINISHED = (
    "A restore that was stopped cannot be put back",
    "Make room on the disk, or make the folder writable; then `deltadeck doctor --repair` does it.",
)
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
    hint = "Make room on the disk, or make the folder writable; your reviews are safe."
    with refusing(path, "The backup cannot be written", hint):
        make_folders(path.parent)
        write_archive(path, {name: _parts(source) for name, source in files.items()})
        made = Backup(path, at, digest, path.stat().st_size)
        stay = kept([made.at, *(backup.at for backup in known)])
        for old in known:
            if old.at not in stay:
                old.path.unlink(missing_ok=True)
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
    private = root / DATA_DIR
    found = [private / CONFIG, *_below(private / "journal")]
    return {path.relative_to(private).as_posix(): path for path in found if os.path.isfile(path)}  # noqa: PTH113


def _below(folder: Path) -> Iterator[Path]:
    def refuse(error: OSError) -> None:
        with refusing(Path(error.filename or folder), *_UNREADABLE):
            if not isinstance(error, FileNotFoundError | NotADirectoryError):
                raise error

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
    with refusing(path, *_UNREADABLE), open_regular(path) as file:
        while part := file.read(_PART):
            yield part


def _digest(files: dict[str, Path]) -> str:
    whole = blake2b(digest_size=8)
    for name, path in sorted(files.items()):
        one = blake2b(digest_size=16)
        for part in _parts(path):
            one.update(part)
        whole.update(f"{name}\0{one.hexdigest()}\0".encode("utf-8", "surrogateescape"))
    return whole.hexdigest()


# Restoring: the journal as it was then, or only what has been lost since.


_NAMES = ("journal", CONFIG)


@dataclass(frozen=True, slots=True)
class Restored:
    """What was done."""

    files: int
    """Files that are others now."""
    lines: int
    """Lines of the journal that are there again."""
    aside: Path | None
    """Where the journal and the settings are that were replaced."""


def restore(root: Path, backup: Path, now: datetime) -> Restored:
    """Makes journal and settings what they were when the backup was made.

    Other devices that share the cards still have what they wrote since; it comes back when they
    are synchronised, because the union of all lines is the history.

    Raises:
        CollectionError: the backup cannot be used, or the disk refuses; all is as it was, or the
            error says that it is not.
        JournalError: another program keeps the journal locked.
    """
    files, private = read_backup(backup), root / DATA_DIR
    with Journal(private).locked():
        roll_back(private)
        present = contents(root)
        if files == present:
            return Restored(0, 0, None)
        back_up(root, now)
        stamp = f"{now.astimezone(UTC):%Y%m%dT%H%M%S}Z"
        aside = unused_path(private / f"replaced-{stamp}")
        pending = unused_path(private / f"{RESTORING}{stamp}")
        with refusing(private, *_NOT_TAKEN_BACK):
            try:
                for name, data in files.items():
                    write_whole(pending / "new" / name, data)
                _exchange(private, pending, aside)
            except OSError as error:
                if not (pending / "old").exists():  # a copy of the backup's, and of no use
                    rmtree(pending, ignore_errors=True)
                roll_back(private)
                if aside.exists():  # all was in its place
                    message = f"It is restored, but the disk did not confirm it: {reason(error)}."
                    raise refusal(private, message, "Check the disk.") from error
                raise
    changed = sum(present.get(name) != files.get(name) for name in present.keys() | files.keys())
    return Restored(changed, len(_lines(files) - _lines(present)), aside)


def bring_back(root: Path, backup: Path) -> Restored:
    """Adds the lines of a backup that are nowhere in the journal now; changes nothing else.

    Raises:
        CollectionError, JournalError: as `restore`.
    """
    files, private = read_backup(backup), root / DATA_DIR
    with Journal(private).locked():
        roll_back(private)
        return _add_lines(private, files, _lines(contents(root)))


def roll_back(private: Path) -> list[tuple[Path, Path]]:
    """Puts back what an unfinished `restore` took away: (its folder, where that is now).

    What was written since then stays.  Called with the journal locked; doing it again does no
    harm, should it be stopped too.

    Raises:
        CollectionError: the disk refuses; calling it again goes on.
    """
    found = []
    with suppress(FileNotFoundError):
        for pending in sorted(private.iterdir()):
            if pending.name.startswith(RESTORING):
                with refusing(private, *_UNFINISHED):
                    found.append((pending, _roll_back(private, pending)))
    return found


def _roll_back(private: Path, pending: Path) -> Path:
    old, new, stamp = pending / "old", pending / "new", pending.name.removeprefix(RESTORING)
    if old.exists() and not new.exists():  # everything was in its place
        return _finish(private, pending, unused_path(private / f"replaced-{stamp}"))
    for name in _NAMES:
        if os.path.lexists(old / name):
            if os.path.lexists(private / name):
                (private / name).rename(unused_path(new / f"undone-{name}"))
            (old / name).rename(private / name)
    sync_folder(private)
    for undone in sorted(new.glob("undone-journal*")):
        files = {f"journal/{path.parent.name}/{path.name}": path for path in undone.glob("*/*")}
        data = {name: path.read_bytes() for name, path in files.items()}
        _add_lines(private, data, _lines(contents(private.parent)))
    kept = unused_path(private / f"unfinished-{stamp}")
    pending.rename(kept)
    sync_folder(private)
    return kept


def _exchange(private: Path, pending: Path, aside: Path) -> None:
    """Puts the drafts in place, and what was there aside."""
    old, new = pending / "old", pending / "new"
    old.mkdir()
    sync_folder(pending)
    sync_folder(private)
    for name in _NAMES:
        if os.path.lexists(private / name):
            (private / name).rename(old / name)
    for name in _NAMES:
        if (new / name).exists():
            (new / name).rename(private / name)
    sync_folder(private)  # for without `new`, all of it is in its place
    new.rmdir()
    _finish(private, pending, aside)


def _finish(private: Path, pending: Path, aside: Path) -> Path:
    (pending / "old").rename(aside)
    pending.rmdir()
    sync_folder(private)
    return aside


def _lines(files: dict[str, bytes]) -> set[bytes]:
    journal = (data for name, data in files.items() if name != CONFIG)
    return {line for data in journal for line in data.split(b"\n") if line.strip()}


def _add_lines(private: Path, files: dict[str, bytes], present: set[bytes]) -> Restored:
    added = changed = 0
    for name, data in files.items():
        lost = [line for line in data.split(b"\n") if line.strip() and line not in present]
        if name == CONFIG or not lost:
            continue
        into = private / name
        if into.exists():
            into = unused_path(into.with_name(f"{into.stem}-restored.jsonl"))
        with refusing(into, *_NOT_ADDED):
            write_whole(into, b"".join(line + b"\n" for line in lost))
        added, changed = added + len(lost), changed + 1
    return Restored(changed, added, None)


# A backup's file.


#: What the library raises for a file that is no zip, or a damaged one, or another program's.
_DAMAGE = (
    *(zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, EOFError, ValueError),
    *(NotImplementedError, RuntimeError, OverflowError, MemoryError),
)


def read_backup(path: Path) -> dict[str, bytes]:
    """What `deck.backup.contents` was when the backup was made.

    Raises:
        CollectionError: the file is no backup, or it is damaged.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            found = {_spelt(name): archive.read(name) for name in archive.namelist()}
    except OSError as error:
        raise _damaged(path, reason(error)) from error
    except _DAMAGE as error:
        raise _damaged(path, str(error) or type(error).__name__) from error
    if not found:
        # None is made of nothing; a zip whose list of files lost its length looks so.
        raise _damaged(path, "it holds nothing")
    for name in found:
        first, *inside = name.split("/")
        of_journal = first == "journal" and inside and not {"", ".", ".."} & {*inside}
        if name != CONFIG and not of_journal:
            raise _damaged(path, f"it holds {name!a}, which no backup does")
    return found


def _spelt(name: str) -> str:
    """The file's name that `write_archive` gave this one."""
    plain = re.sub(rb"\\x([0-9a-f]{2})", lambda m: bytes([int(m[1], 16)]), name.encode())
    return plain.decode("utf-8", "surrogateescape")


def write_archive(path: Path, files: Mapping[str, Iterable[bytes]]) -> None:
    """Makes a backup of files, by name, each given in parts.  Raises OSError."""
    with whole(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, parts in files.items():
            # A name in a zip is text: what is not UTF-8 is spelt out, and so is a backslash.
            plain = name.replace("\\", r"\x5c").encode("utf-8", "surrogateescape")
            # Without a time: one state is one file.
            entry = zipfile.ZipInfo(plain.decode("utf-8", "backslashreplace"))
            entry.compress_type = zipfile.ZIP_DEFLATED
            with archive.open(entry, "w", force_zip64=True) as packed:
                for part in parts:
                    packed.write(part)


def _damaged(path: Path, why: str) -> CollectionError:
    return refusal(path, f"This backup cannot be used: {why}.", "Choose another one.")
