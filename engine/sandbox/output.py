"""What the function prints, in the child: its beginning goes out, a flood ends the call."""

from __future__ import annotations

import io
from typing import Final

#: Characters that are sent on: the app keeps no more bytes.
_SENT: Final = 8192
#: Characters that one call may print.
_MOST: Final = 65_536


class FloodError(BaseException):
    """One call printed more than anyone reads; no `except Exception` of the function hides it."""


class Output(io.TextIOWrapper):
    """Standard output and error of the function."""

    def __init__(self) -> None:
        raw = io.FileIO(1, "w", closefd=False)
        super().__init__(raw, "utf-8", errors="replace", write_through=True)
        self._sent = self._called = 0

    def begin(self) -> None:
        """Another call begins."""
        self._called = 0

    def write(self, text: str) -> int:
        self._called += len(text)
        if self._called > _MOST:
            raise FloodError
        if self._sent <= _SENT:
            # One more than is kept tells the app that something is left out.
            self._sent += len(text)
            super().write(text)
        return len(text)
