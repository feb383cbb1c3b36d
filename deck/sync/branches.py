"""Which branch here goes with which branch there, before the first sync: else each computer would
begin one of its own, and the collection would be two."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from deck.errors import CollectionError, refusal
from deck.sync.git import AWAY, GitError
from deck.sync.remote import Remote, ask, was_synced
from deck.sync.repository import Repository


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
    if was_synced(repository, remote) or repository.commit(remote.ref):
        return repository, remote
    heads, first = _there(repository, remote)
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
    git.set(f"branch.{repository.branch}.remote", remote.name)
    git.set(f"branch.{repository.branch}.merge", f"refs/heads/{name}")
    return repository, replace(remote, branch=name)


def _there(repository: Repository, remote: Remote) -> tuple[list[str], str | None]:
    """The remote's branches, and the one that its HEAD names."""
    words = ("ls-remote", "--symref", remote.name, "HEAD", "refs/heads/*")
    rows = ask(repository, remote, *words).decode("utf-8", "replace").splitlines()
    heads = [row.split("\trefs/heads/")[1] for row in rows if "\trefs/heads/" in row]
    named = [row[len("ref: refs/heads/") : -len("\tHEAD")] for row in rows if _is_symref(row)]
    return heads, named[0] if named else None


def _is_symref(row: str) -> bool:
    return row.startswith("ref: refs/heads/") and row.endswith("\tHEAD")


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
