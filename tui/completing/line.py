"""A line of bash as it is typed: its words, and how the one at its end is quoted."""

from __future__ import annotations

import re
from dataclasses import dataclass

_UNSAFE = re.compile(r"[^\w@%+=:,./›-]")


@dataclass(frozen=True, slots=True)
class Line:
    words: tuple[str, ...]
    """Those that are finished, without their quotes."""
    current: str
    """The one at the end, without its quotes."""
    quote: str
    """The quote that is still open in it, or empty."""
    replaced: int
    """So many signs of `current` stand before what the shell will replace."""


def split(line: str, breaks: str) -> Line:
    """`line` up to the cursor; at the signs `breaks` (COMP_WORDBREAKS) readline begins anew."""
    words, current, quote = list[str](), "", ""
    begun, escaped, replaced = False, False, 0
    for sign in line:
        if escaped:
            current, escaped = current + sign, False
        elif sign == "\\" and quote != "'":
            escaped = begun = True
        elif quote:
            current, quote = (current, "") if sign == quote else (current + sign, quote)
        elif sign in "'\"":
            quote, begun, replaced = sign, True, len(current)
        elif sign in " \t\n":
            if begun:
                words.append(current)
            current, begun, replaced = "", False, 0
        else:
            current, begun = current + sign, True
            replaced = len(current) if sign in breaks else replaced
    return Line(tuple(words), current, quote, replaced)


def written(line: Line, candidate: str) -> str:
    """What bash puts in the place of the word: without what stays, escaped where nothing quotes."""
    rest = candidate[line.replaced :]
    return rest if line.quote else _UNSAFE.sub(lambda found: f"\\{found[0]}", rest)
