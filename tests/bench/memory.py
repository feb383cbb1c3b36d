"""How much the program grows while 2,000 cards are studied in one run.

`python -m tests.bench.memory [cards]`.  Ahead of time, since no study day brings as many.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.bench.command import DELTADECK
from tests.bench.figures import Figure, tool
from tests.bench.keys import Keys
from tests.bench.large import make
from tests.bench.opening import environment

_CARDS = 2000
#: Cards that fill what is kept of the last ones, before the counting begins.
_BEFORE = 100
#: Paints all of the screen anew, before and after: what that takes is no growth.
_F12 = "\x1b[24~"
#: Seconds without output after which a key is done.
_QUIET = 0.015


def figures(cards: int = _CARDS) -> Iterator[Figure]:
    tool("first_paint.py")
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home) / "deck"
        make(folder, cards + 400)
        command = [
            *DELTADECK,
            "study",
            "--ahead",
            "365",
            "--limit",
            str(_BEFORE + cards + 50),
        ]
        with Keys([*command, str(folder)], environment(home)) as keys:
            keys.sees("Reveal")
            keys.rest(3.0)
            _study(keys, _BEFORE)
            keys.key(_F12, f"{_BEFORE + 1} of")
            start = keys.resident()
            _study(keys, cards)
            keys.key(_F12, f"{_BEFORE + cards + 1} of")
            grown = keys.resident() - start
    yield Figure(f"memory grown over {cards:,} cards", grown, 10, "MB")


def _study(keys: Keys, cards: int) -> None:
    """Reveals and rates; nobody looks at the screen meanwhile."""
    for number in range(2 * cards):
        keys.send("3" if number % 2 else " ")
        keys.terminal.read(2)
        while keys.terminal.read(_QUIET) is not None:
            pass
        keys.terminal.pending.clear()
    keys.quiet(0.5)


if __name__ == "__main__":
    for figure in figures(int(sys.argv[1]) if len(sys.argv) > 1 else _CARDS):
        print(figure, flush=True)
