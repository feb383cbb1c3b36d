"""Files that an import, stopped in the middle of one, left in a collection."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from time import time

from deck.errors import JournalError
from deck.repair import drafts, put_away

#: A younger one may belong to an import that goes on beside this one.
_SECONDS = 3600


def put_away_left(root: Path, media: Path) -> None:
    """Half a medium goes; half a card is put where the doctor puts it: it may be the learner's."""
    for path in drafts(root):
        with suppress(OSError, JournalError):  # the doctor will say it
            found = path.stat()
            if time() - found.st_mtime < _SECONDS:
                continue
            if path.parent == media or found.st_nlink > 1:  # the card itself is the other link
                path.unlink()
            else:
                put_away(root, path)
