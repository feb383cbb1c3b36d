"""The remote: where it is, which branch there goes with ours, what is fetched and sent."""

from __future__ import annotations

import os
import re
import time
from dataclasses import dataclass, replace
from pathlib import Path

from deck.errors import CollectionError, refusal
from deck.files import CONFIG, DATA_DIR
from deck.sync.git import (
    AWAY,
    GitError,
    Repository,
    in_hooks_words,
    in_sentences,
    is_hooks,
    quoted,
    trouble,
)

_TRIES, _PAUSE = 10, 0.2
_ADDRESS = re.compile(r"[/:\\]")
#: `https://...` and `ada@host:cards.git`; all else is a folder.
_ELSEWHERE = re.compile(r"[A-Za-z][\w.+-]*://|[^/\\]+:")
#: What a server puts into a repository that was made there.
_NEW = {"README", "README.md", "LICENSE", ".gitignore", ".gitattributes"}


@dataclass(frozen=True, slots=True)
class Remote:
    name: str
    branch: str
    """Its branch."""

    @property
    def ref(self) -> str:
        """What git saw there last."""
        return f"refs/remotes/{self.name}/{self.branch}"

    @property
    def synced(self) -> str:
        """What a sync of ours took from there, or put there, last."""
        return f"refs/deltadeck/{self.name}/{self.branch}"


def absolute(address: str, current: Path) -> str:
    """An address for git, which takes a folder for one below the repository, not the learner's."""
    if _ELSEWHERE.match(address) or Path(address).is_absolute():
        return address
    path = Path(address).expanduser() if address.startswith("~/") else current / address
    return os.path.normpath(path) if path.is_dir() or address.startswith((".", "~/")) else address


def remote_of(repository: Repository, wanted: str | None, dry: bool = False) -> Remote | None:
    """The remote `wanted` (a name, or an address that becomes `origin`), or the branch's own.

    None where the repository has none.

    Raises:
        CollectionError: there is none of that name, or several and none is the branch's.
    """
    git, branch = repository.git, repository.branch
    names = git.text("remote").split()
    own = git.setting(f"branch.{branch}.remote")
    at_it = (name for name in names if git.setting(f"remote.{name}.url") == wanted)
    if wanted and wanted not in names:
        name = next(at_it, None)
        if name is None:
            _refuse_name(repository, names, wanted)
            if dry:
                return None
            git.text("remote", "set-url" if names else "add", "origin", wanted)
            git.forget()
            name, names = "origin", ["origin"]
    elif len(names) > 1 and not wanted and own not in names and "origin" not in names:
        hint = f"Choose one: `deltadeck sync --remote {names[0]}`."
        raise refusal(repository.top, f"There are several remotes: {', '.join(names)}.", hint)
    else:
        name = wanted or (own if own in names else names[0] if len(names) == 1 else "origin")
    if not names:
        return None
    merge = (git.setting(f"branch.{branch}.merge") or "") if own == name else ""
    return Remote(name, merge.removeprefix("refs/heads/") or branch)


def _refuse_name(repository: Repository, names: list[str], address: str) -> None:
    """Raises CollectionError where what no remote is called, or is at, may not become `origin`'s
    address: it is none, or there is a remote that holds something else."""
    is_address = _ADDRESS.search(address) and not address.startswith("-")
    # Where nothing ever came from `origin`, its address may be a slip.
    places = ("refs/remotes/origin/", "refs/deltadeck/origin/")
    is_unused = names == ["origin"] and not repository.git.text(
        "for-each-ref", "--count=1", *places
    )
    if is_address and (not names or is_unused):
        return
    known = f"There is {', '.join(names)}. " if names else ""
    if is_address:
        at = "origin" if "origin" in names else names[0]
        hint = f"{known}`git remote set-url {at} ADDRESS` changes where {at} is."
        raise refusal(repository.top, f"No remote here is at {quoted(address)}.", hint)
    is_word = re.fullmatch(r"[\w.-]+", address) and not address.startswith("-")
    hint = f"{known}`git remote add {address if is_word else 'origin'} ADDRESS` adds one."
    raise refusal(repository.top, f"There is no remote '{address}' here.", hint)


# Which branch here goes with which branch there, before the first sync: else each computer would
# begin one of its own, and the collection would be two.


def meet(
    repository: Repository, remote: Remote, drafts: Path, dry: bool = False
) -> tuple[Repository, Remote]:
    """Both, with the branches that belong together; `drafts` is a folder to work in.

    A branch without a commit becomes the one that is there; an empty remote gets ours under the
    name that its HEAD has for it, since that is what a clone of it looks for.

    Raises:
        CollectionError: the remote cannot be reached, or has several branches and none is ours.
    """
    git = repository.git
    if _last_synced(repository, remote) or repository.commit(remote.ref):
        return repository, remote
    heads, first = _branches(repository, remote)
    if remote.branch in heads:
        return repository, remote
    name = first if first in heads else heads[0] if len(heads) == 1 else None
    if not heads:
        name = _awaited(repository, remote, drafts)
    unborn = repository.commit("HEAD") is None
    if name in (None, remote.branch) or (heads and not unborn and not repository.inside):
        if heads:
            raise _apart(repository, remote, heads, unborn)
        return repository, remote
    assert name is not None
    if dry:
        return repository, replace(remote, branch=name)
    if unborn:
        git.text("symbolic-ref", "HEAD", f"refs/heads/{name}")
        repository = replace(repository, branch=name)
    remote = replace(remote, branch=name)
    _track(repository, remote)
    return repository, remote


def _branches(repository: Repository, remote: Remote) -> tuple[list[str], str | None]:
    """The remote's branches, and the one that its HEAD names."""
    words = ("ls-remote", "--symref", remote.name, "HEAD", "refs/heads/*")
    said = _ask(repository, remote, *words).decode("utf-8", "replace")
    heads = re.findall(r"^.*\trefs/heads/(.*)$", said, re.MULTILINE)
    named = re.search(r"^ref: refs/heads/(.*)\tHEAD$", said, re.MULTILINE)
    return heads, named[1] if named else None


def _awaited(repository: Repository, remote: Remote, drafts: Path) -> str | None:
    """The branch that an empty remote's HEAD names; only a clone is told, and None by old git."""
    git, copy = repository.git, drafts / "empty.git"
    address = git.maybe("remote", "get-url", remote.name)
    if address is None or git.setting(f"branch.{repository.branch}.merge"):
        return None
    mark = "deltadeck-unknown"  # what a git that is not told falls back on
    config = ("-c", f"init.defaultBranch={mark}")
    try:
        git.run(*config, "clone", "-q", "--bare", "--", address, str(copy), seconds=AWAY)
        head = (copy / "HEAD").read_text("utf-8", "replace").strip()
    except (GitError, OSError):  # what is wrong there, the push says
        return None
    name = head.removeprefix("ref: refs/heads/")
    return None if mark in name or name == head else name


def _apart(
    repository: Repository, remote: Remote, heads: list[str], unborn: bool
) -> CollectionError:
    """A history of our own beside the one that is there already would be no sync."""
    branch, there = repository.branch, heads[0]
    message = f"{remote.name} has no branch {remote.branch}, but {', '.join(heads[:5])}."
    if repository.git.setting(f"branch.{branch}.merge"):
        way = f"`git config branch.{branch}.merge refs/heads/{there}` takes {there} for it"
    else:
        way = f"`git branch -m {there}` names the branch here the same"
    begin = f"; if it is to be another one, `git push -u {remote.name} {branch}` begins it"
    hint = f"{way}{'' if unborn else begin}. Then sync again."
    return refusal(repository.top, message, hint)


def _track(repository: Repository, remote: Remote) -> None:
    git, branch = repository.git, repository.branch
    git.set(f"branch.{branch}.remote", remote.name)
    git.set(f"branch.{branch}.merge", f"refs/heads/{remote.branch}")


# What is there.


def fetch(repository: Repository, remote: Remote) -> tuple[str, str] | None:
    """The commit at the remote's branch now, and its tree; None where the remote is empty.

    Raises:
        CollectionError: it cannot be reached.
    """
    branch = remote.branch
    # A pattern, as git refuses the name of a branch that is not there yet.
    spec = f"+refs/heads/{branch}*:refs/remotes/{remote.name}/{branch}*"
    words = ("--quiet", "--no-tags", "--prune", "--no-recurse-submodules")
    _ask(repository, remote, "fetch", *words, remote.name, spec)
    return repository.commit(remote.ref)


def is_ancestor(repository: Repository, commit: str, of: str) -> bool:
    return repository.git.asks("merge-base", "--is-ancestor", commit, of)


def left_behind(repository: Repository, remote: Remote, theirs: str) -> str | None:
    """What was synced last, where it is no part of `theirs`: the history there was written anew."""
    before = _last_synced(repository, remote)
    return None if before is None or is_ancestor(repository, before, theirs) else before


def rewritten(
    repository: Repository, remote: Remote, mine: str | None, theirs: str
) -> CollectionError:
    """The error for a history in which what was synced before is not any more."""
    message = f"The history on {remote.name} was written anew: what was synced before is not in it."
    kin = mine is None or repository.git.maybe("merge-base", mine, theirs) is not None
    merge = "git merge" if kin else "git merge --allow-unrelated-histories"
    hint = (
        f"Nothing was merged. `{merge} {remote.name}/{remote.branch}` takes both together, and "
        "brings back what was taken out there; where both changed a card, it leaves git's marks in "
        "it for you to mend. Or "
        f"`git push --force-with-lease {remote.name} {repository.branch}:{remote.branch}` puts the "
        "history of this computer in its place."
    )
    return refusal(repository.top, message, hint)


def refuse_strangers(repository: Repository, theirs: str) -> None:
    """Two histories without a common beginning: only where the other is of a collection too, or as
    new as a server makes it.  Raises CollectionError."""
    git = repository.git
    ours = ("journal", CONFIG) if repository.inside else (f"{repository.prefix}{DATA_DIR}",)
    names = set(git.names("ls-tree", "-z", "--name-only", theirs))
    if git.names("ls-tree", "-z", "--name-only", theirs, "--", *ours) or names <= _NEW:
        return
    message = "The repository there has a history of its own, and no collection in it."
    hint = "Is it the right address? `git remote -v` shows it; clone it into another folder."
    raise refusal(repository.top, message, hint)


def _last_synced(repository: Repository, remote: Remote) -> str | None:
    words = ("rev-parse", "--verify", "--quiet", f"{remote.synced}^{{commit}}")
    return repository.git.maybe(*words)


def _ask(repository: Repository, remote: Remote, *words: str) -> bytes:
    """What git answers that asks the remote.  Raises CollectionError."""
    for left in reversed(range(_TRIES)):
        try:
            return repository.git.run(*words, seconds=AWAY)[1]
        except GitError as error:
            # A sync that was killed may have left a git at work, which soon gives its lock back.
            if not left or "lock" not in error.said:
                raise trouble(error, repository.top, remote.name) from error
            time.sleep(_PAUSE)
    raise AssertionError  # the last one returns or raises


# What is sent.


def push(repository: Repository, remote: Remote, commit: str) -> bool:
    """Sends the branch; False where the remote moved meanwhile, and nothing was sent.

    Raises:
        CollectionError: it cannot be reached, or refuses.
    """
    git, target = repository.git, f"{commit}:refs/heads/{remote.branch}"
    words = ("push", "--porcelain", "--no-follow-tags", remote.name, target)
    with in_sentences(repository.top, remote.name):
        code, out = git.run(*words, allowed=(0, 1), seconds=AWAY)
    rows = [row.split("\t") for row in out.decode("utf-8", "replace").splitlines()]
    refused = [row[2] for row in rows if row[0] == "!" and len(row) > 2]
    if code == 0 and not refused:
        git.text("update-ref", remote.synced, commit)
        if git.setting(f"branch.{repository.branch}.remote") is None:
            _track(repository, remote)  # `git pull` by hand works then, too
        return True
    if not refused and not is_hooks(git.said):
        raise trouble(GitError(words, code, git.said), repository.top, remote.name)
    why = refused[0] if refused else ""
    if why.startswith("[rejected]") or "cannot lock ref" in why or "failed to update" in why:
        return False
    told = (why.removeprefix("[remote rejected] "), in_hooks_words(git.said))
    said = (": ".join(part for part in told if part) or "it did not say why").rstrip(".")
    message = f"{remote.name} refused what was sent: {said}."
    hint = "The repository there must be a bare one that you may write to: `git push` says more."
    if not refused:
        message = f"What was to be sent was refused before it left: {said}."
        hint = "If a hook of yours (`pre-push`) says so, obey it: `git push` says more."
    raise refusal(repository.top, message, f"What you did is committed here. {hint}")
