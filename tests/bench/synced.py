"""Three computers, offline most of the time: `python -m tests.bench.synced [rounds] [seed]`.

Every 25 rounds all three must be the same, file by file, with every answer that was acknowledged.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

from tests.deck.sync.given import git, git_environment
from tests.deck.sync.walking import Walk


def main() -> int:
    rounds, seed = (int(word) for word in (*sys.argv[1:], *("1000", "8")[len(sys.argv) - 1 :]))
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(git_environment(Path(folder, "home")))
        os.environ["XDG_CACHE_HOME"] = os.environ["XDG_DATA_HOME"] = f"{folder}/own"
        start, busy = time.monotonic(), time.process_time()
        walk = Walk(Path(folder, "fleet"), seed)
        toll = walk.rounds(rounds, every=25)
        took, busy = time.monotonic() - start, time.process_time() - busy
        commits = git(walk.fleet.remote, "rev-list", "--count", "main").strip()
    print(f"{toll.rounds} rounds, {toll.syncs} syncs in {took:.0f} s ({busy:.0f} s of it not git)")
    print(f"{toll.acknowledged} answers and other events acknowledged, all on all three computers")
    print(f"{toll.edits} cards written, changed, moved, deleted; {toll.conflicts} conflicts")
    print(f"{toll.beside} met another of their name, {toll.kept} were deleted and changed")
    print(f"{commits} commits; the schedules are the same")
    return 0


if __name__ == "__main__":
    sys.exit(main())
