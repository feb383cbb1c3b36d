"""Three trees to one: what both sides did, with nothing lost and nothing left half-merged.

What only one side touched is taken.  Of the rest, journals are united, cards and other texts
merged line by line (`git merge-file`); what a learner must choose from stays as it is here, and the
other version is kept in `.deltadeck/conflicts`.

git matches files by their paths, and takes a card that got another's name for that other one.  A
card has a name of its own, its id, whatever became of its file's name and its text: cards are
matched by that, and where a card is, is one more thing that it says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from deck.errors import CollectionError, refusal
from deck.sync.commit import SETTINGS_TIME
from deck.sync.conflicts import ENDING, Origin, record_name
from deck.sync.driver import lines, union
from deck.sync.files import (
    SETTINGS,
    Key,
    Scheduled,
    Times,
    TomlValue,
    is_card,
    is_journal,
    is_list,
    is_record,
    merge_cards,
    merge_settings,
    read_settings,
    with_agreed_status,
    written_id,
)
from deck.sync.git import (
    FILES,
    REPOSITORY,
    Git,
    Repository,
    TreeEntry,
    blob,
    blobs,
    changes,
    put_entries,
)


class Place(NamedTuple):
    path: str
    entry: TreeEntry


class Versions(NamedTuple):
    """One file in the three trees of a merge, or one card; None where a tree does not have it."""

    base: Place | None
    ours: Place | None
    theirs: Place | None

    def entries(self) -> list[TreeEntry | None]:
        return [place.entry if place else None for place in self]

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


class Merge:
    """A merged tree that is being made; `drafts` is a folder to work in, and `met` says of a path
    whose two versions of it are."""

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
        """The merge of base, ours and theirs.

        Raises:
            CollectionError: files outside of the collection are in conflict.
            GitError: git refuses.
        """
        git, index = self._git, self._drafts / "merge-index"
        git.run("read-tree", ours, index=index)
        touched = _touched(git, base, ours, theirs)
        cards = _match(self._repository, touched)
        before = {place.path for card in cards for place in card if place}
        for path in sorted(touched.keys() - before):
            self._settle(path, touched[path])
        if cards:
            names = set(git.names("ls-files", "-z", index=index)) | self._put.keys()
            gone = before | {path for path, entry in self._put.items() if entry is None}
            self._put_cards(cards, _Names(names - gone))
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

        def rank(wanted: tuple[str, Versions]) -> tuple[object, ...]:
            path, card = wanted
            here, there = (side is None or side.path != path for side in (card.ours, card.theirs))
            return here, there, path, [place.entry.oid for place in card if place]

        wanted = [(path, card) for card in cards if (path := card.path()) is not None]
        for path, card in sorted(wanted, key=rank):
            got = names.take(path)
            if got != path:
                self._merged.beside.append(self._repository.relative(got) or got)
            self._settle(got, card)

    def _settle(self, path: str, of: Versions) -> None:
        """Puts what both sides made of a file, or of a card, at a path."""
        relative, (base, ours, theirs) = self._repository.relative(path), of.entries()
        if theirs in (ours, base):
            self._put[path] = ours
        elif ours == base:
            self._put[path] = theirs
        elif ours is None or theirs is None:
            if relative is None:
                raise self._refused(path)
            self._put[path] = None if is_record(relative) else ours or theirs
            if not is_record(relative):
                self._merged.kept.append(relative)
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
        oid = self._git.text("hash-object", "-w", "--stdin", stdin=data)
        self._put[path] = TreeEntry(mode, oid)

    def _refused(self, path: str, modes: Collection[str] = ()) -> CollectionError:
        message = "Both sides changed this file, which is no part of the collection."
        if REPOSITORY in modes:
            message = "Both sides changed this repository within the collection (a submodule)."
        hint = "Nothing was merged. `git pull` merges it by hand; then sync again."
        return refusal(self._repository.at(path), message, hint)


class _Names:
    """The paths of a tree: no file where another file or a folder is."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._files = set(paths)
        self._folders = {str(each) for path in paths for each in PurePosixPath(path).parents}

    def take(self, path: str) -> str:
        """The path, or one like it with a number: behind the file's name, or behind that of a
        folder which is a file here."""
        got, parts = PurePosixPath(), PurePosixPath(path).parts
        for depth, part in enumerate(parts, 1):
            plain, number = got / part, 2
            got = plain
            while str(got) in self._files or (depth == len(parts) and str(got) in self._folders):
                got, number = plain.with_stem(f"{plain.stem}-{number}"), number + 1
        self._files.add(str(got))
        self._folders.update(map(str, got.parents))
        return str(got)


# The cards of three trees, matched by their ids.


def _touched(git: Git, base: str, ours: str, theirs: str) -> dict[str, Versions]:
    """By path, what is not the same in all three trees."""
    mine, yours = ({c.path: c for c in changes(git, base, side)} for side in (ours, theirs))
    found = {}
    for path in mine.keys() | yours.keys():
        here, there = mine.get(path), yours.get(path)
        before = (here or yours[path]).old
        sides = before, here.new if here else before, there.new if there else before
        found[path] = Versions(*(Place(path, entry) if entry else None for entry in sides))
    return found


def _match(repository: Repository, touched: Mapping[str, Versions]) -> list[Versions]:
    """The cards of the three trees: those of one id belong together, wherever they are; of an id
    that several files of a tree have, as of a card that was copied to begin another one, those of
    one path."""
    files = {
        path: sides
        for path, sides in sorted(touched.items())
        if is_card(repository.relative(path) or "")
        and all(place.entry.mode in FILES for place in sides if place)
    }
    texts = blobs(repository.git, (p.entry.oid for sides in files.values() for p in sides if p))
    ids = {oid: written_id(text) for oid, text in texts.items()}
    trees = list(zip(*files.values(), strict=True))
    known = [Counter(ids[place.entry.oid] for place in tree if place) for tree in trees]
    shared = {name for tree in known for name, count in tree.items() if count > 1}
    cards: dict[str, list[Place | None]] = {}
    for path, sides in files.items():
        named = [ids[place.entry.oid] for place in sides if place]
        for number, place in enumerate(sides):
            if place is None:
                continue
            # A text that can no longer be read, or not yet, is the card that is there elsewhere.
            names = [ids[place.entry.oid], *(name for name in named if name not in known[number])]
            name = next((f"id {name}" for name in names if name and name not in shared), "")
            if not name or cards.get(name, [None] * 3)[number]:
                name = f"path {path}"
            cards.setdefault(name, [None, None, None])[number] = place
    return [Versions(*card) for _, card in sorted(cards.items())]


# When settings were set.


def times_of(repository: Repository, base: str | None, ours: str, theirs: str) -> Times:
    """Asks the commits of both sides since `base`."""
    path, since = repository.tracked(SETTINGS) or "", [f"^{base}"] if base else []
    form = f"--format=%x1e%at %(trailers:key={SETTINGS_TIME},valueonly,separator=%x20)%x00%H %P"

    def setting(commit: str, key: Key) -> TomlValue | None:
        data = repository.git.run("cat-file", "blob", f"{commit}:{path}", allowed=(0, 128))[1]
        return (read_settings(data) or {}).get(key)

    def time(tip: str, key: Key) -> int:
        now, found = setting(tip, key), [0]
        rows = repository.git.text("log", form, tip, *since, "--", path).split("\x1e")
        for at, _, commits in (row.partition("\0") for row in rows[1:]):
            after, *before = (setting(commit, key) for commit in commits.split())
            if after == now and now not in before:
                told = [int(word[:18]) for word in at.split() if word.isdecimal()]
                found.append(min(told, default=0))
        return max(found)

    return lambda key: (time(ours, key), time(theirs, key))
