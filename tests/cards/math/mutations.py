"""Formulas as a slip of the hand makes them, for laws that hold for whatever is typed."""

from __future__ import annotations

import random
from collections.abc import Sequence

_PIECES = (
    *("\\", "{", "}", "^", "_", "&", "\\\\", "$", "[", "]", "^{", "_{", "\t", "\x00", "字"),
    *("\\left(", "\\right", "\\middle|", "\\big(", "\\limits", "\\not", "\\tag{1}", "\\hline"),
    *("\u0301", "\\binom", "\\not"),
    *("\\frac", "\\sqrt", "\\hat", "\\int", "\\text{", "\\overbrace", "\\xrightarrow", "\\cancel"),
    *("\\begin{matrix}", "\\end{matrix}", "\\color{red}", "\\boxed", "\\mathbf", "\\sum_"),
)  # fmt: skip


def mutated(chance: random.Random, formulas: Sequence[str]) -> str:
    """One of `formulas` with one to four slips: something lost, put in, swapped in or doubled."""
    tex = chance.choice(formulas)
    for _ in range(chance.randint(1, 4)):
        start = chance.randrange(len(tex) + 1)
        end = min(len(tex), start + chance.randint(0, 12))
        match chance.randrange(4):
            case 0:
                tex = tex[:start] + tex[end:]
            case 1:
                tex = tex[:start] + chance.choice(_PIECES) + tex[start:]
            case 2:
                other = chance.choice(formulas)
                cut = chance.randrange(len(other))
                tex = tex[:start] + other[cut : cut + chance.randint(1, 30)] + tex[end:]
            case _:
                tex = tex[:start] + tex[start:end] * 3 + tex[end:]
    return tex
