r"""The statements of an answer: its lines, and what wide spaces part on one line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cards.math.tree import Break, Environment, Node, Row, Scripts, Space, Symbol, Tag, Text
from engine.latex.parts import CLOSING, OPENING, is_symbol, solid

_QUAD: Final = 0.99
_BINARY: Final = ("+", "-", "−", "⋅", "·", "×")


def statements(items: Sequence[Node]) -> list[tuple[int, list[Node]]]:
    """Each statement with its place; a line that goes on with `=` or a sign belongs to the last."""
    found: list[tuple[int, list[Node]]] = []
    for at, line in _lines(items):
        for statement in _parted(line):
            inner = solid(statement)
            if not inner or _number(inner):
                continue
            if found and is_symbol(inner[0], "=", *_BINARY):
                found[-1][1].extend(inner)
            else:
                found.append((at, list(statement)))
    return found


def _lines(items: Sequence[Node]) -> list[tuple[int, list[Node]]]:
    flat: list[tuple[int, list[Node]]] = [(0, [])]
    for node in items:
        if isinstance(node, Break):
            flat.append((node.span[0], []))
        elif isinstance(node, Row) and any(isinstance(n, Break | Environment) for n in node.items):
            flat += _lines(node.items)
        elif isinstance(node, Environment) and _aligned(node) and not solid(flat[-1][1]):
            for at, row in lines(node):
                flat.append((at, row))
            flat.append((node.span[1] - 1, []))
        else:
            flat[-1][1].append(node)
    return [line for line in flat if line[1]]


def lines(node: Environment) -> list[tuple[int, list[Node]]]:
    """The rows of an alignment, each as one row of nodes."""
    found = []
    for row in node.rows:
        cells = [item for cell in row for item in cell.items]
        if cells:
            found.append((cells[0].span[0], cells))
    return found


def _aligned(node: Environment) -> bool:
    return node.left == "" and node.name in (
        "aligned", "align", "alignat", "alignedat", "gather", "gathered", "split", "equation",
        "multline", "eqnarray", "flalign",
    )  # fmt: skip


def _parted(line: Sequence[Node]) -> list[list[Node]]:
    r"""At a wide space (\quad) behind which another equation, or an equation's number, stands."""
    parts: list[list[Node]] = [[]]
    depth = 0
    for at, node in enumerate(line):
        if isinstance(node, Symbol):
            depth += (node.char in OPENING) - (node.char in CLOSING)
        if isinstance(node, Scripts) and isinstance(node.base, Symbol):
            depth -= node.base.char in CLOSING
        wide = isinstance(node, Space) and node.em > _QUAD and depth == 0
        ends = wide and parts[-1]
        rest = solid(line[at + 1 :]) if ends else []
        # (2) \quad (p - t) could be a product: an equation's number stands before an equation.
        if ends and ((_number(parts[-1]) and equation(rest)) or _begins(rest, parts[-1])):
            parts.append([])
        elif isinstance(node, Tag):
            continue
        else:
            parts[-1].append(node)
    return parts


def _begins(rest: Sequence[Node], before: Sequence[Node]) -> bool:
    return _number(rest) or (equation(rest) and equation(before))


def _number(items: Sequence[Node]) -> bool:
    """(2): the number of an equation, and no answer."""
    inner = [n for n in items if not isinstance(n, Space)]
    digits = inner[1:-1]
    return (
        len(inner) > 2
        and is_symbol(inner[0], "(")
        and is_symbol(inner[-1], ")")
        and all(isinstance(n, Symbol) and (n.char.isdigit() or n.char == ".") for n in digits)
    )


def equation(items: Sequence[Node]) -> bool:
    """Whether an equals sign stands outside brackets, and no word leads up to it."""
    depth = 0
    for node in items:
        if isinstance(node, Text):
            return False
        if isinstance(node, Symbol):
            depth += (node.char in OPENING) - (node.char in CLOSING)
            if node.char in "=≔" and depth == 0:
                return True
    return False
