"""Ends conflicts: the file stays as it is, or becomes the other version."""

from __future__ import annotations

from pathlib import Path

from deck.aside import free
from deck.errors import reason, refusal
from deck.place import PRIVATE
from deck.sync.conflicts import Conflict, conflicts, settle
from deck.sync.putting import write_new


def named(root: Path, name: str, path: Path | None = None) -> list[Conflict]:
    """The conflicts that `name` means: a path, a file's name, or of the card at `path`.

    Raises:
        CollectionError: there is none.
    """
    wanted = {Path(name).absolute(), (root / name).absolute()}
    found = [
        conflict
        for conflict in conflicts(root)
        if {conflict.path.absolute(), conflict.other.absolute()} & wanted
        or name in (conflict.path.name, conflict.other.name)
        or conflict.path == path
    ]
    if not found:
        hint = "`deltadeck sync --dry-run` lists those that are open."
        raise refusal(root, f"There is no other version of {name!a} to choose.", hint)
    return found


def keep(root: Path, conflict: Conflict) -> None:
    """The file stays as it is.  Raises JournalError."""
    settle(root, conflict)


def take(root: Path, conflict: Conflict) -> None:
    """The file becomes the other version; what it was is put aside into `.deltadeck/drafts`.

    Raises:
        CollectionError: a file cannot be read or written; both are as they were.
        CardError: the other version is no card.
        JournalError: the other version cannot be put aside.
    """
    other, path = conflict.text(), conflict.path
    try:
        now = path.read_bytes() if path.exists() else None
    except OSError as error:
        hint = "Make it readable."
        raise refusal(path, f"The file cannot be read: {reason(error)}.", hint) from error
    if now is not None:
        write_new(free(root / PRIVATE / "drafts" / path.name), now)
    if path.suffix.lower() == ".md":
        from cards.edit import save_card

        path.parent.mkdir(parents=True, exist_ok=True)
        seen = None if now is None else now.decode("utf-8", "replace")
        save_card(path, other.decode("utf-8", "replace"), seen)
    else:
        write_new(path, other)
    settle(root, conflict)
