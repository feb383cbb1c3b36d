"""One sync: copies cleared away, then commit, fetch, merge, push."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from cards.edit import set_field
from cards.model import Card, CardError
from deck.collection import Collection, make_collection
from deck.errors import CollectionError, refusal
from deck.files import CONFIG, DATA_DIR, key_parts, unused_path, walk
from deck.repair import clear_copies, move
from deck.replay import status_of
from deck.settings import write_setting
from deck.sync.apply import apply, bring_journals
from deck.sync.commit import (
    TRAILER,
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
    same_but_status,
    set_up,
)
from deck.sync.conflicts import (
    Conflict,
    Origin,
    card_id,
    card_of,
    conflicts,
    digits,
    is_journal,
    record_name,
    this_device,
    write_new,
)
from deck.sync.git import REPOSITORY, Git, GitError, Repository, changes, empty_tree, find, trouble
from deck.sync.merge import Merged, merge, times_of
from deck.sync.remote import (
    Remote,
    fetch,
    is_ancestor,
    left_behind,
    meet,
    push,
    refuse_rewritten,
    refuse_strangers,
    remote_of,
)

# == The `status:` that the history of both sides gives a card.


class Statuses:
    """Asks the collection, once the journals of both sides are in it; opened where it is needed."""

    def __init__(self, root: Path, now: datetime, bring: Callable[[], None]) -> None:
        self._root, self._now, self._bring = root, now, bring
        self._collection: Collection | None = None
        self._broken = False

    def of(self, card: Card) -> str | None:
        """None where the collection cannot be opened, or leaves `status:` alone."""
        collection = self._open()
        if collection is None or not collection.config.write_status:
            return None
        known = [item.id for item in card.items if collection.has_item(item.id)]
        return status_of(collection.state(item) for item in known) if known else None

    def close(self) -> None:
        if self._collection is not None:
            self._collection.close()
            self._collection = None

    def _open(self) -> Collection | None:
        if self._collection is None and not self._broken:
            self._bring()
            try:
                self._collection = Collection.open(self._root, self._now)
            except CollectionError:
                self._broken = True
        return self._collection


# == What Syncthing, Dropbox and others leave where two computers wrote one file.
#
# Copies of journals are united and set aside.  A copy of a card that says the same is set aside;
# one
# that says something else becomes a version to choose from (`conflicts`), as git's would.


#: What a conflict adds to a name, and nothing else does; a copy of a copy has two of them.
_CONFLICT = (
    r"(?:\.sync-conflict-\d{8}-\d{6}(?:-\w+)?|[._]conflict-\d{8}-\d{6}|[. ]conflict"
    r"| \([^()]*conflict[^()]*\)| \[[^\[\]]*conflict[^\[\]]*\])+"
)
#: What other copies add: each may as well be a name of the learner's own.
_COPY = (
    r"(?: \d{1,2}| ?\(\d{1,2}\)|(?: [-–])? cop(?:y|ia|ie)(?: \(?\d+\)?)?| - Kopi[ae]| \(.+\)"
    r"|-(?:DESKTOP|LAPTOP)-\w+)"
)
_NAME = re.compile(
    rf"(?P<stem>.+?)(?:(?P<sure>{_CONFLICT})|{_COPY})(?P<ending>\.[^.]+)", re.IGNORECASE | re.DOTALL
)
#: The line of a card's id, unread: copies of a file have the same.
_ID = re.compile(rb"^id[ \t]*:.*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Cleared:
    """What became of the copies: how many files of each kind."""

    journals: int = 0
    same: int = 0
    """Copies that said nothing new."""
    conflicts: tuple[Path, ...] = ()
    """Files of which another version is to be chosen from now."""


def clear(root: Path, statuses: Statuses) -> Cleared:
    """Clears away every copy of journals, cards and settings below `root`; nothing is deleted.

    Raises:
        CollectionError: the folder cannot be read.
        JournalError: the disk refuses; what was not cleared away yet is as it was.
    """
    journals = len({done.path for done in clear_copies(root)})
    same, different = 0, []
    for plain, copy in [*_cards(root), *_settings(root)]:
        mine, theirs = plain.read_bytes(), copy.read_bytes()
        if mine == theirs or (copy.suffix.lower() == ".md" and same_but_status(mine, theirs)):
            move(copy, unused_path(root / DATA_DIR / "drafts" / copy.name))
            if mine != theirs:
                _follow(plain, mine, statuses)
            same += 1
            continue
        relative = plain.relative_to(root).as_posix()
        target = root / record_name(relative, digits(theirs))
        if target.exists():  # the same version came again
            move(copy, unused_path(root / DATA_DIR / "drafts" / copy.name))
        else:
            move(copy, target)
        different.append(plain)
    return Cleared(journals, same, tuple(different))


def plain_name(name: str) -> tuple[str, bool] | None:
    """The name that a copy's was made from, and whether it can only be a conflict's."""
    found = _NAME.fullmatch(name)
    return (found["stem"] + found["ending"], found["sure"] is not None) if found else None


def _cards(root: Path) -> Iterator[tuple[Path, Path]]:
    """Each card with its copy, which is beside it.

    A card is its id: whatever a program or a language calls copies, of two files in one folder with
    one id, where one name is the other's and more, the longer is the copy.  Only where an id cannot
    be read must the name say that it is a conflict's.
    """
    files, _ = walk(root)
    folders: dict[tuple[str, ...], set[str]] = {}
    for file in files:
        parts = key_parts(file[0])
        folders.setdefault(parts[:-1], set()).add(parts[-1])
    for parts, names in sorted(folders.items()):
        folder = root.joinpath(*parts)
        for name in sorted(names):
            copied = (folder / plain for plain in _shorter(name, names))
            plain = next((each for each in copied if _is_copy(folder / name, each)), None)
            if plain is not None:
                yield plain, folder / name


def _shorter(name: str, names: set[str]) -> list[str]:
    """Those of `names` that are within `name`, the shortest first; a sign is where they end.

    The sign is for speed: "card-1" and "card-10" need not be read.
    """
    stem, dot, ending = name.rpartition(".")
    begins = [stem[:at] for at in range(1, len(stem)) if not stem[at].isalnum()]
    ends = [stem[at + 1 :] for at in range(len(stem)) if stem[at] == " "]  # "Copy of a"
    found = {each + dot + ending for each in [*begins, *ends]}
    return sorted((found & names) - {name}, key=lambda each: (len(each), each))


def _is_copy(copy: Path, plain: Path) -> bool:
    if copy.is_symlink() or not copy.is_file() or not plain.is_file():
        return False
    try:
        texts = plain.read_bytes(), copy.read_bytes()
    except OSError:  # git, or `deltadeck lint`, names the file that cannot be read
        return False
    sure = plain_name(copy.name) == (plain.name, True)
    lines = [found[0].rstrip() if (found := _ID.search(text)) else None for text in texts]
    if lines[0] != lines[1] and not sure:
        return False
    ids = [card_id(text) for text in texts]
    return ids[0] == ids[1] is not None or (sure and None in ids)


def _settings(root: Path) -> Iterator[tuple[Path, Path]]:
    private = root / DATA_DIR
    plain = private / CONFIG
    for copy in sorted(private.iterdir()) if plain.is_file() else ():
        found = plain_name(copy.name)
        if found is not None and found[0] == CONFIG and copy.is_file():
            yield plain, copy


def _follow(path: Path, data: bytes, statuses: Statuses) -> None:
    """Sets the line that both sides changed to what their history says."""
    card = card_of(data)
    status = statuses.of(card) if card and card.status != "suspended" else None
    if card and status and status != card.status:
        try:
            set_field(path, "status", status, data.decode("utf-8"))
        except CardError:  # it changed meanwhile: the next answer writes it
            return


# == What a sync is asked for, and what it did.


@dataclass(slots=True)
class Synced:
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
class Report:
    """What a sync did."""

    repositories: list[Synced] = field(default_factory=list)
    """None where the folder is in no repository: then only copies were cleared away."""
    copies: Cleared = field(default_factory=Cleared)
    open: list[Conflict] = field(default_factory=list)
    """The versions that are still to be chosen from."""
    apart: bool = False
    """Whether the reviews are no part of the cards' repository, and in none of their own."""


@dataclass(frozen=True, slots=True)
class Wish:
    remote: str | None = None
    message: str | None = None
    dry: bool = False


# == A class: the cards are a teacher's repository, the reviews are the learner's own beside it.


_PUSH = "deltadeck.push"


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
    cards = find(root, root)
    if cards is None:
        message = "The cards are in no repository."
        hint = "`git clone ADDRESS FOLDER` gets the teacher's; then this, in that folder."
        raise refusal(root, message, hint)
    if not cards.git.text("remote"):
        message = "The repository of the cards has no remote, so it is no clone of a teacher's."
        hint = "`git clone ADDRESS FOLDER` makes one; then this, in that folder."
        raise refusal(root, message, hint)
    private = root / DATA_DIR
    if cards.git.run("ls-files", "--", f"{cards.prefix}{DATA_DIR}")[1]:
        message = "The reviews are committed in the repository of the cards."
        hint = "`git rm -r --cached .deltadeck` takes them out of it; commit that first."
        raise refusal(private, message, hint)
    make_collection(root)
    try:
        add_lines(cards.exclude, [f"/{cards.prefix}{DATA_DIR}/"])
        if learner:
            cards.git.set(_PUSH, "false")
        if not (private / ".git").exists():
            make_repository(private)
        if address:
            own = Git(private)
            known = own.setting("remote.origin.url")
            words = ("set-url", "origin") if known else ("add", "origin")
            own.text("remote", *words, address)
    except GitError as error:
        raise trouble(error, root) from error
    if learner:
        write_setting(private / CONFIG, "write_status", False)


# == One repository and its remote: what is here is committed, what is there merged, both sent.


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


# == One sync, from the copies that are cleared away to what is pushed.


__all__ = ["Report", "Synced", "Wish", "sync"]


def sync(root: Path, now: datetime, wish: Wish) -> Report:
    """Syncs the collection `root`; killed at any moment, the next one finishes.

    Raises:
        CollectionError: something must be put right first, or the remote refuses.  What is
            committed by then stays so; the files are whole.
        JournalError: the disk refuses.
    """
    try:
        return _sync(root, now, wish)
    except GitError as error:
        raise trouble(error, root) from error


def _sync(root: Path, now: datetime, wish: Wish) -> Report:
    cards = find(root, root)
    own = find(root / DATA_DIR, root) if (root / DATA_DIR / ".git").exists() else None
    every = [repository for repository in (cards, own) if repository is not None]
    for repository in every:
        check(repository)
    report = Report(apart=cards is not None and not cards.is_whole and own is None)
    if not wish.dry:
        statuses = Statuses(root, now, lambda: None)
        report.copies = clear(root, statuses)
        statuses.close()
    held: list[CollectionError] = []
    for repository in every:  # what is wrong with the cards' holds no reviews back
        try:
            stay = cards is not None and only_pulls(cards)
            second = own is repository
            report.repositories.append(_sync_one(repository, now, wish, second, stay))
        except GitError as error:
            held.append(trouble(error, repository.top))
        except CollectionError as error:
            held.append(error)
    if held:
        raise _with_reviews(held, report)
    report.open = conflicts(root)
    return report


def _with_reviews(held: list[CollectionError], report: Report) -> CollectionError:
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
    repository: Repository, now: datetime, wish: Wish, second: bool, cards_stay: bool
) -> Synced:
    with alone(repository) as drafts:
        remote = remote_of(repository, None if second else wish.remote, wish.dry)
        if remote is not None:
            repository, remote = _met(repository, remote, drafts, wish)
        # A clone without a collection gets it first: files of ours would be in the way.
        fresh = not second and not (repository.root / DATA_DIR).is_dir()
        if not wish.dry and not fresh:
            set_up(repository, cards_stay)
        done = exchange(repository, drafts, remote, now, wish)
        if not wish.dry and fresh:
            set_up(repository, cards_stay)
        return done


def _met(
    repository: Repository, remote: Remote, drafts: Path, wish: Wish
) -> tuple[Repository, Remote]:
    try:
        return meet(repository, remote, drafts, wish.dry)
    except CollectionError:  # what was done here is committed all the same, on a branch that is
        if not wish.dry and repository.commit("HEAD"):
            record(repository, drafts, wish.message)
        raise


# == A clone whose collection is still at the remote: one of a repository that was empty, or whose
# HEAD names a branch that nobody made.


def is_elsewhere(root: Path, wish: Wish) -> bool:
    """Whether a sync would bring a collection to `root`; fetches, and changes no file.

    Raises:
        CollectionError: something must be put right first, or the remote cannot be reached.
    """
    try:
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
    except GitError as error:
        raise trouble(error, root) from error
