"""What git keeps: trees, blobs, and what differs between two trees."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from deck.sync.git import Git

#: Blobs that are asked for at once, at most.
_TOGETHER = 500
#: Modes of git's: a file, and one that may be run; another repository.
FILES, REPOSITORY = ("100644", "100755"), "160000"


class Entry(NamedTuple):
    """A path's content."""

    mode: str
    oid: str


class Change(NamedTuple):
    path: str
    old: Entry | None
    new: Entry | None


def changes(git: Git, old: str, new: str, scope: Iterable[str] = ()) -> list[Change]:
    """What differs between two trees (or commits), by path; a file that moved is two changes."""
    return _raw(git.run("diff-tree", "-r", "-z", "--raw", "--no-renames", old, new, *scope)[1])


def unlike_index(
    git: Git, tree: str, scope: Iterable[str] = (), index: Path | None = None
) -> list[Change]:
    """What differs between a tree (`old`) and the index (`new`)."""
    words = ("diff-index", "--cached", "-z", "--raw", "--no-renames", tree)
    return _raw(git.run(*words, *scope, index=index)[1])


def _raw(out: bytes) -> list[Change]:
    parts = iter(out.split(b"\0"))
    found = []
    for head in parts:
        if head.startswith(b":"):
            modes = head[1:].decode("ascii").split(" ")
            old, new = _entry(modes[0], modes[2]), _entry(modes[1], modes[3])
            found.append(Change(os.fsdecode(next(parts)), old, new))
    return found


def _entry(mode: str, oid: str) -> Entry | None:
    return None if mode == "000000" else Entry(mode, oid)


def entries(git: Git, tree: str, paths: Iterable[str]) -> dict[str, Entry]:
    """Of these paths of a tree, those that are there."""
    wanted, found = list(paths), {}
    for start in range(0, len(wanted), _TOGETHER):
        some = wanted[start : start + _TOGETHER]
        for row in git.run("ls-tree", "-z", "--full-tree", tree, "--", *some)[1].split(b"\0"):
            if row:
                head, _, path = row.partition(b"\t")
                mode, _, oid = head.decode("ascii").split(" ")[:3]
                found[os.fsdecode(path)] = Entry(mode, oid)
    return found


def blob(git: Git, entry: Entry | None) -> bytes:
    """A file's content; b"" of none."""
    return git.run("cat-file", "blob", entry.oid)[1] if entry else b""


def blobs(git: Git, oids: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    """Each content once, a few hundred at a time."""
    wanted = list(dict.fromkeys(oids))
    for start in range(0, len(wanted), _TOGETHER):
        some = wanted[start : start + _TOGETHER]
        out, at = git.run("cat-file", "--batch", stdin="\n".join(some).encode() + b"\n")[1], 0
        for oid in some:
            end = out.index(b"\n", at)
            size = int(out[at:end].split(b" ")[2])
            yield oid, out[end + 1 : end + 1 + size]
            at = end + 1 + size + 1


def store(git: Git, data: bytes) -> str:
    """Keeps a content; its id."""
    return git.text("hash-object", "-w", "--stdin", stdin=data)


def empty_tree(git: Git) -> str:
    return git.text("mktree")


def put_entries(git: Git, entries: Iterable[tuple[str, Entry | None]], index: Path | None) -> None:
    """Sets paths of an index (None: of the repository's own); None takes one away."""
    todo = list(entries)
    # As long as the repository's own ids, which two kinds of hashes make.
    nothing = "0" * len(empty_tree(git)) if any(entry is None for _, entry in todo) else ""
    rows = []
    for path, entry in todo:
        mode, oid = entry or ("0", nothing)
        rows.append(f"{mode} {oid}\t".encode() + os.fsencode(path) + b"\0")
    # What goes, goes first: a file may stand where a folder was.
    rows.sort(key=lambda row: not row.startswith(b"0 "))
    if rows:
        git.run("update-index", "-z", "--index-info", stdin=b"".join(rows), index=index)


def show_in_index(git: Git, tree: str, scope: Iterable[str]) -> None:
    """Sets the paths of `scope` in git's own index to a tree; all others stay."""
    different = unlike_index(git, tree, scope)
    # Another repository that the learner added (`git submodule add`) is theirs to commit.
    different = [c for c in different if c.old or not c.new or c.new.mode != REPOSITORY]
    put_entries(git, ((change.path, change.old) for change in different), None)
    if different:
        git.run("update-index", "-q", "--refresh", allowed=(0, 1))
