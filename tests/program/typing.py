"""A shell on a pty: what is typed, and what it shows."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import pyte


class Typing:
    """Leaving the context ends the shell."""

    def __init__(self, command: Sequence[str], folder: Path, env: Mapping[str, str]) -> None:
        self.screen = pyte.Screen(100, 30)
        self._stream = pyte.ByteStream(self.screen)
        self._pty, child = pty.openpty()
        fcntl.ioctl(self._pty, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
        self._process = subprocess.Popen(
            command,
            stdin=child,
            stdout=child,
            stderr=child,
            start_new_session=True,
            cwd=folder,
            env=dict(env),
        )
        os.close(child)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._pty)

    def press(self, keys: str) -> None:
        os.write(self._pty, keys.encode())

    def enter(self, line: str) -> None:
        self.press(f"{line}\r")

    def see(self, text: str, patience: float = 30) -> None:
        """Reads until the screen shows `text`."""
        until = time.monotonic() + patience
        while text not in "\n".join(self.screen.display):
            ready, _, _ = select.select([self._pty], [], [], max(until - time.monotonic(), 0))
            assert ready, "\n".join(row.rstrip() for row in self.screen.display).strip()
            self._stream.feed(os.read(self._pty, 65536))
