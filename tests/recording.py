"""`make recording`: the first minutes with the program, as an asciicast.

The real program runs from a shell in a terminal of its own, and its output is kept with the times
at which it came (asciicast v2, https://docs.asciinema.org/manual/asciicast/v2/).  Keys are pressed
as a learner would, without haste; it takes a minute and a half.

python -m tests.recording [FILE]
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pyte

from tests.paths import ROOT
from tests.program.terminal import NOISE, Terminal, environment

CAST = ROOT / "docs" / "first-minutes.cast"
COLUMNS, ROWS = 100, 30
#: Seconds between two keys of a text, at least and at most; and for which one looks at a screen.
KEY, LOOK = (0.05, 0.17), 2.5
ESCAPE, UP, CLEAR = "\x1b", "\x1b[A", "\x05\x15"
SLOPE = "dL/dp_n = {}t_n/p_n {} (1-t_n)/(1-p_n)"
RESULT = "dL/dw_d = sum_n (p_n {} t_n) X_nd"
#: Keys, and what is to be seen once they are pressed.
SCRIPT: tuple[tuple[str, str], ...] = (
    ("deltadeck init study --starter\r", "26 starter cards"),
    ("deltadeck ./study\r", "Press enter to study"),
    ("\r", "neighbouring windows share inputs"),
    (" ", "adds over"),
    ("3", "2 of 20"),
    (ESCAPE, "1 of 20"),
    ("o", "Search"),
    ("id:pool_count or id:logistic_gradient", "2 cards"),
    ("\r", "1 of 2"),
    ("c", "Lab"),
    (SLOPE.format("", "-"), "none is the answer"),
    ("\r" + RESULT.format("+"), "✗ wrong: line 1"),
    (UP + CLEAR + SLOPE.format("-", "+"), "✗ wrong: line 2"),
    ("\x1b[B" + CLEAR + RESULT.format("-"), "✓ correct"),
    (ESCAPE, "Reveal"),
    (" ", "suggested"),
    ("4", "2 of 2"),
    ("4.5\r", "the right number"),
    ("3", "That was the last card."),
    (ESCAPE, "Decks"),
    ("q", "$"),
)
#: What asks the terminal, or has it send more than keys: whoever plays it has another one.
ASKING = re.compile(
    NOISE.pattern + r"|\x1b\[\?(?:1000|1003|1004|1006|1015|2004|2026|2031|2048)[hl]|\x1b\[[>=]?0?c",
    re.DOTALL,
)


class Recording:
    """What a terminal shows, and when."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal, self._since = terminal, time.monotonic()
        self._written, self._hand = 0, Random(1)
        self.events: list[tuple[float, str, str]] = []

    def watch(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            self._terminal._read(left)
            new = self._terminal.raw[self._written :]
            whole = new.decode("utf-8", "ignore")
            self._written += len(whole.encode())
            if whole := ASKING.sub("", whole):
                self.events.append((round(time.monotonic() - self._since, 3), "o", whole))

    def step(self, keys: str, seen: str) -> None:
        """Press the keys one by one; then look at the screen, on which `seen` must be."""
        for key in re.findall(r"\x1b\[.|.", keys, re.DOTALL):
            self._terminal.press(key)
            self.watch(self._hand.uniform(*KEY))
        for _ in range(20):
            self.watch(LOOK)
            if seen in self._terminal.text():
                return
        raise SystemExit(f"{seen!r} is not on the screen:\n{self._terminal.text()}")


def record(file: Path) -> None:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        command = Path(home) / "deltadeck"
        command.write_text(f'#!/bin/sh\nexec {sys.executable} -m tui "$@"\n')
        command.chmod(0o755)
        env = environment(Path(home))
        env |= {"PATH": f"{home}:{env['PATH']}", "PS1": "$ ", "PYTHONPATH": str(ROOT), "ENV": ""}
        folder = Path(home) / "decks"
        folder.mkdir()
        shell, size = ("/bin/sh", "-i"), {"rows": ROWS, "columns": COLUMNS}
        with Terminal(**size, env=env, folder=folder, command=shell) as terminal:
            recording = Recording(terminal)
            recording.watch(1)
            for keys, seen in SCRIPT:
                recording.step(keys, seen)
    header = {"version": 2, "width": COLUMNS, "height": ROWS, "title": "The first minutes"}
    rows = [json.dumps(row, ensure_ascii=False) for row in (header, *recording.events)]
    file.write_text("\n".join(rows) + "\n", encoding="utf-8")


def replayed(file: Path) -> Iterator[str]:
    """The screen after each output of a recording."""
    header, *events = map(json.loads, file.read_text("utf-8").splitlines())
    screen = pyte.Screen(header["width"], header["height"])
    stream = pyte.Stream(screen)
    for _, _, written in events:
        stream.feed(written)
        yield "\n".join(screen.display)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, nargs="?", default=CAST)
    record(parser.parse_args().file)
