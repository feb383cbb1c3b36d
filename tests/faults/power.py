"""Power cuts: which states of the disk may be found after one.

A `Recorder` looks at a folder before each call: what each file holds, which names it has, and what
was fsynced until then.  That is what survives for certain.  Of the rest, POSIX promises nothing:
what was written into a file is there, or a part of it, or zeros in its place; a name that was made,
changed or taken away is so only once its folder was fsynced, but in each folder the one change
after the other, and a file goes from one folder to another in one step.
"""

from __future__ import annotations

import os
import random
import stat
from dataclasses import dataclass, field
from pathlib import Path

from tests.faults.calls import Call

_PAGE = 4096
Names = dict[tuple[int, str], int]
"""Inodes, by their folder's and their name in it."""


@dataclass(slots=True)
class _Version:
    """What a file held from one call on."""

    since: int
    data: bytes
    changed: int
    """ns"""


@dataclass(slots=True)
class Recorder:
    """The history of a folder, call by call."""

    folder: Path
    calls: list[Call] = field(default_factory=list)
    _names: list[Names] = field(default_factory=list)
    _files: dict[int, list[_Version]] = field(default_factory=dict)
    _seen: dict[int, tuple[int, int, int]] = field(default_factory=dict)
    _of_git: set[int] = field(default_factory=set)
    _held: list[int] = field(default_factory=list)
    """Keeps each inode's number from being given again."""

    def look(self, call: Call) -> None:
        """Before a call."""
        names: Names = {}
        self._walk(os.fspath(self.folder), self.folder.stat().st_ino, names)
        same = self._names and self._names[-1] == names
        self._names.append(self._names[-1] if same else names)
        self.calls.append(call)

    def close(self) -> None:
        while self._held:
            os.close(self._held.pop())

    def _walk(self, folder: str, inode: int, names: Names) -> None:
        with os.scandir(folder) as entries:
            for entry in entries:
                found = entry.stat(follow_symlinks=False)
                names[inode, entry.name] = found.st_ino
                if found.st_ino not in self._seen:
                    self._held.append(os.open(entry.path, os.O_PATH | os.O_NOFOLLOW))
                looks = found.st_size, found.st_mtime_ns, found.st_ctime_ns
                is_file = stat.S_ISREG(found.st_mode)
                if is_file and self._seen.get(found.st_ino) != looks:
                    versions = self._files.setdefault(found.st_ino, [])
                    data = Path(entry.path).read_bytes()
                    versions.append(_Version(len(self.calls), data, found.st_mtime_ns))
                self._seen[found.st_ino] = looks
                if inode in self._of_git or entry.name in (".git", "remote.git"):
                    self._of_git.add(found.st_ino)
                if entry.is_dir(follow_symlinks=False):
                    self._walk(entry.path, found.st_ino, names)

    # What may be found when the power goes right before the call `at`.

    def state(self, at: int, number: int) -> Disk:
        """The `number`-th of the states: the first three are the extremes, the others by chance."""
        synced, now = self._synced(at), self._names[at]
        if number == 1:  # names without data
            return self._disk(now, at, synced, None)
        bare = self._surviving(at, synced, None)
        if number == 0:  # nothing but what was fsynced
            return self._disk(bare, at, synced, None)
        if number == 2:  # data without names
            return self._disk(bare, at, dict.fromkeys(self._files, at), None)
        chance = random.Random(f"{at} {number}")
        return self._disk(self._surviving(at, synced, chance), at, synced, chance)

    def _synced(self, at: int) -> dict[int, int]:
        """Of each inode, the last call at which it was fsynced.  What git keeps is git's affair:
        all of it is taken to survive."""
        found = dict.fromkeys([*self._files, *self._names[0].values()], 0)
        for number, call in enumerate(self.calls[:at]):
            if call.name in ("sync", "syncfs"):
                found = dict.fromkeys(self._seen, number)
            elif call.name in ("fsync", "fdatasync"):
                found[call.inode] = number
        return found | dict.fromkeys(self._of_git, at)

    def _surviving(self, at: int, synced: dict[int, int], chance: random.Random | None) -> Names:
        """The names; of the changes that were not fsynced, none, or some by chance."""
        changes = []
        for number in range(at):
            before, after = self._names[number], self._names[number + 1]
            if before is not after:
                keys = [
                    key for key in before.keys() | after.keys() if before.get(key) != after.get(key)
                ]
                changes.append((number, keys, after))
        certain: set[int] = set()
        closed: set[int] = set()
        """Folders of which every earlier change is certain."""
        for number, keys, _ in reversed(changes):
            folders = {folder for folder, _ in keys}
            if folders & closed or any(synced.get(folder, -1) > number for folder in folders):
                certain.add(number)
                closed |= folders
        names, lost = dict(self._names[0]), set[int]()
        for number, keys, after in changes:
            folders = {folder for folder, _ in keys}
            stays = number in certain or (chance is not None and chance.random() < 0.6)
            if not stays or (number not in certain and folders & lost):
                lost |= folders
                continue
            for key in keys:
                if key in after:
                    names[key] = after[key]
                else:
                    names.pop(key, None)
        return names

    def _disk(
        self, names: Names, at: int, synced: dict[int, int], chance: random.Random | None
    ) -> Disk:
        files = {}
        for inode in {*names.values()} & self._files.keys():
            versions = [each for each in self._files[inode] if each.since <= at]
            if not versions:
                continue
            safe = [each for each in versions if each.since <= synced.get(inode, -1)]
            old, new = safe[-1] if safe else _Version(0, b"", versions[-1].changed), versions[-1]
            files[inode] = (old.data, old.changed)
            if chance is not None and old.data != new.data:
                files[inode] = (_between(old.data, new.data, chance), new.changed)
        return Disk(self.folder, names, files)


def _between(old: bytes, new: bytes, chance: random.Random) -> bytes:
    """What may be found of a file that was not fsynced since it was `old`."""
    kind = chance.randrange(4)
    if kind == 0:
        return old
    if kind == 1:
        return new
    if kind == 2 and new.startswith(old):
        size = chance.randint(len(old), len(new))
        zeros = bytes(len(new) - size) if chance.random() < 0.5 else b""
        return new[:size] + zeros
    pages = range(0, max(len(old), len(new)), _PAGE)
    size = len(new) if chance.random() < 0.7 else max(len(old), len(new))
    blocks = [(new if chance.random() < 0.5 else old)[at : at + _PAGE] for at in pages]
    parts = [
        block.ljust(min(_PAGE, size - at), b"\0") for at, block in zip(pages, blocks, strict=True)
    ]
    return b"".join(parts)[:size]


@dataclass(slots=True)
class Disk:
    """A state."""

    folder: Path
    names: Names
    files: dict[int, tuple[bytes, int]]

    def put(self) -> None:
        """Makes the folder so; it is empty."""
        made: dict[int, Path] = {}
        inside: dict[int, list[tuple[str, int]]] = {}
        for (folder, name), inode in self.names.items():
            inside.setdefault(folder, []).append((name, inode))
        self._fill(self.folder, inside[self.root], inside, made)
        reseal(self.folder)

    @property
    def root(self) -> int:
        children = {*self.names.values()}
        return next(folder for folder, _ in self.names if folder not in children)

    def _fill(
        self,
        folder: Path,
        names: list[tuple[str, int]],
        inside: dict[int, list[tuple[str, int]]],
        made: dict[int, Path],
    ) -> None:
        for name, inode in sorted(names):
            path = folder / name
            if inode in self.files:
                if inode in made:
                    path.hardlink_to(made[inode])
                    continue
                data, changed = self.files[inode]
                path.write_bytes(data)
                os.utime(path, ns=(changed, changed))
                made[inode] = path
            else:
                path.mkdir()
                self._fill(path, inside.get(inode, []), inside, made)


def reseal(folder: Path) -> None:
    """A copy of an index is sealed as the index was: the seal has the file's inode."""
    for seal in folder.glob("own/cache/**/*.seal"):
        file = seal.with_suffix(".sqlite")
        words = seal.read_text(encoding="ascii", errors="replace").split()
        if file.is_file() and len(words) == 3:
            found = file.stat()
            if words[:2] == [str(found.st_size), str(found.st_mtime_ns)]:
                text = f"{found.st_size} {found.st_mtime_ns} {found.st_ino}"
                seal.write_text(text.ljust(80), encoding="ascii")
