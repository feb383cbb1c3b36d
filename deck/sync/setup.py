"""What a repository must know of a collection: ignored files, attributes, the merge driver.

The attributes that travel with the collection name git's own `union`, which is right everywhere;
where deltadeck is at hand, the repository's own attributes name its driver, which is right and
tidier.  The driver falls back on `union` by itself where deltadeck is gone.
"""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

from deck.errors import reason, refusal
from deck.files import PRIVATE
from deck.sync.belongs import CONFLICTS, IGNORED
from deck.sync.git import Git, GitError
from deck.sync.repository import Repository, find
from deck.sync.trouble import trouble

DRIVER = "deltadeck-journal"
_ATTRIBUTES = ("journal/** -text merge=union", "conflicts/** -text")


def make_repository(folder: Path) -> None:
    """`git init`, on the branch main where the learner has no other wish.

    Raises CollectionError.
    """
    git = Git(folder)
    try:
        git.text("init", "--quiet")
        if not git.setting("init.defaultBranch") and git.maybe("rev-parse", "HEAD") is None:
            git.text("symbolic-ref", "HEAD", "refs/heads/main")
    except GitError as error:
        raise trouble(error, folder) from error


def set_up(repository: Repository, cards_stay: bool = False) -> None:
    """Writes what is missing; a second time, nothing.  The learner's own lines stay.

    `cards_stay`: cards that were changed here are not sent, so no choice between their versions is.

    Raises:
        CollectionError: a file cannot be written.
    """
    private = repository.root / PRIVATE
    if repository.inside or repository.is_whole:
        add_lines(private / ".gitignore", IGNORED)
        add_lines(private / ".gitattributes", _ATTRIBUTES)
    own = [f"/{CONFLICTS.removeprefix(repository.inside)}/"] if cards_stay else []
    add_lines(repository.exclude, [".*.deltadeck-tmp", *(own if repository.inside else [])])
    journal = repository.tracked(f"{PRIVATE}/journal/**")
    if journal is None or not (repository.inside or repository.is_whole):
        return
    line = f"{_quoted(journal.removesuffix('**'))} -text merge={DRIVER}"
    add_lines(repository.attributes, [line])
    try:
        for key, value in (("name", "union of deltadeck's answers"), ("driver", _driver())):
            repository.git.set(f"merge.{DRIVER}.{key}", value)
    except GitError as error:
        raise trouble(error, repository.top) from error


def set_up_here(root: Path) -> bool:
    """For `deltadeck init`: `set_up` where the folder is in a repository; whether it is."""
    try:
        repository = find(root, root)
    except ValueError:  # no git, or a state that a sync will name
        return False
    if repository is None:
        return False
    set_up(repository)
    return True


def _driver() -> str:
    """`-P`: a folder named `deck` in the repository must not be taken for the program."""
    python = shlex.quote(sys.executable or "python3")
    ours = f"{python} -P -m deck.sync.driver %O %A %B 2>/dev/null"
    return f"{ours} || git merge-file --union --quiet %A %O %B"


def _quoted(folder: str) -> str:
    """A pattern for all below a folder: what means something in a pattern stands for itself."""
    pattern = "".join(f"\\{sign}" if sign in "*?[\\" else sign for sign in folder) + "**"
    if any(sign in pattern for sign in ' \t"'):
        return '"' + pattern.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return pattern


def add_lines(path: Path, wanted: tuple[str, ...] | list[str]) -> None:
    """Adds the lines that a file does not have yet.  Raises CollectionError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        data = path.read_bytes() if path.exists() else b""
        known = {row.strip() for row in data.decode("utf-8", "replace").splitlines()}
        missing = [line for line in wanted if line not in known]
        if missing:
            gap = b"\n" if data and not data.endswith(b"\n") else b""
            with path.open("ab") as file:
                file.write(gap + "".join(f"{line}\n" for line in missing).encode())
    except OSError as error:
        hint = "Make the file writable, and sync again."
        raise refusal(path, f"The file cannot be written: {reason(error)}.", hint) from error
