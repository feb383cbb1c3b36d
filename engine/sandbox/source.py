"""A function as it was pasted: out of its fence, at the margin, on the lines that it had."""

from __future__ import annotations

import re
from textwrap import dedent
from typing import Final

_FENCE: Final = re.compile(r"\s*(?:```+|~~~+)\s*[\w+-]*\s*")
_HEAD: Final = re.compile(r"(?:async\s+)?def\s+(\w+)\s*\(|(\w+)\s*=\s*lambda\b")


def plain(source: str) -> str:
    """The source without fences and what stands outside them, and without a common margin.

    Every line keeps its number.  Spaces that do not break, as web pages have them, are spaces.
    """
    lines = source.replace("\r\n", "\n").replace("\xa0", " ").split("\n")
    fences = [n for n, line in enumerate(lines) if _FENCE.fullmatch(line)]
    if fences and not any(_HEAD.match(line.lstrip()) for line in lines[: fences[0]]):
        inside = False
        for n, line in enumerate(lines):
            if n in fences:
                inside = not inside
            lines[n] = line if inside and n not in fences else ""
    elif len(fences) % 2 and not any(line.strip() for line in lines[fences[-1] + 1 :]):
        lines[fences[-1]] = ""  # the end of one whose beginning was not copied
    return dedent("\n".join(lines))


def heads(source: str) -> dict[str, str]:
    """The line that begins each function at the margin, by the function's name."""
    found = {}
    for line in source.split("\n"):
        if head := _HEAD.match(line):
            found[head[1] or head[2]] = line.strip()
    return found
