"""Programs whose terminal is a pty of ours, and pyte to see what they draw there."""

from __future__ import annotations

import codecs
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Self

import pyte

from tests.paths import NOON_ZONE, ROOT

# pyte prints these in place of ignoring them: kitty's keyboard, DCS, OSC, mode requests.
NOISE = re.compile(
    r"\x1b\[[<>=][0-9;:]*[A-Za-z]|\x1b\[\?[0-9;]*(?:\$p|n|u)"
    r"|\x1b[PX^_].*?(?:\x1b\\|\x9c)|\x1b\].*?(?:\x07|\x1b\\)",
    re.DOTALL,
)
_PARTIAL = re.compile(r"\x1b(?:\[[<>=?]?[0-9;:$]*|[P\]X^_][^\x07]*)?\Z", re.DOTALL)
# Makes the pty the child's controlling terminal (so that Ctrl+C and resizing signal it).
_TAKE_TERMINAL = (
    "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
    "os.execvp(sys.argv[1], sys.argv[1:])"
)


class Terminal:
    """`deltadeck ARGUMENTS`, or another command, on a pty of its own.

    Leaving the context kills what still runs.
    """

    def __init__(
        self,
        *arguments: str | Path,
        rows: int = 24,
        columns: int = 80,
        env: Mapping[str, str],
        folder: Path = ROOT,
        command: Sequence[str] = (sys.executable, "-m", "tui"),
    ) -> None:
        self.screen = pyte.Screen(columns, rows)
        self._stream = pyte.Stream(self.screen)
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._held = ""
        self.raw = b""
        self.pty, child = pty.openpty()
        self._size(rows, columns)
        self.process = subprocess.Popen(
            [sys.executable, "-c", _TAKE_TERMINAL, *command, *map(str, arguments)],
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

    def text(self) -> str:
        return "\n".join(self.screen.display)

    def _read(self, seconds: float) -> bool:
        """Draw what the program wrote within `seconds`; False once it has ended."""
        if not select.select([self.pty], [], [], seconds)[0]:
            return True
        try:
            data = os.read(self.pty, 65536)
        except OSError:  # Linux says EIO when the last writer is gone
            return False
        self.raw += data
        text = self._held + self._decode(data)
        partial = _PARTIAL.search(text)
        cut = partial.start() if partial and len(text) - partial.start() < 4096 else len(text)
        text, self._held = text[:cut], text[cut:]
        self._stream.feed(NOISE.sub("", text))
        return bool(data)

    def until(self, met: Callable[[str], bool], what: str, seconds: float = 30) -> str:
        """The screen once `met` holds for it; where it never does, fails with the screen."""
        limit = time.monotonic() + seconds
        alive = True
        while not met(self.text()):
            if not alive or time.monotonic() > limit:
                last = self.raw[-2000:].decode("utf-8", "replace")
                raise AssertionError(f"never {what}:\n{self.text()}\nlast written: {last!r}")
            alive = self._read(0.1)
        return self.text()

    def see(self, *texts: str) -> str:
        """The screen once every one of `texts` is on it."""
        return self.until(lambda s: all(t in s for t in texts), f"saw {' and '.join(texts)}")

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def hang_up(self) -> None:
        """Close the terminal under the program, as closing its window does."""
        nowhere = os.open(os.devnull, os.O_RDWR)
        os.dup2(nowhere, self.pty)
        os.close(nowhere)

    def wait(self, seconds: float = 20) -> int:
        """Its exit code, once it has ended and all that it wrote is drawn."""
        limit = time.monotonic() + seconds
        while self._read(0.1):
            if time.monotonic() > limit:
                raise AssertionError(f"still running:\n{self.text()}")
            if self.process.poll() is not None and not select.select([self.pty], [], [], 0)[0]:
                break
        return self.process.wait(timeout=seconds)


def environment(home: Path) -> dict[str, str]:
    """The test's environment with a home of its own, a capable terminal and no stray size."""
    env = {k: v for k, v in os.environ.items() if k not in ("LINES", "COLUMNS", "NO_COLOR")}
    return env | {
        "HOME": str(home),
        "XDG_DATA_HOME": str(home / "data"),
        "XDG_CONFIG_HOME": str(home / "config"),
        "XDG_CACHE_HOME": str(home / "cache"),
        "XDG_STATE_HOME": str(home / "state"),
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
        "TZ": NOON_ZONE,
    }
