"""How many cells a text takes in a terminal, and which characters may stand in one.

Agrees with `rich.cells.cell_len` on every text that `visible` has been over.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

#: Hangul vowels and finals join the syllable before them; skin tones the face before them.
_JOINING = ((0x1160, 0x11FF), (0xD7B0, 0xD7FF), (0x1F3FB, 0x1F3FF))
#: Signs that became wide after the Unicode that Python 3.11 knows.
_WIDENED = (
    (0x2630, 0x2637), (0x268A, 0x268F), (0x4DC0, 0x4DFF), (0x1D300, 0x1D356), (0x1D360, 0x1D376),
)  # fmt: skip
#: Not seen, or without an agreed width: controls, formats, surrogates, private use, unassigned,
#: separators of lines and paragraphs, fillers.
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_FILLERS = frozenset("\u115f\u3164\uffa0")
#: Formats that only tell neighbours apart or choose a picture: dropped, not replaced.
_SILENT = frozenset("\u00ad\u200b\u200c\u200d\u2060\ufeff\u034f")


@lru_cache(maxsize=4096)
def char_width(char: str) -> int:
    """0, 1 or 2 cells.  Combining marks take none, East Asian wide characters two."""
    category = unicodedata.category(char)
    if category[0] == "M":
        return 0
    code = ord(char)
    if any(first <= code <= last for first, last in _JOINING):
        return 0
    if unicodedata.east_asian_width(char) in "WF":
        return 2
    return 2 if any(first <= code <= last for first, last in _WIDENED) else 1


def cell_width(text: str) -> int:
    """The cells of a text that is `visible`."""
    return len(text) if text.isascii() else sum(map(char_width, text))


def visible(text: str) -> str:
    """`text` on one line, each character that a terminal would obey or hide replaced by "�"."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_visible_char, text))


@lru_cache(maxsize=4096)
def _visible_char(char: str) -> str:
    if char in "\t\n\r\x0b\x0c\x85\u2028\u2029":
        return " "
    if char in _SILENT or "\ufe00" <= char <= "\ufe0f":
        return ""
    if unicodedata.category(char) in _HIDDEN or char in _FILLERS:
        return "�"
    return " " if unicodedata.category(char) == "Zs" else char
