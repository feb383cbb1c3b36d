"""Three trees to one: what both sides did, with nothing lost and nothing left half-merged.

git's three-way merge of trees (`read-tree -m`) settles what only one side touched.  Of the rest,
journals are united, cards and other texts merged line by line (`git merge-file`); what a learner
must choose from stays as it is here, and the other version is kept in `.deltadeck/conflicts`.

git matches files by their paths, and takes a card that got another's name for that other one.  A
card has a name of its own, its id, whatever became of its file's name and its text: cards are
matched by that, and where a card is, is one more thing that it says.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from deck.errors import CollectionError, refusal
from deck.sync.commit import SETTINGS_TIME
from deck.sync.conflicts import ENDING, Origin, record_name
from deck.sync.driver import lines, union
from deck.sync.files import (
    NO_VALUE,
    SETTINGS,
    Key,
    Scheduled,
    Times,
    is_card,
    is_journal,
    is_list,
    is_record,
    merge_cards,
    merge_settings,
    read_settings,
    same_value,
    with_agreed_status,
    written_id,
)
from deck.sync.git import (
    FILES,
    REPOSITORY,
    Repository,
    TreeEntry,
    blob,
    blobs,
    changes,
    put_entries,
    store,
)

Sides = tuple[TreeEntry | None, TreeEntry | None, TreeEntry | None]
"""What base, ours and theirs have at one path; None where a tree has nothing there."""


class Place(NamedTuple):
    path: str
    entry: TreeEntry


class Versions(NamedTuple):
    """One file in the three trees of a merge, or one card; None where a tree does not have it."""

    base: Place | None
    ours: Place | None
    theirs: Place | None

    def entries(self) -> Sides:
        base, ours, theirs = (place.entry if place else None for place in self)
        return base, ours, theirs

    def path(self) -> str | None:
        """Where the merge would have it; None where it is deleted, and not changed elsewhere."""
        base, ours, theirs = self
        if ours is None or theirs is None:
            left = ours or theirs
            return left.path if left and left != base else None
        return theirs.path if base and ours.path == base.path else ours.path


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


def merge(
    repository: Repository,
    drafts: Path,
    trees: tuple[str, str, str],
    scheduled: Scheduled,
    met: Callable[[str], Origin],
    times: Times,
) -> Merged:
    """The merge of base, ours and theirs; `met` says of a path whose two versions of it are.

    Raises:
        CollectionError: files outside of the collection are in conflict.
        GitError: git refuses.
    """
    return _Merge(repository, drafts, scheduled, met, times).run(*trees)


class _Merge:
    """A merged tree that is being made."""

    def __init__(
        self,
        repository: Repository,
        drafts: Path,
        scheduled: Scheduled,
        met: Callable[[str], Origin],
        times: Times,
    ) -> None:
        self._repository, self._git, self._drafts = repository, repository.git, drafts
        self._scheduled, self._met, self._times = scheduled, met, times
        self._put: dict[str, TreeEntry | None] = {}
        """What a path gets; None where nothing is left of it."""
        self._merged = Merged()

    def run(self, base: str, ours: str, theirs: str) -> Merged:
        git, index = self._git, self._drafts / "merge-index"
        git.run("read-tree", ours, index=index)
        git.run("read-tree", "-i", "-m", "--aggressive", base, ours, theirs, index=index)
        unmerged = _unmerged(git.run("ls-files", "--unmerged", "-z", index=index)[1])
        cards = _match(self._repository, base, ours, theirs)
        before = {place.path for card in cards for place in card if place}
        files = git.names("ls-files", "-z", index=index) if cards else []
        self._put_cards(cards, _Names(path for path in files if path not in before))
        for path in sorted(unmerged.keys() - before):
            self._settle(path, unmerged[path])
        for path in before:
            self._put.setdefault(path, None)
        put_entries(git, self._put.items(), index)
        self._merged.tree = git.text("write-tree", index=index)
        return self._merged

    def _put_cards(self, cards: Iterable[Versions], names: _Names) -> None:
        """Each card that a side has and the other did not delete, once.

        Of several that would have one path, that one gets it which has it here: as few files as can
        be get another name on the computer that merges.
        """
        wanted = [(path, card) for card in cards if (path := card.path()) is not None]
        for path, card in sorted(wanted, key=_rank):
            got = names.take(path)
            if got != path:
                self._merged.beside.append(self._repository.relative(got) or got)
            self._settle(got, card)

    def _settle(self, path: str, of: Versions) -> None:
        """Puts what both sides made of a file, or of a card, at a path."""
        relative, (base, ours, theirs) = self._repository.relative(path), of.entries()
        if ours is None or theirs is None:
            if relative is None:
                raise self._refused(path)
            gone = is_record(relative)
            self._put[path] = None if gone else ours or theirs
            if base and not gone:
                self._merged.kept.append(relative)
        elif ours == theirs or theirs == base:
            self._put[path] = ours
        elif ours == base:
            self._put[path] = theirs
        elif any(entry.mode not in FILES for entry in (base, ours, theirs) if entry):
            self._keep_ours(path, of)
        elif relative is not None and is_record(relative):  # either note of one version will do
            self._put[path] = ours
        else:
            texts = blob(self._git, base), blob(self._git, ours), blob(self._git, theirs)
            merged = self._text(relative, *texts)
            if merged is None:
                self._keep_ours(path, of)
                if relative is None or not is_card(relative):
                    return
                merged = with_agreed_status(*texts, self._scheduled)
            self._write(path, ours.mode, merged)

    def _text(self, relative: str | None, base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
        """What both sides made of a text; None where a learner must choose."""
        if relative is not None and is_journal(relative):
            return union(base, ours, theirs)
        if relative is not None and is_card(relative):
            return merge_cards(base, ours, theirs, self._lines, self._scheduled)
        if relative == SETTINGS:
            said = self._merged.settings
            return merge_settings(base, ours, theirs, self._lines, self._times, said)
        merged = self._lines(base, ours, theirs) if base else None
        if merged is None and relative is not None and is_list(relative):
            return lines(ours, theirs)
        return merged

    def _lines(self, base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
        """git's merge of texts, line by line; None where it has a conflict, or one is no text."""
        files = []
        for name, data in (("ours", ours), ("base", base), ("theirs", theirs)):
            files.append(self._drafts / name)
            files[-1].write_bytes(data)
        words = ("merge-file", "-p", "-q", *map(str, files))
        code, out = self._git.run(*words, allowed=(*range(128), 255))
        return out if code == 0 else None

    def _keep_ours(self, path: str, of: Versions) -> None:
        """Ours stays in the file; theirs, which may be at another path, is kept to be chosen."""
        relative = self._repository.relative(path)
        assert of.ours is not None
        assert of.theirs is not None
        mode, (there, theirs) = of.ours.entry.mode, of.theirs
        if relative is None or theirs.mode not in FILES:  # no part of the collection
            raise self._refused(path, {mode, theirs.mode})
        self._put[path] = of.ours.entry
        name, note = record_name(relative, theirs.oid), self._met(there).to_json()
        tracked = self._repository.tracked(name)
        if self._repository.is_whole and tracked is not None:
            self._put[tracked] = TreeEntry(FILES[0], theirs.oid)
            self._write(tracked + ENDING, FILES[0], note)
        else:
            self._merged.records[name] = blob(self._git, theirs)
            self._merged.records[name + ENDING] = note
        self._merged.conflicts.append(relative)

    def _write(self, path: str, mode: str, data: bytes) -> None:
        self._put[path] = TreeEntry(mode, store(self._git, data))

    def _refused(self, path: str, modes: Iterable[str] = ()) -> CollectionError:
        message = "Both sides changed this file, which is no part of the collection."
        if REPOSITORY in modes:
            message = "Both sides changed this repository within the collection (a submodule)."
        hint = "Nothing was merged. `git pull` merges it by hand; then sync again."
        return refusal(self._repository.at(path), message, hint)


def _unmerged(out: bytes) -> dict[str, Versions]:
    found: dict[str, list[Place | None]] = {}
    for row in out.split(b"\0"):
        if row:
            head, _, name = row.partition(b"\t")
            path, (mode, oid, stage) = os.fsdecode(name), head.decode("ascii").split(" ")
            sides = found.setdefault(path, [None, None, None])
            sides[int(stage) - 1] = Place(path, TreeEntry(mode, oid))
    return {path: Versions(*sides) for path, sides in found.items()}


def _rank(wanted: tuple[str, Versions]) -> tuple[object, ...]:
    path, card = wanted
    here, there = (side is not None and side.path == path for side in (card.ours, card.theirs))
    return not here, not there, path, [place.entry.oid for place in card if place]


class _Names:
    """The paths of a tree: no file where another file or a folder is."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._files: set[str] = set()
        self._folders: set[str] = set()
        for path in taken:
            self._add(path)

    def take(self, path: str) -> str:
        """The path, or one like it with a number: behind the file's name, or behind that of a
        folder which is a file here."""
        got = self._free(path)
        self._add(got)
        return got

    def _add(self, path: str) -> None:
        self._files.add(path)
        while (path := path.rpartition("/")[0]) and path not in self._folders:
            self._folders.add(path)

    def _free(self, path: str) -> str:
        for folder in reversed(PurePosixPath(path).parents):
            if str(folder) in self._files:
                return self._free(f"{self._numbered(str(folder))}{path[len(str(folder)) :]}")
        return path if self._is_free(path) else self._numbered(path)

    def _numbered(self, path: str) -> str:
        plain, number = PurePosixPath(path), 2
        while not self._is_free(found := str(plain.with_stem(f"{plain.stem}-{number}"))):
            number += 1
        return found

    def _is_free(self, path: str) -> bool:
        if path in self._files or path in self._folders:
            return False
        return not any(str(folder) in self._files for folder in PurePosixPath(path).parents)


# The cards of three trees, matched by their ids.

_ID = re.compile(rb"^id:.*$", re.MULTILINE)


def _match(repository: Repository, base: str, ours: str, theirs: str) -> list[Versions]:
    """The cards that git's merge by path does not settle: changed on both sides, or not at one
    path, under one id, in all three trees."""
    touched = _touched(repository, base, ours, theirs)
    oids = [entry.oid for sides in touched.values() for entry in sides if entry]
    texts = dict(blobs(repository.git, oids))
    found, loose = [], {}
    for path, sides in sorted(touched.items()):
        # The line of the id is cheaper than the id: where it is the same, so is that.
        lines = {_id_line(texts[entry.oid]) for entry in sides if entry}
        if not all(sides) or len(lines) > 1:
            loose[path] = sides
        elif sides[0] not in sides[1:]:
            found.append(Versions(*(Place(path, entry) for entry in sides if entry)))
    return found + _by_id(loose, texts)


def _touched(repository: Repository, base: str, ours: str, theirs: str) -> dict[str, Sides]:
    """The files of cards that are not the same in all three trees."""
    mine, yours = (
        {change.path: change for change in changes(repository.git, base, side, repository.scope)}
        for side in (ours, theirs)
    )
    found = {}
    for path in mine.keys() | yours.keys():
        here, there = mine.get(path), yours.get(path)
        before = (here or yours[path]).old
        sides = before, here.new if here else before, there.new if there else before
        plain = all(entry.mode in FILES for entry in sides if entry)
        if plain and is_card(repository.relative(path) or ""):
            found[path] = sides
    return found


def _id_line(data: bytes) -> bytes:
    found = _ID.search(data)
    return found[0] if found else b""


def _by_id(loose: Mapping[str, Sides], texts: Mapping[str, bytes]) -> list[Versions]:
    """One id may be in several files, as of a card that was copied to begin another one."""
    oids = {entry.oid for sides in loose.values() for entry in sides if entry}
    ids = {oid: written_id(texts[oid]) for oid in oids}
    known = [{ids[e.oid] for e in tree if e} for tree in zip(*loose.values(), strict=True)]
    cards: dict[str, list[dict[str, TreeEntry]]] = {}
    for path, sides in loose.items():
        named = [ids[entry.oid] for entry in sides if entry]
        for number, entry in enumerate(sides):
            if entry is None:
                continue
            # A text that can no longer be read, or not yet, is the card that is there elsewhere.
            names = [ids[entry.oid], *(name for name in named if name not in known[number])]
            name = next((f"id {name}" for name in names if name), f"path {path}")
            cards.setdefault(name, [{}, {}, {}])[number][path] = entry
    return [versions for _, card in sorted(cards.items()) for versions in _paired(*card)]


def _paired(
    base: dict[str, TreeEntry], ours: dict[str, TreeEntry], theirs: dict[str, TreeEntry]
) -> Iterator[Versions]:
    """The files of one id in the three trees: those of one path belong together, then the rest."""
    mine, yours = _pairs(base, ours), _pairs(base, theirs)
    new_here = ours.keys() - mine.values()
    new_there = theirs.keys() - yours.values()
    both = _pairs(new_here, new_there)
    for path in sorted(base):
        sides = _place(ours, mine.get(path)), _place(theirs, yours.get(path))
        yield Versions(_place(base, path), *sides)
    for path in sorted(new_here):
        yield Versions(None, _place(ours, path), _place(theirs, both.get(path)))
    for path in sorted(new_there - set(both.values())):
        yield Versions(None, None, _place(theirs, path))


def _pairs(one: Collection[str], other: Collection[str]) -> dict[str, str]:
    same = {path: path for path in one if path in other}
    left = (sorted(path for path in side if path not in same) for side in (one, other))
    return same | dict(zip(*left, strict=False))


def _place(tree: Mapping[str, TreeEntry], path: str | None) -> Place | None:
    return Place(path, tree[path]) if path is not None else None


# When settings were set.


def times_of(repository: Repository, base: str | None, ours: str, theirs: str) -> Times:
    """Asks the commits of both sides since `base`."""
    path = repository.tracked(SETTINGS) or ""
    form = f"--format=%x1e%at %(trailers:key={SETTINGS_TIME},valueonly,separator=%x20)%x00%H %P"

    def value(commit: str, key: Key) -> Any:
        data = repository.git.run("cat-file", "blob", f"{commit}:{path}", allowed=(0, 128))[1]
        return (read_settings(data) or {}).get(key, NO_VALUE)

    def time(tip: str, key: Key) -> int:
        now, found = value(tip, key), [0]
        since = [f"^{base}"] if base else []
        rows = repository.git.text("log", form, tip, *since, "--", path).split("\x1e")
        for at, _, commits in (row.partition("\0") for row in rows[1:]):
            after, *before = (value(commit, key) for commit in commits.split())
            if same_value(after, now) and not any(same_value(each, now) for each in before):
                told = [int(word[:18]) for word in at.split() if word.isdecimal()]
                found.append(min(told, default=0))
        return max(found)

    return lambda key: (time(ours, key), time(theirs, key))
