"""What a merge comes to: files, versions to choose from, and what is to be said."""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass, field
from pathlib import Path

from deck.errors import refusal
from deck.sync.conflicts import record_name
from deck.sync.matching import Sides
from deck.sync.origin import ENDING, Origin, to_json
from deck.sync.repository import Repository
from deck.sync.settings_merge import Times
from deck.sync.trees import FILES, REPOSITORY, Entry, blob, store


@dataclass(slots=True)
class Merged:
    """What a merge came to; paths are below the collection's root."""

    tree: str = ""
    conflicts: list[str] = field(default_factory=list)
    """Files that say here what they said, and elsewhere something else."""
    kept: list[str] = field(default_factory=list)
    """Files that one side took away and the other changed."""
    beside: list[str] = field(default_factory=list)
    """Cards that got another file name, as theirs was taken."""
    settings: list[str] = field(default_factory=list)
    """What stands of settings that both sides changed, a sentence each."""
    records: dict[str, bytes] = field(default_factory=dict)
    """Files of `.deltadeck/conflicts` that are not in this repository, with what they hold."""


class Draft:
    """A merged tree that is being made."""

    def __init__(
        self, repository: Repository, drafts: Path, met: Callable[[str], Origin], times: Times
    ) -> None:
        self.repository, self.git, self.times = repository, repository.git, times
        self._drafts, self._met = drafts, met
        self.put: dict[str, Entry | None] = {}
        """What a path gets; None where nothing is left of it."""
        self.merged = Merged()

    def write(self, path: str, like: Entry | None, data: bytes) -> None:
        self.put[path] = Entry(like.mode if like else FILES[0], store(self.git, data))

    def texts(self, sides: Sides) -> tuple[bytes, bytes, bytes]:
        base, ours, theirs = (blob(self.git, entry) for entry in sides)
        return base, ours, theirs

    def lines(self, base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
        """git's merge of texts, line by line; None where it has a conflict, or one is no text."""
        files = []
        for name, data in (("ours", ours), ("base", base), ("theirs", theirs)):
            files.append(self._drafts / name)
            files[-1].write_bytes(data)
        words = ("merge-file", "-p", "-q", *map(str, files))
        code, out = self.git.run(*words, allowed=(*range(128), 255))
        return out if code == 0 else None

    def keep_ours(self, path: str, sides: Sides, there: str | None = None) -> None:
        """Ours stays in the file; theirs, which may be at another path, is kept to be chosen."""
        relative = self.repository.relative(path)
        assert sides.ours is not None
        assert sides.theirs is not None
        if relative is None or sides.theirs.mode not in FILES:
            raise self.refused(path, {sides.ours.mode, sides.theirs.mode})
        self.put[path] = sides.ours
        name = record_name(relative, sides.theirs.oid)
        note = to_json(self._met(there or path))
        tracked = self.repository.tracked(name)
        if self.repository.is_whole and tracked is not None:
            self.put[tracked] = Entry(FILES[0], sides.theirs.oid)
            self.write(tracked + ENDING, None, note)
        else:
            self.merged.records[name] = blob(self.git, sides.theirs)
            self.merged.records[name + ENDING] = note
        self.merged.conflicts.append(relative)

    def refused(self, path: str, modes: Container[str] = ()) -> Exception:
        message = "Both sides changed this file, which is no part of the collection."
        if REPOSITORY in modes:
            message = "Both sides changed this repository within the collection (a submodule)."
        hint = "Nothing was merged. `git pull` merges it by hand; then sync again."
        return refusal(self.repository.at(path), message, hint)
