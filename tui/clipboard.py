"""The system's clipboard, by the programs that are there for it.

OSC 52, which the toolkit writes, reaches the clipboard of the terminal that one sits at, also from
another machine; but some terminals refuse it, and none of ours gives a clipboard back.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass

#: Seconds until a program that does not answer is left alone.
_PATIENCE = 1.0
_WAYLAND = (("wl-copy",), ("wl-paste", "--no-newline"))
_X11 = (
    (("xclip", "-selection", "clipboard", "-in"), ("xclip", "-selection", "clipboard", "-out")),
    (("xsel", "--clipboard", "--input"), ("xsel", "--clipboard", "--output")),
)
_MAC = (("pbcopy",), ("pbpaste",))


@dataclass(frozen=True, slots=True)
class Clipboard:
    """Two commands: one takes a text on its standard input, the other prints it."""

    put: tuple[str, ...]
    get: tuple[str, ...]

    def copy(self, text: str) -> bool:
        """Whether the system took `text`; waits for it, for a thread."""
        return self._run(self.put, text) is not None

    def paste(self) -> str:
        """The text that the system holds; empty where it holds none."""
        return self._run(self.get) or ""

    @staticmethod
    def _run(command: tuple[str, ...], text: str | None = None) -> str | None:
        wants = text is None
        try:
            done = subprocess.run(
                command,
                input=b"" if text is None else text.encode("utf-8", "replace"),
                # Who keeps a clipboard stays behind, and would hold a pipe open.
                stdout=subprocess.PIPE if wants else subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=_PATIENCE,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
        if done.returncode:
            return None
        return done.stdout.decode("utf-8", "replace") if wants else ""


def system_clipboard(environment: Mapping[str, str]) -> Clipboard | None:
    """Of the desk that one sits at; None where there is none, as from another machine."""
    if not environment or "SSH_CONNECTION" in environment or "SSH_TTY" in environment:
        return None
    for put, get in _pairs(environment):
        if _found(put, environment) and _found(get, environment):
            return Clipboard(put, get)
    return None


def _pairs(environment: Mapping[str, str]) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    if sys.platform == "darwin":
        return [_MAC]
    wayland = [_WAYLAND] if environment.get("WAYLAND_DISPLAY") else []
    return [*wayland, *(_X11 if environment.get("DISPLAY") else ())]


def _found(command: tuple[str, ...], environment: Mapping[str, str]) -> bool:
    return shutil.which(command[0], path=environment.get("PATH")) is not None
