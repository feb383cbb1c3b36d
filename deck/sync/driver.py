"""The merge driver for journals: `python -P -m deck.sync.driver %O %A %B`, called by git."""

from __future__ import annotations

import sys
from pathlib import Path

from deck.sync.union import union


def main(arguments: list[str]) -> int:
    """Writes the union over the second file; 0, or 2 where a file cannot be read or written."""
    if len(arguments) != 3:
        return 2
    base, ours, theirs = map(Path, arguments)
    try:
        ours.write_bytes(union(base.read_bytes(), ours.read_bytes(), theirs.read_bytes()))
    except OSError:
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
