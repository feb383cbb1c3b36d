"""The folder `.deltadeck/` beside the cards."""

from __future__ import annotations

from pathlib import Path

from deck.config import TEMPLATE
from deck.errors import reason, refusal

PRIVATE = ".deltadeck"
CONFIG = "config.toml"


def make_private(folder: Path) -> None:
    """Makes `folder` (a `.deltadeck/`), and tells git to leave the lock out.  Raises OSError."""
    if not folder.is_dir():
        folder.mkdir(exist_ok=True)
        (folder / ".gitignore").write_text("lock\n", encoding="ascii")


def make_collection(root: Path) -> None:
    """Makes `root` where it is missing, and its settings where it has none.

    Raises:
        CollectionError: it cannot be made.
    """
    try:
        root.mkdir(parents=True, exist_ok=True)
        make_private(root / PRIVATE)
        with (root / PRIVATE / CONFIG).open("x", encoding="utf-8") as file:
            file.write(TEMPLATE)
    except FileExistsError as error:
        if not (root / PRIVATE / CONFIG).exists():
            hint = "Move the file away, or name another folder."
            raise refusal(root, "A file stands where a folder is needed.", hint) from error
    except (OSError, ValueError) as error:
        why = reason(error) if isinstance(error, OSError) else str(error)
        message = f"The collection cannot be made: {why}."
        raise refusal(root, message, "Choose a folder that you can write to.") from error
