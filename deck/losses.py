"""Events that are kept somewhere and do not count: in files that are not read, and in backups."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from cards.files import open_regular
from deck.archive import read_backup
from deck.backup import Backup, backups
from deck.errors import CollectionError
from deck.place import PRIVATE
from deck.survey import Survey

_ID = re.compile(rb'"id":\s*"([0-9a-f-]{36})"')
#: Folders below `.deltadeck/` with what was replaced on purpose.
_REPLACED = ("replaced-", "unfinished-")


def strays(private: Path, read: Iterable[Path]) -> list[Path]:
    """The files below the journal, and below folders named like it, that are not read."""
    known, found = set(read), []
    for folder, folders, names in os.walk(private):
        if Path(folder) == private:
            folders[:] = [name for name in folders if name.startswith("journal")]
            continue
        folders[:] = [name for name in folders if not name.startswith(".")]
        found += [Path(folder, name) for name in names if not name.startswith(".")]
    return sorted(path for path in found if path not in known and path.is_file())


def losses(root: Path, survey: Survey) -> Iterator[tuple[Backup, int]]:
    """The newest and the largest backup, where the journal lacks events that they have.

    What was replaced on purpose (by `deck.restore`) is not missed.
    """
    known = backups(root)
    looked_at = {known[0], max(known, key=lambda backup: backup.size)} if known else set()
    replaced: set[bytes] | None = None
    for backup in sorted(looked_at, key=lambda backup: backup.at, reverse=True):
        with suppress(CollectionError):  # a damaged one is said where it is used
            ids = {
                found for data in read_backup(backup.path).values() for found in _ID.findall(data)
            }
            ids = {found for found in ids if found.decode() not in survey.ids}
            if ids and replaced is None:
                replaced = _replaced(root / PRIVATE)
            if count := len(ids - (replaced or set())):
                yield backup, count


def _replaced(private: Path) -> set[bytes]:
    found: set[bytes] = set()
    folders = [path for path in private.iterdir() if path.name.startswith(_REPLACED)]
    for path in (path for folder in folders for path in folder.rglob("*.jsonl*")):
        with suppress(OSError), open_regular(path) as file:
            found.update(_ID.findall(file.read()))
    return found
