"""Rows and columns: matrices, cases, aligned equations, arrays with rules."""

from __future__ import annotations

from cards.math.tree import Break, Environment, Node, Row, Text
from deck.exchange.export.mathml.elements import (
    Setting,
    element,
    fence,
    inline_of,
    script_of,
)

_DISPLAYED = frozenset(
    {
        *("align", "aligned", "alignat", "split", "eqnarray", "gather", "gathered", "multline"),
        *("equation", "dcases", "drcases"),
    }
)
_SIDES = {"l": "left", "c": "center", "r": "right"}
_RULES = {"|": "1px solid", ":": "1px dashed"}


def table(node: Environment, setting: Setting) -> str:
    """The table, with its delimiters."""
    display = node.name in _DISPLAYED
    inner = script_of(setting) if node.small else setting._replace(display=display)
    width = max((len(row) for row in node.rows), default=0)
    aligns, rules = _columns("c" if node.name == "substack" else node.columns, width)
    rows = []
    for index, cells in enumerate(node.rows):
        tags = node.tags[index] if index < len(node.tags) else None
        rows.append(_row(node, cells, index, (aligns, rules), inner, tags))
    style = {"displaystyle": "true"} if display else {}
    if node.small:
        style = {"scriptlevel": "1"}
    drawn = element("mtable", "".join(rows), **style)
    if node.left or node.right:
        return element("mrow", fence(node.left) + drawn + fence(node.right))
    return drawn


def broken(body: Row, setting: Setting) -> str:
    r"""A row in which `\\` begins new lines."""
    lines: list[list[Node]] = [[]]
    for item in body.items:
        if isinstance(item, Break):
            lines.append([])
        else:
            lines[-1].append(item)
    rows = [
        element("mtr", _cell(Row(tuple(line), body.span), setting, "text-align:left"))
        for line in lines
    ]
    style = {"displaystyle": "true"} if setting.display else {}
    return element("mtable", "".join(rows), **style)


def _columns(spec: str, width: int) -> tuple[str, dict[int, str]]:
    """The letter of each column, and the rules before columns, by their numbers."""
    letters, rules = "", {}
    for sign in spec:
        if sign in _RULES:
            rules[len(letters)] = _RULES[sign]
        elif sign in _SIDES:
            letters += sign
    return letters.ljust(width, letters[-1:] or "c"), rules


def _row(
    node: Environment,
    cells: tuple[Row, ...],
    index: int,
    columns: tuple[str, dict[int, str]],
    setting: Setting,
    tag: Row | None,
) -> str:
    aligns, rules = columns
    if len(cells) == 1 and len(aligns) > 1 and _is_words(cells[0]):
        written = _cell(cells[0], inline_of(setting), "text-align:left")
        return element("mtr", written.replace("<mtd", f'<mtd columnspan="{len(aligns)}"', 1))
    lines = _lines(node, index)
    pieces = []
    for number in range(len(aligns)):
        pieces += _inserted(node, number, setting)
        cell = cells[number] if number < len(cells) else Row((), node.span)
        styles = [_placed(node, number, aligns[number]), *lines]
        if number in rules:
            styles.append(f"border-left:{rules[number]}")
        if number + 1 == len(aligns) and len(aligns) in rules:
            styles.append(f"border-right:{rules[len(aligns)]}")
        pieces.append(_cell(cell, setting, ";".join(styles)))
    pieces += _inserted(node, len(aligns), setting)
    if tag is not None:
        pieces.append(_cell(tag, inline_of(setting), "text-align:right;padding-left:2em"))
    return element("mtr", "".join(pieces))


def _placed(node: Environment, number: int, letter: str) -> str:
    """Where a cell's content stands; the halves of an equation touch."""
    side = f"text-align:{_SIDES[letter]}"
    if not node.joined:
        return side
    if number % 2 == 0:
        gap = "padding-left:0" if number == 0 else "padding-left:2em"
        return f"{side};padding-right:0;{gap}"
    return f"{side};padding-left:0;padding-right:0"


def _lines(node: Environment, index: int) -> list[str]:
    styles = []
    for line in node.lines:
        how = "1px dashed" if line.dashed else "1px solid"
        if line.before == index:
            styles.append(f"border-top:{how}")
        elif line.before == index + 1 == len(node.rows):
            styles.append(f"border-bottom:{how}")
    return list(dict.fromkeys(styles))


def _inserted(node: Environment, number: int, setting: Setting) -> list[str]:
    tight = "text-align:center;padding-left:0;padding-right:0"
    return [
        _cell(each.body, setting, tight if each.tight else "text-align:center")
        for each in node.inserts
        if each.before == number
    ]


def _is_words(cell: Row) -> bool:
    return len(cell.items) == 1 and isinstance(cell.items[0], Text)


def _cell(cell: Row, setting: Setting, style: str) -> str:
    from deck.exchange.export.mathml.nodes import row

    return element("mtd", row(cell, setting), style=style)
