"""What is torn, damaged or apart again and again, and must come out whole.

    python -m tests.bench.faults damaged [200]          the index damaged at random moments
    python -m tests.bench.faults synced [1000] [8]      three computers, offline most of the time

How often, and the seed.  Every 25 rounds all three computers must be the same, file by file, with
every answer that was acknowledged.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.deck.damaging import damage_at_random
from tests.deck.sync.given import git, git_environment
from tests.deck.sync.walking import Walk


def damaged(folder: Path, moments: int = 200) -> None:
    total = Counter[str]()
    together = 20  # moments that share a collection
    for seed in range(moments // together):
        total += damage_at_random(folder / f"cards{seed}", seed, together)
    for what, count in total.most_common():
        print(f"{count:6} {what}")


def synced(folder: Path, rounds: int = 1000, seed: int = 8) -> None:
    os.environ.update(git_environment(folder / "home"))
    os.environ["XDG_CACHE_HOME"] = os.environ["XDG_DATA_HOME"] = f"{folder}/own"
    start, busy = time.monotonic(), time.process_time()
    walk = Walk(folder / "fleet", seed)
    toll = walk.rounds(rounds, every=25)
    took, busy = time.monotonic() - start, time.process_time() - busy
    commits = git(walk.fleet.remote, "rev-list", "--count", "main").strip()
    print(f"{toll.rounds} rounds, {toll.syncs} syncs in {took:.0f} s ({busy:.0f} s of it not git)")
    print(f"{toll.acknowledged} answers and other events acknowledged, all on all three computers")
    print(f"{toll.edits} cards written, changed, moved, deleted; {toll.conflicts} conflicts")
    print(f"{toll.beside} met another of their name, {toll.kept} were deleted and changed")
    print(f"{commits} commits; the schedules are the same")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        os.environ["XDG_CACHE_HOME"] = os.environ["XDG_DATA_HOME"] = f"{name}/own"
        folder, (kind, *numbers) = Path(name), sys.argv[1:]
        if kind == "damaged":
            damaged(folder, *map(int, numbers))
        else:
            synced(folder, *map(int, numbers))
