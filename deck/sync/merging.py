"""Three trees to one: what both sides did, with nothing lost and nothing left half-merged.

git's three-way merge of trees (`read-tree -m`) settles what only one side touched.  Of the rest,
journals are united, cards and other texts merged line by line (`git merge-file`); what a learner
must choose from stays as it is here, and the other version is kept in `.deltadeck/conflicts`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from deck.errors import refusal
from deck.place import CONFIG, PRIVATE
from deck.sync.belongs import is_card, is_journal, is_list, is_record
from deck.sync.card_merge import Scheduled, card_id, merge_cards, with_agreed_status
from deck.sync.conflicts import record_name
from deck.sync.moves import Move, Sides, moves
from deck.sync.origin import ENDING, Origin, to_json
from deck.sync.repository import Repository
from deck.sync.settings_merge import merge_settings
from deck.sync.trees import FILES, Entry, blob, put_entries, store
from deck.sync.union import lines, union


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
    records: dict[str, bytes] = field(default_factory=dict)
    """Files of `.deltadeck/conflicts` that are not in this repository, with what they hold."""


def merge(
    repository: Repository,
    drafts: Path,
    trees: tuple[str, str, str],
    scheduled: Scheduled,
    met: Callable[[str], Origin],
) -> Merged:
    """The merge of base, ours and theirs.

    Raises:
        CollectionError: files outside of the collection are in conflict.
        GitError: git refuses.
    """
    return _Merger(repository, drafts, scheduled, met).merge(*trees)


class _Merger:
    def __init__(
        self,
        repository: Repository,
        drafts: Path,
        scheduled: Scheduled,
        met: Callable[[str], Origin],
    ) -> None:
        self._met = met
        self._repository, self._git = repository, repository.git
        self._drafts, self._scheduled = drafts, scheduled
        self._index = drafts / "merge-index"
        self._put: dict[str, Entry | None] = {}
        self._names: set[str] = set()
        self._merged = Merged()

    def merge(self, base: str, ours: str, theirs: str) -> Merged:
        git, index = self._git, self._index
        git.run("read-tree", ours, index=index)
        git.run("read-tree", "-i", "-m", "--aggressive", base, ours, theirs, index=index)
        open_paths = _unmerged(git.run("ls-files", "--unmerged", "-z", index=index)[1])
        self._names = set(git.names("ls-files", "-z", index=index))
        self._follow(moves(self._repository, base, ours, theirs), open_paths)
        for path, sides in sorted(open_paths.items()):
            self._settle(path, sides)
        put_entries(git, self._put.items(), index)
        self._merged.tree = git.text("write-tree", index=index)
        return self._merged

    def _follow(self, found: Iterable[Move], open_paths: dict[str, Sides]) -> None:
        taken: set[str] = set()
        for move in found:
            stranger = open_paths.get(move.new)
            if move.old not in taken:
                open_paths.pop(move.old, None)
                self._leave(move.old, move.left, open_paths)
            if move.also and move.also not in taken:
                self._put[move.also] = None
            open_paths[move.new] = move.sides
            taken.add(move.new)
            if stranger and not stranger.base and stranger.theirs not in (None, move.sides.theirs):
                assert stranger.theirs is not None
                self._give_free_name(move.new, stranger.theirs)

    def _leave(self, path: str, left: Sides, open_paths: dict[str, Sides]) -> None:
        """What is where a card was before it moved."""
        if left.ours and left.theirs:
            open_paths[path] = left
        else:
            self._put[path] = left.ours or left.theirs

    # One path.

    def _settle(self, path: str, sides: Sides) -> None:
        relative = self._repository.relative(path)
        if sides.ours is None or sides.theirs is None:
            self._settle_gone(path, relative, sides)
        elif sides.ours == sides.theirs:
            self._put[path] = sides.ours
        elif not self._are_files(sides):
            self._keep_ours(path, relative, sides)
        elif relative is None:
            self._settle_outside(path, sides)
        elif is_journal(relative):
            self._write(path, sides.ours, union(*self._texts(sides)))
        elif is_record(relative):  # the same version met twice: either note of it will do
            self._put[path] = sides.ours
        elif is_list(relative):
            self._write(path, sides.ours, lines(*self._texts(sides)[1:]))
        elif is_card(relative):
            self._settle_card(path, relative, sides)
        else:
            base, ours, theirs = self._texts(sides)
            if relative == f"{PRIVATE}/{CONFIG}":
                merged = merge_settings(base, ours, theirs, self._lines)
            else:
                merged = self._lines(base, ours, theirs) if base else None
            if merged is not None:
                self._write(path, sides.ours, merged)
            else:
                self._keep_ours(path, relative, sides)

    def _settle_gone(self, path: str, relative: str | None, sides: Sides) -> None:
        if relative is None:
            raise self._refused(path)
        left = sides.ours or sides.theirs
        self._put[path] = None if is_record(relative) else left
        if not is_record(relative) and left:
            self._merged.kept.append(relative)

    def _settle_card(self, path: str, relative: str, sides: Sides) -> None:
        base, ours, theirs = self._texts(sides)
        merged = merge_cards(base, ours, theirs, self._lines, self._scheduled)
        if merged is not None:
            self._write(path, sides.ours, merged)
            return
        if not base and card_id(ours) != card_id(theirs) and sides.theirs:
            self._put[path] = sides.ours
            self._give_free_name(path, sides.theirs)
            return
        self._keep_ours(path, relative, sides)
        self._write(path, sides.ours, with_agreed_status(base, ours, theirs, self._scheduled))

    def _settle_outside(self, path: str, sides: Sides) -> None:
        base, ours, theirs = self._texts(sides)
        merged = self._lines(base, ours, theirs) if base else None
        if merged is None:
            raise self._refused(path)
        self._write(path, sides.ours, merged)

    def _keep_ours(self, path: str, relative: str | None, sides: Sides) -> None:
        """Ours stays in the file; theirs is kept to be chosen."""
        assert sides.ours is not None
        assert sides.theirs is not None
        if relative is None or sides.theirs.mode not in FILES:
            raise self._refused(path)
        self._put[path] = sides.ours
        name = record_name(relative, sides.theirs.oid)
        note = to_json(self._met(path))
        tracked = self._repository.tracked(name)
        if self._repository.is_whole and tracked is not None:
            self._put[tracked] = Entry(FILES[0], sides.theirs.oid)
            self._write(tracked + ENDING, None, note)
        else:
            self._merged.records[name] = blob(self._git, sides.theirs)
            self._merged.records[name + ENDING] = note
        self._merged.conflicts.append(relative)

    def _give_free_name(self, path: str, entry: Entry) -> None:
        """Puts another card, which has this name too, under the next one that is free."""
        plain, number = PurePosixPath(path), 2
        while (name := str(plain.with_stem(f"{plain.stem}-{number}"))) in self._names:
            number += 1
        self._names.add(name)
        self._put[name] = entry
        self._merged.beside.append(self._repository.relative(name) or name)

    # Inside.

    def _are_files(self, sides: Sides) -> bool:
        return all(e.mode in FILES for e in (sides.base, sides.ours, sides.theirs) if e)

    def _texts(self, sides: Sides) -> tuple[bytes, bytes, bytes]:
        base, ours, theirs = (blob(self._git, e) for e in (sides.base, sides.ours, sides.theirs))
        return base, ours, theirs

    def _write(self, path: str, like: Entry | None, data: bytes) -> None:
        self._put[path] = Entry(like.mode if like else FILES[0], store(self._git, data))

    def _lines(self, base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
        """git's merge of texts, line by line; None where it has a conflict, or one is no text."""
        files = []
        for name, data in (("ours", ours), ("base", base), ("theirs", theirs)):
            files.append(self._drafts / name)
            files[-1].write_bytes(data)
        words = ("merge-file", "-p", "-q", *map(str, files))
        code, out = self._git.run(*words, allowed=(*range(128), 255))
        return out if code == 0 else None

    def _refused(self, path: str) -> Exception:
        message = "Both sides changed this file, which is no part of the collection."
        hint = "Nothing was merged. `git pull` merges it by hand; then sync again."
        return refusal(self._repository.at(path), message, hint)


def _unmerged(out: bytes) -> dict[str, Sides]:
    found: dict[str, dict[str, Entry]] = {}
    for row in out.split(b"\0"):
        if row:
            head, _, path = row.partition(b"\t")
            mode, oid, stage = head.decode("ascii").split(" ")
            found.setdefault(os.fsdecode(path), {})[stage] = Entry(mode, oid)
    return {p: Sides(s.get("1"), s.get("2"), s.get("3")) for p, s in found.items()}
