"""Writes cells to the terminal, where it is told, as few bytes as that takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple


class Look(NamedTuple):
    """How a cell is written: the codes of its style, the link that it is part of."""

    codes: str
    link: str


PLAIN: Final = Look("", "")


class Pen:
    """Writes runs of cells, changing the look only where it changes."""

    def __init__(self) -> None:
        self._out: list[str] = []
        self._look = PLAIN

    def write(self, row: int, column: int, cells: Sequence[tuple[str, Look]]) -> None:
        """Behind a character of several code points, whose width terminals disagree about, the
        cursor is put where it ought to be: what follows must not be shifted."""
        self._out.append(f"\x1b[{row + 1};{column + 1}H")
        unsure = False
        for at, (text, look) in enumerate(cells, column + 1):
            if look is not self._look and look != self._look:
                self._change(look)
            if unsure and text:
                self._out.append(f"\x1b[{at}G")
                unsure = False
            self._out.append(text)
            unsure = unsure or len(text) > 1

    def _change(self, look: Look) -> None:
        if look.link != self._look.link:
            self._out.append(f"\x1b]8;;{look.link}\x1b\\")
        if look.codes != self._look.codes:
            self._out.append(f"\x1b[0;{look.codes}m" if look.codes else "\x1b[0m")
        self._look = look

    def done(self) -> str:
        if self._out:
            self._change(PLAIN)
        return "".join(self._out)
