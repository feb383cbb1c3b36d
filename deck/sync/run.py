"""One sync, from the copies that are cleared away to what is pushed."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path

from cards.model import Card
from deck.collection import Collection, make_collection
from deck.errors import CollectionError, refusal
from deck.files import CONFIG, DATA_DIR
from deck.replay import status_of
from deck.settings import write_setting
from deck.sync.apply import apply, bring_journals
from deck.sync.commit import (
    DEVICE,
    Changes,
    Recorded,
    add_lines,
    alone,
    check,
    count,
    here,
    make_commit,
    make_repository,
    message,
    move_head,
    record,
    set_up,
)
from deck.sync.conflicts import Cleared, Conflict, Origin, clear, conflicts, this_device, write_new
from deck.sync.files import is_journal
from deck.sync.git import (
    REPOSITORY,
    Git,
    GitError,
    Repository,
    changes,
    empty_tree,
    find,
    in_sentences,
)
from deck.sync.merge import Merge, Merged, times_of
from deck.sync.remote import (
    Remote,
    fetch,
    is_ancestor,
    left_behind,
    meet,
    push,
    refuse_strangers,
    remote_of,
    rewritten,
)

#: So often the remote, or the files, may move on while a sync is at work.
_TRIES = 12
#: Of a commit that a sync made, the computer's name.
_NAMED = re.compile(r"^deltadeck: .* on (\S+)$")
#: The setting of a repository whose changes stay on this computer.
_PUSH = "deltadeck.push"


@dataclass(frozen=True, slots=True)
class SyncOptions:
    """What a sync is asked for."""

    remote: str | None = None
    message: str | None = None
    dry: bool = False


@dataclass(slots=True)
class RepositoryResult:
    """What was done with one repository."""

    top: Path
    branch: str
    remote: str | None = None
    there: str | None = None
    """The remote's branch."""
    sent: Changes = field(default_factory=Changes)
    """What the remote gets, or has got where `pushed` says so; else what was committed here."""
    received: Changes = field(default_factory=Changes)
    pushed: bool = False
    pulls_only: bool = False
    reviews: bool = False
    """Whether it is the reviews' own, beside the one of the cards."""
    merged: Merged = field(default_factory=Merged)
    nested: list[str] = field(default_factory=list)
    """Folders, below `top`, that are repositories of their own: what is in them is not synced."""


@dataclass(slots=True)
class SyncResult:
    """What a sync did."""

    repositories: list[RepositoryResult] = field(default_factory=list)
    """None where the folder is in no repository: then only copies were cleared away."""
    copies: Cleared = field(default_factory=Cleared)
    open: list[Conflict] = field(default_factory=list)
    """The versions that are still to be chosen from."""
    apart: bool = False
    """Whether the reviews are no part of the cards' repository, and in none of their own."""


def sync(root: Path, now: datetime, wish: SyncOptions) -> SyncResult:
    """Syncs the collection `root`; killed at any moment, the next one finishes.

    Raises:
        CollectionError: something must be put right first, or the remote refuses.  What is
            committed by then stays so; the files are whole.
        JournalError: the disk refuses.
    """
    with in_sentences(root):
        cards = find(root, root)
        own = find(root / DATA_DIR, root) if (root / DATA_DIR / ".git").exists() else None
        every = [repository for repository in (cards, own) if repository is not None]
        for repository in every:
            check(repository)
    report = SyncResult(apart=cards is not None and not cards.is_whole and own is None)
    if not wish.dry:
        with closing(Statuses(root, now, lambda: None)) as statuses:
            report.copies = clear(root, statuses.of)
    held: list[CollectionError] = []
    for repository in every:  # what is wrong with the cards' holds no reviews back
        try:
            with in_sentences(repository.top):
                stay = cards is not None and only_pulls(cards)
                report.repositories.append(_sync_one(repository, now, wish, stay))
        except CollectionError as error:
            held.append(error)
    if held:
        raise _with_reviews(held, report)
    report.open = conflicts(root)
    return report


def _with_reviews(held: list[CollectionError], report: SyncResult) -> CollectionError:
    """The first, and what became of the reviews, where they are a repository of their own."""
    problem, *others = (error.problem for error in held)
    if others:
        same = others[0].message == problem.message
        more = "The reviews were not sent either." if same else f"The reviews: {others[0].message}"
    elif any(done.pushed for done in report.repositories if done.reviews):
        more = "Your reviews are synced."
    else:
        return held[0]
    return CollectionError(replace(problem, hint=f"{problem.hint} {more}"))


def _sync_one(
    repository: Repository, now: datetime, wish: SyncOptions, cards_stay: bool
) -> RepositoryResult:
    with alone(repository) as drafts:
        remote = remote_of(repository, None if repository.inside else wish.remote, wish.dry)
        if remote is not None:
            try:
                repository, remote = meet(repository, remote, drafts, wish.dry)
            except CollectionError:  # what was done here is committed all the same, on a branch
                if not wish.dry and repository.commit("HEAD"):
                    record(repository, drafts, wish.message)
                raise
        # A clone without a collection gets it first: files of ours would be in the way.
        fresh = not repository.inside and not (repository.root / DATA_DIR).is_dir()
        if not wish.dry and not fresh:
            set_up(repository, cards_stay)
        done = _Exchange(repository, drafts, remote, now, wish).run()
        if not wish.dry and fresh:
            set_up(repository, cards_stay)
        return done


def is_elsewhere(root: Path, wish: SyncOptions) -> bool:
    """Whether a sync would bring a collection to `root`: a clone of a repository that was empty
    then, or whose HEAD names a branch that nobody made.  Fetches, and changes no file.

    Raises:
        CollectionError: something must be put right first, or the remote cannot be reached.
    """
    with in_sentences(root):
        repository = find(root, root)
        if repository is None or not repository.is_whole:
            return False
        check(repository)
        remote = remote_of(repository, wish.remote, dry=True)
        if remote is None:
            return False
        with alone(repository) as drafts:
            repository, remote = meet(repository, remote, drafts, dry=True)
            there = fetch(repository, remote)
        place = f"{repository.prefix}{DATA_DIR}"
        words = ("ls-tree", "-z", "--name-only", "--full-tree")
        return bool(there and repository.git.names(*words, there[1], "--", place))


class _Exchange:
    """One repository and its remote: what is here is committed, what is there merged, both sent.

    Without a remote, what is here is committed; `drafts` is a folder to work in.
    """

    def __init__(
        self,
        repository: Repository,
        drafts: Path,
        remote: Remote | None,
        now: datetime,
        wish: SyncOptions,
    ) -> None:
        self._repository, self._git = repository, repository.git
        self._drafts, self._remote, self._now, self._wish = drafts, remote, now, wish
        self._done = RepositoryResult(repository.top, repository.branch)
        self._done.pulls_only, self._done.reviews = only_pulls(repository), bool(repository.inside)
        if remote is not None:
            self._done.remote, self._done.there = remote.name, remote.branch

    def run(self) -> RepositoryResult:
        """Raises CollectionError, GitError, JournalError; what is here is committed."""
        for _ in range(_TRIES):
            mine = self._record()
            if self._remote is None or self._meet(mine, self._remote):
                return self._done
        said = "Files or the remote changed again and again while this sync was at work."
        hint = "What you did is committed here; nothing is lost. Sync again in a moment."
        raise refusal(self._repository.top, said, hint)

    def _record(self) -> Recorded:
        mine = record(self._repository, self._drafts, self._wish.message, self._wish.dry)
        self._done.sent += mine.changes
        self._done.nested = mine.nested
        return mine

    def _meet(self, mine: Recorded, remote: Remote) -> bool:
        """Takes what is there, and sends what is here; False where that must begin again."""
        repository, pulls_only = self._repository, self._done.pulls_only
        there = fetch(repository, remote)
        if there is None:
            return mine.commit is None or self._send(mine.commit, empty_tree(self._git), remote)
        theirs, tree = there
        is_news = mine.commit is None or not is_ancestor(repository, theirs, mine.commit)
        before = left_behind(repository, remote, theirs) if is_news or pulls_only else None
        if before and is_news and not pulls_only:
            raise rewritten(repository, remote, mine.commit, theirs)
        # Where cards only come from there, a history that was written anew makes what was taken
        # last no more than a version that is over: what differs from it here is the learner's, and
        # goes on top of the new one.
        if mine.commit in (None, theirs) or not pulls_only:
            before = None
        anew = before if before and is_ancestor(repository, before, mine.commit or "") else None
        if anew or is_news:
            taken = self._take(mine, theirs, tree, remote, anew)
            if taken is None or self._wish.dry:
                return taken is not None
            words = ("diff-files", "--quiet", "--ignore-submodules=all")
            clean = self._git.asks(*words, *repository.scope)
            mine = replace(mine, commit=taken) if clean else self._record()
        if mine.commit is None:
            return True
        if mine.commit == theirs or pulls_only:
            if not self._wish.dry:
                self._git.text("update-ref", remote.synced, theirs)
            return True
        return self._send(mine.commit, tree, remote)

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
        repository, commit, merged = self._repository, theirs, Merged(tree)
        ahead = mine.commit is not None and not is_ancestor(repository, mine.commit, theirs)
        if ahead and mine.commit:
            merged = self._merge(mine, mine.commit, theirs, tree, anew)
        received = count(repository, mine.tree, merged.tree)
        coming = changes(self._git, mine.tree, merged.tree, repository.scope)
        fresh = {c.path for c in coming if c.new and c.new.mode == REPOSITORY}
        self._done.nested = sorted(fresh.union(self._done.nested))
        if not self._wish.dry:
            for name, data in merged.records.items():
                if not (repository.root / name).exists():
                    write_new(repository.root / name, data)
            if not apply(repository, self._drafts, mine.index, mine.tree, merged.tree):
                return None
            if anew and merged.tree != tree:  # one commit after theirs: the old history ends here
                words = message(count(repository, tree, merged.tree), None)
                commit = make_commit(repository, merged.tree, [theirs], words)
            elif ahead and mine.commit and not anew:
                words = message(received, None).replace(": ", f": merge from {remote.name}: ", 1)
                commit = make_commit(repository, merged.tree, [mine.commit, theirs], words)
            try:
                move_head(repository, commit, mine.commit)
            except GitError:  # another git committed meanwhile
                return None
            self._git.text("update-ref", remote.synced, theirs)
        self._done.received += received
        for name in ("conflicts", "kept", "beside", "settings"):
            getattr(self._done.merged, name).extend(getattr(merged, name))
        return commit

    def _merge(
        self, mine: Recorded, commit: str, theirs: str, tree: str, base: str | None
    ) -> Merged:
        """`base`: what both are taken to come from; else git finds it."""
        repository, git = self._repository, self._git
        base = base or git.maybe("merge-base", commit, theirs)
        if base is None:
            refuse_strangers(repository, theirs)
        since = [f"^{base}"] if base else []

        def bring() -> None:
            if not self._wish.dry:
                found = changes(git, mine.tree, tree, repository.scope)
                journals = [c for c in found if is_journal(repository.relative(c.path) or "")]
                bring_journals(repository, journals)

        def met(path: str) -> Origin:
            """This computer's version stands; the other is of the commit there that changed it."""
            form = f"--format=%(trailers:key={DEVICE},valueonly)%x00%s"
            said = git.text("log", "-1", form, theirs, *since, "--", path)
            device, _, subject = said.partition("\0")
            named = _NAMED.search(subject)
            name, at = named[1] if named else "", f"{self._now:%Y-%m-%dT%H:%M}"
            return Origin(this_device(), here(), device.strip(), name, at)

        with closing(Statuses(repository.root, self._now, bring)) as statuses:
            times = times_of(repository, base, commit, theirs)
            made = Merge(repository, self._drafts, statuses.of, met, times)
            return made.run(base or empty_tree(git), mine.tree, tree)


class Statuses:
    """The `status:` that the history of both sides gives a card, once their journals are united.

    The collection is opened where it is needed first; before that, `bring` is called.
    """

    def __init__(self, root: Path, now: datetime, bring: Callable[[], None]) -> None:
        self._root, self._now, self._bring = root, now, bring

    @cached_property
    def _collection(self) -> Collection | None:
        self._bring()
        with suppress(CollectionError):
            return Collection.open(self._root, self._now)
        return None

    def of(self, card: Card) -> str | None:
        """None where the collection cannot be opened, or leaves `status:` alone."""
        collection = self._collection
        if collection is None or not collection.config.write_status:
            return None
        known = [item.id for item in card.items if collection.has_item(item.id)]
        return status_of(collection.state(item) for item in known) if known else None

    def close(self) -> None:
        if collection := vars(self).get("_collection"):
            collection.close()


# A class: the cards are a teacher's repository, the reviews are the learner's own beside it.


def only_pulls(repository: Repository) -> bool:
    """Whether what changes in this repository stays on this computer."""
    return repository.git.setting(_PUSH) == "false"


def set_up_class(root: Path, address: str | None, learner: bool = True) -> None:
    """Makes `root` a collection that keeps `.deltadeck/` out of the cards' repository.

    The reviews get a repository of their own, with the remote `address` where one is given.  Of a
    `learner`, no change of the cards is sent, and `status:` stays as the teacher wrote it.

    Raises:
        CollectionError: the cards are in no repository with a remote, or the reviews are in it.
    """
    cards, private = find(root, root), root / DATA_DIR
    if cards is None:
        said = "The cards are in no repository."
        hint = "`git clone ADDRESS FOLDER` gets the teacher's; then this, in that folder."
        raise refusal(root, said, hint)
    if not cards.git.text("remote"):
        said = "The repository of the cards has no remote, so it is no clone of a teacher's."
        hint = "`git clone ADDRESS FOLDER` makes one; then this, in that folder."
        raise refusal(root, said, hint)
    if cards.git.run("ls-files", "--", f"{cards.prefix}{DATA_DIR}")[1]:
        said = "The reviews are committed in the repository of the cards."
        hint = "`git rm -r --cached .deltadeck` takes them out of it; commit that first."
        raise refusal(private, said, hint)
    make_collection(root)
    with in_sentences(root):
        add_lines(cards.exclude, [f"/{cards.prefix}{DATA_DIR}/"])
        if learner:
            cards.git.set(_PUSH, "false")
        if not (private / ".git").exists():
            make_repository(private)
        if address:
            own = Git(private)
            known = own.setting("remote.origin.url")
            own.text("remote", "set-url" if known else "add", "origin", address)
    if learner:
        write_setting(private / CONFIG, "write_status", False)
