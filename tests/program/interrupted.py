"""`python -m tests.program.interrupted SIGNAL,SIGNAL... start:CALLS end:CALLS...`

An app that paints a number at each letter x, and meanwhile sends itself the signals: so many calls
after the frame begins, or after its last write began; at each x the next of these moments.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from types import FrameType
from typing import ClassVar

from textual import events
from textual._ansi_sequences import SYNC_END, SYNC_START
from textual.app import ComposeResult
from textual.widgets import Static

from tui.terminal import TerminalApp, TerminalDriver
from tui.theme import DARK


class Interrupted(TerminalDriver):
    signals: ClassVar[list[int]]
    moments: ClassVar[list[str]]
    armed: ClassVar = False

    def write(self, data: str) -> None:
        if self.armed:
            anchor, _, calls = self.moments[0].partition(":")
            if data == {"start": SYNC_START, "end": SYNC_END}[anchor]:
                Interrupted.armed = False
                del self.moments[0]
                sys.setprofile(_after(int(calls), self.signals))
        super().write(data)


def _after(calls: int, signals: list[int]) -> Callable[[FrameType, str, object], None]:
    left = calls

    def look(_: FrameType, what: str, __: object) -> None:
        nonlocal left
        if what != "call":
            return
        if left == 0:
            sys.setprofile(None)
            for number in signals:
                os.kill(os.getpid(), number)
        left -= 1

    return look


class Painting(TerminalApp):
    painted = 0

    def compose(self) -> ComposeResult:
        yield Static("Painted 0 times.")

    def on_key(self, event: events.Key) -> None:
        if event.key == "x":
            self.painted += 1
            Interrupted.armed = True
            self.query_one(Static).update(f"Painted {self.painted} times.")


if __name__ == "__main__":
    Interrupted.signals = [int(number) for number in sys.argv[1].split(",")]
    Interrupted.moments = sys.argv[2:]
    Painting(DARK, None, Interrupted).run()
