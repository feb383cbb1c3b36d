"""The index is damaged at 200 random moments of a program: `python -m tests.bench.damaged`."""

from __future__ import annotations

import os
import sys
import tempfile
from collections import Counter
from pathlib import Path

from tests.deck.damaging import damage_at_random

#: Moments that share a collection.
_TOGETHER = 20


def main(moments: int = 200) -> None:
    total = Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = os.environ["XDG_DATA_HOME"] = f"{folder}/own"
        for seed in range(moments // _TOGETHER):
            total += damage_at_random(Path(folder, f"cards{seed}"), seed, _TOGETHER)
    for what, count in total.most_common():
        print(f"{count:6} {what}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
