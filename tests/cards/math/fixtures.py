"""The tables that the tests of mathematics read.

trees.txt and rows.txt hold a case a line, `LaTeX === what is expected`, below a line that begins
with a # and says what the cases show; rows.txt has the mode in front of that.

gallery.txt holds formulas and their pictures, each looked at before it was put here:

    # title | mode width
    LaTeX, on one line
    ---
    the picture, up to a blank line that a "#" follows

`python -m tests.cards.math.fixtures` draws every picture anew; read the difference before you
commit it.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from cards.math import layout
from cards.math.typesetter.rows import SETTINGS, Mode

FILE = Path(__file__).with_name("gallery.txt")


def cases(name: str) -> list[tuple[str, str]]:
    """The cases of a table; before a picture stands its mode and a colon."""
    found, mode = [], ""
    for line in FILE.with_name(name).read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            mode = line[2:].partition(":")[0] + ": " if name == "rows.txt" else ""
        elif " === " in line and not line.startswith("; "):
            tex, _, expected = line.partition(" === ")
            found.append((tex, mode + expected))
    return found


class Entry(NamedTuple):
    title: str
    mode: Mode
    width: int | None
    tex: str
    picture: str


def entries() -> list[Entry]:
    found = []
    for block in FILE.read_text(encoding="utf-8").rstrip("\n").split("\n\n# "):
        head, tex, _, *picture = block.removeprefix("# ").split("\n")
        title, _, options = head.partition(" | ")
        mode, _, width = options.partition(" ")
        known = next(each for each in SETTINGS if each == mode)
        found.append(Entry(title, known, int(width) if width else None, tex, "\n".join(picture)))
    return found


def drawn(entry: Entry) -> str:
    box = layout(entry.tex, mode=entry.mode, width=entry.width)
    return "\n".join(row.rstrip() for row in box.rows)


# Formulas as a slip of the hand makes them, for laws that hold for whatever is typed.

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


def _write() -> None:
    blocks = []
    for entry in entries():
        width = f" {entry.width}" if entry.width else ""
        head = f"# {entry.title} | {entry.mode}{width}"
        blocks.append(f"{head}\n{entry.tex}\n---\n{drawn(entry)}")
    FILE.write_text("\n\n".join(blocks) + "\n", encoding="utf-8")


if __name__ == "__main__":
    _write()
