"""What a row says of a card: its first words, formulas set, and what of them is lit up."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from tui.text import visible

if TYPE_CHECKING:
    from cards.model import Card
    from deck.search.sought import Sought

_FORMULA = re.compile(r"\$\$(.+?)\$\$|\$(.+?)\$", re.DOTALL)
#: Marks of Markdown that a single line of text is better without.
_MARKS = re.compile(
    r"^\s*(?:[#>]+|[-*+]|\d+[.)])\s+|\*\*|__|`|!?\[(?=[^\]]*\]\()|\]\([^)]*\)|\[\[|\]\]"
)
#: Letters of a question that are looked at, and of a title that are drawn: wider is no screen.
_LONGEST: Final = 400
_SHOWN: Final = 200
#: Stand for a formula's number while the text around it is tidied; no text may hold them.
_OPEN, _CLOSE = "\ufdd0", "\ufdd1"
_HELD = re.compile(f"{_OPEN}(\\d+){_CLOSE}")


class Bit(NamedTuple):
    """A piece of a title."""

    text: str
    """On one line."""
    source: str = ""
    """The LaTeX of a formula, which is what a search reads of it; a formula is lit whole."""


def title(card: Card) -> str:
    """The first words of a card's question, on one line, its formulas set."""
    return "".join(bit.text for bit in bits(card))


def bits(card: Card) -> tuple[Bit, ...]:
    """The `title` in pieces."""
    text = card.question[:_LONGEST].replace(_OPEN, "").replace(_CLOSE, "")
    sources: list[str] = []

    def held(found: re.Match[str]) -> str:
        sources.append(found[1] or found[2])
        return f"{_OPEN}{len(sources) - 1}{_CLOSE}"

    lines = (_MARKS.sub("", line) for line in _FORMULA.sub(held, text).splitlines())
    words = " ".join(" ".join(line for line in lines if line.strip()).split())
    made: list[Bit] = []
    for number, part in enumerate(_HELD.split(visible(words))):
        if sum(len(bit.text) for bit in made) >= _SHOWN:
            break
        if number % 2:
            tex = sources[int(part)]
            made.append(Bit(" ".join(visible(_typeset(tex)).split()), tex))
        elif part:
            made.append(Bit(part))
    return tuple(made) if any(bit.text for bit in made) else (Bit(card.id),)


def lit(found: Sequence[Bit], sought: Sought) -> list[tuple[int, int]]:
    """The spans of the title that a search asks for."""
    spans = sought.spans("".join(bit.source or bit.text for bit in found), "question")
    shown: list[tuple[int, int]] = []
    read = drawn = 0
    for bit in found if spans else ():
        size, end = len(bit.source or bit.text), drawn + len(bit.text)
        inside = [
            (max(a, read), min(b, read + size)) for a, b in spans if a < read + size and b > read
        ]
        if bit.source:
            shown += [(drawn, end)] * bool(inside)
        else:
            shown += [(drawn + start - read, drawn + until - read) for start, until in inside]
        read, drawn = read + size, end
    return shown


@lru_cache(maxsize=4096)
def _typeset(tex: str) -> str:
    from cards.math import typeset

    return typeset(tex, display=False, mode="line")
