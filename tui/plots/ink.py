"""The signs that plots are drawn with: blocks and braille, or ASCII where those cannot be shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Ink:
    rises: str
    """A cell from empty to full, filled from below."""
    runs: str
    """A cell from empty to full, filled from the left."""
    second: str
    """What a bar's second part is filled with: told from the first without colour."""
    heat: str
    """From nothing to most; told apart without colour."""
    line: str
    tick: str
    corner: str
    grid: str
    dash: str
    """A level that is asked for."""
    marks: str
    """Two signs that stand above what matters."""
    points: str
    """From few to many."""
    hollow: str
    """A point of a second line."""
    band: str
    braille: bool

    @property
    def levels(self) -> int:
        """Steps of one cell of a bar."""
        return len(self.rises) - 1


UNICODE = Ink(
    rises=" ▁▂▃▄▅▆▇█",
    runs=" ▏▎▍▌▋▊▉█",
    second="▒",
    heat="·░▒▓█",
    line="─",
    tick="┬",
    corner="└",
    grid="┈",
    dash="╌",
    marks="▾▿",
    points="·•●",
    hollow="○",
    band="░",
    braille=True,
)
ASCII = Ink(
    rises=" _=#",
    runs=" #",
    second="%",
    heat=".-+*#",
    line="-",
    tick="+",
    corner="+",
    grid=".",
    dash="-",
    marks="v*",
    points=".x@",
    hollow="o",
    band=":",
    braille=False,
)
_COERCED = "C.UTF-8"


def ink_of(environment: Mapping[str, str], encoding: str = "utf-8") -> Ink:
    """Blocks where both the locale and the `encoding` of the way out are UTF-8."""
    if not _is_utf8(encoding):
        return ASCII
    names = (environment.get(name, "") for name in ("LC_ALL", "LC_CTYPE", "LANG"))
    locale = next(filter(None, names), "")
    if locale == _COERCED and environment.get("LANG") in ("C", "POSIX"):
        return ASCII  # Python itself put it there (PEP 538); the terminal was told otherwise
    # Where nothing is set, as in many containers, the encoding has the say.
    return UNICODE if not locale or _is_utf8(locale) else ASCII


def _is_utf8(name: str) -> bool:
    return "utf8" in name.lower().replace("-", "").replace("_", "")
