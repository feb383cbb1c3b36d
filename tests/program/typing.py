"""A shell on a pty: what is typed, and what it shows."""

from __future__ import annotations

import os
import select
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import pyte

from tests.program.attached import Attached


class Typing(Attached):
    """Leaving the context ends the shell."""

    def __init__(self, command: Sequence[str], folder: Path, env: Mapping[str, str]) -> None:
        super().__init__(command, folder, env, rows=30, columns=100)
        self._stream = pyte.ByteStream(self.screen)

    def enter(self, line: str) -> None:
        self.press(f"{line}\r")

    def see(self, text: str, patience: float = 30) -> None:
        """Reads until the screen shows `text`."""
        until = time.monotonic() + patience
        while text not in "\n".join(self.screen.display):
            ready, _, _ = select.select([self.pty], [], [], max(until - time.monotonic(), 0))
            assert ready, "\n".join(row.rstrip() for row in self.screen.display).strip()
            self._stream.feed(os.read(self.pty, 65536))
