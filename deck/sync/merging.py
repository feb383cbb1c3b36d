"""Three trees to one: what both sides did, with nothing lost and nothing left half-merged.

git's three-way merge of trees (`read-tree -m`) settles what only one side touched.  Of the rest,
journals are united, cards and other texts merged line by line (`git merge-file`); what a learner
must choose from stays as it is here, and the other version is kept in `.deltadeck/conflicts`.
Cards go by their ids (`merging_cards`), everything else by its path.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from deck.files import CONFIG, PRIVATE
from deck.sync.belongs import is_journal, is_list, is_record
from deck.sync.card_merge import Scheduled
from deck.sync.matching import Sides, match
from deck.sync.merged import Draft, Merged
from deck.sync.merging_cards import merge_matched
from deck.sync.origin import Origin
from deck.sync.repository import Repository
from deck.sync.settings_merge import Times, merge_settings
from deck.sync.trees import FILES, Entry, put_entries
from deck.sync.union import lines, union

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
        _settle(draft, path, sides)
    put_entries(git, draft.put.items(), index)
    draft.merged.tree = git.text("write-tree", index=index)
    return draft.merged


def _settle(draft: Draft, path: str, sides: Sides) -> None:
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
    if relative == f"{PRIVATE}/{CONFIG}":
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
