"""Kills 300 sessions at random moments: `python -m tests.bench.killed [kills] [seed]`."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

from tests.deck.killing import kill_sessions


def main() -> int:
    kills, seed = (int(word) for word in (*sys.argv[1:], *("300", "2026")[len(sys.argv) - 1 :]))
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = os.environ["XDG_DATA_HOME"] = f"{folder}/own"
        start = time.monotonic()
        toll = kill_sessions(Path(folder), seed, kills)
    print(f"{toll.kills} sessions killed in {time.monotonic() - start:.1f} s")
    print(f"{toll.acknowledged} events and edits acknowledged, all there")
    print(f"{toll.in_flight} more were on the disk, whole; {toll.torn} lines were torn")
    print(f"{toll.drafts} edits were left beside their cards, which were as before")
    return 0


if __name__ == "__main__":
    sys.exit(main())
