"""What a file or a folder of someone's looks like, told from how a few files begin."""

from __future__ import annotations

import re
from itertools import islice
from pathlib import Path

#: Bytes of a file's beginning that tell its format.
HEAD = 65_536


def holds_marked(folder: Path, suffix: str, mark: re.Pattern[bytes], most: int) -> bool:
    """Whether one of the first `most` files with the suffix, in the folder or in one right below
    it, has the mark in its beginning."""
    found = (each for pattern in (f"*{suffix}", f"*/*{suffix}") for each in folder.glob(pattern))
    return any(_is_marked(each, mark) for each in islice(found, most))


def _is_marked(path: Path, mark: re.Pattern[bytes]) -> bool:
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            return mark.search(file.read(HEAD)) is not None
    except OSError:
        return False
