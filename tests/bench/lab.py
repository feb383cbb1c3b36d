"""The lab in a real terminal: from a key to its character, and from a key to the verdict."""

from __future__ import annotations

import shutil
import statistics
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.bench.command import DELTADECK
from tests.bench.figures import Figure
from tests.bench.keys import Keys
from tests.paths import ROOT, SEED

RIGHT = "dx[i,j] = sum(delta[k,l] * [(i,j) == argmax(k,l)] for k,l if (i,j) in Omega(k,l))"
OVERLAP = "dx[i,j] = delta[k,l] if x[i,j] == max(window(k,l)) else 0"
_ROUNDS = 40


def figures() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home) / "deck"
        folder.mkdir()
        shutil.copy(SEED, folder)
        with Lab(folder, home) as lab:
            echoes = lab.echoes(RIGHT)
            lab.sees("✓ correct")
            verdicts = lab.verdicts(")", "✓ correct")
            lab.write(OVERLAP, len(RIGHT))
            slower = lab.verdicts("0", "share an input")
    yield Figure("lab: a key's character, median", statistics.median(echoes), 12, "ms")
    yield Figure("lab: a key's character, p99", _p99(echoes), 50, "ms")
    yield Figure("lab: verdict after a key, median", statistics.median(verdicts), 50, "ms")
    yield Figure("lab: verdict after a key, p99", _p99(verdicts), 150, "ms")
    yield Figure("lab: verdict that needs a search, median", statistics.median(slower), 150, "ms")


class Lab(Keys):
    """The app on the seed card, in its lab."""

    def __init__(self, folder: Path, home: str) -> None:
        super().__init__([*DELTADECK, str(folder)], {"HOME": home, "PYTHONPATH": str(ROOT)})
        for key, text in (("", "1 "), ("\r", "Consider"), ("c", "verdict appears")):
            self.send(key)
            self.sees(text)
            self.rest(1.0)

    def change(self, key: str, met: Callable[[str, str], bool]) -> float:
        """Milliseconds from a key until the screen is as `met` asks, given what it was before."""
        before = self.terminal.text()
        return self.timed(key, lambda now: met(now, before))

    def echoes(self, answer: str) -> list[float]:
        """Milliseconds from each key to its character; a blank changes nothing to be seen."""
        found = []
        for key in answer:
            if key == " ":
                self.send(" ")
                self.quiet()
            else:
                found.append(self.change(key, lambda now, before: now != before))
        return found

    def write(self, answer: str, instead_of: int) -> None:
        self.send("\x7f" * instead_of)
        self.rest(0.5)
        self.send(answer)
        self.rest(1.0)

    def verdicts(self, key: str, said: str) -> list[float]:
        """Milliseconds from the last key of an answer to its verdict, again and again."""
        found = []
        for _ in range(_ROUNDS):
            self.timed("\x7f", lambda now: said not in now)
            found.append(self.key(key, said))
        return found


def _p99(times: list[float]) -> float:
    return sorted(times)[min(len(times) - 1, int(0.99 * len(times)))]


if __name__ == "__main__":
    for figure in figures():
        print(figure)
