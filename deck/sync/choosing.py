"""Ends conflicts: the file stays as it is, or becomes the other version."""

from __future__ import annotations

from pathlib import Path

from deck.errors import reason, refusal
from deck.files import PRIVATE, free
from deck.sync.conflicts import Conflict, conflicts, place, settle, write_new


def named(root: Path, name: str, path: Path | None = None) -> list[Conflict]:
    """The conflicts that `name` means: a path, else of the card at `path`, else a file's name.

    Raises:
        CollectionError: there is none, or there are several files of this name.
    """
    wanted = {Path(name).absolute(), (root / name).absolute()}
    every = conflicts(root)
    found = [c for c in every if {c.path.absolute(), c.other.absolute()} & wanted]
    found = found or [c for c in every if path is not None and place(root, c) == path]
    found = found or [c for c in every if name in (c.path.name, c.other.name)]
    if not found:
        hint = "`deltadeck sync --dry-run` lists those that are open."
        raise refusal(root, f"There is no other version of {name!a} to choose.", hint)
    paths = sorted({str(conflict.path.relative_to(root)) for conflict in found})
    if len(paths) > 1:
        message = f"{len(paths)} files of the name {name!a} have another version."
        raise refusal(root, message, f"Name one with its folder: {', '.join(paths)}.")
    return found


def keep(root: Path, conflict: Conflict) -> None:
    """The file stays as it is.  Raises JournalError."""
    settle(root, conflict)


def take(root: Path, conflict: Conflict) -> Path:
    """The file becomes the other version; what it was is put aside into `.deltadeck/drafts`.

    The path of the file: the card may have moved since then.

    Raises:
        CollectionError: a file cannot be read or written; both are as they were.
        CardError: the other version is no card.
        JournalError: the other version cannot be put aside.
    """
    other, path = conflict.text(), place(root, conflict)
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
        save_card(path, other.decode("utf-8", "replace"), seen, root)
    else:
        write_new(path, other)
    settle(root, conflict)
    return path
