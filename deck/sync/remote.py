"""The other repository: which one, what is there, and what is sent."""

from __future__ import annotations

import time
from dataclasses import dataclass

from deck.errors import refusal
from deck.files import CONFIG, PRIVATE
from deck.sync.address import named, set_address
from deck.sync.git import AWAY, GitError
from deck.sync.repository import Repository
from deck.sync.trouble import in_hooks_words, is_hooks, trouble

_TRIES, _PAUSE = 10, 0.2
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


def remote_of(repository: Repository, wanted: str | None, dry: bool = False) -> Remote | None:
    """The remote `wanted` (a name, or an address that becomes `origin`), or the branch's own.

    None where the repository has none.

    Raises:
        CollectionError: there is none of that name, or several and none is the branch's.
    """
    git, branch = repository.git, repository.branch
    names = git.text("remote").split()
    if wanted and wanted not in names:
        name = named(repository, names, wanted)
        if name is None:
            if dry:
                return None
            set_address(repository, names, wanted)
            names, name = names or ["origin"], None if not names else "origin"
        wanted = name
    if not names:
        return None
    own = git.setting(f"branch.{branch}.remote")
    name = wanted or (own if own in names else None) or (names[0] if len(names) == 1 else None)
    name = name or ("origin" if "origin" in names else None)
    if name is None:
        hint = f"Choose one: `deltadeck sync --remote {names[0]}`."
        raise refusal(repository.top, f"There are several remotes: {', '.join(names)}.", hint)
    merge = (git.setting(f"branch.{branch}.merge") or "") if own == name else ""
    return Remote(name, merge.removeprefix("refs/heads/") or branch)


def fetch(repository: Repository, remote: Remote) -> tuple[str, str] | None:
    """The commit at the remote's branch now, and its tree; None where the remote is empty.

    Raises:
        CollectionError: it cannot be reached, or its history was written anew.
    """
    branch = remote.branch
    # A pattern, as git refuses the name of a branch that is not there yet.
    spec = f"+refs/heads/{branch}*:refs/remotes/{remote.name}/{branch}*"
    words = ("--quiet", "--no-tags", "--prune", "--no-recurse-submodules")
    ask(repository, remote, "fetch", *words, remote.name, spec)
    return repository.commit(remote.ref)


def was_synced(repository: Repository, remote: Remote) -> bool:
    """Whether a sync took something from there, or put it there."""
    words = ("rev-parse", "--verify", "--quiet", f"{remote.synced}^{{commit}}")
    return repository.git.maybe(*words) is not None


def left_behind(repository: Repository, remote: Remote, theirs: str) -> str | None:
    """What was synced last, where it is no part of `theirs`: the history there was written anew."""
    words = ("rev-parse", "--verify", "--quiet", f"{remote.synced}^{{commit}}")
    before = repository.git.maybe(*words)
    return None if before is None or is_ancestor(repository, before, theirs) else before


def refuse_rewritten(repository: Repository, remote: Remote, mine: str | None, theirs: str) -> None:
    """Raises CollectionError where what was synced before is no part of `theirs` any more."""
    if left_behind(repository, remote, theirs) is None:
        return
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
    raise refusal(repository.top, message, hint)


def refuse_strangers(repository: Repository, theirs: str) -> None:
    """Two histories without a common beginning: only where the other is of a collection too, or as
    new as a server makes it.  Raises CollectionError."""
    git = repository.git
    ours = ("journal", CONFIG) if repository.inside else (f"{repository.prefix}{PRIVATE}",)
    names = set(git.names("ls-tree", "-z", "--name-only", theirs))
    if git.names("ls-tree", "-z", "--name-only", theirs, "--", *ours) or names <= _NEW:
        return
    message = "The repository there has a history of its own, and no collection in it."
    hint = "Is it the right address? `git remote -v` shows it; clone it into another folder."
    raise refusal(repository.top, message, hint)


def push(repository: Repository, remote: Remote, commit: str) -> bool:
    """Sends the branch; False where the remote moved meanwhile, and nothing was sent.

    Raises:
        CollectionError: it cannot be reached, or refuses.
    """
    target = f"{commit}:refs/heads/{remote.branch}"
    try:
        words = ("push", "--porcelain", "--no-follow-tags", remote.name, target)
        code, out = repository.git.run(*words, allowed=(0, 1), seconds=AWAY)
    except GitError as error:
        raise trouble(error, repository.top, remote.name) from error
    rows = [row.split("\t") for row in out.decode("utf-8", "replace").splitlines()]
    refused = [row[2] for row in rows if row[0] == "!" and len(row) > 2]
    if code == 0 and not refused:
        _remember(repository, remote, commit)
        return True
    if not refused and not is_hooks(repository.git.said):
        raise trouble(GitError(words, code, repository.git.said), repository.top, remote.name)
    why = refused[0] if refused else ""
    if why.startswith("[rejected]") or "cannot lock ref" in why or "failed to update" in why:
        return False
    reason, said = why.removeprefix("[remote rejected] "), in_hooks_words(repository.git.said)
    reason = ": ".join(part for part in (reason, said) if part) or "it did not say why"
    hint = "What you did is committed here. The repository there must be a bare one that you may "
    message = f"{remote.name} refused what was sent: {reason.rstrip('.')}."
    if not refused:
        message = f"What was to be sent was refused before it left: {reason.rstrip('.')}."
        hint = "What you did is committed here. If a hook of yours (`pre-push`) says so, obey it: "
        raise refusal(repository.top, message, hint + "`git push` says more.")
    raise refusal(repository.top, message, hint + "write to: `git push` says more.")


def _remember(repository: Repository, remote: Remote, commit: str) -> None:
    git, branch = repository.git, repository.branch
    git.text("update-ref", remote.synced, commit)
    if git.setting(f"branch.{branch}.remote") is None:  # `git pull` by hand works then, too
        git.set(f"branch.{branch}.remote", remote.name)
        git.set(f"branch.{branch}.merge", f"refs/heads/{remote.branch}")


def is_ancestor(repository: Repository, commit: str, of: str) -> bool:
    return repository.git.asks("merge-base", "--is-ancestor", commit, of)


def ask(repository: Repository, remote: Remote, *words: str) -> bytes:
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
