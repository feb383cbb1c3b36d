"""The lab in a real terminal: from a key to its character, and from a key to the verdict."""

from __future__ import annotations

import shutil
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from tests.bench.command import DELTADECK
from tests.bench.figures import Figure
from tests.paths import ROOT, SEED, SHARED

RIGHT = "dx[i,j] = sum(delta[k,l] * [(i,j) == argmax(k,l)] for k,l if (i,j) in Omega(k,l))"
OVERLAP = "dx[i,j] = delta[k,l] if x[i,j] == max(window(k,l)) else 0"
#: Seconds between the keys of someone who types fast.
_TYPING = 0.06
_ROUNDS = 40


def figures() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home) / "deck"
        folder.mkdir()
        shutil.copy(SEED, folder)
        lab = Lab(folder, home)
        try:
            echoes = lab.echoes(RIGHT)
            lab.sees("✓ correct")
            verdicts = lab.verdicts(")", "✓ correct")
            lab.write(OVERLAP, len(RIGHT))
            slower = lab.verdicts("0", "share an input")
        finally:
            lab.terminal.close()
    yield Figure("lab: a key's character, median", statistics.median(echoes), 12, "ms")
    yield Figure("lab: a key's character, p99", _p99(echoes), 50, "ms")
    yield Figure("lab: verdict after a key, median", statistics.median(verdicts), 50, "ms")
    yield Figure("lab: verdict after a key, p99", _p99(verdicts), 150, "ms")
    yield Figure("lab: verdict that needs a search, median", statistics.median(slower), 150, "ms")


class Lab:
    """The app on the seed card, in its lab."""

    def __init__(self, folder: Path, home: str) -> None:
        command = [*DELTADECK, str(folder)]
        env = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "HOME": home}
        self.terminal = _terminal()(command, 100, 30, {**env, "PYTHONPATH": str(ROOT)})
        for key, text in (("", "1 "), ("\r", "Consider"), ("c", "verdict appears")):
            self.terminal.send(key.encode())
            self.sees(text)
            self.quiet(1.0)

    def until(self, met: Callable[[str], bool], seconds: float = 30) -> float:
        """The moment at which what `met` asks for was read."""
        limit = time.perf_counter() + seconds
        while self.terminal.read(limit - time.perf_counter()) is not None:
            for stamp in self.terminal.replay():
                if met("\n".join(self.terminal.screen.display)):
                    return float(stamp)
        raise AssertionError(self.terminal.text())

    def sees(self, text: str) -> None:
        if text not in self.terminal.text():
            self.until(lambda screen: text in screen)

    def quiet(self, seconds: float) -> None:
        while self.terminal.read(seconds) is not None:
            self.terminal.text()

    def key(self, key: str, met: Callable[[str, str], bool]) -> float:
        """Milliseconds from a key until the screen is as `met` asks, given what it was before."""
        before = self.terminal.text()
        sent = time.perf_counter()
        self.terminal.send(key.encode())
        seen = self.until(lambda now: met(now, before))
        self.quiet(_TYPING)
        return (seen - sent) * 1000

    def echoes(self, answer: str) -> list[float]:
        """Milliseconds from each key to its character; a blank changes nothing to be seen."""
        found = []
        for key in answer:
            if key == " ":
                self.terminal.send(b" ")
                self.quiet(_TYPING)
            else:
                found.append(self.key(key, lambda now, before: now != before))
        return found

    def write(self, answer: str, instead_of: int) -> None:
        self.terminal.send(b"\x7f" * instead_of)
        self.quiet(0.5)
        self.terminal.send(answer.encode())
        self.quiet(1.0)

    def verdicts(self, key: str, said: str) -> list[float]:
        """Milliseconds from the last key of an answer to its verdict, again and again."""
        found = []
        for _ in range(_ROUNDS):
            self.key("\x7f", lambda now, _: said not in now)
            found.append(self.key(key, lambda now, _: said in now))
        return found


def _p99(times: list[float]) -> float:
    return sorted(times)[min(len(times) - 1, int(0.99 * len(times)))]


def _terminal() -> Any:
    """The emulator that stands beside the design."""
    path = SHARED / "bench" / "first_paint.py"
    spec = spec_from_file_location("first_paint", path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Terminal


if __name__ == "__main__":
    for figure in figures():
        print(figure)
