"""One repository and its remote: what is here is committed, what is there merged, both sent."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from deck.errors import refusal
from deck.sync.applying import apply
from deck.sync.belongs import is_journal
from deck.sync.changes import TRAILER, Changes, count, here, message
from deck.sync.classroom import only_pulls
from deck.sync.conflicts import write_new
from deck.sync.git import GitError
from deck.sync.growing import bring_journals
from deck.sync.merging import Merged, merge
from deck.sync.origin import Origin, this_device
from deck.sync.recording import Recorded, make_commit, move_head, record
from deck.sync.remote import (
    Remote,
    fetch,
    is_ancestor,
    left_behind,
    push,
    refuse_rewritten,
    refuse_strangers,
)
from deck.sync.report import Synced, Wish
from deck.sync.repository import Repository
from deck.sync.settings_merge import times_of
from deck.sync.statuses import Statuses
from deck.sync.trees import REPOSITORY, changes, empty_tree

#: So often the remote, or the files, may move on while a sync is at work.
_TRIES = 12
_NAMED = re.compile(r"^deltadeck: .* on (\S+)$")


def exchange(
    repository: Repository, drafts: Path, remote: Remote | None, now: datetime, wish: Wish
) -> Synced:
    """Without a remote, what is here is committed; `drafts` is a folder to work in.

    Raises:
        CollectionError: the remote cannot be reached, or refuses; what is here is committed.
        GitError: git refuses.
        JournalError: the disk refuses.
    """
    return _Exchange(repository, drafts, remote, now, wish).run()


class _Exchange:
    def __init__(
        self,
        repository: Repository,
        drafts: Path,
        remote: Remote | None,
        now: datetime,
        wish: Wish,
    ) -> None:
        self._repository, self._git = repository, repository.git
        self._drafts, self._remote, self._now, self._wish = drafts, remote, now, wish
        self._done = Synced(repository.top, repository.branch, remote.name if remote else None)
        self._done.reviews = bool(repository.inside)
        self._done.there = remote.branch if remote else None
        self._done.pulls_only = only_pulls(repository)

    def run(self) -> Synced:
        for _ in range(_TRIES):
            mine = self._record()
            if self._remote is None or self._meet(mine, self._remote):
                return self._done
        message = "Files or the remote changed again and again while this sync was at work."
        hint = "What you did is committed here; nothing is lost. Sync again in a moment."
        raise refusal(self._repository.top, message, hint)

    def _record(self) -> Recorded:
        mine = record(self._repository, self._drafts, self._wish.message, self._wish.dry)
        self._done.sent = _sum(self._done.sent, mine.changes)
        self._done.nested = mine.nested
        return mine

    def _meet(self, mine: Recorded, remote: Remote) -> bool:
        """Takes what is there, and sends what is here; False where that must begin again."""
        there = fetch(self._repository, remote)
        if there is None:
            return mine.commit is None or self._send(mine.commit, empty_tree(self._git), remote)
        theirs, tree = there
        anew = self._written_anew(mine.commit, theirs, remote)
        if anew or mine.commit is None or not is_ancestor(self._repository, theirs, mine.commit):
            taken = self._take(mine, theirs, tree, remote, anew)
            if taken is None:
                return False
            if self._wish.dry:
                return True
            words = ("diff-files", "--quiet", "--ignore-submodules=all")
            clean = self._git.asks(*words, *self._repository.scope)
            mine = replace(mine, commit=taken) if clean else self._record()
        if mine.commit is None:
            return True
        if mine.commit == theirs or self._done.pulls_only:
            if not self._wish.dry:
                self._git.text("update-ref", remote.synced, theirs)
            return True
        return self._send(mine.commit, tree, remote)

    def _written_anew(self, mine: str | None, theirs: str, remote: Remote) -> str | None:
        """What was taken last, where the history there goes on without it; refused where it would
        be sent back.  Where it only comes from there, it is no more than a version that is over:
        what differs from it here is the learner's, and goes on top of the new one."""
        if not self._done.pulls_only:
            if mine is None or not is_ancestor(self._repository, theirs, mine):
                refuse_rewritten(self._repository, remote, mine, theirs)
            return None
        before = left_behind(self._repository, remote, theirs)
        if mine is None or before is None or mine == theirs:
            return None
        return before if is_ancestor(self._repository, before, mine) else None

    def _send(self, commit: str, there: str, remote: Remote) -> bool:
        """`there`: the tree that the remote has now, also of a sync that could not reach it."""
        if self._done.pulls_only:
            return True
        self._done.sent = count(self._repository, there, f"{commit}^{{tree}}")
        if self._wish.dry:
            return True
        self._done.pushed = push(self._repository, remote, commit)
        return self._done.pushed

    def _take(
        self, mine: Recorded, theirs: str, tree: str, remote: Remote, anew: str | None
    ) -> str | None:
        """Merges; the commit that the branch is at then, None where files changed meanwhile."""
        repository, git = self._repository, self._git
        ahead = mine.commit is not None and not is_ancestor(repository, mine.commit, theirs)
        merged = Merged(tree)
        if ahead and mine.commit:
            merged = self._merge(mine, theirs, tree, anew)
        commit = theirs
        received = count(repository, mine.tree, merged.tree)
        coming = changes(git, mine.tree, merged.tree, repository.scope)
        fresh = {c.path for c in coming if c.new and c.new.mode == REPOSITORY}
        self._done.nested = sorted(fresh.union(self._done.nested))
        if not self._wish.dry:
            for name, data in merged.records.items():
                if not (repository.root / name).exists():
                    write_new(repository.root / name, data)
            if not apply(repository, self._drafts, mine.index, mine.tree, merged.tree):
                return None
            if anew:
                commit = self._on_top(theirs, tree, merged.tree)
            elif ahead and mine.commit:
                words = message(received, None).replace(": ", f": merge from {remote.name}: ", 1)
                commit = make_commit(repository, merged.tree, [mine.commit, theirs], words)
            try:
                move_head(repository, commit, mine.commit)
            except GitError:  # another git committed meanwhile
                return None
            git.text("update-ref", remote.synced, theirs)
        self._done.received = _sum(self._done.received, received)
        for name in ("conflicts", "kept", "beside", "settings"):
            getattr(self._done.merged, name).extend(getattr(merged, name))
        return commit

    def _on_top(self, theirs: str, tree: str, merged: str) -> str:
        """What is here as one commit after theirs: the history that is over ends here, too."""
        if merged == tree:
            return theirs
        words = message(count(self._repository, tree, merged), None)
        return make_commit(self._repository, merged, [theirs], words)

    def _merge(self, mine: Recorded, theirs: str, tree: str, base: str | None) -> Merged:
        """`base`: what both are taken to come from; else git finds it."""
        assert mine.commit is not None
        base = base or self._git.maybe("merge-base", mine.commit, theirs)
        if base is None:
            refuse_strangers(self._repository, theirs)
        statuses = Statuses(self._repository.root, self._now, self._bringing(mine.tree, tree))
        try:
            trees = (base or empty_tree(self._git), mine.tree, tree)
            met = meeting(self._repository, base, theirs, self._now)
            times = times_of(self._repository, base, mine.commit, theirs)
            return merge(self._repository, self._drafts, trees, statuses.of, met, times)
        finally:
            statuses.close()

    def _bringing(self, ours: str, theirs: str) -> Callable[[], None]:
        """Brings the answers of the other side here, so that both sides' history is known."""

        def bring() -> None:
            if not self._wish.dry:
                found = changes(self._git, ours, theirs, self._repository.scope)
                relative = self._repository.relative
                bring_journals(
                    self._repository, [c for c in found if is_journal(relative(c.path) or "")]
                )

        return bring


def _sum(one: Changes, other: Changes) -> Changes:
    return Changes(*(a + b for a, b in zip(one.as_numbers(), other.as_numbers(), strict=True)))


def meeting(
    repository: Repository, base: str | None, theirs: str, now: datetime
) -> Callable[[str], Origin]:
    """For a path of git's: this computer's version stands; the other is of the commit there that
    changed it last."""
    since = [f"^{base}"] if base else []

    def met(path: str) -> Origin:
        form = f"--format=%(trailers:key={TRAILER},valueonly)%x00%s"
        said = repository.git.text("log", "-1", form, theirs, *since, "--", path)
        device, _, subject = said.partition("\0")
        named = _NAMED.search(subject)
        name = named[1] if named else ""
        return Origin(this_device(), here(), device.strip(), name, f"{now:%Y-%m-%dT%H:%M}")

    return met
