"""A program whose terminal is a pty of ours."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import termios
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

import pyte


class Attached:
    """Leaving the context kills what still runs."""

    def __init__(
        self, command: Sequence[str], folder: Path, env: Mapping[str, str], rows: int, columns: int
    ) -> None:
        self.screen = pyte.Screen(columns, rows)
        self.pty, child = pty.openpty()
        self._size(rows, columns)
        self.process = subprocess.Popen(
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

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.pty)

    def _size(self, rows: int, columns: int) -> None:
        fcntl.ioctl(self.pty, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def resize(self, rows: int, columns: int) -> None:
        self.screen.resize(rows, columns)
        self._size(rows, columns)

    def press(self, keys: str) -> None:
        os.write(self.pty, keys.encode())
