"""Three trees to one: cards, settings, journals."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from textwrap import shorten
from typing import Any, NamedTuple

from deck.errors import refusal
from deck.files import CONFIG, DATA_DIR
from deck.sync.commit import SETTINGS
from deck.sync.conflicts import (
    ENDING,
    Origin,
    Scheduled,
    TextMerge,
    is_card,
    is_journal,
    is_list,
    is_record,
    merge_cards,
    record_name,
    to_json,
    with_agreed_status,
    written_id,
)
from deck.sync.driver import lines, union
from deck.sync.git import (
    FILES,
    REPOSITORY,
    Entry,
    Repository,
    blob,
    blobs,
    changes,
    put_entries,
    store,
)

# == Two versions of the settings to one: key by key, as two settings that stand side by side are
# changed on two computers without any conflict.


Key = tuple[str, ...]
Values = dict[Key, Any]
Times = Callable[[Key], tuple[int, int]]
"""When a key was set on our side and on theirs, in seconds since 1970."""


def merge_settings(
    base: bytes, ours: bytes, theirs: bytes, merge: TextMerge, times: Times, said: list[str]
) -> bytes | None:
    """The settings with both sides' changes; None where one side is no TOML, or has a table where
    the other has a value.

    Of a key that both changed, the value that was set later stands, and `said` gets a sentence; of
    two that were set at once, the same one on every computer.  Comments and order are those of
    git's merge where that says the same, else ours.
    """
    first, mine, yours = (_values(text) for text in (base, ours, theirs))
    if first is None or mine is None or yours is None:
        return None
    wanted, chosen = dict(mine), list[str]()
    for key in sorted(first.keys() | yours.keys()):
        before, here, there = (side.get(key, _NONE) for side in (first, mine, yours))
        if _same(there, before) or _same(there, here):
            continue
        if _same(here, before):
            _set(wanted, key, there)
            continue
        (here_at, there_at), name = times(key), ".".join(key)
        stands, other = here, there
        if (there_at, _shown(there)) > (here_at, _shown(here)):
            stands, other = there, here
        _set(wanted, key, stands)
        new, old = (shorten(_shown(each), 60, placeholder=" ...") for each in (stands, other))
        chosen.append(f"{name}: {new} stands, as it was set later than {old}.")
    lines = merge(base, ours, theirs) if base else None
    for text in (lines, _written(ours, mine, wanted)):
        if text is not None and _says(text, wanted):
            said += chosen
            return text
    return None


class _Nothing:
    """No value."""


_NONE = _Nothing()


def _same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and bool(one == other)


def _set(values: Values, key: tuple[str, ...], value: Any) -> None:
    if value is _NONE:
        values.pop(key, None)
    else:
        values[key] = value


def _shown(value: Any) -> str:
    """As TOML has it."""
    if value is _NONE:
        return "the usual value"
    return json.dumps(value, ensure_ascii=False, default=str)


def times_of(repository: Repository, base: str | None, ours: str, theirs: str) -> Times:
    """Asks the commits of both sides since `base`."""
    path = repository.tracked(f"{DATA_DIR}/{CONFIG}") or ""
    form = f"--format=%x1e%at %(trailers:key={SETTINGS},valueonly,separator=%x20)%x00%H %P"

    def value(commit: str, key: Key) -> Any:
        data = repository.git.run("cat-file", "blob", f"{commit}:{path}", allowed=(0, 128))[1]
        return (_values(data) or {}).get(key, _NONE)

    def time(tip: str, key: Key) -> int:
        now, found = value(tip, key), [0]
        since = [f"^{base}"] if base else []
        rows = repository.git.text("log", form, tip, *since, "--", path).split("\x1e")
        for at, _, commits in (row.partition("\0") for row in rows[1:]):
            after, *before = (value(commit, key) for commit in commits.split())
            if _same(after, now) and not any(_same(each, now) for each in before):
                told = [int(word[:18]) for word in at.split() if word.isdecimal()]
                found.append(min(told, default=0))
        return max(found)

    return lambda key: (time(ours, key), time(theirs, key))


def _values(data: bytes) -> Values | None:
    """By key; None of what is no TOML."""
    found: Values = {}

    def walk(table: Mapping[str, Any], above: tuple[str, ...]) -> None:
        for key, value in table.items():
            if isinstance(value, dict) and value:
                walk(value, (*above, key))
            else:
                found[(*above, key)] = value

    try:
        walk(tomllib.loads(data.decode("utf-8-sig")), ())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError):
        return None
    return found


def _says(text: bytes, wanted: Values) -> bool:
    found = _values(text)
    if found is None or found.keys() != wanted.keys():
        return False
    return all(_same(found[key], wanted[key]) for key in found)


def _written(ours: bytes, mine: Values, wanted: Values) -> bytes | None:
    """Our text with what is wanted in it; None where a key is a value here and a table there."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        document = tomlkit.parse(ours.decode("utf-8-sig"))
        for key in sorted(mine.keys() - wanted.keys()):
            del _table(document, key, tomlkit.table)[key[-1]]
        for key in sorted(wanted.keys()):
            if key not in mine or not _same(mine[key], wanted[key]):
                _table(document, key, tomlkit.table)[key[-1]] = wanted[key]
        return tomlkit.dumps(document).encode("utf-8")
    except (TOMLKitError, KeyError, TypeError, AttributeError, ValueError):
        return None


def _table(document: Any, key: tuple[str, ...], new: Callable[[], Any]) -> Any:
    table = document
    for part in key[:-1]:
        if part not in table:
            table[part] = new()
        table = table[part]
    return table


# == The cards of three trees, matched by their ids; where a card is, is one more thing it says.
#
# git matches files by their paths, and takes a card that got another's name for that other one.
# A card has a name of its own, whatever became of its file's name and its text.


_ID = re.compile(rb"^id:.*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Sides:
    """A path's content in the three trees of a merge; None where a tree has none."""

    base: Entry | None
    ours: Entry | None
    theirs: Entry | None

    def __iter__(self) -> Iterator[Entry | None]:
        return iter((self.base, self.ours, self.theirs))


class Place(NamedTuple):
    path: str
    entry: Entry


@dataclass(frozen=True, slots=True)
class Versions:
    """One card in the three trees of a merge; None where a tree does not have it."""

    base: Place | None
    ours: Place | None
    theirs: Place | None

    def places(self) -> list[Place]:
        return [place for place in (self.base, self.ours, self.theirs) if place]

    def path(self) -> str | None:
        """Where the merge would have it; None where it is deleted, and not changed elsewhere."""
        base, ours, theirs = self.base, self.ours, self.theirs
        if ours is None or theirs is None:
            left = ours or theirs
            return left.path if left and left != base else None
        moved_there = base and ours.path == base.path
        return theirs.path if moved_there else ours.path


def match(repository: Repository, base: str, ours: str, theirs: str) -> list[Versions]:
    """The cards that git's merge by path does not settle: changed on both sides, or not at one
    path, under one id, in all three trees."""
    touched = _touched(repository, base, ours, theirs)
    oids = [entry.oid for sides in touched.values() for entry in sides if entry]
    texts = dict(blobs(repository.git, oids))
    found, loose = [], {}
    for path, sides in sorted(touched.items()):
        if not _stays(sides, texts):
            loose[path] = sides
        elif sides.ours != sides.base and sides.theirs != sides.base:
            found.append(Versions(*(Place(path, entry) for entry in sides if entry)))
    return found + _matched(loose, texts)


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
        sides = Sides(before, here.new if here else before, there.new if there else before)
        plain = all(entry.mode in FILES for entry in sides if entry)
        if plain and is_card(repository.relative(path) or ""):
            found[path] = sides
    return found


def _stays(sides: Sides, texts: Mapping[str, bytes]) -> bool:
    """Whether one card is at this path in all three trees; the line of its id says enough."""
    lines = {_id_line(texts[entry.oid]) for entry in sides if entry}
    return all(sides) and len(lines) == 1


def _id_line(data: bytes) -> bytes:
    """Cheaper than the id: where it is the same, so is that."""
    found = _ID.search(data)
    return found[0] if found else b""


# One id may be in several files, as of a card that was copied to begin another one.


def _matched(loose: Mapping[str, Sides], texts: Mapping[str, bytes]) -> list[Versions]:
    oids = {entry.oid for sides in loose.values() for entry in sides if entry}
    ids = {oid: written_id(texts[oid]) for oid in oids}
    trees: list[dict[str, Entry]] = [{}, {}, {}]
    for path, sides in loose.items():
        for tree, entry in zip(trees, sides, strict=True):
            if entry:
                tree[path] = entry
    known = [{ids[entry.oid] for entry in tree.values()} for tree in trees]
    cards: dict[str, list[dict[str, Entry]]] = {}
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
    base: dict[str, Entry], ours: dict[str, Entry], theirs: dict[str, Entry]
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


def _place(tree: Mapping[str, Entry], path: str | None) -> Place | None:
    return Place(path, tree[path]) if path is not None else None


# == Which file names the cards of a merge get: no two the same, and none twice.


class Names:
    """The paths of a tree: no file where another file or a folder is."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._files: set[str] = set()
        self._folders: set[str] = set()
        for path in taken:
            self.take(path)

    def take(self, path: str) -> None:
        self._files.add(path)
        while (path := path.rpartition("/")[0]) and path not in self._folders:
            self._folders.add(path)

    def is_free(self, path: str) -> bool:
        if path in self._files or path in self._folders:
            return False
        return not any(str(folder) in self._files for folder in PurePosixPath(path).parents)

    def free(self, path: str) -> str:
        """The path, or one like it with a number: behind the file's name, or behind that of a
        folder which is a file here."""
        for folder in reversed(PurePosixPath(path).parents):
            if str(folder) in self._files:
                return self.free(f"{self._numbered(str(folder))}{path[len(str(folder)) :]}")
        return path if self.is_free(path) else self._numbered(path)

    def _numbered(self, path: str) -> str:
        plain, number = PurePosixPath(path), 2
        while not self.is_free(found := str(plain.with_stem(f"{plain.stem}-{number}"))):
            number += 1
        return found


def named(cards: Iterable[Versions], names: Names) -> Iterator[tuple[str, str, Versions]]:
    """Each card that is left, with the path that it gets, and the one that it would have.

    Of several that would have one path, that one gets it which has it here: as few files as can
    be get another name on the computer that merges.
    """
    wanted = [(path, card) for card in cards if (path := card.path()) is not None]
    for path, card in sorted(wanted, key=_rank):
        got = names.free(path)
        names.take(got)
        yield got, path, card


def _rank(wanted: tuple[str, Versions]) -> tuple[object, ...]:
    path, card = wanted
    is_here, is_there = _is_at(card.ours, path), _is_at(card.theirs, path)
    return not is_here, not is_there, path, [place.entry.oid for place in card.places()]


def _is_at(place: Place | None, path: str) -> bool:
    return place is not None and place.path == path


# == What a merge comes to: files, versions to choose from, and what is to be said.


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


# == Cards of both sides to one each: the text, and the place, of each as either side changed it.
#
# Every card that a side has and the other did not delete is in the merge, once; one whose file
# name
# another card has gets the next that is free.


def merge_matched(
    draft: Draft, cards: list[Versions], files: Iterable[str], scheduled: Scheduled
) -> set[str]:
    """Puts the cards into the draft; the paths that are settled by it.

    `files`: all paths of git's own merge.
    """
    before = {place.path for card in cards for place in card.places()}
    draft.put.update(dict.fromkeys(before))
    names = Names(path for path in files if path not in before)
    for path, wanted, card in named(cards, names):
        relative = draft.repository.relative(path) or path
        if path != wanted:
            draft.merged.beside.append(relative)
        if card.base and not (card.ours and card.theirs):
            draft.merged.kept.append(relative)
        _settle(draft, path, card, scheduled)
    return before


def _settle(draft: Draft, path: str, card: Versions, scheduled: Scheduled) -> None:
    sides = Sides(_entry(card.base), _entry(card.ours), _entry(card.theirs))
    if sides.ours is None or sides.theirs is None or sides.ours == sides.theirs:
        draft.put[path] = sides.ours or sides.theirs
    elif sides.base in (sides.ours, sides.theirs):
        draft.put[path] = sides.ours if sides.base == sides.theirs else sides.theirs
    else:
        texts = draft.texts(sides)
        merged = merge_cards(*texts, draft.lines, scheduled)
        if merged is None:
            draft.keep_ours(path, sides, card.theirs.path if card.theirs else None)
            merged = with_agreed_status(*texts, scheduled)
        draft.write(path, sides.ours, merged)


def _entry(place: Place | None) -> Entry | None:
    return place.entry if place else None


# == Three trees to one: what both sides did, with nothing lost and nothing left half-merged.
#
# git's three-way merge of trees (`read-tree -m`) settles what only one side touched.  Of the
# rest,
# journals are united, cards and other texts merged line by line (`git merge-file`); what a
# learner
# must choose from stays as it is here, and the other version is kept in `.deltadeck/conflicts`.
# Cards go by their ids (`merging_cards`), everything else by its path.


__all__ = ["Merged", "merge"]


def merge(
    repository: Repository,
    drafts: Path,
    trees: tuple[str, str, str],
    scheduled: Scheduled,
    met: Callable[[str], Origin],
    times: Times,
) -> Merged:
    """The merge of base, ours and theirs.

    Raises:
        CollectionError: files outside of the collection are in conflict.
        GitError: git refuses.
    """
    git, index = repository.git, drafts / "merge-index"
    base, ours, theirs = trees
    git.run("read-tree", ours, index=index)
    git.run("read-tree", "-i", "-m", "--aggressive", base, ours, theirs, index=index)
    open_paths = _unmerged(git.run("ls-files", "--unmerged", "-z", index=index)[1])
    draft = Draft(repository, drafts, met, times)
    cards = match(repository, base, ours, theirs)
    files = git.names("ls-files", "-z", index=index) if cards else []
    for path in merge_matched(draft, cards, files, scheduled):
        open_paths.pop(path, None)
    for path, sides in sorted(open_paths.items()):
        _settle_file(draft, path, sides)
    put_entries(git, draft.put.items(), index)
    draft.merged.tree = git.text("write-tree", index=index)
    return draft.merged


def _settle_file(draft: Draft, path: str, sides: Sides) -> None:
    """A file that is no card, or is none in all three trees."""
    relative = draft.repository.relative(path)
    if sides.ours is None or sides.theirs is None:
        _settle_gone(draft, path, relative, sides)
    elif sides.ours == sides.theirs:
        draft.put[path] = sides.ours
    elif not all(entry.mode in FILES for entry in sides if entry):
        draft.keep_ours(path, sides)
    elif relative is not None and is_record(relative):  # either note of one version will do
        draft.put[path] = sides.ours
    else:
        merged = _text(draft, relative, *draft.texts(sides))
        if merged is not None:
            draft.write(path, sides.ours, merged)
        else:  # outside of the collection, this refuses
            draft.keep_ours(path, sides)


def _text(
    draft: Draft, relative: str | None, base: bytes, ours: bytes, theirs: bytes
) -> bytes | None:
    """What both sides made of a text; None where a learner must choose."""
    if relative is not None and is_journal(relative):
        return union(base, ours, theirs)
    if relative == f"{DATA_DIR}/{CONFIG}":
        said = draft.merged.settings
        return merge_settings(base, ours, theirs, draft.lines, draft.times, said)
    merged = draft.lines(base, ours, theirs) if base else None
    if merged is None and relative is not None and is_list(relative):
        return lines(ours, theirs)
    return merged


def _settle_gone(draft: Draft, path: str, relative: str | None, sides: Sides) -> None:
    if relative is None:
        raise draft.refused(path)
    left = sides.ours or sides.theirs
    draft.put[path] = None if is_record(relative) else left
    if not is_record(relative) and left:
        draft.merged.kept.append(relative)


def _unmerged(out: bytes) -> dict[str, Sides]:
    found: dict[str, dict[str, Entry]] = {}
    for row in out.split(b"\0"):
        if row:
            head, _, path = row.partition(b"\t")
            mode, oid, stage = head.decode("ascii").split(" ")
            found.setdefault(os.fsdecode(path), {})[stage] = Entry(mode, oid)
    return {p: Sides(s.get("1"), s.get("2"), s.get("3")) for p, s in found.items()}
