"""`python -m tests.recording [FILE]`: the first minutes with the program, as an asciicast.

The real program runs in a terminal of its own, and its output is kept with the times at which it
came (the file format is asciicast v2, https://docs.asciinema.org/manual/asciicast/v2/).  Keys are
pressed as a learner would, without haste.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from pathlib import Path

from tests.paths import ROOT
from tests.program.terminal import Terminal

COLUMNS, ROWS = 100, 30
#: Seconds between two keys of a text, and for which one looks at a screen.
KEY, LOOK = 0.05, 2.5
WRONG = "dx[i,j] = sum(delta[k,l] for k,l if (i,j) in Omega(k,l))"
RIGHT = "dx[i,j] = sum(delta[k,l] * [x[i,j] == f[k,l]] for k,l if (i,j) in Omega(k,l))"
SCRIPT: tuple[tuple[str, str], ...] = (
    ("", "Decks"),
    ("\r", "Max Pooling"),
    ("c", "Lab"),
    (WRONG, "✗"),
    ("\x07", "hint"),
    ("\x01" + "\x0b" + RIGHT, "✓ correct"),
    ("\x1b", "Reveal"),
    (" ", "Good"),
    ("3", "2 of"),
    ("q", "Decks"),
    ("/max", "Browse"),
    ("\x1b\x1b", "Decks"),
)


class Recording:
    """What a terminal shows, and when."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal, self._since = terminal, time.monotonic()
        self._written = 0
        self.events: list[tuple[float, str, str]] = []

    def watch(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self._terminal._read(0.02)
            new = self._terminal.raw[self._written :]
            whole = new.decode("utf-8", "ignore")
            self._written += len(whole.encode())
            if whole:
                self.events.append((round(time.monotonic() - self._since, 3), "o", whole))

    def step(self, keys: str, seen: str) -> None:
        """Press the keys one by one; then look at the screen, on which `seen` must be."""
        for key in [keys] if keys.startswith("\x1b") else keys:
            self._terminal.press(key)
            self.watch(KEY)
        for _ in range(20):
            self.watch(LOOK / 2)
            if seen in self._terminal.text():
                self.watch(LOOK / 2)
                return
        raise SystemExit(f"{seen!r} is not on the screen:\n{self._terminal.text()}")


def record(file: Path) -> None:
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home) / "study"
        env = {**os.environ, "HOME": home, "TERM": "xterm-256color", "COLORTERM": "truecolor"}
        with Terminal("init", folder, "--starter", env=env) as made:
            made.wait()
        with Terminal(folder, rows=ROWS, columns=COLUMNS, env=env) as terminal:
            recording = Recording(terminal)
            for keys, seen in SCRIPT:
                recording.step(keys, seen)
    header = {"version": 2, "width": COLUMNS, "height": ROWS, "title": "The first minutes"}
    rows = [json.dumps(row, ensure_ascii=False) for row in (header, *recording.events)]
    file.write_text("\n".join(rows) + "\n", encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, nargs="?", default=ROOT / "docs" / "first-minutes.cast")
    record(parser.parse_args().file)
