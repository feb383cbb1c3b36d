"""The name that a row spells: of \\operatorname{...}, of \\mathop{\\rm ...}."""

from __future__ import annotations

from cards.math.tree import Operator, Row, Space, Styled, Symbol, Text

#: A letter's own sign in a name: a hyphen, not a minus.
_PLAIN = {"−": "-", "∗": "*", "′": "'"}


def plain(row: Row) -> str | None:
    """The characters of a row of letters and spaces; None for one that holds anything else."""
    pieces: list[str] = []
    for node in row.items:
        piece: str | None = None
        if type(node) is Symbol:
            piece = _PLAIN.get(node.char, node.char)
        elif type(node) is Space:
            piece = " " if node.em > 0 else ""
        elif type(node) is Operator and not node.large:
            piece = node.text
        elif type(node) is Text and all(isinstance(part, str) for part in node.parts):
            piece = "".join(str(part) for part in node.parts)
        elif type(node) is Row:
            piece = plain(node)
        elif type(node) is Styled and node.style in ("roman", "text", "display"):
            piece = plain(node.body)
        if piece is None:
            return None
        pieces.append(piece)
    return "".join(pieces)


def is_upright(row: Row) -> bool:
    """Whether a row is one piece of upright text, as functions' names are set."""
    if len(row.items) != 1:
        return False
    only = row.items[0]
    return type(only) is Text or (type(only) is Styled and only.style == "roman")
