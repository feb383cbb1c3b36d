"""The journal's files as they were last seen, and whether they still are so."""

from __future__ import annotations

import os
import time
from pathlib import Path

from deck.files import NO_STAMP, Stamp, stamp_from
from deck.index.codec import plain_text
from deck.index.store import Store

#: File systems tell times apart in steps of up to two seconds; a change within them can hide.
HIDES = 2_000_000_000


class Stamps:
    """Of the journal below `private` (`.deltadeck/`), by the files' paths below that."""

    def __init__(self, private: Path) -> None:
        self.known: dict[str, Stamp] = {}
        """Whoever sets it has read the files."""
        self._private = str(private)
        self._folders: dict[str, int] = {}
        self._growing: set[str] = set()

    def are_same(self) -> bool:
        """Looks at every file."""
        folders = self._folder_times()
        if _on_disk(self._private) != self.known:
            self._folders.clear()
            return False
        last = {name.rpartition("/")[0]: name for name in sorted(self.known)}
        self._folders, self._growing = folders, set(last.values())
        return True

    def seem_same(self) -> bool:
        """Looks only where programs write: at the last file of each device and at those that this
        program writes, and at the folders, which change where a file is made, replaced or removed.

        What another way of changing a file has changed is seen by `are_same`.
        """
        if not self._folders:
            return self.are_same()
        try:
            for folder, changed in self._folders.items():
                if os.stat(folder).st_mtime_ns != changed:  # noqa: PTH116
                    return self.are_same()
            for name in self._growing:
                if stamp_from(os.stat(f"{self._private}/{name}")) != self.known[name]:  # noqa: PTH116
                    return False
        except OSError:
            return self.are_same()
        return True

    def put(self, name: str, stamp: Stamp) -> None:
        """A file as this program has just written it."""
        self.known[name] = stamp
        self._growing.add(name)

    def _folder_times(self) -> dict[str, int]:
        """Of a folder that has only just changed, none: a second change may hide behind it."""
        journal, settled = f"{self._private}/journal", time.time_ns() - HIDES
        found = {}
        for folder in (journal, *(f"{journal}/{name}" for name in _names(journal))):
            try:
                changed = os.stat(folder).st_mtime_ns  # noqa: PTH116
            except OSError:
                return {}
            found[folder] = changed if changed < settled else -1
        return found


def known_stamps(store: Store) -> dict[str, Stamp]:
    """The journal's files as the index has them."""
    rows = store.db.execute("SELECT path, size, mtime, inode FROM segment")
    return {plain_text(path): (size, mtime, inode) for path, size, mtime, inode in rows}


def _on_disk(private: str) -> dict[str, Stamp]:
    """The journal's files as they are: `journal_files`, in the time that a key has for it."""
    journal, found = f"{private}/journal", {}
    for device in _names(journal):
        for name in _names(f"{journal}/{device}"):
            if name.endswith(".jsonl"):
                path = f"journal/{device}/{name}"
                try:
                    found[path] = stamp_from(os.stat(f"{private}/{path}"))  # noqa: PTH116
                except OSError:
                    found[path] = NO_STAMP
    return found


def _names(folder: str) -> list[str]:
    try:
        return [entry.name for entry in os.scandir(folder) if entry.name[0] != "."]
    except OSError:
        return []
