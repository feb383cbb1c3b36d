"""What changed in the collection, as a commit; the rest of the repository stays as it is.

The tree is made in an index of our own, so that what the learner has staged elsewhere stays staged
and is not committed.  No hook of git's runs, as none does for what a program writes of its own.
"""

from __future__ import annotations

import fcntl
import os
import platform
import re
import shlex
import shutil
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import astuple, dataclass
from pathlib import Path

from deck.errors import refusal, refusing
from deck.events import LineError, read_line
from deck.files import DATA_DIR, stamp_of
from deck.index.lines import read_journal
from deck.journal import Journal, append_line
from deck.sync.apply import finish
from deck.sync.conflicts import this_device
from deck.sync.driver import event_id, lost
from deck.sync.files import (
    CONFLICTS,
    IGNORED,
    SETTINGS,
    belongs,
    is_card,
    is_journal,
    same_but_status,
    written_id,
)
from deck.sync.git import (
    REPOSITORY,
    Git,
    Repository,
    TreeEntry,
    blobs,
    changes,
    empty_tree,
    find,
    in_sentences,
    nul,
    show_in_index,
)

#: The line of a commit's message that says on which device it was made.
DEVICE = "Deltadeck-Device"
#: The one that says when the settings were written that it brings, in seconds since 1970.
SETTINGS_TIME = "Deltadeck-Settings"
#: Of `git ls-files --stage -z`, the paths of other repositories.
_LINKED = re.compile(rb"(?:^|\0)%b [^\t\0]*\t([^\0]+)" % REPOSITORY.encode())


@dataclass(frozen=True, slots=True)
class Changes:
    """How many of each differ between two trees."""

    answers: int = 0
    events: int = 0
    """Other lines of the journal that tell a deed: undone, suspended, checked, ..."""
    added: int = 0
    changed: int = 0
    """Cards with more than another `status:`, which follows the answers."""
    removed: int = 0
    settings: int = 0
    others: int = 0
    """Files: media, versions to choose from, lines of status."""

    def __bool__(self) -> bool:
        return any(astuple(self))

    def __add__(self, other: Changes) -> Changes:
        return Changes(*map(sum, zip(astuple(self), astuple(other), strict=True)))

    def words(self) -> str:
        """As in "34 answers, 2 cards changed"; events are undone, suspended, checked ones."""
        cards = ((self.added, "added"), (self.changed, "changed"), (self.removed, "removed"))
        said = [_counted(self.answers, "answer")] if self.answers else []
        said += [f"{_counted(number, 'card')} {deed}" for number, deed in cards if number]
        if self.settings:
            said.append("settings changed")
        if self.events:
            said.append(_counted(self.events, "other event" if self.answers else "event"))
        if not said and self.others:
            said.append(f"{_counted(self.others, 'file')} changed")
        return ", ".join(said)


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


@dataclass(frozen=True, slots=True)
class Recorded:
    """The collection as it is here."""

    commit: str | None
    """None where there is nothing yet, or (of a dry run) it was not made."""
    tree: str
    index: Path
    """Of this tree, with the times of the files: what changed since then shows."""
    changes: Changes
    """What was new."""
    nested: list[str]
    """Folders of the collection that are repositories of their own: nothing in them is read."""


def record(
    repository: Repository, drafts: Path, learners: str | None = None, dry: bool = False
) -> Recorded:
    """Commits what changed in the collection, where something did; a `dry` commit is on no branch.

    Raises:
        GitError: git refuses; branch and files are as they were.
        CollectionError: a file cannot be read.
    """
    if not dry:
        finish(repository, drafts)
    git, index = repository.git, drafts / "index"
    head, before = repository.commit("HEAD") or (None, empty_tree(git))
    tree, nested = _staged(repository, index, head)
    commit, found = head, Changes()
    if tree != before:
        found = count(repository, before, tree)
        written = stamp_of(repository.root / SETTINGS)[1] / 1e9
        words = message(found, learners, max(written, 0) if found.settings else 0)
        commit = make_commit(repository, tree, [head] if head else [], words)
    if not dry and (head or commit):
        show_in_index(git, tree, repository.scope)
        if commit and commit != head:
            move_head(repository, commit, head)
    return Recorded(commit, tree, index, found, nested)


def make_commit(repository: Repository, tree: str, parents: Iterable[str], words: str) -> str:
    before = [word for parent in parents for word in ("-p", parent)]
    return repository.git.text("commit-tree", tree, *before, "-F", "-", stdin=words.encode())


def move_head(repository: Repository, commit: str, before: str | None) -> None:
    """Raises GitError where the branch is not where it was."""
    old = before or "0" * len(commit)
    repository.git.text("update-ref", "-m", "deltadeck sync", "HEAD", commit, old)


def message(what: Changes, learners: str | None, set_at: float = 0) -> str:
    """Of a commit; the learner's own words come first."""
    said = f"deltadeck: {what.words() or 'nothing new'} on {here()}"
    trailers = [f"{SETTINGS_TIME}: {set_at:.0f}"] if set_at else []
    if device := this_device():
        trailers.append(f"{DEVICE}: {device}")
    return "\n".join([f"{learners}\n\n{said}" if learners else said, "", *trailers])


def here() -> str:
    """This device's name where the learner gave it one, else the computer's."""
    device = this_device() or "device-"
    name = platform.node().split(".")[0]
    return device if not device.startswith("device-") else name or device


def _staged(repository: Repository, index: Path, head: str | None) -> tuple[str, list[str]]:
    """Puts what is in the files into an index of our own; its tree, and the folders in the
    collection that are other repositories."""
    git, own, scope = repository.git, repository.index, repository.scope
    with refusing(own, "git's index cannot be read", "Make it readable, and sync again."):
        if own.exists():
            shutil.copy2(own, index)  # with its time: git takes files as old as it for doubtful
    git.run("read-tree", *(["-i", "-m", head] if head else ["--empty"]), index=index)
    git.run("update-index", "-q", "--refresh", index=index, allowed=(0, 1))
    words = ("diff-files", "-z", "--name-only", "--ignore-submodules=all")
    changed = git.names(*words, *scope, index=index)
    others = git.names("ls-files", "--others", "--exclude-standard", "-z", *scope, index=index)
    if head is not None:
        journals = [p for p in changed if is_journal(repository.relative(p) or "")]
        _bring_back(repository, head, journals)
    # Of the files that are in no commit, those that belong in one; what the learner added does.
    files = {path for path in others if not path.endswith("/")}  # else a repository in this one
    ours = {path for path in files if belongs(repository.relative(path) or ".")}
    if ours < files:
        ours |= files.intersection(git.names("ls-files", "-z", *scope))
    if paths := [*changed, *sorted(ours)]:
        put = ("update-index", "--add", "--remove", "--replace", "-z", "--stdin")
        git.run(*put, stdin=nul(paths), index=index)
    listed = git.run("ls-files", "--stage", "-z", *scope, index=index)[1]
    nested = {os.fsdecode(path) for path in _LINKED.findall(listed)}
    nested |= {path.rstrip("/") for path in others if path.endswith("/")}
    nested.discard(f"{repository.prefix}{DATA_DIR}")  # the reviews' own
    return git.text("write-tree", index=index), sorted(nested)


def _bring_back(repository: Repository, head: str, journals: list[str]) -> None:
    """Writes again what is committed, and gone from the journal: events are never taken away."""
    private, ids = repository.root / DATA_DIR, None
    for path in journals:
        file = repository.at(path)
        with refusing(file, "The journal cannot be read", "Make it readable, and sync again."):
            now = file.read_bytes() if file.exists() else b""
        words = ("cat-file", "blob", f"{head}:{path}")
        gone = lost(repository.git.run(*words, allowed=(0, 128))[1], now)
        if gone and ids is None:
            ids = {event.id for event in read_journal(private).events}
        missing = [line for line in gone if ids is not None and event_id(line) not in ids]
        if missing:
            with Journal(private).locked():
                append_line(file, b"".join(line + b"\n" for line in missing))


# What differs between two trees, in a learner's words.


def count(repository: Repository, old: str, new: str) -> Changes:
    """What of the collection differs between two trees.

    Cards go by their ids; one that is in another file says something else.
    """
    found = changes(repository.git, old, new, repository.scope)
    named = [(repository.relative(change.path) or "", change) for change in found]
    cards = [change for path, change in named if is_card(path)]
    journals = [change for path, change in named if is_journal(path)]
    settings = sum(path == SETTINGS for path, _ in named)
    added, removed, changed, same = len(cards), 0, 0, 0
    if any(change.old for change in cards):  # else none need be read
        before = _by_id(repository.git, {c.path: c.old for c in cards if c.old})
        after = _by_id(repository.git, {c.path: c.new for c in cards if c.new})
        for name in before.keys() & after.keys():
            (path, text), (then, now) = before[name], after[name]
            is_same = path == then and same_but_status(text, now)
            same, changed = same + is_same, changed + (not is_same)
        added, removed = len(after) - same - changed, len(before) - same - changed
    pairs = [(c.old.oid if c.old else "", c.new.oid) for c in journals if c.new]
    answers, events = _count_events(repository.git, pairs)
    others = len(found) - len(journals) - len(cards) + same - settings
    return Changes(answers, events, added, changed, removed, settings, others)


def _by_id(git: Git, entries: dict[str, TreeEntry]) -> dict[str, tuple[str, bytes]]:
    """Path and text of each card; of a file without an id, or with another one's, by its path."""
    texts = blobs(git, (entry.oid for entry in entries.values()))
    found: dict[str, tuple[str, bytes]] = {}
    for path, entry in sorted(entries.items()):
        name = written_id(texts[entry.oid])
        key = f"id {name}" if name and f"id {name}" not in found else f"path {path}"
        found[key] = path, texts[entry.oid]
    return found


def _count_events(git: Git, journals: list[tuple[str, str]]) -> tuple[int, int]:
    """Answers, and all other events, that came to files (their ids before and after)."""
    texts = blobs(git, (oid for pair in journals for oid in pair if oid))
    kinds: Counter[str] = Counter()
    for old, new in journals:
        before = set(texts.get(old, b"").split(b"\n"))
        for row in texts[new].split(b"\n"):
            if row.strip() and row not in before:
                with suppress(LineError):
                    kinds[read_line(row).kind] += 1
    answers = kinds.pop("review", 0)
    del kinds["status"]
    return answers, kinds.total()


# What a repository must know of a collection: ignored files, attributes, the merge driver.
#
# The attributes that travel with the collection name git's own `union`, which is right everywhere;
# where deltadeck is at hand, the repository's own attributes name its driver, which is right and
# tidier.  The driver falls back on `union` by itself where deltadeck is gone.

_DRIVER = "deltadeck-journal"
_ATTRIBUTES = ("journal/** -text merge=union", "conflicts/** -text")


def make_repository(folder: Path) -> None:
    """`git init`, on the branch main where the learner has no other wish.

    Raises CollectionError.
    """
    git = Git(folder)
    with in_sentences(folder):
        git.text("init", "--quiet")
        if not git.setting("init.defaultBranch") and git.maybe("rev-parse", "HEAD") is None:
            git.text("symbolic-ref", "HEAD", "refs/heads/main")


def set_up(repository: Repository, cards_stay: bool = False) -> None:
    """Writes what is missing; a second time, nothing.  The learner's own lines stay.

    `cards_stay`: cards that were changed here are not sent, so no choice between their versions is.

    Raises:
        CollectionError: a file cannot be written.
    """
    private, inside = repository.root / DATA_DIR, repository.inside
    has_journal = bool(inside) or repository.is_whole
    if has_journal:
        add_lines(private / ".gitignore", IGNORED)
        add_lines(private / ".gitattributes", _ATTRIBUTES)
    own = [f"/{CONFLICTS.removeprefix(inside)}/"] if cards_stay and inside else []
    add_lines(repository.exclude, [".*.deltadeck-tmp", *own])
    journal = repository.tracked(f"{DATA_DIR}/journal/")
    if journal is None or not has_journal:
        return
    add_lines(repository.attributes, [f"{_quoted(journal)} -text merge={_DRIVER}"])
    # `-P`: a folder named `deck` in the repository must not be taken for the program.
    python = shlex.quote(sys.executable or "python3")
    ours = f"{python} -P -m deck.sync.driver %O %A %B 2>/dev/null"
    driver = f"{ours} || git merge-file --union --quiet %A %O %B"
    with in_sentences(repository.top):
        repository.git.set(f"merge.{_DRIVER}.name", "union of deltadeck's answers")
        repository.git.set(f"merge.{_DRIVER}.driver", driver)


def set_up_here(root: Path) -> bool:
    """For `deltadeck init`: `set_up` where the folder is in a repository; whether it is."""
    try:
        repository = find(root, root)
    except ValueError:  # no git, or a state that a sync will name
        return False
    if repository is not None:
        set_up(repository)
    return repository is not None


def _quoted(folder: str) -> str:
    """A pattern for all below a folder: what means something in a pattern stands for itself."""
    pattern = "".join(f"\\{sign}" if sign in "*?[\\" else sign for sign in folder) + "**"
    if any(sign in pattern for sign in ' \t"'):
        return '"' + pattern.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return pattern


def add_lines(path: Path, wanted: Iterable[str]) -> None:
    """Adds the lines that a file does not have yet.  Raises CollectionError."""
    with refusing(path, "The file cannot be written", "Make the file writable, and sync again."):
        path.parent.mkdir(parents=True, exist_ok=True)
        data = path.read_bytes() if path.exists() else b""
        known = {row.strip() for row in data.decode("utf-8", "replace").splitlines()}
        if missing := [line for line in wanted if line not in known]:
            gap = b"\n" if data and not data.endswith(b"\n") else b""
            with path.open("ab") as file:
                file.write(gap + "".join(f"{line}\n" for line in missing).encode())


# What must not be in the way of a sync: each is said before anything is written.

#: Seconds between looks: a command of git's is soon over, a lock that was left is not.
_TRIES, _PAUSE = 20, 0.1
_UNFINISHED = (
    ("MERGE_HEAD", "merge", "git merge --continue", "git merge --abort"),
    ("rebase-merge", "rebase", "git rebase --continue", "git rebase --abort"),
    ("rebase-apply", "rebase", "git rebase --continue", "git rebase --abort"),
    ("CHERRY_PICK_HEAD", "cherry-pick", "git cherry-pick --continue", "git cherry-pick --abort"),
    ("REVERT_HEAD", "revert", "git revert --continue", "git revert --abort"),
    ("BISECT_LOG", "bisection", "git bisect reset", "git bisect reset"),
)


def check(repository: Repository) -> None:
    """Raises CollectionError where the repository is not ready for a sync; nothing is changed."""
    top = repository.top
    for name, what, go_on, undo in _UNFINISHED:
        if (repository.folder / name).exists():
            said = f"A {what} that was begun in this repository is not finished."
            ways = f"`{go_on}` goes on with it, `{undo}` takes it back"
            hint = f"{ways if go_on != undo else f'`{undo}` ends it'}; then sync again."
            raise refusal(top, said, hint)
    if repository.git.run("ls-files", "--unmerged", *repository.scope)[1]:
        said = "Files of this repository are still in conflict from a merge by hand."
        raise refusal(top, said, "Correct them, `git add` them and commit; then sync again.")
    lock, tries = repository.folder / "index.lock", _TRIES  # another git may be at work
    while lock.exists():
        if not tries:
            said = "Another git is at work in this repository, or one was stopped and left its"
            hint = "If no git is running, remove this file, and sync again."
            raise refusal(lock, f"{said} lock.", hint)
        time.sleep(_PAUSE)
        tries -= 1
    with in_sentences(top):
        repository.git.text("-c", "user.useConfigOnly=true", "var", "GIT_COMMITTER_IDENT")


@contextmanager
def alone(repository: Repository) -> Iterator[Path]:
    """Keeps other syncs of the repository away; yields an empty folder for drafts, in its `.git`.

    Raises:
        CollectionError: another one is running, or `.git` cannot be written.
    """
    place = repository.folder / "deltadeck"
    hint = "Make the folder and its `.git` writable for you."
    with refusing(place, "git's folder cannot be written", hint):
        place.mkdir(exist_ok=True)
        handle = os.open(place / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        for left in reversed(range(_TRIES)):
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError as error:
                if not left:
                    said = "Another sync of this collection is running."
                    raise refusal(repository.top, said, "Wait until it is done.") from error
                time.sleep(_PAUSE)
        drafts = place / "drafts"
        shutil.rmtree(drafts, ignore_errors=True)  # of one that was killed
        drafts.mkdir()
        yield drafts
        shutil.rmtree(drafts, ignore_errors=True)
    finally:
        os.close(handle)
