"""A git repository that holds a collection, or a part of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from shutil import which

from deck.errors import refusal
from deck.files import PRIVATE
from deck.sync.git import Git, GitError
from deck.sync.trouble import trouble

_PLACES = (
    *("--show-toplevel", "--show-prefix", "--absolute-git-dir"),
    *("--git-path", "index", "--git-path", "info/exclude", "--git-path", "info/attributes"),
)


@dataclass(frozen=True, slots=True)
class Repository:
    git: Git
    """In `top`."""
    top: Path
    """Where its files are."""
    folder: Path
    """Its `.git`."""
    root: Path
    """The collection."""
    prefix: str
    """Where the collection is in it: "" or "notes/cards/"."""
    inside: str
    """Where it is in the collection: "", or ".deltadeck/" of the reviews' own repository."""
    branch: str
    """The branch that is checked out."""
    index: Path
    exclude: Path
    attributes: Path
    """Files of git's own: what is staged, and the rules that do not travel."""
    is_whole: bool
    """Whether cards and journal are in it."""

    @property
    def scope(self) -> list[str]:
        """For git: the collection's paths only."""
        return ["--", self.prefix.rstrip("/")] if self.prefix else []

    def relative(self, path: str) -> str | None:
        """A path of git's as one below the collection's root; None of what is outside."""
        if not path.startswith(self.prefix):
            return None
        return self.inside + path[len(self.prefix) :]

    def tracked(self, relative: str) -> str | None:
        """The other way round; None where the repository does not reach."""
        if not relative.startswith(self.inside):
            return None
        return self.prefix + relative[len(self.inside) :]

    def at(self, path: str) -> Path:
        return self.top / path

    def commit(self, name: str) -> tuple[str, str] | None:
        """A commit by its name, and its tree; None where there is none."""
        found = self.git.maybe("rev-parse", "--quiet", f"{name}^{{commit}}", f"{name}^{{tree}}")
        parts = (found or "").split("\n")
        return (parts[0], parts[1]) if len(parts) == 2 else None


def find(folder: Path, root: Path) -> Repository | None:
    """The repository that `folder` is in; None where it is in none, or is ignored there.

    Raises:
        CollectionError: git refuses, it has no files beside it, or no branch is checked out.
    """
    if not which("git") and not any((p / ".git").exists() for p in (folder, *folder.parents)):
        return None  # without git there may be folders that another program synchronises
    git = Git(folder)
    try:
        rows = git.text("rev-parse", *_PLACES).split("\n")
    except GitError as error:
        if "not a git repository" in error.said.lower() and "dubious" not in error.said:
            return None
        if "work tree" in error.said:
            message = "This is a folder of git's own, or a repository without files."
            hint = "Clone it somewhere, and sync the clone."
            raise refusal(folder, message, hint) from error
        raise trouble(error, folder) from error
    if len(rows) != 6:
        raise refusal(folder, "A line feed in a folder's name confuses git.", "Rename the folder.")
    top, prefix, own = Path(rows[0]), rows[1], Path(rows[2])
    if prefix and git.asks("check-ignore", "-q", "--", "."):
        return None
    inside = f"{PRIVATE}/" if folder != root else ""
    if inside and prefix:  # the collection's own repository, seen from the folder in it
        return None
    # git names its files as seen from the folder that it was asked in.
    index, exclude, attributes = (folder / row for row in rows[3:])
    whole = not inside and not _is_apart(git, root)
    branch = _branch(git, top, own)
    return Repository(
        Git(top), top, own, root, prefix, inside, branch, index, exclude, attributes, whole
    )


def _branch(git: Git, top: Path, own: Path) -> str:
    name = git.maybe("symbolic-ref", "--quiet", "HEAD") or ""
    if not name.startswith("refs/heads/"):
        for state in ("rebase-merge", "rebase-apply", "BISECT_LOG"):
            if (own / state).exists():  # `checks` says it better than a branch that is missing
                return ""
        message = "No branch is checked out here (git calls it a detached HEAD)."
        hint = (
            "`git switch BRANCH` goes back to one (`git switch -c NEW` keeps this one); then sync."
        )
        raise refusal(top, message, hint)
    return name.removeprefix("refs/heads/")


def _is_apart(git: Git, root: Path) -> bool:
    """Whether `.deltadeck/` is no part of the repository of the cards."""
    if (root / PRIVATE / ".git").exists():
        return True
    return git.asks("check-ignore", "-q", "--no-index", "--", f"./{PRIVATE}/journal/x.jsonl")
