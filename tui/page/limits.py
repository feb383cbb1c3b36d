"""How much of a card is drawn, so that no key waits long for it.

The work of reading and laying out a text is estimated from its characters, before any of it is
read; a text that would take too long is cut where a line ends.
"""

from __future__ import annotations

import re

#: What a card may cost, in less than microseconds; its question and its solution share it.
MOST = 130_000
#: What all options of a card may cost, and each of them beside its text.
OPTIONS, OPTION = 25_000, 150
#: Cells of a table that are drawn, lines of text within them counted one by one.
CELLS = 4_000
#: Tokens that the macros of a text may make.
MACROS = 10_000
REST = "The rest is not shown here: it is too large. `deltadeck show` prints all of it."
# Costs: of a line, a sign, a word, a letter beyond ASCII, a letter of a long word, a space in front
# of a line, a cell that a short row of a table lacks.
_LINE, _SIGN, _WORD, _WIDE, _LONG, _INDENT, _CELL = 50, 9, 4, 3, 3, 4, 20
_SIGNS = re.compile(r"[^\w\s]|_")
_DEAR = {"\\left": 200, "\\": 8, "[": 30, "![": 80, "|": 5, "$": 12, ">": 24, "*": 4, "_": 4}
_FRONT = re.compile(r"[ \t]*")
_LONG_WORD = re.compile(r"\w{30,}")
_COLUMNS = re.compile(r"[ \t>]*\|?[ \t:]*-[-| \t:]*")
#: A longer line is weighed, and cut, in pieces.
_PIECE = 200


def cut(text: str, most: int) -> tuple[str, int]:
    """The beginning of a text that costs no more than `most`, and what it costs."""
    at = spent = columns = 0
    while at < len(text):
        end = text.find("\n", at, at + _PIECE) + 1 or at + _PIECE
        piece = text[at:end]
        cost = _cost(piece) + columns * _CELL * piece.count("\n")
        if spent + cost > most:
            return _whole_lines(text[:at]), spent
        if not piece.strip():
            columns = 0
        elif _COLUMNS.fullmatch(piece.rstrip("\n")):
            columns += piece.count("|")
        spent, at = spent + cost, end
    return text, spent


def shares(question: str, solution: str) -> tuple[str, str]:
    """The beginnings of a card's two texts; what one leaves, the other has."""
    _, told = cut(solution, MOST // 2)
    question, asked = cut(question, MOST - told)
    return question, cut(solution, MOST - asked)[0]


def _cost(piece: str) -> int:
    front = _FRONT.match(piece)
    return (
        len(piece)
        + _LINE * piece.count("\n")
        + _SIGN * len(_SIGNS.findall(piece))
        + _WORD * piece.count(" ")
        + _WIDE * (len(piece.encode("utf-8", "surrogatepass")) - len(piece))
        + _LONG * sum(map(len, _LONG_WORD.findall(piece)))
        + _INDENT * (front.end() if front else 0)
        + sum(dear * piece.count(sign) for sign, dear in _DEAR.items())
    )


def _whole_lines(text: str) -> str:
    """Without a last line that was cut, where that leaves most of the text."""
    end = text.rfind("\n") + 1
    return text[:end] if end > len(text) // 2 else text
